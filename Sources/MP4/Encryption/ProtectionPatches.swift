import ISOBMFF
import MP4Bytes

/// The patches that declare samples as clear: sample entries get their original type, and encryption boxes become free
/// space.
struct ProtectionPatches {
  private(set) var patches: [[DecryptedSource.Patch]]
  private let schemes: Set<FourCC> = ["cenc", "cens", "cbc1", "cbcs", "piff"]
  private static let free = Array("free".utf8)

  init(_ movie: Movie, _ tracks: [Track], all: Bool) throws(IOError) {
    patches = movie.sources.map { _ in [] }
    for track in tracks { try addTrack(track.box, of: track.boxSource) }
    if all {
      for group in movie.input.groups {
        for box in group.movie.box.boxes where isSystemHeader(box.type, box.userType) {
          add(box.header, source: group.source)
        }
      }
    }
    for index in movie.sources.indices {
      try addFragments(movie.sources[index], index, Set(tracks.map(\.id)), all: all)
    }
    for index in patches.indices {
      patches[index].sort { $0.offset < $1.offset }
      var end = 0
      patches[index].removeAll { patch in
        defer { end = max(end, patch.end) }
        return patch.offset < end
      }
    }
  }

  private mutating func add(_ header: BoxHeader?, source: Int, type: [UInt8] = free) {
    guard let header else { return }
    patches[source].append(DecryptedSource.Patch(offset: header.offset + 4, bytes: type))
  }

  private mutating func addTrack(_ trak: Box, of source: any ByteSource) throws(IOError) {
    var window = ByteWindow(source, readAhead: 0)
    guard let stbl = trak.first("mdia", "minf", "stbl") else { return }
    for entry in stbl.first("stsd")?.boxes ?? [] {
      guard let sinf = entry.boxes.first(where: { $0.type == "sinf" && $0.first("schi") != nil }),
        let frma = sinf.first("frma")?.header, frma.payload.count >= 4
      else { continue }
      let type = Array(try window.slice(at: frma.payload.lowerBound, count: 4))
      add(entry.header, source: trak.source, type: type)
      for box in entry.boxes where box.type == "sinf" { add(box.header, source: trak.source) }
    }
    for box in stbl.boxes {
      guard let header = box.header, try isAboutSamples(header, &window) else { continue }
      add(header, source: trak.source)
    }
    for box in trak.boxes where box.type == "senc" { add(box.header, source: trak.source) }
  }

  /// Whether a box of a sample table or track fragment describes encryption.
  private func isAboutSamples(_ header: BoxHeader, _ window: inout ByteWindow) throws(IOError) -> Bool {
    switch header.type {
    case "senc": return true
    case "uuid": return header.userType == PIFFSampleEncryptionBox.info.userType
    case "sgpd", "sbgp", "csgp": return try fourCC(header, &window) == "seig"
    case "saiz", "saio":
      let flags = try window.slice(at: header.payload.lowerBound, count: min(4, header.payload.count)).last
      guard flags.map({ $0 & 1 != 0 }) ?? false else { return true }
      return try fourCC(header, &window).map { schemes.contains($0) } ?? false
    default: return false
    }
  }

  /// The four-character code after version and flags.
  private func fourCC(_ header: BoxHeader, _ window: inout ByteWindow) throws(IOError) -> FourCC? {
    guard header.payload.count >= 8 else { return nil }
    let bytes = try window.slice(at: header.payload.lowerBound + 4, count: 4)
    return bytes.count == 4 ? FourCC(rawValue: bytes.reduce(0) { $0 << 8 | UInt32($1) }) : nil
  }

  /// Whether a box has the data of a protection system.
  private func isSystemHeader(_ type: FourCC, _ userType: UserType?) -> Bool {
    type == "pssh"
      || userType
        == UserType([0xd0, 0x8a, 0x4f, 0x18, 0x10, 0xf3, 0x4a, 0x82, 0xb6, 0xc8, 0x32, 0xd8, 0xab, 0xa1, 0x83, 0xd3])
  }

  private mutating func addFragments(_ source: any ByteSource, _ index: Int, _ ids: Set<UInt32>, all: Bool)
    throws(IOError)
  {
    var parser = BoxParser(source)
    var window = ByteWindow(source)
    var isTaken = false
    while let node = try parser.next() {
      if node.depth == 0, node.type != "moof" { parser.skipBoxes() }
      guard node.depth > 0, node.problem == nil else { continue }
      let header = node.header
      switch (node.depth, node.type) {
      case (1, "traf"): isTaken = false
      case (1, _): if all, isSystemHeader(node.type, header.userType) { add(header, source: index) }
      case (2, "tfhd"):
        let id = try fourCC(header, &window)
        isTaken = id.map { ids.contains($0.rawValue) } ?? false
      case (2, _): if isTaken, try isAboutSamples(header, &window) { add(header, source: index) }
      default: break
      }
    }
  }
}
