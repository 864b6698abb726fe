import ISOBMFF
import MP4Bytes

/// MPEG-1 or MPEG-2 video in a transport stream: ISO/IEC 11172-2 and 13818-2. Two fields are one sample.
struct MPEGVideoStream {
  private let source: any ByteSource
  private var pictures: [Picture] = []
  /// The sequence header of the first picture, with its extensions.
  private var headers: [UInt8] = []

  private struct Picture {
    var start: Int
    /// Its number in output order, in its group.
    var order: Int
    var startsGroup: Bool
    var isSync: Bool
  }

  /// The start codes of ISO/IEC 13818-2, table 6-1.
  private enum Code {
    static let (picture, sequence, extensions, end, group): (UInt8, UInt8, UInt8, UInt8, UInt8) = (
      0, 0xb3, 0xb5, 0xb7, 0xb8
    )
    static func isSlice(_ code: UInt8) -> Bool { 1...0xaf ~= code }
  }
  private static let windowSize = 1 << 18

  init(_ source: any ByteSource) throws(MovieError) {
    self.source = source
    var window = ByteWindow(source, readAhead: Self.windowSize)
    var at = 0
    var reader = Reader()
    while true {
      let bytes: RawSpan
      do throws(IOError) { bytes = try window.look(at: at, count: Self.windowSize) } catch { throw .io(error) }
      let size = bytes.byteCount
      let isLast = size < Self.windowSize
      var from = 0
      // The fields that are read are in the same window as their start code.
      while let place = bytes.startCode(from: from), place + 8 <= size || isLast, place + 4 <= size {
        let code: UInt8 = bytes.bigEndian(at: place + 3) ?? 0
        let fields: UInt32 = bytes.bigEndian(at: place + 4) ?? 0
        reader.read(code, fields, at: at + place, &pictures)
        from = place + 4
      }
      if isLast { break }
      at += max(from, size - 8)
    }
    guard let first = reader.sequence else {
      throw .impossible(file: source.name, Obstacle("no_parameter_sets", "it has no sequence header"))
    }
    headers = try io(source.bytes(in: first..<min(reader.sequenceEnd ?? first, first + 4096)))
  }

  private struct Reader {
    /// The first sequence header, and its end.
    var sequence: Int?
    var sequenceEnd: Int?
    /// The start of the next sample, if headers before its picture were found.
    private var start: Int?
    private var (startsGroup, hasHeader) = (false, false)
    /// Whether the latest picture is a field whose other field follows.
    private var isFirstField = false
    private var isAfterSlice = true

    mutating func read(_ code: UInt8, _ fields: UInt32, at place: Int, _ pictures: inout [Picture]) {
      switch code {
      case Code.sequence, Code.group:
        if sequence == nil, code == Code.sequence { sequence = place }
        if sequence != nil, sequence != place, sequenceEnd == nil { sequenceEnd = place }
        start = start ?? place
        (startsGroup, hasHeader, isFirstField) = (startsGroup || code == Code.group, true, false)
      case Code.picture:
        if sequence != nil, sequenceEnd == nil { sequenceEnd = place }
        let (order, type) = (Int(fields >> 22), fields >> 19 & 7)
        if isFirstField, start == nil, pictures.last?.order == order {
          isFirstField = false
          return
        }
        // Decoding can start at a picture after a sequence header or a group.
        pictures.append(
          Picture(
            start: start ?? place, order: order, startsGroup: startsGroup, isSync: type == 1 && hasHeader))
        (start, startsGroup, hasHeader, isFirstField) = (nil, false, false, false)
        isAfterSlice = false
      case Code.extensions:
        // The picture coding extension has the structure of the picture: 6.2.3.1.
        if fields >> 28 == 8, !isAfterSlice { isFirstField = fields >> 8 & 3 != 3 }
        isAfterSlice = isAfterSlice || fields >> 28 == 8
      default: break
      }
    }
  }

  /// The track with the times of its packets.
  func track(timedBy table: PacketTable) throws(MovieError) -> TransportedTrack {
    let description = try entry(of: source.name) { () throws(MovieWriterError) in
      try MovieWriter.Track.mpegVideo(headers: headers, timescale: TransportedTrack.timescale)
    }
    let known = table.times(ofSamplesAt: pictures.map(\.start))
    guard !pictures.isEmpty,
      let times = TimedSamples(known, ranks: ranks, usual: description.pictureDuration)
    else { throw .impossible(file: source.name, .noSamples) }
    let first = times.presentation.min() ?? 0
    var track = description.track
    track.trim = MediaTime(max(0, first - times.decode[0]), track.timescale)
    var result = try ImportedTrack(track, of: source.name)
    // What precedes the first picture belongs to no sample.
    let start = pictures[0].start
    let end = try io(source.measuredByteCount())
    for (index, picture) in pictures.enumerated() {
      let next = index + 1 < pictures.count ? pictures[index + 1].start : end
      let own = times.decode[index]
      let duration = index + 1 < pictures.count ? times.decode[index + 1] - own : times.lastDuration
      try result.append(
        byteCount: next - picture.start, duration: duration, compositionOffset: times.presentation[index] - own,
        isSync: picture.isSync)
    }
    var parts = AssembledMedia.Parts()
    parts.append(start..<end)
    var diagnostics: [Diagnostic] = []
    if start > 0 {
      let text = "the \(counted(start, "byte")) before the first picture are omitted"
      diagnostics.append(Diagnostic(.warning, source.name, text))
    }
    return TransportedTrack(
      track: result, media: AssembledMedia(parts, of: source), start: first, diagnostics: diagnostics)
  }

