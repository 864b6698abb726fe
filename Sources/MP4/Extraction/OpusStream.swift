import ISOBMFF
import MP4Bytes

/// Opus packets in Ogg: RFC 7845 and RFC 3533.
struct OpusStream: Sendable, Equatable {
  /// The first packet (`OpusHead`), with the decoder configuration.
  let head: [UInt8]

  /// The header for samples; `nil` if the entry has no configuration.
  init?(_ configuration: DecoderConfiguration) {
    guard configuration.codedFormat == "Opus", let box = configuration.box(OpusSpecificBox.self), box.version == 0,
      box.outputChannelCount > 0
    else { return nil }
    func little(_ number: some FixedWidthInteger) -> [UInt8] {
      (0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
    var head = Array("OpusHead".utf8) + [1, box.outputChannelCount] + little(box.preSkip)
    head += little(box.inputSampleRate) + little(box.outputGain) + [box.channelMappingFamily]
    if box.channelMappingFamily != 0 {
      let table = box.channelMappingTable
      head += [table.streamCount, table.coupledCount] + table.channelMapping
    }
    self.head = head
  }

  /// The second packet (`OpusTags`), without comments.
  static let tags: [UInt8] = Array("OpusTags".utf8) + [7, 0, 0, 0] + Array("mp4tool".utf8) + [0, 0, 0, 0]

  /// The duration of a packet that starts with `bytes`, in samples at 48 kHz: RFC 6716, 3.1. `nil` if it is damaged.
  static func duration(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard let first = bytes.first else { return nil }
    let configuration = Int(first >> 3)
    let frame =
      configuration < 12
      ? [480, 960, 1920, 2880][configuration & 3]
      : configuration < 16 ? [480, 960][configuration & 1] : [120, 240, 480, 960][configuration & 3]
    let count: Int
    switch first & 3 {
    case 0: count = 1
    case 1, 2: count = 2
    default:
      guard let second = bytes.dropFirst().first else { return nil }
      count = Int(second & 63)
    }
    // A packet lasts at most 120 ms.
    return count > 0 && frame * count <= 5760 ? frame * count : nil
  }
}

/// Arranges packets in pages of at most 1 second or 64 KiB.
struct OggPages: Sendable {
  /// A page: its header with a checksum of 0, and its payload.
  struct Page {
    var header: [UInt8]
    var payload: [Part]
    /// The size of all.
    var byteCount: Int { payload.reduce(header.count) { $0 + $1.count } }
  }
  enum Part {
    case bytes([UInt8])
    case range(Range<Int>, source: Int)

    var count: Int {
      switch self {
      case .bytes(let bytes): bytes.count
      case .range(let range, _): range.count
      }
    }
  }
  private let serial: UInt32
  private var sequence: UInt32 = 0
  private var lacing: [UInt8] = []
  private var payload: [Part] = []
  private var isContinued = false
  /// Whether a packet ends in the page.
  private var hasEnd = false
  /// The time at the end of the last packet.
  private var time: Int64 = 0
  /// The time at the start of the page.
  private var start: Int64 = 0
  private static let duration: Int64 = 48000
  private static let segmentLimit = 255

  init(serial: UInt32) { self.serial = serial }

  /// Adds a packet; complete pages are passed to `body`.
  mutating func add(_ packet: Part, duration: Int, _ body: (Page) throws(IOError) -> Void) throws(IOError) {
    let needed = packet.count / 255 + 1
    let isFull = needed > Self.segmentLimit - lacing.count || time - start >= Self.duration
    if !lacing.isEmpty, isFull { try flush(body) }
    var (rest, from) = (packet.count, 0)
    while rest / 255 + 1 > Self.segmentLimit {
      let count = Self.segmentLimit * 255
      lacing = Array(repeating: 255, count: Self.segmentLimit)
      payload = [packet.part(from..<from + count)]
      (rest, from) = (rest - count, from + count)
      try flush(body)
      isContinued = true
    }
    lacing += Array(repeating: 255, count: rest / 255) + [UInt8(rest % 255)]
    if rest > 0 { payload.append(packet.part(from..<from + rest)) }
    hasEnd = true
    time += Int64(duration)
  }

  /// Ends the page. The time of the last page is the end of the audio, which can be within the last packet.
  mutating func flush(isLast: Bool = false, trimming: Int64 = 0, _ body: (Page) throws(IOError) -> Void) throws(IOError)
  {
    let granule = hasEnd ? max(0, time - trimming) : -1
    let flags: UInt8 = (isContinued ? 1 : 0) | (sequence == 0 ? 2 : 0) | (isLast ? 4 : 0)
    func little(_ number: some FixedWidthInteger) -> [UInt8] {
      (0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
    var header = Array("OggS".utf8) + [0, flags] + little(granule) + little(serial) + little(sequence)
    header += [0, 0, 0, 0, UInt8(clamping: lacing.count)] + lacing
    try body(Page(header: header, payload: payload))
    sequence &+= 1
    (lacing, payload, isContinued, hasEnd, start) = ([], [], false, false, time)
  }
}

extension OggPages.Part {
  fileprivate func part(_ range: Range<Int>) -> Self {
    switch self {
    case .bytes(let bytes): .bytes(Array(bytes[range]))
    case .range(let own, let source):
      .range(own.lowerBound + range.lowerBound..<own.lowerBound + range.upperBound, source: source)
    }
  }
}

extension OggPages.Page {
  /// The checksum of each byte: RFC 3533, 6.
  private static let table: [UInt32] = (0..<256).map { (byte: UInt32) in
    (0..<8).reduce(byte << 24) { sum, _ in sum & 0x8000_0000 != 0 ? sum << 1 ^ 0x04c1_1db7 : sum << 1 }
  }

  /// The checksum of a page whose own one is 0.
  static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var sum: UInt32 = 0
    for byte in bytes { sum = sum << 8 ^ table[Int(sum >> 24 ^ UInt32(byte))] }
    return sum
  }

  /// The whole page with its checksum.
  func bytes(_ sources: [any ByteSource]) throws(IOError) -> [UInt8] {
    var bytes = header
    for part in payload {
      switch part {
      case .bytes(let own): bytes += own
      case .range(let range, let source):
        let own = try sources[source].bytes(in: range)
        guard own.count == range.count else {
          throw IOError(endOf: sources[source], at: range.lowerBound + own.count, copying: range)
        }
        bytes += own
      }
    }
    let sum = Self.checksum(bytes)
    for index in 0..<4 { bytes[22 + index] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * index)) }
    return bytes
  }
}
