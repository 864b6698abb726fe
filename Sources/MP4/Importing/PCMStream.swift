import ISOBMFF
import MP4Bytes

/// PCM audio in a WAV, RF64, BW64 or AIFF file: Multimedia Programming Interface and Data Specifications 1.0, EBU Tech
/// 3306, ITU-R BS.2088, and Audio Interchange File Format 1.3.
struct PCMStream {
  private let source: any ByteSource
  private let isAIFF: Bool
  private var format: PCMFormat?
  private var data: Range<Int>?
  /// The types of other chunks, which are omitted.
  private var others: [String] = []
  private var diagnostics: [Diagnostic] = []

  init(_ source: any ByteSource, isAIFF: Bool) throws(MovieError) {
    (self.source, self.isAIFF) = (source, isAIFF)
    try io(readChunks())
  }

  private func number(_ bytes: some Collection<UInt8>) -> Int {
    isAIFF ? bytes.reduce(0) { $0 << 8 | Int($1) } : bytes.littleEndian
  }

  private mutating func readChunks() throws(IOError) {
    var window = ByteWindow(source)
    let head = Array(try window.slice(at: 0, count: 12))
    guard head.count == 12 else { return }
    let isLarge = !head.starts(with: "RIFF".utf8)
    let isCompressed = head[8...].elementsEqual("AIFC".utf8)
    let end = source.byteCount ?? .max
    var (at, largeSize): (Int, Int?) = (12, nil)
    while at <= end - 8, at < .max - 1 << 34 {
      let head = Array(try window.slice(at: at, count: 8))
      guard head.count == 8 else { break }
      let name = String(decoding: head[..<4], as: UTF8.self)
      var size = number(head[4...])
      let payload = at + 8
      switch name {
      case "ds64":
        let sizes = Array(try window.slice(at: payload, count: 16))
        // A size of 64 bits that is larger than any file counts as one that is unknown.
        if sizes.count == 16, sizes[15] < 0x40 { largeSize = number(sizes[8...]) }
      case "fmt ": format = waveFormat(Array(try window.slice(at: payload, count: min(size, 40))))
      case "COMM": format = aiffFormat(Array(try window.slice(at: payload, count: min(size, 22))), isCompressed)
      case "data", "SSND":
        if isLarge, size == UInt32.max, let largeSize { size = largeSize }
        var start = payload
        if isAIFF { start += 8 + number(try window.slice(at: payload, count: 4)) }
        // Recorders that were interrupted, and pipes, leave a size of 0 or of all ones.
        let isOpen = !isAIFF && (size == 0 || size == UInt32.max) && end != .max
        let stop = isOpen ? end : min(end, payload + size)
        if stop < payload + size, !isOpen {
          let text =
            "its audio ends at byte \(stop), but should have \(payload + size - stop) more bytes; it was cut off"
          diagnostics.append(Diagnostic(.error, source.name, text))
        }
        if data == nil { data = min(start, stop)..<stop }
        if isOpen { size = end - payload }
      case "JUNK", "FLLR", "PAD ", "fact", "FVER": break
      default: others.append(name.trimmingSpaces)
      }
      at = payload + size + size & 1
    }
  }

  private func waveFormat(_ b: [UInt8]) -> PCMFormat? {
    guard b.count >= 16 else { return nil }
    var tag = number(b[..<2])
    // The extended form has the tag at the start of a GUID.
    if tag == 0xfffe, b.count >= 40 { tag = number(b[24..<26]) }
    let bits = number(b[14..<16])
    let kinds: [Int: PCMFormat.Kind] = [1: bits == 8 ? .unsigned : .signed, 3: .float, 6: .aLaw, 7: .muLaw]
    guard let kind = kinds[tag] else { return nil }
    let format = PCMFormat(
      kind, bits: bits, isLittleEndian: true, channelCount: number(b[2..<4]), sampleRate: number(b[4..<8]))
    // Values with padding have another size of frames.
    return number(b[12..<14]) == format.frameSize ? format : nil
  }

  private func aiffFormat(_ b: [UInt8], _ isCompressed: Bool) -> PCMFormat? {
    guard b.count >= 18, b[8] == 0x40 else { return nil }
    // 80-bit floating point.
    let exponent = number(b[8..<10]) - 16383
    let mantissa = b[10..<18].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard 0...31 ~= exponent else { return nil }
    var format = PCMFormat(
      .signed, bits: number(b[6..<8]), channelCount: number(b[..<2]),
      sampleRate: Int(mantissa >> UInt64(63 - exponent)))
    guard isCompressed, b.count >= 22 else { return format }
    switch String(decoding: b[18..<22], as: UTF8.self) {
    case "NONE", "twos", "in24", "in32": break
    case "sowt": format.isLittleEndian = true
    case "fl32", "FL32", "fl64", "FL64": format.kind = .float
    case "raw " where format.bits == 8: format.kind = .unsigned
    // Apple writes the number of bits after decoding.
    case "alaw", "ALAW": (format.kind, format.bits) = (.aLaw, 8)
    case "ulaw", "ULAW": (format.kind, format.bits) = (.muLaw, 8)
    default: return nil
    }
    return format
  }

  func movie(isQuickTime: Bool) throws(MovieError) -> (movie: any ByteSource, diagnostics: [Diagnostic]) {
    guard let format, let data else {
      let text = format == nil ? "its audio is not PCM with whole bytes" : "it has no audio"
      throw .impossible(file: source.name, Obstacle("unsupported_format", text))
    }
    var track = try ImportedTrack(format.track(isQuickTime: isQuickTime, of: source.name), of: source.name)
    var diagnostics = self.diagnostics
    let count = data.count / format.frameSize
    let media = data.lowerBound..<data.lowerBound + count * format.frameSize
    if media.count < data.count {
      let text = "the last \(counted(data.count - media.count, "byte")) are no whole frame; they are omitted"
      diagnostics.append(Diagnostic(.warning, source.name, text))
    }
    try track.appendFrames(count, size: format.frameSize, perSecond: format.sampleRate)
    if !others.isEmpty {
      let names = others.prefix(8).joined(separator: ", ")
      diagnostics.append(Diagnostic(.note, source.name, "its other chunks are omitted: \(names)"))
    }
    var parts = AssembledMedia.Parts()
    parts.append(media)
    return (try track.movie(AssembledMedia(parts, of: source)), diagnostics)
  }
}

extension String {
  fileprivate var trimmingSpaces: String {
    String(decoding: utf8.reversed().drop { $0 <= 0x20 }.reversed(), as: UTF8.self)
  }
}
