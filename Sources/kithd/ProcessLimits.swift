import Glibc

/// What the process asks of the kernel for itself.
enum ProcessLimits {
  /// Allows as many descriptors as the hard limit does, no core file, no new file for others to read, and no end because
  /// nobody reads standard error any more.
  static func prepare() {
    var descriptors = rlimit()
    if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors) == 0 {
      descriptors.rlim_cur = descriptors.rlim_max
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors)
    }
    // A core file would hold what people told us.
    var core = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &core)
    umask(0o077)
    signal(SIGPIPE, SIG_IGN)
  }
}
