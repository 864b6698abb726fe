import ISOBMFF
import MP4Bytes

/// A box of a file to check, with its child boxes.
package final class CheckedBox {
  /// Its position, and problems with its header or placement.
  let node: BoxNode
  /// Its payload; `nil` if it is unknown or damaged.
  let payload: (any BoxPayload)?
  /// The damage in its fields.
  let damage: BoxError?
  /// The number of bytes after its fields.
  let restCount: Int
  /// Its child boxes.
  fileprivate(set) var boxes: [CheckedBox] = []
  /// The box that contains it.
  fileprivate(set) unowned var parent: CheckedBox?
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

  var type: FourCC { node.type }
  /// The path from the file level, such as `moof[3]/traf/trun`.
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
    node.isRemainder ? Self.remainderStep : Self.step(type, node.index)
  }
  /// The step of a path to bytes that are not a box.
  static let remainderStep = "bytes"
  /// The step of a path to the box with this index among boxes of its type.
  static func step(_ type: FourCC, _ index: Int) -> String {
    let name = type.rawValue < FourCC.numberLimit ? "#\(type.rawValue)" : "\(type)"
    return index > 1 ? "\(name)[\(index)]" : name
  }

  /// The box at a path of first boxes of each type.
  func first(_ type: FourCC, _ path: FourCC...) -> CheckedBox? {
    // An empty list of further types takes no memory.
    path.reduce(boxes.first { $0.type == type }) { box, type in box?.boxes.first { $0.type == type } }
  }
  /// Its child boxes of a type.
  func all(_ type: FourCC) -> [CheckedBox] { boxes.filter { $0.type == type } }
  /// The innermost enclosing box of a type.
  func enclosing(_ type: FourCC) -> CheckedBox? {
    var box = parent
    while let current = box, current.type != type { box = current.parent }
    return box
  }
  /// The payload of the box at a path of first boxes of each type.
  func fields<Payload: BoxPayload>(_ type: FourCC, _ path: FourCC..., as _: Payload.Type = Payload.self) -> Payload? {
    path.reduce(first(type)) { box, type in box?.first(type) }?.payload as? Payload
  }
}

extension CheckedBox {
  func append(_ box: CheckedBox) {
    box.parent = self
    boxes.append(box)
  }
}
