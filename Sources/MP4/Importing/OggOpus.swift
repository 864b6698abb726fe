import ISOBMFF
import MP4Bytes

/// Opus in Ogg: RFC 7845 and RFC 3533.
struct OggOpus {
  private let source: any ByteSource

  init(_ source: any ByteSource) { self.source = source }

  /// A longer gap, of an hour, is a wrong time of a page.
  private static let longestGap: Int64 = 3600 * 48_000

  /// The start of the next page, or the end of the file.
  private func nextPage(after start: Int, _ window: inout ByteWindow) throws(MovieError) -> Int {
    var at = start + 1
    while true {
      let bytes = try io(window.slice(at: at, count: 1 << 16))
      if let found = bytes.indices.first(where: { bytes[$0] == 0x4f && bytes[$0...].starts(with: "OggS".utf8) }) {
        return at + found - bytes.startIndex
      }
      guard bytes.count == 1 << 16 else { return at + bytes.count }
      at += bytes.count - 3
    }
  }

  /// Whether a file that starts with these bytes has Opus.
  static func isStart(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.starts(with: "OggS".utf8) && bytes.dropFirst(28).starts(with: "OpusHead".utf8)
  }

  func movie(onProgress: (Int) -> Bool) throws(MovieError) -> (movie: any ByteSource, diagnostics: [Diagnostic]) {
    var window = ByteWindow(source, readAhead: 1 << 16)
    var parts = AssembledMedia.Parts()
    var diagnostics: [Diagnostic] = []
    var (lost, others) = (LostBytes(), 0)
    // Whether packets before the next page are missing, and where the sound of missing packets belongs.
    var (hasGap, hasLostPages, gaps) = (false, false, [(at: Int64, duration: Int64)]())
    // The difference between the times of pages and the sum of the durations of packets.
    var base: Int64?
    var (hasEnded, isChained, isCut) = (false, false, false)
    var (at, serial, number): (Int, [UInt8]?, Int?) = (0, nil, nil)
    // The ranges of a packet that continues on the next page.
    var packet: [Range<Int>] = []
    var (packetCount, head): (Int, [UInt8]) = (0, [])
    var durations: [(byteCount: Int, duration: Int)] = []
    var (end, total): (Int64?, Int64) = (nil, 0)
    while true {
      guard onProgress(at) else { throw .stopped(file: source.name) }
      let header = Array(try io(window.slice(at: at, count: 27)))
      if header.count < 27 {
        isCut = !header.isEmpty
        break
      }
      guard header.starts(with: "OggS".utf8) else {
        let next = try nextPage(after: at, &window)
        lost.add(at..<next)
        (at, hasGap, packet) = (next, true, [])
        continue
      }
      let lacing = Array(try io(window.slice(at: at + 27, count: Int(header[26]))))
      var place = at + 27 + lacing.count
      at = place + lacing.reduce(0) { $0 + Int($1) }
      var page = header + lacing
      page += try io(window.slice(at: place, count: at - place))
      guard lacing.count == Int(header[26]), page.count == 27 + lacing.count + at - place else {
        isCut = true
        break
      }
      let declared = UInt32(page[22..<26].littleEndian)
      page.replaceSubrange(22..<26, with: [0, 0, 0, 0])
      if OggPages.Page.checksum(page) != declared {
        // Its sizes can be wrong, too.
        let start = place - 27 - lacing.count
        let isFollowed = try io(window.slice(at: at, count: 4)).elementsEqual("OggS".utf8)
        if !isFollowed { at = try nextPage(after: start, &window) }
        lost.add(start..<at)
        (hasGap, packet) = (true, [])
        continue
      }
      if serial == nil { serial = Array(header[14..<18]) }
      if hasEnded || header[14..<18] != serial?[...] {
        if header[5] & 2 != 0 { others += 1 }
        isChained = isChained || hasEnded
        continue
      }
      let sequence = header[18..<22].littleEndian
      if let number, sequence != number + 1 { (hasGap, hasLostPages, packet) = (true, true, []) }
      let (firstPacket, startOfPage) = (durations.count, total)
      number = sequence
      if header[5] & 1 == 0 { packet = [] }
      var skipsFirst = header[5] & 1 != 0 && packet.isEmpty
      var size = 0
      for lace in lacing {
        size += Int(lace)
        if lace == 255 { continue }
        if !skipsFirst {
          packet.append(place..<place + size)
          if packetCount == 0 {
            head = Array(try io(window.slice(at: packet[0].lowerBound, count: min(packet[0].count, 512))))
          } else if packetCount > 1 {
            let first = packet.first { !$0.isEmpty }?.lowerBound ?? place
            let count = packet.reduce(0) { $0 + $1.count }
            let start = try io(window.slice(at: first, count: 2))
            if count > 0, let duration = OpusStream.duration(start) {
              for range in packet { parts.append(range) }
              durations.append((count, duration))
              total += Int64(duration)
            } else if count > 0 {
              lost.add(first..<first + count)
            }
          }
          packetCount += 1
        }
        (packet, skipsFirst) = ([], false)
        place += size
        size = 0
      }
      if size > 0, !skipsFirst { packet.append(place..<place + size) }
      let granule = header[6..<14].littleEndian
      if granule >= 0, packetCount > 2 {
        end = Int64(granule)
        if durations.count > firstPacket {
          // The first page can start at any time; the last one ends within a packet.
          let known = base ?? max(0, Int64(granule) - total)
          base = known
          let (late, isLast) = (Int64(granule) - known - total, header[5] & 4 != 0)
          if hasGap, firstPacket > 0, late > 0, late <= Self.longestGap, !isLast || late > 5760 {
            durations[firstPacket - 1].duration += Int(late)
            gaps.append((startOfPage, late))
            total += late
          }
          hasGap = false
        }
      }
      if header[5] & 4 != 0 { hasEnded = true }
    }
    var track = try entry(of: source.name) { () throws(MovieWriterError) in try MovieWriter.Track.opus(header: head) }
    diagnostics += lost.diagnostics("intact pages or packets of Opus", of: source.name)
    if let first = gaps.first {
      let missing = MediaTime(gaps.reduce(0) { $0 + $1.duration }, 48_000)
      let text =
        "\(missing) of sound is missing at \(counted(gaps.count, "place")), the first at "
        + "\(MediaTime(first.at - track.trim.value, 48_000)); the sound after it keeps its time, because the packet "
        + "before lasts longer"
      diagnostics.append(Diagnostic(.error, source.name, text))
    } else if hasLostPages {
      diagnostics.append(Diagnostic(.error, source.name, "pages are missing; the packets in them are lost"))
    }
    if isCut { diagnostics.append(Diagnostic(.error, source.name, "its last page is cut off, and is omitted")) }
    if isChained {
      let text = "another stream follows the first one, and is omitted; concatenate them as movies"
      diagnostics.append(Diagnostic(.error, source.name, text))
    } else if others > 0 {
      diagnostics.append(Diagnostic(.warning, source.name, "its \(counted(others, "other stream")) are omitted"))
    }
    // The time of the last page is the end of the audio, which can be within the last packet.
    if let end, end < total, end > track.trim.value, total - end <= 5760 {
      track.presentedDuration = MediaTime(end - track.trim.value, 48_000)
    }
    var result = try ImportedTrack(track, of: source.name)
    for sample in durations { try result.append(byteCount: sample.byteCount, duration: Int64(sample.duration)) }
    return (try result.movie(AssembledMedia(parts, of: source)), diagnostics)
  }
}
