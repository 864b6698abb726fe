public import MP4Bytes

/// Damage of a box: the problem, the field, and the offset.
public struct BoxError: Error, Hashable, Sendable {
  /// The kinds of damage.
  public enum Problem: Hashable, Sendable {
    /// A field that needs more bytes than the box has left.
    case truncated(needed: Int, left: Int)
    /// A negative count of entries or bytes.
    case negativeCount(Int64, of: StaticText)
    /// Bytes after the last field of a box or descriptor that must end there.
    case leftOver(Int)
    /// A table whose count of entries exceeds the remaining bytes.
    case countTooLarge(Int, entrySize: Int, left: Int)
    /// A box whose size is smaller than its header.
    case sizeTooSmall(UInt64)
    /// A box that extends past the end of its container.
    case sizeTooLarge(UInt64, left: Int)
    /// A box that extends over another box that cannot be in it.
    case reachesOver(UInt64, FourCC, at: Int)
    /// Too few bytes for a box, at the end of a container or of the file.
    case notABox(count: Int)
    /// Boxes that are nested more deeply than in any real file.
    case tooDeep(limit: Int)
    /// A payload too large to be decoded in memory.
    case tooLargeToDecode(limit: Int)
    /// An invalid value, and the valid ones.
    case invalid(UInt64, possible: StaticText)
    /// A field whose layout depends on another box that is not available.
    case needs(StaticText)
    /// An unknown version of a box, and the known ones.
    case unknownVersion(UInt8, known: ClosedRange<UInt8>)
    /// A number that does not fit into its field.
    case tooWide(magnitude: UInt64, isNegative: Bool, bits: Int)
    /// A table whose number of rows differs from its required count.
    case wrongCount(Int, expected: Int)
    /// Bytes or text whose length differs from the required one.
    case wrongLength(Int, expected: Int)
    /// A value whose presence flag is not set.
    case missingFlag(UInt32)
    /// A missing value whose presence flag is set.
    case missingValue(flag: UInt32)
    /// Properties that cannot be stored in a box with its version and other values.
    case notKept([String])
  }
  /// The problem.
  public var problem: Problem
  /// The name of the field in the standard.
  public var field: StaticText
  /// The file offset of the first byte that could not be used.
  public var offset: Int

  /// A problem of `field` at the file offset `offset`.
  public init(_ problem: Problem, field: StaticText, offset: Int) {
    self.problem = problem
    self.field = field
    self.offset = offset
  }
}

extension BoxError: CustomStringConvertible {
  /// A sentence such as `sample_count at byte 420 is 4294967295 but 188 bytes are left`.
  public var description: String {
    if case .notKept = problem { return reason }
    return "\(field) at byte \(offset) \(reason)"
  }

  /// The problem without field and offset, such as `needs 4 bytes but 2 are left`.
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
    case .notKept([]): "with this value, other fields of the box would be lost"
    case .notKept(let names): "\(names.joined(separator: ", ")) cannot be stored together with the other values"
    }
  }

  static func list(_ known: ClosedRange<UInt8>) -> String {
    switch known.count {
    case 1: "\(known.lowerBound) is"
    case 2: "\(known.lowerBound) and \(known.upperBound) are"
    default: "\(known.lowerBound) to \(known.upperBound) are"
    }
  }

  /// Whether it is not necessarily damage: the box may be from a later standard than this package.
  package var isNote: Bool {
    if case .unknownVersion = problem { true } else { false }
  }
}
