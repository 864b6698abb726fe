/// The way from the file to a box: types, and which of its type each is in its container.
public struct BoxPath: Hashable, Sendable, CustomStringConvertible {
  private struct Step: Hashable {
    var type: FourCC
    var index: Int
  }
  private var steps: [Step]

  init(_ steps: [(FourCC, Int)]) { self.steps = steps.map { Step(type: $0.0, index: $0.1) } }

  /// Such as `moof[3]/traf/trun`: numbers count from 1, and the first of a type has none.
  public var description: String {
    steps.map { $0.index > 1 ? "\($0.type)[\($0.index)]" : "\($0.type)" }.joined(separator: "/")
  }
}
