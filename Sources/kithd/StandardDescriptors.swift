import Glibc

/// Input, output and errors of the process.
enum StandardDescriptors {
  /// Opens those that whoever started us left closed: else the first files of our own would get their numbers, and what is
  /// told of failures would be written into them.
  static func fill() {
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) == -1 {
      // The lowest free number is this one.
      guard open("/dev/null", O_RDWR) == descriptor else { return }
    }
  }
}
