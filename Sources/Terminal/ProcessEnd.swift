import Glibc

/// The end of a program of ours.
public enum ProcessEnd {
  /// Ends the process, after what was printed has been written.
  ///
  /// Not by `exit`, which has libraries take down what they hold while threads of ours still use it: libuv then aborts the
  /// process when a loop lets go of a signal. What those threads do is of no use any more, so nobody waits for them.
  public static func now(_ exitCode: Int32) -> Never {
    fflush(nil)
    _exit(exitCode)
  }
}
