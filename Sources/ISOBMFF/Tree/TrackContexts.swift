/// What boxes that came before say about how boxes are to be read that follow.
struct TrackContexts {
  /// The track whose header came last.
  private var track: UInt32?
  /// The size of the initialization vectors of the tracks that are encrypted.
  private var ivSizes: [UInt32: UInt8] = [:]

  /// Whether a box of this type says anything about others.
  static func needs(_ header: BoxHeader) -> Bool {
    switch header.type {
    case "hdlr", "tkhd", "tenc", "tfhd": true
    case "uuid": header.userType == PIFFTrackEncryptionBox.info.userType
    default: false
    }
  }

  /// Takes note of a box with the first bytes of its payload; `context` is that of the boxes behind it.
  mutating func note(_ node: BoxNode, _ payload: ArraySlice<UInt8>, _ context: inout BoxContext) {
    let bytes = payload.raw
    switch node.type {
    case "hdlr":
      // QuickTime has another one in `minf`, for the data.
      guard context.parent != "minf", let code: UInt32 = bytes.bigEndian(at: 8) else { return }
      context.handler = FourCC(rawValue: code)
    case "tkhd": track = bytes.bigEndian(at: payload.first == 1 ? 20 : 12)
    case "tenc", "uuid":
      guard let track, let size: UInt8 = bytes.bigEndian(at: 7) else { return }
      ivSizes[track] = size
    default:
      guard let track: UInt32 = bytes.bigEndian(at: 4) else { return }
      context.perSampleIVSize = ivSizes[track]
    }
  }
}
