import BoxCatalog
import ISOBMFF
import MP4Bytes
import Support

/// A file whose boxes are changed one by one, to break rules.
struct EditedFile {
  private let source: MemorySource
  var boxes: [Box]

  /// A file of the test vectors, such as `fragmented.mp4` or `fragmented.mp4 without mfra`.
  init(_ vector: String) throws {
    let words = vector.split(separator: " ")
    try self.init(readFile(vectorPath("files/\(words[0])")))
    for type in words.dropFirst(2) { try remove(String(type)) }
  }
  init(_ bytes: [UInt8]) throws {
    source = MemorySource(bytes, name: "file.mp4")
    boxes = try [Box](reading: source, registry: .standard)
  }

  /// Changes the first box at a path such as `moov/trak[2]/tkhd`.
  mutating func edit(_ path: String, _ change: (inout Box) throws -> Void) throws {
    try Self.edit(&boxes, path.split(separator: "/")[...], change)
  }
  private static func edit(_ boxes: inout [Box], _ path: ArraySlice<Substring>, _ change: (inout Box) throws -> Void)
    throws
  {
    let index = try index(of: path.first ?? "", in: boxes)
    guard path.count > 1 else { return try change(&boxes[index]) }
    try edit(&boxes[index].boxes, path.dropFirst(), change)
  }
  private static func index(of step: Substring, in boxes: [Box]) throws -> Int {
    let parts = step.split { $0 == "[" || $0 == "]" }
    let number = parts.count > 1 ? Int(parts[1]) ?? 1 : 1
    let indices = boxes.indices.filter { boxes[$0].type.description == parts[0] }
    guard indices.count >= number else { throw Missing(step: String(step)) }
    return indices[number - 1]
  }
  struct Missing: Error {
    let step: String
  }

  /// Sets a field by its name.
  mutating func set(_ path: String, _ field: String, _ value: FieldValue) throws {
    let source = source
    try edit(path) { try $0.set(field, to: value, of: source, registry: .standard) }
  }
  /// Changes fields by their Swift type.
  mutating func edit<Payload: BoxPayload>(_ path: String, _ type: Payload.Type, _ change: (inout Payload) -> Void)
    throws
  {
    let source = source
    try edit(path) { try $0.edit(type, of: source, change) }
  }
  mutating func remove(_ path: String) throws {
    var steps = path.split(separator: "/")
    guard let last = steps.popLast() else { return }
    guard !steps.isEmpty else {
      boxes.remove(at: try Self.index(of: last, in: boxes))
      return
    }
    try edit(steps.joined(separator: "/")) { $0.boxes.remove(at: try Self.index(of: last, in: $0.boxes)) }
  }
  /// Appends a box to another one, or to the file.
  mutating func append(_ box: Box, to path: String = "") throws {
    if path.isEmpty { boxes.append(box) } else { try edit(path) { $0.boxes.append(box) } }
  }
  /// Inserts a copy of the box after it.
  mutating func duplicate(_ path: String) throws {
    let box = try box(path)
    try append(box, to: path.split(separator: "/").dropLast().joined(separator: "/"))
  }
  func box(_ path: String) throws -> Box {
    var copy = self
    var found: Box?
    try copy.edit(path) { found = $0 }
    guard let found else { throw Missing(step: path) }
    return found
  }
  /// Replaces the payload bytes of a box.
  mutating func setPayload(_ path: String, _ change: (inout [UInt8]) -> Void) throws {
    let source = source
    try edit(path) { box in
      var bytes = Array(source.bytes[box.header?.payload ?? 0..<0])
      change(&bytes)
      var new = Box(box.type, bytes: bytes)
      new.userType = box.userType
      box = new
    }
  }

  func bytes() throws -> [UInt8] {
    let sink = MemorySink()
    try BoxSerializer(boxes).write(to: sink, from: source)
    return sink.bytes
  }
}
