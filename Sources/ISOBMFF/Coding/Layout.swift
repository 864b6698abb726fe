import Bytes

/// One field as `explain` lists it.
package struct FieldDescription: Hashable, Sendable {
  /// The name in the standard; fields of rows have the name of their table before it.
  package var name: String
  /// `uint`, `int`, `code`, `string`, `bytes`, `bits`, `boxes`, or `derived` for what is not in the box itself.
  package var type: String
  /// The width, when it is fixed.
  package var bits: Int?
  /// How the width in bits follows from other fields, such as `8 * offset_size`.
  package var width: String?
  /// What other fields have to be for this one to be there, where the declaration says it.
  package var condition: String?

  /// How the number is shown, where that is not in decimal digits: `hex`, `date`, `language` or `fixed(8)`.
  package var style: String?
  /// What the number can only be, such as `1 or more`.
  package var possible: String?

  /// As a definition in the box language has it, such as `uint(32) hex must be 1 or more`.
  package var declaration: String {
    typeAndWidth + (style.map { " \($0)" } ?? "") + (possible.map { " must be \($0)" } ?? "")
  }

  /// Such as `uint(32)`.
  package var typeAndWidth: String { (width ?? bits.map { "\($0)" }).map { "\(type)(\($0))" } ?? type }

  /// What its numbers mean, where the declaration says it.
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
  /// The fields that a box of this version and these flags has, found by running the declaration.
  package static func describe(version: UInt8 = 0, flags: UInt32 = 0) -> [FieldDescription] {
    BoxDeclaration(Self.self).describe(version: version, flags: flags)
  }

  /// The layout of the box as a table: fields, widths, and the versions and flags that they depend on.
  package static func layout() -> String { BoxLayout(BoxDefinition(Self.self)).text }
}
