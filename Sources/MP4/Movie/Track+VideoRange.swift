public import ISOBMFF

extension Track {
  /// The video range, and whether it is declared. It is SDR if nothing is declared and
  /// samples have 8 bits or SDR colors; `nil` if it is unknown.
  ///
  /// It is declared by the sample entry (`colr`, the decoder configuration, that of Dolby Vision) or else by
  /// the first parameter sets in the samples: at most 64 KiB of the first sync sample are read.
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
