/// A failed system call on a file, or a file that became shorter.
public struct IOError: Error, Hashable, Sendable {
  /// The operation.
  public enum Operation: Hashable, Sendable {
    /// Opening an input.
    case open
    /// Reading an input.
    case read
    /// Creating an output: the file itself, its temporary file, or its final name.
    case create
    /// Writing to an output.
    case write
    /// Opening a file to be changed in place.
    case change
  }
  /// The operation.
  public var operation: Operation
  /// The name of the source or sink.
  public var file: String
  /// The offset in the file, if known.
  public var offset: Int?
  /// The `errno` of the call, or 0 if no call failed, for example because a file became shorter.
  public var code: Int32
  /// The problem, as a phrase that continues "cannot read: ".
  public var reason: String
  /// The error of a closure of the app that provides the bytes, such as a status of a server. Two errors can be equal
  /// although these are not.
  public var underlying: (any Error)? { cause.error }
  private var cause = Cause()

  private struct Cause: Hashable, Sendable {
    var error: (any Error)?
    static func == (a: Self, b: Self) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
  }

  /// An error of `operation` on the file called `file`.
  public init(_ operation: Operation, file: String, offset: Int? = nil, code: Int32 = 0, reason: String) {
    self.operation = operation
    self.file = file
    self.offset = offset
    self.code = code
    self.reason = reason
  }
}

extension IOError {
  /// The error of a closure that provides the bytes of a source.
  package init(reading file: String, at offset: Int, _ error: any Error) {
    self.init(.read, file: file, offset: offset, reason: "\(error)")
    cause.error = error
  }

  /// The error that `source` ends at `end` although it should contain `range`.
  package init(endOf source: any ByteSource, at end: Int, copying range: Range<Int>) {
    self.init(
      .read, file: source.name, offset: end,
      reason: "the file ends at byte \(end) of \(range.upperBound)")
  }
}

extension IOError {
  /// The error that reading was stopped on request.
  package init(stopping file: String) { self.init(.read, file: file, reason: "it was stopped") }
}

extension IOError: CustomStringConvertible {
  /// Such as `a.mp4: cannot read at byte 512: Input/output error`; an empty name is `''`.
  public var description: String {
    let verb =
      switch operation {
      case .open: "open"
      case .read: "read"
      case .create: "create"
      case .write: "write"
      case .change: "change"
      }
    let place = offset.map { " at byte \($0)" } ?? ""
    return "\(file.isEmpty ? "''" : file): cannot \(verb)\(place): \(reason)"
  }
}
