package import MP4Bytes

/// The path from the file to a box: types, and the index of each among its siblings of the same type.
public struct BoxPath: Hashable, Sendable, CustomStringConvertible {
  private struct Step: Hashable {
    var type: FourCC
    var index: Int
  }
  private var steps: [Step]

  init(_ steps: [(FourCC, Int)]) { self.steps = steps.map { Step(type: $0.0, index: $0.1) } }

  /// The path of the file itself.
  package init() { steps = [] }

  /// The path of a child box with this type and index, starting at 1.
  package func appending(_ type: FourCC, _ index: Int) -> BoxPath {
    var path = self
    path.steps.append(Step(type: type, index: index))
    return path
  }

  /// The number of steps that are shown before and after the omitted steps of a long path.
  private static let shown = (before: 8, after: 4)

  /// Like the description, but the middle steps of an unreasonably long path are omitted.
  package var shortened: String {
    let left = steps.count - Self.shown.before - Self.shown.after
    if left <= 1 { return description }
    let ends = [Array(steps.prefix(Self.shown.before)), Array(steps.suffix(Self.shown.after))].map { steps in
      BoxPath(steps.map { ($0.type, $0.index) }).description
    }
    return ends.joined(separator: "/(\(left) more)/")
  }

  /// A text such as `moof[3]/traf/trun`. Numbers start at 1, and the first box of a type has none. A numeric type is
  /// written as in `ilst/#3`.
  public var description: String {
    steps.map { step in
      let number = step.type.rawValue
      let name = number < FourCC.numberLimit ? "#\(number)" : "\(step.type)"
      return step.index > 1 ? "\(name)[\(step.index)]" : name
    }.joined(separator: "/")
  }
}
