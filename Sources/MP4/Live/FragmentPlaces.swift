import Bytes
import ISOBMFF

/// The fields of a `moof` that change when it is put into another file.
struct FragmentPlaces {
  /// A track fragment whose offsets count from a place in the file, ISO/IEC 14496-12:2022, 8.8.7.1.
  private struct Traf {
    /// Where its `tfhd` is in the box.
    var header: Range<Int>
    /// Where offsets stand that count from there, and how many bytes each has.
    var offsets: [(place: Int, size: Int)] = []
    /// Whether samples start right there, which no field says.
    var startsAtBase = false
    var hasRun = false
  }
  /// Where `sequence_number` stands.
  private(set) var number: Int?
  private var trafs: [Traf] = []
  private var isInTraf = false

  /// Finds them in a box.
  init(_ moof: MemorySource) throws(IOError) {
    var parser = BoxParser(moof, in: moof.range)
    while let node = try parser.next() {
      let header = node.header
      let start = header.offset - moof.baseOffset
      // What is not whole or has another header is damaged, or of no known writer.
      guard header.form == .compact, header.isSizeRight, start + header.size <= moof.bytes.count else { continue }
      note(node.type, start..<(start + header.size), moof.bytes)
    }
  }

  private mutating func note(_ type: FourCC, _ range: Range<Int>, _ bytes: [UInt8]) {
    let start = range.lowerBound
    if type == "mfhd", range.count >= 16 { number = number ?? start + 12 }
    if type == "traf" { isInTraf = false }
    guard range.count >= 16 else { return }
    let flags = bytes[start + 11]
    if type == "tfhd", flags & 1 != 0, range.count >= 24 {
      trafs.append(Traf(header: range))
      isInTraf = true
    }
    guard isInTraf, let last = trafs.indices.last else { return }
    switch type {
    case "trun":
      if flags & 1 != 0, range.count >= 20 {
        trafs[last].offsets.append((start + 16, 4))
      } else if !trafs[last].hasRun {
        trafs[last].startsAtBase = true
      }
      trafs[last].hasRun = true
    case "saio":
      let size = bytes[start + 8] == 0 ? 4 : 8
      let first = start + (flags & 1 != 0 ? 24 : 16)
      for place in stride(from: first, through: range.upperBound - size, by: size) {
        trafs[last].offsets.append((place, size))
      }
    default: break
    }
  }

  /// The box with bases that are near it: in one that was cut from a longer file they can be anywhere, and mean its start.
  func nearBases(_ moof: MemorySource) -> MemorySource {
    let start = UInt64(moof.baseOffset)
    let near = start...(start + UInt64(moof.bytes.count) + 16)
    var bytes = moof.bytes
    for traf in trafs where !near.contains(Self.load(bytes, traf.header.lowerBound + 16, 8)) {
      Self.store(start, 8, in: &bytes, at: traf.header.lowerBound + 16)
    }
    return trafs.isEmpty ? moof : MemorySource(bytes, name: moof.name, baseOffset: moof.baseOffset)
  }

  /// The box with all offsets counted from its own start, as segments need it. Where a base stood there is a free box, so
  /// that everything stays where it is.
  func relative(_ moof: MemorySource) -> [UInt8] {
    var bytes = moof.bytes
    for traf in trafs {
      let header = traf.header
      let distance = Self.load(bytes, header.lowerBound + 16, 8) &- UInt64(moof.baseOffset)
      guard distance == 0 || !traf.startsAtBase else { continue }
      for (place, size) in traf.offsets {
        Self.store(Self.load(bytes, place, size) &+ distance, size, in: &bytes, at: place)
      }
      bytes[header.lowerBound + 9] |= 0x02
      bytes[header.lowerBound + 11] &= ~1
      for index in (header.lowerBound + 16)..<(header.upperBound - 8) { bytes[index] = bytes[index + 8] }
      Self.store(UInt64(header.count - 8), 4, in: &bytes, at: header.lowerBound)
      Self.store(8 << 32 | UInt64(FourCC("free").rawValue), 8, in: &bytes, at: header.upperBound - 8)
    }
    return bytes
  }

  private static func load(_ bytes: [UInt8], _ place: Int, _ size: Int) -> UInt64 {
    bytes[place..<(place + size)].reduce(0) { $0 << 8 | UInt64($1) }
  }
  private static func store(_ value: UInt64, _ size: Int, in bytes: inout [UInt8], at place: Int) {
    for index in 0..<size { bytes[place + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * (size - 1 - index))) }
  }
}
