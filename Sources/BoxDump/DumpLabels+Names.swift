package import Bytes

extension TextOptions {
  /// The standard's name of a field under its label in text output, such as `entries[1].edit_duration` for
  /// `entries[1].segment duration` of `elst`; `nil` for other names, and for labels of values that are printed in
  /// another form. In labels, underscores are spaces, and the case does not matter.
  package static func standardName(of label: String, in type: FourCC) -> String? {
    guard let lines = DumpLabels.byType(type)?.lines else { return nil }
    let dot = label.utf8.lastIndex(of: UInt8(ascii: "."))
    let table = dot.map { String(label[..<$0].prefix { $0 != "[" }) }
    let word = folded(dot.map { String(label[label.utf8.index(after: $0)...]) } ?? label)
    for line in lines {
      switch line {
      case .field(let name, let own, .plain, _), .field(let name, let own, .sixDigits, _):
        if table == nil, folded("\(own)") == word { return "\(name)" }
      case .table(let name, _, let rows, _, _):
        guard let dot, table == "\(name)", let column = rows.columns.first(where: { folded("\($0.label)") == word })
        else { continue }
        return "\(label[...dot])\(column.name)"
      case .field, .derived: continue
      }
    }
    return nil
  }

  /// The part of a label after its last slash, without spaces.
  private static func folded(_ label: String) -> String {
    let word = label.split(separator: "/").last ?? ""
    return word.filter { $0 != " " && $0 != "_" && $0 != ":" }.lowercased()
  }
}
