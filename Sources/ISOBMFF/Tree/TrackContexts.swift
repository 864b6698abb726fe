public import MP4Bytes

/// Information from previous boxes that is necessary to read later boxes.
struct TrackContexts {
  /// The track of the latest track header.
  private var track: UInt32?
  private var facts: [UInt32: Facts] = [:]
  /// The first track that has a fragment but no known information.
  private(set) var unknown: UInt32?

  /// The information about a track.
  private struct Facts {
    /// The size of the initialization vectors, if the track is encrypted.
    var ivSize: UInt8?
    var timescale: UInt32?
    /// The sample defaults of `trex`.
    var defaults = SampleDefaults()
  }

  /// Whether no track has information.
  var isEmpty: Bool { facts.isEmpty }

  /// The number of payload bytes that are read: the size of a `tfhd` with all fields.
  static let neededCount = 32

  /// Whether a box of this type contains information about other boxes.
  static func needs(_ header: BoxHeader) -> Bool {
    switch header.type {
    case "hdlr", "tkhd", "mdhd", "tenc", "trex", "tfhd", "prft": true
    case "uuid": header.userType == PIFFTrackEncryptionBox.info.userType
    default: false
    }
  }

  /// Records the information of a box from the first bytes of its payload. `context` is the context of the following
  /// boxes.
  mutating func note(_ node: inout BoxNode, _ payload: ArraySlice<UInt8>, _ context: inout BoxContext) {
    let bytes = payload.raw
    let isLong = payload.first == 1
    switch node.type {
    case "hdlr":
      // QuickTime has another handler in `minf`, for the data.
      guard context.parent != "minf", let code: UInt32 = bytes.bigEndian(at: 8) else { return }
      context.handler = FourCC(rawValue: code)
    case "tkhd": track = bytes.bigEndian(at: isLong ? 20 : 12)
    case "mdhd":
      guard let track else { return }
      facts[track, default: Facts()].timescale = bytes.bigEndian(at: isLong ? 20 : 12)
    case "tenc", "uuid":
      guard let track, let size: UInt8 = bytes.bigEndian(at: 7) else { return }
      facts[track, default: Facts()].ivSize = size
    case "trex":
      guard let track: UInt32 = bytes.bigEndian(at: 4) else { return }
      facts[track, default: Facts()].defaults = SampleDefaults(
        duration: bytes.bigEndian(at: 12), size: bytes.bigEndian(at: 16), flags: bytes.bigEndian(at: 20))
    case "prft":
      let track: UInt32? = bytes.bigEndian(at: 4)
      node.context.timescale = track.flatMap { facts[$0]?.timescale }
    default:
      guard let track: UInt32 = bytes.bigEndian(at: 4) else { return }
      let known = facts[track]
      if known == nil, unknown == nil { unknown = track }
      context.perSampleIVSize = known?.ivSize
      (context.timescale, context.decodeTime) = (known?.timescale, nil)
      context.sampleDefaults = Self.defaults(in: bytes, known?.defaults ?? SampleDefaults())
    }
  }

  /// The defaults of `trex`, overridden by the fields of `tfhd`.
  private static func defaults(in header: RawSpan, _ trex: SampleDefaults) -> SampleDefaults {
    guard let flags: UInt32 = header.bigEndian(at: 0) else { return trex }
    var defaults = trex
    var at = 8 + (flags & 0x1 != 0 ? 8 : 0) + (flags & 0x2 != 0 ? 4 : 0)
    if flags & 0x8 != 0 {
      defaults.duration = header.bigEndian(at: at)
      at += 4
    }
    if flags & 0x10 != 0 {
      defaults.size = header.bigEndian(at: at)
      at += 4
    }
    if flags & 0x20 != 0 { defaults.flags = header.bigEndian(at: at) }
    return defaults
  }
}

/// The defaults for the samples of a track fragment that its runs do not override.
package struct SampleDefaults: Hashable, Sendable {
  /// In the media timescale.
  package var duration: UInt32?
  /// In bytes.
  package var size: UInt32?
  /// See `SampleFlags`.
  package var flags: UInt32?
}

/// The information of a movie box about fragments in other files.
public struct MovieContext: Sendable {
  let tracks: TrackContexts

  /// Reads `source` up to the end of its movie box; `nil` if it has no tracks.
  public init?(reading source: any ByteSource) throws(IOError) {
    var parser = BoxParser(source)
    var wasMovie = false
    while let node = try parser.next() {
      if node.depth == 0, wasMovie { break }
      if node.type == "moov" { wasMovie = true }
    }
    if parser.tracks.isEmpty { return nil }
    tracks = parser.tracks
  }
}
