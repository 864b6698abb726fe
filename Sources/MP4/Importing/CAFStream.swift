import ISOBMFF
import MP4Bytes

/// PCM, AAC or Apple Lossless in a Core Audio Format file: Apple Core Audio Format Specification 1.0.
struct CAFStream {
  private let source: any ByteSource
  private var description: [UInt8] = []
  private var cookie: [UInt8] = []
  private var table: Range<Int>?
  private var data: Range<Int>?
  private var others: [String] = []
  private var diagnostics: [Diagnostic] = []

  init(_ source: any ByteSource) throws(MovieError) {
    self.source = source
    try io(readChunks())
  }

  private mutating func readChunks() throws(IOError) {
    var window = ByteWindow(source)
    var at = 8
    let end = try source.measuredByteCount()
    while at <= end - 12 {
      let head = Array(try window.slice(at: at, count: 12))
      guard head.count == 12 else { break }
      let (name, declared) = (String(decoding: head[..<4], as: UTF8.self), Self.number(head[4...]))
      let payload = at + 12
      // The size of the audio is -1 while it is being recorded.
      let size = name == "data" && declared < 0 ? end - payload : declared
      guard size >= 0, size < .max - payload else { break }
      switch name {
      case "desc": description = Array(try window.slice(at: payload, count: min(size, 32)))
      case "kuki": cookie = Array(try window.slice(at: payload, count: min(size, 1 << 12)))
      case "pakt": table = payload..<min(end, payload + size)
      case "data":
        let stop = min(end, payload + size)
        if payload + size > end {
          let text = "its audio ends at byte \(end), but should have \(payload + size - end) more bytes; it was cut off"
          diagnostics.append(Diagnostic(.error, source.name, text))
        }
        // An edit count precedes it.
        data = min(payload + 4, stop)..<stop
      case "free", "chan": break
      default: if name.allSatisfy({ $0.isLetter || $0.isNumber }) { others.append(name) }
      }
      at = payload + size
    }
  }

  private static func number(_ bytes: some Collection<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

  /// A track of Apple Lossless or AAC.
  private func compressed(_ format: FourCC, isQuickTime: Bool) throws(MovieError) -> MovieWriter.Track {
    try entry(of: source.name) { () throws(MovieWriterError) in
      switch format {
      case "alac": return try .alac(cookie: cookie)
      case "aac ":
        let box = try? ESDescriptorBox(decoding: ([0, 0, 0, 0] + cookie)[...])
        guard let configuration = box?.decoderSpecificInfo else {
          throw .unreadableHeader("the configuration of AAC")
        }
        return try .aac(audioSpecificConfig: configuration, isQuickTime: isQuickTime)
      default: throw .unsupportedFormat("its codec \(format), which is neither PCM, AAC nor Apple Lossless")
      }
    }
  }

  /// Whether it has a codec with a known sample entry in QuickTime.
  static func isQuickTime(_ start: ArraySlice<UInt8>) -> Bool {
    ["lpcm", "alaw", "ulaw", "aac "].contains { start.dropFirst(28).starts(with: $0.utf8) }
  }

  func movie(isQuickTime: Bool) throws(MovieError) -> (movie: any ByteSource, diagnostics: [Diagnostic]) {
    guard description.count == 32, let data else { throw .impossible(file: source.name, .noSamples) }
    let rate = Double(bitPattern: UInt64(truncatingIfNeeded: Self.number(description[..<8])))
    let format = FourCC(rawValue: UInt32(Self.number(description[8..<12])))
    let flags = Self.number(description[12..<16])
    let (packetSize, framesPerPacket) = (Self.number(description[16..<20]), Self.number(description[20..<24]))
    let (channels, bits) = (Self.number(description[24..<28]), Self.number(description[28...]))
    guard let sampleRate = UInt32(exactly: rate.rounded()), sampleRate > 0 else {
      throw .impossible(file: source.name, Obstacle("unsupported_format", "its sample rate is \(rate)"))
    }
    let kind: PCMFormat.Kind? =
      switch format {
      case "lpcm": flags & 1 != 0 ? .float : .signed
      case "alaw": .aLaw
      case "ulaw": .muLaw
      default: nil
      }
    let pcm = kind.map {
      PCMFormat(
        $0, bits: format == "lpcm" ? bits : 8, isLittleEndian: flags & 2 != 0, channelCount: channels,
        sampleRate: Int(sampleRate))
    }
    if let pcm, packetSize != pcm.frameSize || framesPerPacket != 1 {
      throw .impossible(file: source.name, Obstacle("unsupported_format", "its PCM has values in parts of bytes"))
    }
    var track: MovieWriter.Track
    if let pcm {
      track = try pcm.track(isQuickTime: isQuickTime, of: source.name)
    } else {
      track = try compressed(format, isQuickTime: isQuickTime)
    }
    var parts = AssembledMedia.Parts()
    var diagnostics = self.diagnostics
    if !others.isEmpty {
      let names = others.prefix(8).joined(separator: ", ")
      diagnostics.append(Diagnostic(.note, source.name, "its other chunks are omitted: \(names)"))
    }
    if pcm != nil {
      var result = try ImportedTrack(track, of: source.name)
      let count = data.count / packetSize
      try result.appendFrames(count, size: packetSize, perSecond: Int(sampleRate))
      parts.append(data.lowerBound..<data.lowerBound + count * packetSize)
      return (try result.movie(AssembledMedia(parts, of: source)), diagnostics)
    }
    guard let table, framesPerPacket > 0 else {
      throw .impossible(file: source.name, Obstacle("unsupported_format", "it has no table of packets"))
    }
    var window = ByteWindow(source)
    let head = Array(try io(window.slice(at: table.lowerBound, count: 24)))
    guard head.count == 24, table.count >= 24 else { throw .impossible(file: source.name, .noSamples) }
    let (count, valid, priming) = (Self.number(head[..<8]), Self.number(head[8..<16]), Self.number(head[16..<20]))
    if priming > 0 { track.trim = MediaTime(Int64(priming), track.timescale) }
    let scale = Int64(track.timescale) / Int64(sampleRate)
    if valid > 0, valid < 1 << 40, valid <= count.multipliedReportingOverflow(by: framesPerPacket).partialValue {
      track.presentedDuration = MediaTime(Int64(valid) * max(1, scale), track.timescale)
    }
    var result = try ImportedTrack(track, of: source.name)
    var (place, at) = (table.lowerBound + 24, data.lowerBound)
    while result.sampleCount < count, place < table.upperBound {
      var size = packetSize
      if size == 0 {
        let bytes = try io(window.slice(at: place, count: min(5, table.upperBound - place)))
        guard let last = bytes.firstIndex(where: { $0 & 128 == 0 }) else { break }
        size = bytes[...last].reduce(0) { $0 << 7 | Int($1 & 127) }
        place += last - bytes.startIndex + 1
      }
      guard size <= data.upperBound - at else {
        diagnostics.append(Diagnostic(.error, source.name, "its packets after byte \(at) are cut off, and are omitted"))
        break
      }
      parts.append(at..<at + size)
      try result.append(byteCount: size, duration: Int64(framesPerPacket))
      at += size
    }
    if result.sampleCount < count, diagnostics.allSatisfy({ $0.severity != .error }) {
      let missing = counted(count - result.sampleCount, "packet")
      let text = "its table of packets ends too early; the last \(missing) of \(count) are omitted"
      diagnostics.append(Diagnostic(.error, source.name, text))
    }
    return (try result.movie(AssembledMedia(parts, of: source)), diagnostics)
  }
}
