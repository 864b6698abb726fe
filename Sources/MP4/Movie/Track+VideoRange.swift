public import ISOBMFF

extension Track {
  /// The range of brightness of the pictures, and whether something says so. It is SDR where nothing does and
  /// numbers have 8 bits or colours are those of SDR; `nil` where it can be any.
  ///
  /// What says so are the sample entry (`colr`, the configuration of the decoder, that of Dolby Vision) and, where these do
  /// not, the first parameter sets between the samples: of the first sync sample 64 KiB are read at most.
  public func videoRange() throws(MovieError) -> (range: VideoRange?, isSignalled: Bool) {
    guard let configuration = decoderConfigurations.first(where: { $0.pictures != nil }) else { return (.sdr, false) }
    if let range = configuration.videoRange { return (range, true) }
    let start = try samples.first(where: \.isSync)?.bytes(1 << 16)
    let sequence = start.flatMap { configuration.sequenceParameters(in: $0[...]) }
    if let range = sequence?.colour?.videoRange { return (range, true) }
    let isSDR = [configuration.colour, sequence?.colour].contains { $0?.hasPrimariesOfSDR ?? false }
    let isPlain = configuration.dolbyVision == nil && configuration.bitDepth ?? 8 <= 8
    return (isSDR || isPlain ? .sdr : nil, false)
  }
}

extension ColourDescription {
  /// Colours of BT.709 or of BT.601 and its like.
  fileprivate var hasPrimariesOfSDR: Bool { [1, 4, 5, 6, 7].contains(primaries) }
}
