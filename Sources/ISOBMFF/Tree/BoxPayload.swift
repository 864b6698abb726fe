public import MP4Bytes

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
  /// The version of a full box, and the versions whose layout is declared; `nil` for other boxes.
  var layoutVersion: (own: UInt8, known: ClosedRange<UInt8>)? { get }
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
  /// By default, none.
  public var layoutVersion: (own: UInt8, known: ClosedRange<UInt8>)? { nil }
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
  /// The version, and the versions of the type.
  public var layoutVersion: (own: UInt8, known: ClosedRange<UInt8>)? { (version, Self.versions) }
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

/// Encoding never changes a value: decoding the bytes gives the same value.
extension BoxPayload {
  /// The bytes of the fields, without a box header.
  ///
  /// The version and flags stay what they are if they can express the values. Otherwise the version becomes the next
  /// one of the type that can, and flags are set that rows of a table need.
  ///
  /// - Parameters:
  ///   - context: what other boxes say about this one.
  ///   - rest: the bytes that follow the fields, which decide how some boxes are read.
  /// - Throws: what of the values cannot be written: a number that is too large for its field in every version, a table
  ///   with more rows than can be counted, bytes of a wrong length, or a property that nothing has a place for in a box
  ///   with these other values.
  public func encoded(context: BoxContext = BoxContext(), rest: [UInt8] = []) throws(BoxError) -> [UInt8] {
    let problem: BoxError
    do throws(BoxError) { return try encodedUnchanged(context, rest) } catch { problem = error }
    guard let latest = knownVersions?.upperBound else { throw problem }
    return try encodedRaised(after: problem, to: latest, context, rest)
  }

  /// The versions with a known layout; `nil` if the box has no version.
  package var knownVersions: ClosedRange<UInt8>? { layoutVersion?.known }

  /// The size of the fields in bytes with the current version and flags.
  package var measuredSize: Int {
    var (copy, coder) = (self, FieldCoder(.measure))
    // Measuring does not read bytes and cannot fail.
    try? copy.fields(&coder)
    return coder.measured
  }

  /// The bytes with the current version and flags.
  fileprivate func encodedUnchanged(_ context: BoxContext, _ rest: [UInt8]) throws(BoxError) -> [UInt8] {
    var coder = FieldCoder(.write, context: context)
    var copy = self
    try copy.fields(&coder)
    let bytes = coder.writer.bytes
    // Unknown boxes may follow.
    let box: [UInt8] = [0, 0, 0, 8] + "free".utf8
    if holdsBoxes, rest.isEmpty, (try? check(bytes + box, context)) != nil { return bytes }
    try check(rest.isEmpty ? bytes : bytes + rest, context)
    return bytes
  }

  /// Throws if reading the bytes does not give the same value.
  private func check(_ bytes: [UInt8], _ context: BoxContext) throws(BoxError) {
    var read = blank
    do throws(BoxError) { _ = try read.decode(bytes[...], context: context) } catch {
      // When the box is read, the information from other boxes is available.
      if case .needs = error.problem { return }
      throw error
    }
    // A value that does not equal itself contains a NaN.
    guard read != self, read == read else { return }
    if self is any DefinedPayload {
      throw BoxError(.notKept(fieldNames.filter { self[$0] != read[$0] }), field: "fields", offset: 0)
    }
    let names = zip(Mirror(reflecting: self).children, Mirror(reflecting: read).children).compactMap { mine, other in
      (mine.value as? any Equatable)?.isEqual(to: other.value) == true ? nil : mine.label
    }
    throw BoxError(.notKept(names), field: "fields", offset: 0)
  }
}

extension Equatable {
  fileprivate func isEqual(to other: Any) -> Bool { other as? Self == self }
}

extension BoxPayload {
  /// The version and flags of a full box.
  var fullHeader: FullBoxHeader {
    get { (self as? any FullBoxPayload)?.header ?? (self as? any DefinedPayload)?.header ?? FullBoxHeader() }
    set {
      if var full = self as? any FullBoxPayload {
        full.header = newValue
        if let changed = full as? Self { self = changed }
      } else if var defined = self as? any DefinedPayload {
        defined.header = newValue
        if let changed = defined as? Self { self = changed }
      }
    }
  }

  /// The bytes with additional flags, or a later version up to `latest`, because the current ones cause `problem`.
  fileprivate func encodedRaised(
    after problem: BoxError, to latest: UInt8, _ context: BoxContext, _ rest: [UInt8]
  ) throws(BoxError) -> [UInt8] {
    var (copy, problem) = (self, problem)
    repeat {
      while case .missingFlag(let flag) = problem.problem, !copy.fullHeader[flag] {
        copy.fullHeader[flag] = true
        do throws(BoxError) { return try copy.encodedUnchanged(context, rest) } catch { problem = error }
      }
      guard copy.fullHeader.version < latest else { throw problem }
      copy.fullHeader.version += 1
      do throws(BoxError) { return try copy.encodedUnchanged(context, rest) } catch {
        // The problem of the first version is reported, unless it was only a missing flag.
        if case .missingFlag = error.problem { problem = error }
      }
    } while true
  }
}

