import MP4Bytes

/// The tables that list the programs of a transport stream, and the streams of each: ISO/IEC 13818-1, 2.4.4.
struct ProgramTables {
  /// A program.
  struct Program {
    /// Its number.
    let number: Int
    /// The packets with its table.
    let pid: Int
    /// Its streams, in the order of the table. Those of later versions follow.
    fileprivate(set) var streams: [Stream] = []
  }

  /// A stream of a program.
  struct Stream {
    let pid: Int
    /// The stream type: table 2-34.
    let type: UInt8
    let descriptors: [Descriptor]

    /// The contents of the first descriptor with a tag.
    func descriptor(_ tag: UInt8) -> [UInt8]? { descriptors.first { $0.tag == tag }?.bytes }
    /// The registered identifier of its format, if it has one: 2.6.8.
    var registration: String? { descriptor(5).map { String(decoding: $0.prefix(4), as: UTF8.self) } }
  }
  struct Descriptor: Equatable {
    let tag: UInt8
    let bytes: [UInt8]
  }

  /// A section of splice information.
  struct SpliceSection {
    let pid: Int
    /// The packet of the file with which it ends.
    let byte: Int
    let bytes: [UInt8]
  }
  /// The splice information of all programs, in the order of the file.
  private(set) var splices: [SpliceSection] = []
  private var spliceByteCount = 0

  /// The programs in their order.
  private(set) var programs: [Program] = []
  private var sections: [Int: Section] = [0: Section()]

  /// The part of a section that has been read, and the latest whole section.
  private struct Section {
    var bytes: [UInt8] = []
    var isOpen = false
    var latest: [UInt8] = []
  }
  /// Sections are not larger: 2.4.4.
  private static let sectionLimit = 4096

  /// Whether the packets with this ID have tables.
  func hasTable(_ pid: Int) -> Bool { sections[pid] != nil }
  /// Whether a program lists a stream.
  func hasStream(_ pid: Int) -> Bool { programs.contains { $0.streams.contains { $0.pid == pid } } }

  /// The packet IDs of splice information.
  var splicePIDs: [Int] { programs.flatMap { $0.streams.filter { StreamKind($0) == .splices }.map(\.pid) } }
  private func hasSplices(_ pid: Int) -> Bool { splicePIDs.contains(pid) }

  /// Reads the payload of a packet with a table, which starts at `byte`. `isContinuous` is false if packets before it
  /// are missing.
  mutating func read(_ payload: [UInt8], pid: Int, byte: Int, isStart: Bool, isContinuous: Bool) {
    guard var section = sections[pid] else { return }
    var rest = payload[...]
    if !isContinuous { section.isOpen = false }
    var whole: [[UInt8]] = []
    func complete() {
      while section.isOpen, section.bytes.count >= 3 {
        let size = 3 + (Int(section.bytes[1] & 15) << 8 | Int(section.bytes[2]))
        // Stuffing.
        guard section.bytes[0] != 0xff, size <= Self.sectionLimit else { return section.isOpen = false }
        guard section.bytes.count >= size else { return }
        whole.append(Array(section.bytes[..<size]))
        section.bytes.removeFirst(size)
      }
    }
    if isStart {
      let pointer = Int(rest.popFirst() ?? 0)
      if section.isOpen {
        section.bytes += rest.prefix(pointer)
        complete()
      }
      rest = rest.dropFirst(pointer)
      (section.bytes, section.isOpen) = ([], true)
    }
    if section.isOpen {
      section.bytes += rest
      complete()
    }
    for bytes in whole where bytes != section.latest {
      section.latest = bytes
      sections[pid] = section
      if bytes[0] == SpliceInformation.tableID {
        take(SpliceSection(pid: pid, byte: byte, bytes: bytes))
      } else if Self.isIntact(bytes) {
        take(bytes, pid)
      }
    }
    sections[pid] = section
  }

  private mutating func take(_ section: SpliceSection) {
    guard hasSplices(section.pid), spliceByteCount < TransportEvent.mostBytes else { return }
    spliceByteCount += section.bytes.count
    splices.append(section)
  }

  private mutating func take(_ section: [UInt8], _ pid: Int) {
    // The section is in force now, and has its own checksum.
    guard section.count >= 12, section[1] & 0x80 != 0, section[5] & 1 == 1 else { return }
    let body = section[8..<(section.count - 4)]
    if pid == 0, section[0] == 0 {
      for start in stride(from: body.startIndex, to: body.endIndex - 3, by: 4) {
        let number = Int(body[start]) << 8 | Int(body[start + 1])
        let own = Int(body[start + 2] & 31) << 8 | Int(body[start + 3])
        guard number > 0, own >= 16, !programs.contains(where: { $0.number == number && $0.pid == own }) else {
          continue
        }
        programs.append(Program(number: number, pid: own))
        if sections[own] == nil { sections[own] = Section() }
      }
    } else if section[0] == 2,
      let index = programs.firstIndex(where: {
        $0.pid == pid && $0.number == Int(section[3]) << 8 | Int(section[4])
      })
    {
      readProgram(body, index)
    }
  }

  private mutating func readProgram(_ body: ArraySlice<UInt8>, _ index: Int) {
    guard body.count >= 4 else { return }
    func length(_ at: Int) -> Int { Int(body[at] & 15) << 8 | Int(body[at + 1]) }
    var at = body.startIndex + 4 + length(body.startIndex + 2)
    while at + 5 <= body.endIndex {
      let (type, pid) = (body[at], Int(body[at + 1] & 31) << 8 | Int(body[at + 2]))
      let end = min(body.endIndex, at + 5 + length(at + 3))
      let stream = Stream(pid: pid, type: type, descriptors: Self.descriptors(body[(at + 5)..<end]))
      at = end
      if !programs[index].streams.contains(where: { $0.pid == pid }) { programs[index].streams.append(stream) }
      if StreamKind(stream) == .splices, sections[pid] == nil { sections[pid] = Section() }
    }
  }

  private static func descriptors(_ bytes: ArraySlice<UInt8>) -> [Descriptor] {
    var (rest, result) = (bytes, [Descriptor]())
    while let tag = rest.popFirst(), let size = rest.popFirst() {
      result.append(Descriptor(tag: tag, bytes: Array(rest.prefix(Int(size)))))
      rest = rest.dropFirst(Int(size))
    }
    return result
  }

  /// Whether the checksum of a section is right: annex A.
  static func isIntact(_ section: [UInt8]) -> Bool { checksum(section) == 0 }

  /// The checksum of the bytes of a section.
  static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
    bytes.reduce(UInt32.max) { value, byte in
      (0..<8).reduce(value ^ UInt32(byte) << 24) { value, _ in
        value & 0x8000_0000 != 0 ? value << 1 ^ 0x04c1_1db7 : value << 1
      }
    }
  }
}
