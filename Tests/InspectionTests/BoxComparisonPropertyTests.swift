import BoxCatalog
import ISOBMFF
import MP4Bytes
import MP4FileIO
import MP4Inspection
import Support
import Testing

@Suite("Comparisons of boxes: properties that any two files must fulfill")
struct BoxComparisonPropertyTests {
  private static let files = namesInFolder(vectorPath("files")).filter {
    $0.hasSuffix(".mp4") || $0.hasSuffix(".mov") || $0.hasSuffix(".ismv")
  }
  private static func read(_ file: String) throws -> [UInt8] { try readFile(vectorPath("files/" + file)) }

  private static func differences(_ a: [UInt8], _ b: [UInt8]) throws -> [BoxDifference] {
    try BoxComparison(MemorySource(a, name: "a.mp4"), MemorySource(b, name: "b.mp4")).differences()
  }

  /// The number of differences of each kind, optionally with the two files swapped.
  private static func counts(_ differences: [BoxDifference], swapped: Bool) -> [String: Int] {
    Dictionary(
      differences.map { difference in
        let kind: String
        switch difference.change {
        case .removed: kind = swapped ? "added" : "removed"
        case .added: kind = swapped ? "removed" : "added"
        case .field(let name, let value, let other):
          let (before, after) = swapped ? (other, value) : (value, other)
          kind = "\(name) \(before == nil) \(after == nil)"
        case .rows(let table, let rows, let others): kind = "\(table) \((swapped ? others : rows)?.count ?? 0)"
        case .shift(let field, let rows, _, let number): kind = "\(field) \(rows) \(swapped ? -number : number)"
        case .moreRows(let table, let count): kind = "\(table) \(count)"
        case .moved: kind = "moved"
        case .bytes(let offset): kind = "bytes \(offset)"
        }
        return (kind, 1)
      }, uniquingKeysWith: +)
  }

  @Test("A file equals itself", arguments: files)
  func itself(file: String) throws {
    let bytes = try Self.read(file)
    #expect(try Self.differences(bytes, bytes).isEmpty)
  }

  @Test(
    "A real file equals itself, and differs if one byte is changed",
    .enabled(if: corpusFolder != nil, "needs MP4TOOL_CORPUS"), arguments: corpus())
  func real(path: String) throws {
    var bytes = try readFile(path)
    guard !bytes.isEmpty, bytes.count < 1 << 22 else { return }
    let original = bytes
    #expect(try Self.differences(original, bytes).isEmpty)
    bytes[bytes.count / 3] ^= 4
    #expect(try !Self.differences(original, bytes).isEmpty)
  }

  @Test("Swapping the files swaps the differences", arguments: files)
  func swapped(file: String) throws {
    let bytes = try Self.read(file)
    for other in Effort.some(Self.files.filter { $0 > file }, short: 3) {
      let otherBytes = try Self.read(other)
      let (forth, back) = (try Self.differences(bytes, otherBytes), try Self.differences(otherBytes, bytes))
      #expect(!forth.isEmpty)
      #expect(Self.counts(forth, swapped: false) == Self.counts(back, swapped: true), "\(file), \(other)")
    }
  }

  @Test("Changing one field by its name gives exactly one difference", arguments: files)
  func oneField(file: String) throws {
    let bytes = try Self.read(file)
    var random = SplitMix64(seed: UInt64(bytes.count))
    var changed = 0
    for _ in 0..<Effort.count(short: 100, all: 1000) {
      let source = MemorySource(bytes)
      var boxes = try [Box](reading: source, registry: .standard)
      var path: [Int] = []
      guard let name = try Self.change(&boxes, &path, source, &random) else { continue }
      let sink = MemorySink()
      guard let serializer = try? BoxSerializer(boxes) else { continue }
      try serializer.write(to: sink, from: source)
      let differences = try Self.differences(bytes, sink.bytes)
      guard sink.bytes.count == bytes.count else { continue }
      changed += 1
      guard differences.count == 1, case .field(let found, .some, .some)? = differences.first?.change else {
        Issue.record("\(name) at \(path): \(differences.map(\.description))")
        continue
      }
      #expect(found == name, "at \(path)")
    }
    #expect(changed > 5)
  }

  /// Changes a field of a random box in `boxes`, and returns its name; `nil` if the field cannot be changed alone.
  private static func change(
    _ boxes: inout [Box], _ path: inout [Int], _ source: MemorySource, _ random: inout SplitMix64
  ) throws -> String? {
    let index = Int.random(in: 0..<boxes.count, using: &random)
    path.append(index)
    if !boxes[index].boxes.isEmpty, Int.random(in: 0..<8, using: &random) > 0 {
      return try change(&boxes[index].boxes, &path, source, &random)
    }
    guard case .success(let payload)? = try boxes[index].payload(from: source, registry: .standard) else { return nil }
    // Reading the rest of the box, or other boxes, depends on these fields.
    let names = payload.fieldNames.filter { !["version", "flags", "handler_type"].contains($0) }
    guard let pattern = names.randomElement(using: &random) else { return nil }
    let name = pattern.replacing("[]", with: "[1]")
    guard let value = payload[name, registry: .standard] else { return nil }
    let new: FieldValue
    switch value {
    case .unsigned(let number), .hexadecimal(let number), .date(let number), .flags(let number, _):
      new = .unsigned(number ^ 1)
    case .signed(let number): new = .signed(number ^ 1)
    case .fixed(let raw, let bits): new = .fixed(raw: raw ^ 1, fractionBits: bits)
    case .bytes(let bytes) where !bytes.isEmpty: new = .bytes(bytes.dropLast() + [bytes[bytes.endIndex - 1] ^ 1])
    default: return nil
    }
    do { try boxes[index].set(name, to: new, of: source, registry: .standard) } catch { return nil }
    return name
  }

  @Test("Damaged files differ from the originals, in both directions", arguments: files)
  func damaged(file: String) throws {
    let bytes = try Self.read(file)
    for number in 0..<Effort.count(short: 4, all: 60) {
      let damaged = RandomDamage(UInt64(number), to: bytes).bytes
      let forth = try Self.differences(bytes, damaged)
      #expect(forth.isEmpty == (bytes == damaged), "damage \(number)")
      #expect(try Self.differences(damaged, bytes).isEmpty == forth.isEmpty, "damage \(number)")
      // Both files may be damaged.
      let other = RandomDamage(UInt64(number + 1000), to: bytes).bytes
      #expect(try Self.differences(other, damaged).isEmpty == (other == damaged), "damage \(number)")
    }
  }
}
