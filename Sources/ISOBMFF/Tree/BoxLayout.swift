import MP4Bytes

/// The layout of a kind of box: its fields in order, and their conditions.
///
/// It is determined by running the declaration for each version and each flag, so it always agrees with reading and
/// writing.
package struct BoxLayout: Sendable {
  /// A field with the conditions for its presence.
  package struct Field: Sendable {
    /// The field in the first version that has it.
    package var description: FieldDescription
    /// The versions that have the field; `nil` if all have it.
    package var versions: [UInt8]?
    /// The field in versions in which it has another width.
    package var others: [(version: UInt8, description: FieldDescription)] = []
    /// The field with flags under `mask` that give it another width.
    package var variants: [(mask: UInt32, flags: UInt32, description: FieldDescription)] = []
    /// The flags of which any adds the field; `nil` if it is present without flags.
    package var flags: [UInt32]?
    /// The flags of which any removes the field.
    package var missingWithFlags: [UInt32] = []
  }
  /// The type, name, containers and clause.
  package let info: BoxInfo
  /// The definitions in the same containers that it replaces.
  package let replaced: [BoxInfo]
  /// Whether the fields are known; otherwise the box only contains boxes, or bytes that are not read.
  package let hasFields: Bool
  /// Whether it contains boxes, after its fields if it has any.
  package let holdsBoxes: Bool
  /// The fields of all versions, in order.
  package private(set) var fields: [Field] = []

  /// The versions that are tried. No standard box has more.
  static let versions: ClosedRange<UInt8> = 0...3
  private static let allFlags: UInt32 = 0xff_ffff

  /// The layout according to a definition of the registry.
  package init(_ definition: BoxDefinition) {
    info = definition.info
    replaced = definition.replaced
    hasFields = definition.payload != nil
    holdsBoxes = definition.holdsBoxes
    guard let payload = definition.payload else { return }
    if payload.isFullBox {
      fields = Self.fields(ofFullBox: payload)
    } else {
      fields = payload.describe().map { Field(description: $0) }
    }
  }

  /// The name of a field and its number among fields of that name, because all reserved fields have the same name.
  private struct Key: Hashable {
    var name: String
    var number: Int
  }
  private struct Variant {
    var version: UInt8
    var order: [Key] = []
    var fields: [Key: FieldDescription] = [:]

    init(_ payload: BoxDeclaration, version: UInt8, flags: UInt32) {
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

  /// A flag, and the fields of each version if only this flag is set.
  private typealias Single = (flag: UInt32, variants: [Variant])

  private static func fields(ofFullBox payload: BoxDeclaration) -> [Field] {
    let full = versions.map { Variant(payload, version: $0, flags: allFlags) }
    let plain = versions.map { Variant(payload, version: $0, flags: 0) }
    let singles: [Single] = (0..<24).map { 1 << UInt32($0) }.map { flag in
      (flag, versions.map { Variant(payload, version: $0, flags: flag) })
    }
    return merged(full + plain).compactMap { key in
      let present = zip(full, plain).filter { $0.fields[key] != nil || $1.fields[key] != nil }.map(\.0.version)
      let isPlain = plain.contains { $0.fields[key] != nil }
      // This separates the effect of flags from that of versions.
      let same = (isPlain ? plain : full).filter { $0.fields[key] != nil }
      guard let first = same.first, let description = first.fields[key] else { return nil }
      var field = Field(description: description, versions: present.count == versions.count ? nil : present)
      for variant in same {
        if let other = variant.fields[key], other != description { field.others.append((variant.version, other)) }
      }
      let brought = singles.filter { $0.variants.contains { $0.fields[key] != nil } }.map(\.flag)
      if !isPlain { field.flags = brought }
      if isPlain, !full.contains(where: { $0.fields[key] != nil }) {
        field.missingWithFlags = singles.map(\.flag).filter { !brought.contains($0) }
      }
      field.variants = widths(of: key, payload, first, isPlain: isPlain, singles)
      if !isPlain, let variant = field.variants.first { field.description = variant.description }
      return field
    }
  }

  /// The settings of flags for which a field has another width than in `base`.
  private static func widths(
    of key: Key, _ payload: BoxDeclaration, _ base: Variant, isPlain: Bool, _ singles: [Single]
  ) -> [(mask: UInt32, flags: UInt32, description: FieldDescription)] {
    let found = singles.compactMap { single in
      single.variants.first { $0.version == base.version }?.fields[key].map { (flag: single.flag, description: $0) }
    }
    guard found.contains(where: { $0.description != base.fields[key] }) else { return [] }
    // If the field depends on flags, all of them count; otherwise only those that change it.
    let flags = found.filter { !isPlain || $0.description != base.fields[key] }.map(\.flag)
    // No flags of a box form a number with this many bits.
    guard flags.count < 5 else { return [] }
    let mask = flags.reduce(0, |)
    return (0..<1 << flags.count).compactMap { number in
      let setting = flags.indices.reduce(UInt32(0)) { number >> $1 & 1 == 1 ? $0 | flags[$1] : $0 }
      let variant = Variant(payload, version: base.version, flags: setting)
      guard let description = variant.fields[key], !isPlain || description != base.fields[key] else { return nil }
      return (mask, setting, description)
    }
  }

  /// The fields of all variants, in an order that is consistent with all of them if possible.
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

/// Layouts as text.
extension BoxLayout {
  /// A line with the type, name and clause, a table of the fields, and a line with the containers.
  package var text: String {
    var text = "\(info.type)  \(info.named)\n"
    if let userType = info.userType { text += "  user type \(userType)\n" }
    for old in replaced { text += "  replaces \(old.named)\n" }
    let nameWidth = fields.map(\.description.name.count).max() ?? 0
    let typeWidth = fields.filter { !$0.conditions.isEmpty }.map(\.description.declaration.count).max() ?? 0
    for field in fields {
      let type = field.description.declaration
      text += "  " + padded(field.description.name, nameWidth) + "  "
      text += field.conditions.isEmpty ? type : padded(type, typeWidth) + "  " + field.conditions
      text += "\n"
      let entries = field.description.names?.entries ?? []
      let valueWidth = entries.map(\.value.count).max() ?? 0
      for entry in entries { text += "      " + padded(entry.value, valueWidth) + "  \(entry.name)\n" }
    }
    if !hasFields { text += holdsBoxes ? "  only child boxes\n" : "  opaque bytes\n" }
    return text + "  in \(info.fewPlaces)\n"
  }

  /// One line in columns of at least these widths: type, name, containers and clause.
  package func line(nameWidth: Int, placesWidth: Int) -> String {
    [padded(info.type.description, 4), padded(info.fullName, nameWidth), padded(info.fewPlaces, placesWidth)]
      .joined(separator: "  ") + "  \(info.clause)\n"
  }

  private func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}

extension BoxInfo {
  /// More containers than this are only counted.
  private static let mostPlaces = 10

  /// The types of its containers, such as `moov, trak`; for a box of very many containers, the first ones and the
  /// number of the others.
  package var fewPlaces: String {
    if containers.isEmpty { return "any box" }
    let shown = containers.count > Self.mostPlaces + 2 ? Self.mostPlaces : containers.count
    let names = containers.prefix(shown).map(\.description).joined(separator: ", ")
    return shown < containers.count ? "\(names) and \(containers.count - shown) more" : names
  }
  /// The name, with the clause if it is known.
  fileprivate var named: String { clause.isEmpty ? "\(name)" : "\(name)  (\(clause))" }
  /// The name, with the user type if that is needed to distinguish it.
  package var fullName: String { userType.map { "\(name) \($0)" } ?? "\(name)" }
}

extension BoxLayout.Field {
  /// The conditions for the field, such as `when flags has 0x1`; empty if it is always present.
  package var conditions: String {
    var parts: [String] = []
    if let versions { parts.append(Self.text(of: versions)) }
    var widths: [(type: String, versions: [UInt8])] = []
    for other in others {
      let type = other.description.typeAndWidth
      if let known = widths.firstIndex(where: { $0.type == type }) {
        widths[known].versions.append(other.version)
      } else {
        widths.append((type, [other.version]))
      }
    }
    parts += widths.map { "\($0.type) \(Self.text(of: $0.versions))" }
    for (index, variant) in variants.enumerated() {
      // The first variant of a field that depends on flags is printed before the conditions.
      let type = index == 0 && flags != nil ? "" : variant.description.typeAndWidth + " "
      let isSingle = variant.mask & (variant.mask - 1) == 0
      let number = "0x" + String(variant.flags, radix: 16)
      parts.append(
        isSingle
          ? "\(type)when flags has \(number)" : "\(type)when flags & 0x\(String(variant.mask, radix: 16)) is \(number)")
    }
    var present = description.condition.map { [$0] } ?? []
    if let flags, variants.isEmpty {
      present.append(flags.isEmpty ? "several flags are set" : "flags has \(Self.text(of: flags))")
    }
    if !present.isEmpty { parts.append("when " + present.joined(separator: " and ")) }
    if !missingWithFlags.isEmpty { parts.append("unless flags has \(Self.text(of: missingWithFlags))") }
    return parts.joined(separator: ", ")
  }

  private static func text(of flags: [UInt32]) -> String {
    flags.map { "0x" + String($0, radix: 16) }.joined(separator: " or ")
  }

  private static func text(of versions: [UInt8]) -> String {
    guard let first = versions.first, let last = versions.last else { return "in no version" }
    if last == BoxLayout.versions.upperBound, versions.count == Int(last - first) + 1 {
      return "from version \(first) on"
    }
    return versions.map { "in version \($0)" }.joined(separator: ", ")
  }
}
