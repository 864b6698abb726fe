#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The two ends of a pipe. Child processes do not inherit them.
package struct Pipe {
  /// The end that bytes are read from.
  package let read: Descriptor
  /// The end that bytes are written to.
  package let write: Descriptor

  package init() throws(Errno) {
    var numbers: [Int32] = [-1, -1]
    #if os(Linux)
      let result = unsafe pipe2(&numbers, O_CLOEXEC)
    #else
      // A program that is started between these calls closes all descriptors.
      let result = unsafe pipe(&numbers)
      for number in numbers { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
    #endif
    _ = try checked(result)
    (read, write) = (Descriptor(owning: numbers[0]), Descriptor(owning: numbers[1]))
  }
}