  /// The numbers of the pictures in output order: groups follow each other.
  private var ranks: [Int] {
    var (result, start) = ([Int](repeating: 0, count: pictures.count), 0)
    for index in 1...pictures.count where index == pictures.count || pictures[index].startsGroup {
      let sorted = (start..<index).sorted { (pictures[$0].order, $0) < (pictures[$1].order, $1) }
      for (rank, picture) in sorted.enumerated() { result[picture] = start + rank }
      start = index
    }
    return result
  }
}

extension MovieWriter.Track {
  /// MPEG-1 or MPEG-2 video, from the sequence header and its extensions, and the duration of a picture if it is
  /// declared: ISO/IEC 13818-2, 6.2.2, and 14496-1, table 5.
  static func mpegVideo(
    headers: [UInt8], timescale: UInt32
  ) throws(MovieWriterError) -> (track: Self, pictureDuration: Int64?) {
    guard headers.count >= 12, headers.starts(with: [0, 0, 1, 0xb3]) else {
      throw .unreadableHeader("the sequence header of MPEG video")
    }
    let b = headers.map { Int($0) }
    var (width, height) = (b[4] << 4 | b[5] >> 4, (b[5] & 15) << 8 | b[6])
    let (aspect, rate) = (b[7] >> 4, b[7] & 15)
    var objectType: UInt8 = 0x6a
    let all = headers[...]
    if let place = all.raw.startCode(from: 4), headers.count >= place + 10, headers[place + 3] == 0xb5,
      headers[place + 4] >> 4 == 1
    {
      let profile = b[place + 4] & 7
      objectType = [0x65, 0x64, 0x63, 0x62, 0x61, 0x60, 0x61, 0x61][b[place + 4] & 8 != 0 ? 0 : profile]
      width |= (b[place + 5] & 1) << 13 | (b[place + 6] >> 7) << 12
      height |= (b[place + 6] >> 5 & 3) << 12
    }
    var esds = ESDescriptorBox()
    var config = DecoderConfigDescriptor()
    (config.objectTypeIndication, config.streamType) = (objectType, 4)
    config.descriptors = [Descriptor(tag: 5, body: .decoderSpecificInfo(headers))]
    var stream = ElementaryStreamDescriptor()
    stream.descriptors = [Descriptor(tag: 4, body: .decoderConfig(config)), Descriptor(tag: 6, body: .bytes([2]))]
    esds.es = Descriptor(tag: 3, body: .elementaryStream(stream))
    var entry = VisualSampleEntry()
    (entry.width, entry.height) = (UInt16(clamping: width), UInt16(clamping: height))
    var boxes = [Box(esds)]
    var shown = width
    // Of MPEG-2, the code is the shape of the whole picture.
    let shapes = [2: (4, 3), 3: (16, 9), 4: (221, 100)]
    if objectType != 0x6a, let shape = shapes[aspect], height > 0, width > 0 {
      var pasp = PixelAspectRatioBox()
      (pasp.hSpacing, pasp.vSpacing) = Self.reduced(shape.0 * height, shape.1 * width)
      if pasp.hSpacing != pasp.vSpacing {
        boxes.append(Box(pasp))
        shown = height * shape.0 / shape.1
      }
    }
    var track = try Self(Box(entry, type: "mp4v", boxes: boxes), timescale: timescale, handler: "vide")
    track.header.width = UInt32(clamping: shown) << 16
    // Table 6-4, in units of 1/90000 s.
    let durations: [Int64?] = [nil, 3754, 3750, 3600, 3003, 3000, 1800, 1502, 1500]
    return (track, rate < durations.count ? durations[rate] : nil)
  }

  private static func reduced(_ a: Int, _ b: Int) -> (UInt32, UInt32) {
    var (x, y) = (a, b)
    while y > 0 { (x, y) = (y, x % y) }
    return (UInt32(clamping: a / max(1, x)), UInt32(clamping: b / max(1, x)))
  }
}
