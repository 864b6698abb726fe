import ISOBMFF
import MP4Bytes

/// PCM audio in a WAV, RF64, BW64, Wave64 or AIFF file: Multimedia Programming Interface and Data Specifications 1.0,
/// EBU Tech 3306, ITU-R BS.2088, Sony Pictures Digital Wave64, and Audio Interchange File Format 1.3.
struct PCMStream {
  private let source: any ByteSource
  private let isAIFF: Bool
  private var format: PCMFormat?
  private var data: Range<Int>?
  /// The types of other chunks, which are omitted.
  private var others: [String] = []
  private var diagnostics: [Diagnostic] = []
  /// The start of the chunk of the Broadcast Wave Format.
  private var broadcast: [UInt8] = []

  /// Whether a file starts like Wave64.
  static func isWave64(_ start: ArraySlice<UInt8>) -> Bool {
    start.starts(with: "riff".utf8)
      && start.dropFirst(4).starts(with: [0x2e, 0x91, 0xcf, 0x11, 0xa5, 0xd6, 0x28, 0xdb])
  }

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
    // The types of Wave64 are GUIDs that start with the same letters; sizes have 64 bits and include the header.
    let isWave64 = Self.isWave64(head[...])
    let headerSize = isWave64 ? 24 : 8
    let isLarge = !isWave64 && !head.starts(with: "RIFF".utf8)
    let isCompressed = head[8...].elementsEqual("AIFC".utf8)
    let end = try source.measuredByteCount()
    var (at, largeSize): (Int, Int?) = (isWave64 ? 40 : 12, nil)
    while at <= end - headerSize, at < .max - 1 << 34 {
      let head = Array(try window.slice(at: at, count: headerSize))
      guard head.count == headerSize else { break }
      let name = String(decoding: head[..<4], as: UTF8.self)
      // A size of 64 bits that is larger than any file ends the list.
      guard !isWave64 || head[23] < 0x40 else { break }
      var size = isWave64 ? number(head[16...]) - headerSize : number(head[4...])
      guard size >= 0 else { break }
      let payload = at + headerSize
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
        let isOpen = !isAIFF && !isWave64 && (size == 0 || size == UInt32.max)
        let stop = isOpen ? end : min(end, payload + size)
        if stop < payload + size, !isOpen {
          let text =
            "its audio ends at byte \(stop), but should have \(payload + size - stop) more bytes; it was cut off"
          diagnostics.append(Diagnostic(.error, source.name, text))
        }
        if data == nil { data = min(start, stop)..<stop }
        if isOpen { size = end - payload }
      case "JUNK", "FLLR", "PAD ", "fact", "FVER", "junk": break
      case "bext":
        broadcast = Array(try window.slice(at: payload, count: min(size, 346)))
        others.append(name)
      default: if !name.trimmingSpaces.isEmpty, head[0] > 0x20 { others.append(name.trimmingSpaces) }
      }
      at = isWave64 ? payload + (size + 7) / 8 * 8 : payload + size + size & 1
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

  /// What the Broadcast Wave Format declares: EBU Tech 3285, 2.3. MP4 has no place for it.
  private func broadcastText(_ sampleRate: Int) -> String {
    guard broadcast.count == 346, sampleRate > 0 else { return "" }
    let description = String(decoding: broadcast[..<256].prefix { $0 >= 0x20 && $0 != 0x7f }.prefix(80), as: UTF8.self)
    let text = description.trimmingSpaces.isEmpty ? "" : "; the description is '\(description.trimmingSpaces)'"
    let start = number(broadcast[338..<346])
    guard start >= 0, start < 1 << 48 else { return text }
    let (seconds, rest) = start.quotientAndRemainder(dividingBy: sampleRate)
    func digits(_ number: Int, _ count: Int) -> String { String(String(number + 1000).suffix(count)) }
    let clock = "\(digits(seconds / 3600, 2)):\(digits(seconds / 60 % 60, 2)):\(digits(seconds % 60, 2))"
    return
      "\(text); the recording starts \(clock).\(digits(rest * 1000 / sampleRate, 3)) after midnight (\(start) samples)"
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
      diagnostics.append(
        Diagnostic(.note, source.name, "its other chunks are omitted: \(names)\(broadcastText(format.sampleRate))"))
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
