import Bytes
public import ISOBMFF

extension Movie {
  /// The range of brightness of the pictures of a track, and whether something says so. It is SDR where nothing does and
  /// numbers have 8 bits or colours are those of SDR; `nil` where it can be any.
  ///
  /// What says so are the sample entry (`colr`, the configuration of the decoder, that of Dolby Vision) and, where these do
  /// not, the first parameter sets between the samples: of the first sync sample 64 KiB are read at most.
  public func videoRange(ofTrack index: Int) throws(MovieError) -> (range: VideoRange?, isSignalled: Bool) {
    let all = try decoderConfigurations(ofTrack: index)
    guard let configuration = all.first(where: { $0.pictures != nil }) else { return (.sdr, false) }
    if let range = configuration.videoRange { return (range, true) }
    let sequence = try firstSyncSample(ofTrack: index).flatMap { configuration.sequenceParameters(in: $0) }
    if let range = sequence?.colour?.videoRange { return (range, true) }
    let isSDR = [configuration.colour, sequence?.colour].contains { $0?.hasPrimariesOfSDR ?? false }
    let isPlain = configuration.dolbyVision == nil && configuration.bitDepth ?? 8 <= 8
    return (isSDR || isPlain ? .sdr : nil, false)
  }

  /// The first bytes of the first sync sample.
  private func firstSyncSample(ofTrack index: Int) throws(MovieError) -> ArraySlice<UInt8>? {
    let list = lists[index]
    var position = SampleCursor()
    while position.sample < list.count, !list.isSync(position.sample) { position.advance(in: list) }
    guard position.sample < list.count else { return nil }
    return try start(of: position, in: list)
  }

  /// The first bytes of the sample at a position, at most `limit`.
  func start(of position: SampleCursor, in list: SampleList, limit: Int = 1 << 16) throws(MovieError)
    -> ArraySlice<UInt8>
  {
    let place = position.place(in: list)
    var window = ByteWindow(input.sources[place.source], readAhead: 0)
    do throws(IOError) {
      return try window.slice(at: place.offset, count: min(list.size(position.sample), limit))
    } catch { throw .io(error) }
  }
}

extension ColourDescription {
  /// Colours of BT.709 or of BT.601 and its like.
  fileprivate var hasPrimariesOfSDR: Bool { [1, 4, 5, 6, 7].contains(primaries) }
}
