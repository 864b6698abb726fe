import Bytes

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
