public import Bytes

/// The fields of one box type. A single `fields` declaration reads, writes, shows and documents them.
public protocol BoxPayload: EmptyInitializable, Equatable, Sendable {
  /// The type, name, containers and clause of the box.
  static var info: BoxInfo { get }
  /// Whether boxes follow the fields; the declaration then ends with `c.boxes()`.
  static var holdsBoxes: Bool { get }
  /// An empty payload of the same box: `Self()`, unless the fields depend on the value instead of the type.
  var blank: Self { get }
  /// Whether boxes follow the fields: the value of the type, unless the fields depend on the value instead of the type.
  var holdsBoxes: Bool { get }
  /// The fields in the order of the standard's syntax.
  mutating func fields(_ c: inout FieldCoder) throws(BoxError)
}
extension BoxPayload {
  /// By default, there are no boxes after the fields.
  public static var holdsBoxes: Bool { false }
  /// By default, `Self()`.
  public var blank: Self { Self() }
  /// By default, the value of the type.
  public var holdsBoxes: Bool { Self.holdsBoxes }
}

/// The version and flags that open a full box.
public struct FullBoxHeader: Hashable, Sendable {
  /// The version of the layout.
  public var version: UInt8
  /// 24 bits with a box-specific meaning.
  public var flags: UInt32
  /// A header of this version with these flags.
  public init(version: UInt8 = 0, flags: UInt32 = 0) {
    self.version = version
    self.flags = flags
  }
}

/// A box that starts with a version and flags.
public protocol FullBoxPayload: BoxPayload {
  /// The version and the flags.
  var header: FullBoxHeader { get set }
  /// The versions whose layout is declared. The fields of other versions are not shown, because they would be guessed.
  static var versions: ClosedRange<UInt8> { get }
  /// The names of the flags, such as `0x1 data-offset-present`.
  static var flagNames: ValueNames { get }
  /// The fields after the version and flags.
  mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError)
}
extension FullBoxPayload {
  /// By default, version 0 only.
  public static var versions: ClosedRange<UInt8> { 0...0 }
  /// By default, flags have no names.
  public static var flagNames: ValueNames { "" }
  /// The version of the layout.
  public var version: UInt8 { header.version }
  /// 24 bits with a box-specific meaning.
  public var flags: UInt32 { header.flags }
  /// Version, flags and the fields after them.
  public mutating func fields(_ c: inout FieldCoder) throws(BoxError) {
    try c.fullBoxHeader(&header, Self.flagNames)
    if c.isShowing { try c.check(version: header.version, isIn: Self.versions) }
    try fullBoxFields(&c)
  }
}

/// The properties of a box type other than its fields.
public struct BoxInfo: Sendable {
  /// The four-character code.
  public var type: FourCC
  /// The name in the standard.
  public var name: StaticText
  /// The types of the boxes that may hold it; `FourCC.file` is the file itself. Empty means anywhere.
  public var containers: [FourCC]
  /// The clause that defines the box, such as `ISO/IEC 14496-12:2022, 8.7.3.2`.
  public var clause: StaticText
  /// The user type that identifies a `uuid` box.
  public var userType: UserType?

  /// The properties of the type `type`.
  public init(
    _ type: FourCC, _ name: StaticText, in containers: [FourCC], _ clause: StaticText, userType: UserType? = nil
  ) {
    self.type = type
    self.userType = userType
    self.name = name
    self.containers = containers
    self.clause = clause
  }

  /// Whether both define the same box in some container.
  package func overlaps(_ other: BoxInfo) -> Bool {
    type == other.type && userType == other.userType
      && (containers.isEmpty || other.containers.isEmpty || containers.contains { other.containers.contains($0) })
  }
}

extension BoxPayload {
  /// Decodes a payload: the bytes after the header of a box.
  ///
  /// - Parameters:
  ///   - bytes: The payload.
  ///   - offset: Its file offset, for errors.
  ///   - context: Information from other boxes that is needed to decode it.
  ///   - rest: Set to the bytes after the declared fields, which some writers add.
  public init(
    decoding bytes: ArraySlice<UInt8>, at offset: Int = 0, context: BoxContext = BoxContext(),
    rest: inout ArraySlice<UInt8>
  ) throws(BoxError) {
    self.init()
    rest = try decode(bytes, at: offset, context: context)
  }

  /// Decodes a payload; bytes after the declared fields are ignored.
  public init(decoding bytes: ArraySlice<UInt8>, at offset: Int = 0, context: BoxContext = BoxContext())
    throws(BoxError)
  {
    self.init()
    _ = try decode(bytes, at: offset, context: context)
  }

  /// Reads the fields into a blank payload, and returns the bytes after them. `bytesAfter` is the number of bytes of
  /// the box after `bytes`.
  package mutating func decode(
    _ bytes: ArraySlice<UInt8>, at offset: Int = 0, context: BoxContext = BoxContext(), bytesAfter: Int = 0
  ) throws(BoxError) -> ArraySlice<UInt8> {
    var coder = FieldCoder(reading: bytes, base: offset, context: context, sink: nil, bytesAfter: bytesAfter)
    try fields(&coder)
    return bytes[(bytes.startIndex + coder.reader.position)...]
  }
}
