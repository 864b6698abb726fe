public import Bytes

/// What is wrong with the bytes of a box, where, and in which field.
public struct BoxError: Error, Hashable, Sendable {
  /// The kinds of damage.
  public enum Problem: Hashable, Sendable {
    /// A field that needs more bytes than the box has left.
    case truncated(needed: Int, left: Int)
    /// A count that comes out less than none: of entries, or of bytes.
    case negativeCount(Int64, of: StaticText)
    /// Bytes after all fields of what has to end with them.
    case leftOver(Int)
    /// A table that counts more entries than the box has bytes for.
    case countTooLarge(Int, entrySize: Int, left: Int)
    /// A box that says it is smaller than its own header.
    case sizeTooSmall(UInt64)
    /// A box that says it is larger than what encloses it.
    case sizeTooLarge(UInt64, left: Int)
    /// A box that says it goes on where another one starts that cannot be in it.
    case reachesOver(UInt64, FourCC, at: Int)
    /// Bytes at the end of a container, or of the file, that are too few for a box.
    case notABox(count: Int)
    /// More boxes inside each other than anything real has.
    case tooDeep(limit: Int)
    /// A payload too large to be decoded in memory.
    case tooLargeToDecode(limit: Int)
    /// A value that this field cannot have, and what it can be.
    case invalid(UInt64, possible: StaticText)
    /// A field whose layout depends on another box that is not at hand.
    case needs(StaticText)
    /// A version of a box whose layout is not known, and those that are known.
    case unknownVersion(UInt8, known: ClosedRange<UInt8>)
    /// A number that cannot be written, since the field has too few bits for it.
    case tooWide(magnitude: UInt64, isNegative: Bool, bits: Int)
    /// A table that cannot be written, since its count has to be another one.
    case wrongCount(Int, expected: Int)
    /// Bytes or text that cannot be written, since they have to be of another length.
    case wrongLength(Int, expected: Int)
    /// A value that cannot be written, since the flag that says that it is there is not set.
    case missingFlag(UInt32)
    /// A value that a flag of the box says is there, and that is `nil`.
    case missingValue(flag: UInt32)
    /// Properties of a box that would be lost: nothing has a place for them in its version and with its other values.
    case notKept([String])
  }
  /// What is wrong.
  public var problem: Problem
  /// The field as the standard names it.
  public var field: StaticText
  /// The offset in the file of the first byte that could not be used.
  public var offset: Int

  /// A problem of `field` at the byte `offset` of the file.
  public init(_ problem: Problem, field: StaticText, offset: Int) {
    self.problem = problem
    self.field = field
    self.offset = offset
  }
}

extension BoxError: CustomStringConvertible {
  /// Such as `sample_count at byte 420 is 4294967295 but 188 bytes are left`.
  public var description: String { "\(field) at byte \(offset) \(reason)" }

  /// The problem without field and place, such as `needs 4 bytes but 2 are left`.
  public var reason: String {
    switch problem {
    case .truncated(let needed, let left): "needs \(counted(needed, "byte")) but \(counted(left, "is", "are")) left"
    case .negativeCount(let count, let unit): "would have \(count) \(unit)"
    case .leftOver(let count): "has \(counted(count, "byte")) after its fields"
    case .countTooLarge(let count, let entrySize, let left):
      "counts \(counted(count, "entry", "entries")) of \(counted(entrySize, "byte")) but "
        + "\(counted(left, "byte is", "bytes are")) left"
    case .sizeTooSmall(let size): "is \(size), less than a box header"
    case .sizeTooLarge(let size, let left): "is \(size) but \(counted(left, "byte is", "bytes are")) left"
    case .reachesOver(let size, let next, let offset): "is \(size) but '\(next)' starts at byte \(offset)"
    case .notABox(let count): "starts \(counted(count, "byte that is", "bytes that are")) not a box"
    case .tooDeep(let limit): "is inside \(limit) other boxes; deeper boxes are not read"
    case .tooLargeToDecode(let limit): "is more than the \(limit) bytes that are decoded at a time"
    case .invalid(let value, let possible): "is \(value) but can only be \(possible)"
    case .needs(let what): "cannot be read without \(what)"
    case .unknownVersion(let version, let known): "is \(version), and only \(Self.list(known)) known"
    case .tooWide(let magnitude, let isNegative, let bits):
      "is \(isNegative ? "-" : "")\(magnitude) but has \(counted(bits, "bit"))"
    case .wrongCount(let count, let expected):
      "has \(counted(count, "entry", "entries")) but must have \(expected)"
    case .wrongLength(let count, let expected): "has \(counted(count, "byte")) but must have \(expected)"
    case .missingFlag(let flag): "has a value but flag 0x\(String(flag, radix: 16)) is not set"
    case .missingValue(let flag): "has no value but flag 0x\(String(flag, radix: 16)) is set"
    case .notKept(let names): "cannot express \(names.joined(separator: ", ")) together with the other values"
    }
  }

  private static func list(_ known: ClosedRange<UInt8>) -> String {
    switch known.count {
    case 1: "\(known.lowerBound) is"
    case 2: "\(known.lowerBound) and \(known.upperBound) are"
    default: "\(known.lowerBound) to \(known.upperBound) are"
    }
  }

  /// Whether nothing has to be wrong: the box may be of a later standard than this package.
  package var isNote: Bool {
    if case .unknownVersion = problem { true } else { false }
  }
}
