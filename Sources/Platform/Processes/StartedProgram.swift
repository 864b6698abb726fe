package import MP4Platform

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A program that was started. The system keeps its status until `waitForEnd()`.
package struct StartedProgram {
  private let number: Int32

  /// Starts `program`, a path or a name that is looked up in `PATH`.
  ///
  /// - Parameters:
  ///   - program: What to start.
  ///   - arguments: Its arguments, without its name.
  ///   - streams: What its descriptors 0, 1 and 2 are. It gets no other open file of this program.
  /// - Throws: `noSuchFileOrDirectory` if the program does not exist, or another error that prevents the start.
  package init(_ program: String, _ arguments: [String], _ streams: [Descriptor]) throws(Errno) {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = unsafe posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for (number, stream) in streams.enumerated() {
      unsafe posix_spawn_file_actions_adddup2(&actions, stream.number, Int32(number))
    }
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    // The program must not inherit the signals that this process ignores or blocks. Terminal signals are sent to the
    // process group, and this process decides what to do about them.
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    var all = sigset_t()
    unsafe sigfillset(&all)
    unsafe posix_spawnattr_setsigdefault(&attributes, &all)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    unsafe posix_spawnattr_setflags(&attributes, StartedProgram.flags)

    var words = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
    defer { unsafe words.forEach { unsafe free($0) } }
    var number: pid_t = 0
    #if canImport(Darwin)
      let environment = unsafe _NSGetEnviron().pointee
    #else
      let environment = unsafe environ
    #endif
    let failure = withExtendedLifetime(streams) {
      unsafe posix_spawnp(&number, program, &actions, &attributes, &words, environment)
    }
    if failure != 0 { throw Errno(rawValue: failure) }
    self.number = number
  }

  func stop() { _ = kill(number, SIGKILL) }

  /// Waits until it has ended and collects its status, so that it does not remain in the process table.
  package func waitForEnd() -> ChildProcess.End {
    var status: Int32 = 0
    let isKnown = (try? uninterrupted { unsafe waitpid(number, &status, 0) }) != nil
    let signal = status & 0x7f
    return !isKnown ? .exited(0) : signal == 0 ? .exited(status >> 8 & 0xff) : .stopped(signal)
  }

  private static var flags: Int16 {
    #if canImport(Darwin)
      Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_CLOEXEC_DEFAULT)
    #else
      Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP)
    #endif
  }
}
