package import Bytes

/// The way from the file to a box: types, and which of its type each is in its container.
public struct BoxPath: Hashable, Sendable, CustomStringConvertible {
  private struct Step: Hashable {
    var type: FourCC
    var index: Int
  }
  private var steps: [Step]

  init(_ steps: [(FourCC, Int)]) { self.steps = steps.map { Step(type: $0.0, index: $0.1) } }

  /// The file itself, in which `appending` begins.
  package init() { steps = [] }

  /// The path of a box in this one: the one of this index of its type, from 1.
  package func appending(_ type: FourCC, _ index: Int) -> BoxPath {
    var path = self
    path.steps.append(Step(type: type, index: index))
    return path
  }

  /// The number of steps that are shown before and after the omitted steps of a long path.
  private static let shown = (before: 8, after: 4)

  /// As the description, but a path longer than any that makes sense without the steps in its middle.
  package var shortened: String {
    let left = steps.count - Self.shown.before - Self.shown.after
    if left <= 1 { return description }
    let ends = [Array(steps.prefix(Self.shown.before)), Array(steps.suffix(Self.shown.after))].map { steps in
      BoxPath(steps.map { ($0.type, $0.index) }).description
    }
    return ends.joined(separator: "/(\(left) more)/")
  }

  /// Such as `moof[3]/traf/trun`: numbers count from 1, and the first of a type has none. A type that is a number is
  /// that, as in `ilst/#3`.
  public var description: String {
    steps.map { step in
      let number = step.type.rawValue
      let name = number < FourCC.numberLimit ? "#\(number)" : "\(step.type)"
      return step.index > 1 ? "\(name)[\(step.index)]" : name
    }.joined(separator: "/")
  }
}
