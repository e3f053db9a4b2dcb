import FoundationEssentials

/// The file descriptors of this process; to be compared only where no other test runs, in a process of its own.
public enum OpenDescriptors {
  public static var count: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? -1
  }
}
