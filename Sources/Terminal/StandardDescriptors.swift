import Glibc

/// Input, output and errors of the process.
public enum StandardDescriptors {
  /// Opens those that whoever started us left closed: else the first files of our own would get their numbers, and what is
  /// told of failures would be written into them.
  ///
  /// - Parameter areUsable: whether what is written there is dropped and an input is empty; else reading and writing fail as
  ///   they would without this.
  public static func fill(areUsable: Bool) {
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) == -1 {
      let mode = areUsable ? O_RDWR : descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY
      // The lowest free number is this one.
      guard open("/dev/null", mode) == descriptor else { return }
    }
  }
}