/// Access to fields by their names in the standard, which `mp4tool explain` prints.
extension BoxPayload {
  /// The value of the field called `name`, such as `timescale`, `entries[1].sample_count` or
  /// `ES_Descriptor.DecoderConfigDescriptor.avgBitrate`; `nil` if the box does not have it. Rows are numbered from 1.
  /// `context` is information from other boxes, and `registry` has the kinds of sample groups.
  public subscript(
    name: String, context context: BoxContext = BoxContext(), registry registry: BoxRegistry = .core
  ) -> FieldValue? {
    let access = FieldAccess(name)
    _ = looked(for: access, context, registry)
    return access.found
  }

  /// A copy with the field called `name` set to `value`. A text is parsed: a number, the name of a value, a language, a
  /// date, or bytes in hexadecimal digits. Fields that count or measure other fields cannot be set; the version and
  /// flags are adapted if necessary.
  public func setting(
    _ name: String, to value: FieldValue, context: BoxContext = BoxContext(), registry: BoxRegistry = .core
  ) throws(FieldError) -> Self {
    let access = FieldAccess(name, value)
    let changed = looked(for: access, context, registry)
    if let problem = access.problem { throw FieldError(problem, name) }
    guard let old = access.found, let new = access.given else { throw FieldError(.unknown(fieldNames), name) }
    let kept = changed[name, context: context, registry: registry]
    guard let kept, kept.isStored(as: new) else { throw FieldError(kept == old ? .derived : .doesNotFit, name) }
    if let versions = changed.knownVersions, !versions.contains(changed.fullHeader.version) {
      throw FieldError(.otherVersion(changed.fullHeader.version, known: versions), name)
    }
    // A version or flag that other values require would be set again when the box is written.
    if name == "version" || name == "flags" { try changed.checkHeader(name, context) }
    return changed
  }

  /// Sets the field called `name` to `value`, like `setting`.
  public mutating func set(
    _ name: String, to value: FieldValue, context: BoxContext = BoxContext(), registry: BoxRegistry = .core
  ) throws(FieldError) {
    self = try setting(name, to: value, context: context, registry: registry)
  }

  /// The names of the fields of the box with its version and flags; those of rows are prefixed with the name of their
  /// table.
  public var fieldNames: [String] {
    var (copy, coder) = (blank, FieldCoder(.describe))
    coder.header = fullHeader
    // The description ends at a field that depends on a value.
    do throws(BoxError) { try copy.fields(&coder) } catch {}
    return coder.described.filter { !["bits", "boxes", "derived"].contains($0.type) }.map(\.name)
  }

  /// A copy after `access` was applied, in which one field may be different.
  func looked(for access: FieldAccess, _ context: BoxContext, _ registry: BoxRegistry) -> Self {
    var (copy, coder) = (self, FieldCoder(access, context: context))
    coder.registry = registry
    // Problems with the box are reported when it is written.
    do throws(BoxError) { try copy.fields(&coder) } catch {}
    return copy
  }

  private func checkHeader(_ name: String, _ context: BoxContext) throws(FieldError) {
    let bytes: [UInt8]
    var read = blank
    do throws(BoxError) {
      bytes = try encoded(context: context)
      _ = try read.decode(bytes[...], context: context)
    } catch { throw FieldError(.unwritable(error), name) }
    if read.fullHeader != fullHeader { throw FieldError(.needed, name) }
  }
}

/// Why a field cannot be set.
public struct FieldError: Error, Hashable, Sendable {
  /// The kinds of reasons.
  public enum Problem: Hashable, Sendable {
    /// The box does not have the field; the existing ones.
    case unknown([String])
    /// The table has only this number of rows.
    case noRow(count: Int)
    /// The value has the wrong type; a description of valid ones.
    case unsuitable(StaticText)
    /// The value does not fit into the field.
    case doesNotFit
    /// The layout of this version is not known.
    case otherVersion(UInt8, known: ClosedRange<UInt8>)
    /// The value follows from other fields.
    case derived
    /// Other values of the box require its current version or flags.
    case needed
    /// The box could not be written.
    case unwritable(BoxError)
  }
  /// The problem.
  public var problem: Problem
  /// The name of the field, as given.
  public var field: String

  /// A problem of the field called `field`.
  public init(_ problem: Problem, _ field: String) { (self.problem, self.field) = (problem, field) }
}

extension FieldError: CustomStringConvertible {
  /// A sentence such as `entry_count follows from other fields`.
  public var description: String {
    switch problem {
    case .unknown([]): "\(field) cannot be found: the fields of this box are not known"
    case .unknown(let names): "\(field) is not a field of this box, which has \(names.joined(separator: ", "))"
    case .noRow(let count):
      "\(field) does not exist: the table has \(count == 1 ? "1 row" : "\(count) rows"), counted from 1"
    case .unsuitable(let kind): "\(field) must be \(kind)"
    case .doesNotFit: "\(field) has too few bits for this value"
    case .otherVersion(let version, let known):
      "\(field) cannot be set: the version would be \(version), and only \(BoxError.list(known)) known"
    case .derived: "\(field) follows from other fields and cannot be set"
    case .needed: "\(field) cannot have this value: other fields of the box need the current one"
    case .unwritable(let error): "\(field) cannot have this value: \(error)"
    }
  }
}
