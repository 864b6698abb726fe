/// What a box of one kind looks like: its fields in their order, and what each of them depends on.
///
/// It is found by running the declaration for each version and for each flag, so it cannot say anything else than what
/// is read and written.
public struct BoxLayout: Sendable {
  /// A field and when it is there.
  public struct Field: Sendable {
    /// The field as the first version has it that knows it.
    public var description: FieldDescription
    /// The versions that have the field; `nil` when all do.
    public var versions: [UInt8]?
    /// The field in versions that give it another width.
    public var others: [(version: UInt8, description: FieldDescription)] = []
    /// The flags of which any brings the field; `nil` when it is there without any.
    public var flags: [UInt32]?
    /// The flags of which any takes the field away.
    public var missingWithFlags: [UInt32] = []
  }
  /// Type, name, place and clause.
  public let info: BoxInfo
  /// Whether anything is known of the fields; otherwise the box only holds boxes, or bytes that are not looked at.
  public let hasFields: Bool
  /// Whether boxes are inside it, after the fields if it has any.
  public let holdsBoxes: Bool
  /// The fields of all versions, in their order.
  public private(set) var fields: [Field] = []

  /// The versions that are tried: no box of any standard has more.
  static let versions: ClosedRange<UInt8> = 0...3
  private static let allFlags: UInt32 = 0xff_ffff

  /// The layout of what the registry knows as `definition`.
  public init(_ definition: BoxDefinition) {
    info = definition.info
    hasFields = definition.payload != nil
    holdsBoxes = definition.holdsBoxes
    guard let payload = definition.payload else { return }
    if payload is any FullBoxPayload.Type {
      fields = Self.fields(ofFullBox: payload)
    } else {
      fields = payload.describe().map { Field(description: $0) }
    }
  }

  /// A field by its name, and which of that name it is in the box: reserved ones are all called alike.
  private struct Key: Hashable {
    var name: String
    var number: Int
  }
  private struct Variant {
    var version: UInt8
    var order: [Key] = []
    var fields: [Key: FieldDescription] = [:]

    init(_ payload: any BoxPayload.Type, version: UInt8, flags: UInt32) {
      self.version = version
      var counts: [String: Int] = [:]
      for field in payload.describe(version: version, flags: flags) {
        counts[field.name, default: 0] += 1
        let key = Key(name: field.name, number: counts[field.name] ?? 1)
        order.append(key)
        fields[key] = field
      }
    }
  }

  private static func fields(ofFullBox payload: any BoxPayload.Type) -> [Field] {
    let full = versions.map { Variant(payload, version: $0, flags: allFlags) }
    let plain = versions.map { Variant(payload, version: $0, flags: 0) }
    let single = (0..<24).map { 1 << UInt32($0) }.map { (flag: $0, fields: flagged(payload, $0)) }
    return merged(full + plain).compactMap { key in
      let present = zip(full, plain).filter { $0.fields[key] != nil || $1.fields[key] != nil }.map(\.0.version)
      let found = (full + plain).compactMap { variant in variant.fields[key].map { (variant.version, $0) } }
      guard let first = found.first?.1 else { return nil }
      var field = Field(description: first, versions: present.count == versions.count ? nil : present)
      for (version, other) in found where other != first && !field.others.contains(where: { $0.version == version }) {
        field.others.append((version, other))
      }
      let isPlain = plain.contains { $0.fields[key] != nil }
      if !isPlain { field.flags = single.filter { $0.fields.contains(key) }.map(\.flag) }
      if isPlain, !full.contains(where: { $0.fields[key] != nil }) {
        field.missingWithFlags = single.filter { !$0.fields.contains(key) }.map(\.flag)
      }
      return field
    }
  }

  private static func flagged(_ payload: any BoxPayload.Type, _ flag: UInt32) -> Set<Key> {
    Set(versions.flatMap { Variant(payload, version: $0, flags: flag).order })
  }

  /// The fields of all variants in an order that each of them agrees with, as far as they agree with each other.
  private static func merged(_ variants: [Variant]) -> [Key] {
    var keys: [Key] = []
    for variant in variants {
      var next = 0
      for key in variant.order {
        if let known = keys.firstIndex(of: key) {
          next = known + 1
        } else {
          keys.insert(key, at: next)
          next += 1
        }
      }
    }
    return keys
  }
}
