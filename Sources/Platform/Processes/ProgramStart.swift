import Platform

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What it takes to start a program.
struct ProgramStart {
  private let program: String
  private let arguments: [String]
  /// What its descriptors 0, 1 and 2 are.
  private let streams: [Descriptor]

  init(_ program: String, _ arguments: [String], _ streams: [Descriptor]) {
    self.program = program
    self.arguments = arguments
    self.streams = streams
  }

  /// Starts it and returns its number.
  func run() throws(Errno) -> pid_t {
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
    // Signals that this program ignores or holds back are none of its business, and those that the terminal sends to a
    // group are for this program to decide about.
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    var all = sigset_t()
    unsafe sigfillset(&all)
    unsafe posix_spawnattr_setsigdefault(&attributes, &all)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    unsafe posix_spawnattr_setflags(&attributes, ProgramStart.flags)

    var words = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
    defer { unsafe words.forEach { unsafe free($0) } }
    var number: pid_t = 0
    #if canImport(Darwin)
      let environment = unsafe _NSGetEnviron().pointee
    #else
      let environment = unsafe environ
    #endif
    let failure = unsafe posix_spawnp(&number, program, &actions, &attributes, &words, environment)
    if failure != 0 { throw Errno(rawValue: failure) }
    return number
  }

  private static var flags: Int16 {
    #if canImport(Darwin)
      Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_CLOEXEC_DEFAULT)
    #else
      Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP)
    #endif
  }
}
