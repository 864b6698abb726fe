// The part of Apple's module `Darwin` that is written in Swift, as far as Sources/Platform uses it: declarations that
// the importer cannot take from C, such as variadic functions. Only for type-checking (`Tests/Darwin/run`).
@_exported import Darwin

public var errno: Int32 {
  get { fatalError() }
  set { fatalError() }
}

public func open(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { fatalError() }
public func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 { fatalError() }
public func openat(_ folder: Int32, _ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { fatalError() }
public func openat(_ folder: Int32, _ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 {
  fatalError()
}
public func fcntl(_ number: Int32, _ command: Int32) -> Int32 { fatalError() }
public func fcntl(_ number: Int32, _ command: Int32, _ value: Int32) -> Int32 { fatalError() }
public func fcntl(_ number: Int32, _ command: Int32, _ pointer: UnsafeMutableRawPointer) -> Int32 { fatalError() }
public func ioctl(_ number: CInt, _ request: UInt, _ value: CInt) -> CInt { fatalError() }
public func ioctl(_ number: CInt, _ request: UInt, _ pointer: UnsafeMutableRawPointer) -> CInt { fatalError() }
public func ioctl(_ number: CInt, _ request: UInt) -> CInt { fatalError() }
public var TIOCGWINSZ: UInt { 0x4008_7468 }

public var S_IFMT: mode_t { 0o170000 }
public var S_IFIFO: mode_t { 0o010000 }
public var S_IFCHR: mode_t { 0o020000 }
public var S_IFDIR: mode_t { 0o040000 }
public var S_IFBLK: mode_t { 0o060000 }
public var S_IFREG: mode_t { 0o100000 }
public var S_IFLNK: mode_t { 0o120000 }

public var SIG_DFL: sig_t? { nil }
public var SIG_IGN: sig_t { fatalError() }

public var CLOCK_REALTIME: clockid_t { _CLOCK_REALTIME }
public var CLOCK_MONOTONIC: clockid_t { _CLOCK_MONOTONIC }
