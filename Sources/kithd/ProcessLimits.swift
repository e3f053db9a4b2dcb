import CLinux
import Glibc

/// What the process asks of the kernel for itself.
enum ProcessLimits {
  /// Has no core and no backtrace written, which would hold what people told us and the keys. To be called before any secret is read.
  ///
  /// Both are needed: the limit does not hold for cores that the kernel hands to a program (`core_pattern` with `|`), and the
  /// programs that the daemon starts inherit the limit alone.
  static func keepMemoryPrivate() {
    var core = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &core)
    _ = kith_keep_memory_private()
    // Where a Swift toolchain is installed the runtime tells of a crash with pieces of memory, which would go to the journal.
    guard getenv("SWIFT_BACKTRACE") == nil else { return }
    for number in [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] { signal(number, SIG_DFL) }
  }

  /// Allows as many descriptors as the hard limit does, no new file for others to read, and no end because nobody reads
  /// standard error any more.
  static func prepare() {
    var descriptors = rlimit()
    if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors) == 0 {
      descriptors.rlim_cur = descriptors.rlim_max
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors)
    }
    umask(0o077)
    signal(SIGPIPE, SIG_IGN)
  }
}
