/// One field as `explain` lists it.
public struct FieldDescription: Hashable, Sendable {
  /// The name in the standard; fields of rows have the name of their table before it.
  public var name: String
  /// `uint`, `int`, `code`, `string`, `bytes`, `bits`, `boxes`, or `inferred` for what is not in the box itself.
  public var type: String
  /// The width, when it is fixed.
  public var bits: Int?

  init(_ name: StaticString, _ type: String, bits: Int?) {
    self.name = name.description
    self.type = type
    self.bits = bits
  }
  var typeAndWidth: String { bits.map { "\(type)(\($0))" } ?? type }
}

extension BoxPayload {
  /// The fields that a box of this version and these flags has, found by running the declaration.
  public static func describe(version: UInt8 = 0, flags: UInt32 = 0) -> [FieldDescription] {
    var payload = Self()
    if var full = payload as? any FullBoxPayload {
      full.header.version = version
      full.header.flags = flags
      if let changed = full as? Self { payload = changed }
    }
    var coder = FieldCoder(.describe)
    // A declaration that needs a value to go on ends its description there.
    do throws(BoxError) { try payload.fields(&coder) } catch {}
    return coder.described
  }

  /// The layout of the box as a table: fields, widths, and the versions and flags that they depend on.
  public static func layout() -> String {
    let places = info.containers.map(\.description).joined(separator: ", ")
    var text = "\(info.type)  \(info.name)  (\(info.clause))\n  in \(places)\n"
    let plain = Set(describe().map(\.name))
    let all = describe(flags: 0xff_ffff)
    let versions = (1...2).map { (number: $0, fields: describe(version: UInt8($0), flags: 0xff_ffff)) }
    var listed: Set<String> = []
    for field in all + versions.flatMap(\.fields) where listed.insert(field.name).inserted {
      text += "  \(field.name): \(field.typeAndWidth)" + conditions(of: field, among: all, versions, plain) + "\n"
    }
    return text
  }

  private static func conditions(
    of field: FieldDescription, among all: [FieldDescription],
    _ versions: [(number: Int, fields: [FieldDescription])], _ plain: Set<String>
  ) -> String {
    var text = ""
    let inFirst = all.contains { $0.name == field.name }
    for version in versions {
      guard let other = version.fields.first(where: { $0.name == field.name }) else { continue }
      if !inFirst {
        text += ", in version \(version.number)"
      } else if other != field {
        text += ", \(other.typeAndWidth) in version \(version.number)"
      }
    }
    guard inFirst, !plain.contains(field.name) else { return text }
    let bits = (0..<24).filter { bit in describe(flags: 1 << UInt32(bit)).contains { $0.name == field.name } }
    return text + ", when flags has " + bits.map { "0x" + String(1 << $0, radix: 16) }.joined(separator: " or ")
  }
}
