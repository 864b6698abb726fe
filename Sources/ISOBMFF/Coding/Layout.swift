import MP4Bytes

/// A field as listed by `explain`.
package struct FieldDescription: Hashable, Sendable {
  /// The name in the standard; fields of rows are prefixed with the name of their table.
  package var name: String
  /// `uint`, `int`, `code`, `string`, `bytes`, `bits`, `boxes`, or `derived` for a value that is not in the box itself.
  package var type: String
  /// The width, if it is fixed.
  package var bits: Int?
  /// The width in bits as an expression of other fields, such as `8 * offset_size`.
  package var width: String?
  /// The condition on other fields for its presence, if declared.
  package var condition: String?

  /// The style of the number unless it is decimal: `hex`, `date`, `language` or `fixed(8)`.
  package var style: String?
  /// The valid values of the number, such as `1 or more`.
  package var possible: String?

  /// The field in the box language, such as `uint(32) hex must be 1 or more`.
  package var declaration: String {
    typeAndWidth + (style.map { " \($0)" } ?? "") + (possible.map { " must be \($0)" } ?? "")
  }

  /// A text such as `uint(32)`.
  package var typeAndWidth: String { (width ?? bits.map { "\($0)" }).map { "\(type)(\($0))" } ?? type }

  /// The meanings of its values, if declared.
  package var names: ValueNames?

  init(_ name: StaticText, _ type: String, bits: Int?, _ style: NumberStyle = .decimal) {
    switch style {
    case .named(let names), .flags(let names): self.names = names.isEmpty ? nil : names
    case .hexadecimal: self.style = "hex"
    case .date: self.style = "date"
    // If the flags declare the number of fractional bits, there are none without the flags.
    case .fixed(let bits): self.style = bits > 0 ? "fixed(\(bits))" : nil
    case .decimal: break
    }
    self.name = name.description
    self.type = type
    self.bits = bits
  }
}

extension BoxPayload {
  /// The fields of a box with this version and these flags, determined by running the declaration.
  package static func describe(version: UInt8 = 0, flags: UInt32 = 0) -> [FieldDescription] {
    BoxDeclaration(Self.self).describe(version: version, flags: flags)
  }

  /// The layout of the box as a table: fields, widths, and the versions and flags that they depend on.
  package static func layout() -> String { BoxLayout(BoxDefinition(Self.self)).text }
}
