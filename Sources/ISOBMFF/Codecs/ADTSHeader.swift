/// The ADTS header of an AAC frame: ISO/IEC 14496-3, 1.A.2.2.
package struct ADTSHeader: Hashable, Sendable {
  /// Why ADTS cannot express a configuration.
  package enum Obstacle: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no AudioSpecificConfig, or it is too short.
    case noConfiguration
    /// An audio object type other than 1 to 4.
    case objectType(Int)
    /// A sampling frequency without an index.
    case frequency
    /// A channel configuration that does not fit into 3 bits, or that only a program config element describes.
    case channels(Int)
    /// Frames of 960 samples.
    case shortFrames
    /// A layer that depends on another one.
    case dependent
    /// A frame with extension data.
    case extended

    /// A phrase that follows a colon.
    package var description: String {
      switch self {
      case .noConfiguration: "its sample description has no complete AudioSpecificConfig"
      case .objectType(let type): "its audio object type is \(type), not one of 1 to 4 (AAC Main, LC, SSR, LTP)"
      case .frequency: "its sampling frequency is not one of the 13 that have an index"
      case .channels(0): "its channels are described by a program config element"
      case .channels(let configuration): "its channel configuration is \(configuration), not one of 1 to 7"
      case .shortFrames: "its frames have 960 samples, not 1024"
      case .dependent: "it depends on a core coder"
      case .extended: "its configuration has the extension flag"
      }
    }
  }

  /// The largest sample that fits: the size including the header has 13 bits.
  package static let sampleSizeLimit = 0x1fff - byteCount
  private static let byteCount = 7

  private let profile: UInt8
  private let frequencyIndex: UInt8
  private let channelConfiguration: UInt8

  /// The header for frames of an AudioSpecificConfig. If SBR is signalled, the header has the values of the core;
  /// decoders detect SBR in the frames.
  package init(_ configuration: some Sequence<UInt8>) throws(Obstacle) {
    let bytes = Array(configuration)
    var r = BitReader(bytes[...])
    func objectType() -> Int {
      let type = r.bits(5)
      return type == 31 ? 32 + r.bits(6) : type
    }
    var type = objectType()
    let index = r.bits(4)
    if index == 15 { r.skip(24) }
    let channels = r.bits(4)
    if type == 5 || type == 29 {
      if r.bits(4) == 15 { r.skip(24) }
      type = objectType()
    }
    if r.isBroken { throw .noConfiguration }
    guard 1...4 ~= type else { throw .objectType(type) }
    guard index < 13 else { throw .frequency }
    guard 1...7 ~= channels else { throw .channels(channels) }
    // GASpecificConfig, 4.4.1.
    if r.flag() { throw .shortFrames }
    if r.flag() { throw .dependent }
    if r.flag() { throw .extended }
    if r.isBroken { throw .noConfiguration }
    (profile, frequencyIndex, channelConfiguration) = (UInt8(type - 1), UInt8(index), UInt8(channels))
  }

  /// The header of a frame with a sample of this size, without a checksum and with a variable bit rate.
  package func bytes(sampleSize: Int) -> [UInt8] {
    precondition(sampleSize <= Self.sampleSizeLimit, "a frame of ADTS is not that large")
    let size = sampleSize + Self.byteCount
    return [
      0xff, 0xf1, profile << 6 | frequencyIndex << 2 | channelConfiguration >> 2,
      (channelConfiguration & 3) << 6 | UInt8(size >> 11), UInt8(size >> 3 & 0xff), UInt8(size & 7) << 5 | 0x1f, 0xfc,
    ]
  }
}
