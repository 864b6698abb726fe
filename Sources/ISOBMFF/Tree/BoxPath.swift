/// The way from the file to a box: types, and which of its type each is in its container.
public struct BoxPath: Hashable, Sendable, CustomStringConvertible {
  private struct Step: Hashable {
    var type: FourCC
    var index: Int
  }
  private var steps: [Step]

  init(_ steps: [(FourCC, Int)]) { self.steps = steps.map { Step(type: $0.0, index: $0.1) } }

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
