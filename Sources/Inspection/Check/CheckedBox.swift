import Bytes
import ISOBMFF

/// A box of a file that is checked, with the boxes in it.
package final class CheckedBox {
  /// Where it is, and what is wrong with its header or place.
  let node: BoxNode
  /// Its fields; `nil` if it has none, or they are damaged.
  let payload: (any BoxPayload)?
  /// What is wrong with its fields.
  let damage: BoxError?
  /// How many bytes follow its fields.
  let restCount: Int
  /// The boxes in it.
  fileprivate(set) var boxes: [CheckedBox] = []
  /// The box around it.
  fileprivate(set) weak var parent: CheckedBox?
  /// The file.
  unowned let file: CheckedFile

  init(
    _ node: BoxNode, _ fields: Result<(fields: any BoxPayload, rest: ArraySlice<UInt8>), BoxError>?, _ file: CheckedFile
  ) {
    (self.node, self.file) = (node, file)
    switch fields {
    case .success(let (fields, rest)): (payload, damage, restCount) = (fields, nil, rest.count)
    case .failure(let error): (payload, damage, restCount) = (nil, error, 0)
    case nil: (payload, damage, restCount) = (nil, nil, 0)
    }
  }

  /// Its type.
  var type: FourCC { node.type }
  /// The boxes from the file down to it, such as `moof[3]/traf/trun`.
  var path: String {
    var steps: [String] = []
    var box: CheckedBox? = self
    while let current = box {
      steps.append(current.step)
      box = current.parent
    }
    return steps.reversed().joined(separator: "/")
  }
  private var step: String {
    if node.isRemainder { return "bytes" }
    let name = type.rawValue < FourCC.numberLimit ? "#\(type.rawValue)" : "\(type)"
    return node.index > 1 ? "\(name)[\(node.index)]" : name
  }

  /// The first box that is reached by going into the first box of each type in turn.
  func first(_ path: FourCC...) -> CheckedBox? {
    path.reduce(Optional(self)) { box, type in box?.boxes.first { $0.type == type } }
  }
  /// The boxes of a type in it.
  func all(_ type: FourCC) -> [CheckedBox] { boxes.filter { $0.type == type } }
  /// The innermost box of a type around it.
  func enclosing(_ type: FourCC) -> CheckedBox? {
    var box = parent
    while let current = box, current.type != type { box = current.parent }
    return box
  }
  /// The fields of the first box that is reached by going into the first box of each type in turn.
  func fields<Payload: BoxPayload>(_ path: FourCC..., as _: Payload.Type = Payload.self) -> Payload? {
    path.reduce(Optional(self)) { box, type in box?.first(type) }?.payload as? Payload
  }
}

extension CheckedBox {
  func append(_ box: CheckedBox) {
    box.parent = self
    boxes.append(box)
  }
  /// Forgets the boxes in it, of which a long file has many.
  func forgetBoxes() { boxes = [] }
}
