import ISOBMFF
import MP4Bytes

/// Damages files randomly in their structure: the sizes and types of boxes, the numbers in their tables, and whole
/// boxes.
public struct RandomDamage {
  /// The damaged file.
  public private(set) var bytes: [UInt8]
  private var random: SplitMix64

  /// Applies the damage with this number to a file.
  public init(_ number: UInt64, to bytes: [UInt8]) {
    self.bytes = bytes
    random = SplitMix64(seed: number)
    for _ in 0..<[1, 1, 1, 2, 3][choice(5)] where !self.bytes.isEmpty { damage() }
  }

  private static let containers: Set<FourCC> = [
    "moov", "trak", "mdia", "minf", "stbl", "edts", "dinf", "udta", "mvex", "moof", "traf",
  ]

  /// The boxes according to their sizes, each with the index of its parent.
  private func boxes() -> [(type: FourCC, range: Range<Int>, parent: Int?)] {
    var result: [(type: FourCC, range: Range<Int>, parent: Int?)] = []
    func add(_ range: Range<Int>, _ parent: Int?) {
      var at = range.lowerBound
      while at + 8 <= range.upperBound, result.count < 20_000 {
        let declared = number(bytes, at)
        let (size, header) =
          switch declared {
          case 0: (range.upperBound - at, 8)
          case 1 where at + 16 <= range.upperBound: (number(bytes, at + 12), 16)
          default: (declared, 8)
          }
        guard size >= header, size <= range.upperBound - at else { return }
        let type = FourCC(rawValue: UInt32(number(bytes, at + 4)))
        result.append((type, at..<at + size, parent))
        if Self.containers.contains(type) { add(at + header..<at + size, result.count - 1) }
        at += size
      }
    }
    add(0..<bytes.count, nil)
    return result
  }

  private mutating func choice(_ count: Int) -> Int { Int.random(in: 0..<max(1, count), using: &random) }
  private mutating func element<Element>(_ elements: [Element]) -> Element { elements[choice(elements.count)] }

  private mutating func put(_ value: Int, at offset: Int) {
    guard offset + 4 <= bytes.count else { return }
    bytes.replaceSubrange(offset..<offset + 4, with: big(UInt32(truncatingIfNeeded: value)))
  }

  private mutating func damage() {
    let all = boxes()
    guard !all.isEmpty else { return }
    let inner = all.filter { $0.parent != nil }
    let deep = inner.isEmpty ? all : inner
    let leaves = deep.filter { !Self.containers.contains($0.type) }
    let (box, leaf) = (element(deep), element(leaves.isEmpty ? all : leaves))
    switch choice(14) {
    case 0: bytes.removeLast(choice(bytes.count))
    case 1:
      var parent = box.parent
      while let number = parent {
        put(all[number].range.count - box.range.count, at: all[number].range.lowerBound)
        parent = all[number].parent
      }
      bytes.removeSubrange(box.range)
    case 2:
      let types = [ascii("free"), ascii("abcd"), random.bytes(4)]
      bytes.replaceSubrange(box.range.lowerBound + 4..<box.range.lowerBound + 8, with: element(types))
    case 3, 4:
      for _ in 0..<element([1, 1, 4]) { bytes[leaf.range.lowerBound + choice(leaf.range.count)] ^= 1 << choice(8) }
    case 5, 6:
      guard leaf.range.count > 16 else { return }
      let at = leaf.range.lowerBound + 8 + choice((leaf.range.count - 8) / 4) * 4
      let old = number(bytes, at)
      let values = [
        0, 1, 2, 3, 0x7fff_ffff, 0xffff_ffff, 0x8000_0000, bytes.count, bytes.count - 5, choice(1 << 32), choice(1000),
        old + 1, old - 1,
      ]
      put(element(values), at: at)
    case 7:
      let size = box.range.count
      let sizes = [size + 1, size - 1, size + 1000, size * 2, 0, 1, 7, size / 2, 0xffff_fff0]
      put(element(sizes), at: box.range.lowerBound)
    case 8:
      guard let media = all.last(where: { $0.type == "mdat" })?.range else { return }
      put(element([media.count + 100_000, media.count / 2, 0, media.count + 8, media.count - 8]), at: media.lowerBound)
    case 9:
      let at = choice(bytes.count)
      let count = min(element([4, 16, 100, 2000]), bytes.count - at)
      bytes.replaceSubrange(at..<at + count, with: zeros(count))
    case 10: bytes.insert(contentsOf: random.bytes(element([1, 4, 8, 30])), at: element(all).range.lowerBound)
    case 11: bytes[choice(bytes.count)] ^= 1 << choice(8)
    case 12:
      let at = choice(bytes.count)
      bytes.removeSubrange(at..<min(bytes.count, at + element([1, 8, 500, 5000])))
    default:
      // Repeats a part of the file.
      let at = element(all).range.lowerBound
      bytes.insert(contentsOf: bytes[element(all).range], at: at)
    }
  }
}

/// The big-endian number in four bytes.
private func number(_ bytes: [UInt8], _ offset: Int) -> Int {
  bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
}
