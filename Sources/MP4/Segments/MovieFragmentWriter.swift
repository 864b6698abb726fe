import ISOBMFF

/// Makes movie fragments, each with its media data, out of cuts.
struct MovieFragmentWriter {
  let tracks: [TrackFragmentWriter]
  let cuts: SegmentCuts

  /// A `moof` and the `mdat` behind it.
  struct MovieFragment {
    var moof: BoxSerializer
    /// The header of the media data, and auxiliary information in front of the samples.
    var front: [UInt8]
    var copies: CopyPlan
    /// The samples in it, by track.
    var samples: [(track: Int, range: Range<Int>)]

    var byteCount: Int { moof.size + front.count + copies.byteCount }

    func write(to sink: any ByteSink, from sources: [any ByteSource]) throws(IOError) {
      try moof.write(to: sink, from: [])
      try sink.write(front)
      try copies.write(to: sink, from: sources)
    }
  }

  /// Some samples of one track with one description.
  private struct Piece {
    var track: Int
    var start: ListPosition
    var end: ListPosition
    var description: UInt32
  }

  /// Why a fragment cannot be written.
  enum Failure: Error {
    /// The data of a track would start too far behind the start of the fragment.
    case tooLarge
    case box(BoxError)
  }

  /// The movie fragments of a part: one, or in a file of one track one for each sample description in it.
  func fragments(of part: Int, sequenceNumber: Int) throws(Failure) -> [MovieFragment] {
    var pieces: [Piece] = []
    for track in tracks.indices { appendPieces(of: track, part, to: &pieces) }
    if pieces.isEmpty { return [] }
    if tracks.count > 1 { return [try fragment(pieces, sequenceNumber)] }
    var fragments: [MovieFragment] = []
    for (index, piece) in pieces.enumerated() { fragments.append(try fragment([piece], sequenceNumber + index)) }
    return fragments
  }

  private func appendPieces(of track: Int, _ part: Int, to pieces: inout [Piece]) {
    let list = tracks[track].list
    let end = cuts.positions[track][part + 1]
    var position = cuts.positions[track][part]
    guard position.sample < end.sample else { return }
    var description = list.descriptionIndex(at: position.sample)
    while position.sample < end.sample {
      let next = min(list.descriptionEnd(description), end.sample)
      let start = position
      if next == end.sample { position = end }
      while position.sample < next { position.advance(in: list) }
      pieces.append(
        Piece(track: track, start: start, end: position, description: list.descriptions[description].index))
      description += 1
    }
  }

  private func fragment(_ pieces: [Piece], _ sequenceNumber: Int) throws(Failure) -> MovieFragment {
    var fragments = pieces.map { tracks[$0.track].fragment(from: $0.start, to: $0.end, description: $0.description) }
    var header = MovieFragmentHeaderBox()
    header.sequenceNumber = UInt32(truncatingIfNeeded: sequenceNumber)
    let (size, auxiliarySize) = (try moof(header, fragments).size, fragments.reduce(0) { $0 + $1.auxiliaryBytes.count })
    let copies = pieces.map { $0.start.copies(to: $0.end, in: tracks[$0.track].list) }
    let mediaSize = auxiliarySize + copies.reduce(0) { $0 + $1.byteCount }
    var front = FileLayout.mediaHeader(mediaSize)
    var auxiliaryOffset = size + front.count
    var mediaOffset = auxiliaryOffset + auxiliarySize
    // The header of `moof`, and `mfhd`.
    var boxOffset = 8 + 16
    var all = CopyPlan()
    for index in fragments.indices {
      guard let offset = Int32(exactly: mediaOffset) else { throw .tooLarge }
      fragments[index].run.dataOffset = offset
      let isInBox = fragments[index].encryption != nil
      do throws(BoxError) {
        let offset = isInBox ? boxOffset + (try fragments[index].encryptionOffset()) : auxiliaryOffset
        fragments[index].auxiliary?.offsets.offsets = Table([UInt64(offset)], shape: 32)
        boxOffset += try BoxSerializer([fragments[index].box]).size
      } catch { throw .box(error) }
      auxiliaryOffset += fragments[index].auxiliaryBytes.count
      mediaOffset += copies[index].byteCount
      front += fragments[index].auxiliaryBytes
      for piece in copies[index].pieces { all.append(piece.range, of: piece.source) }
    }
    return MovieFragment(
      moof: try moof(header, fragments), front: front, copies: all,
      samples: pieces.map { ($0.track, $0.start.sample..<$0.end.sample) })
  }

  private func moof(_ header: MovieFragmentHeaderBox, _ fragments: [TrackFragmentWriter.Fragment]) throws(Failure)
    -> BoxSerializer
  {
    do throws(BoxError) {
      return try BoxSerializer([Box("moof", boxes: [Box(header)] + fragments.map(\.box))])
    } catch { throw .box(error) }
  }
}

extension SampleList {
  /// Which of the descriptions holds at a sample.
  fileprivate func descriptionIndex(at sample: Int) -> Int {
    var (low, high) = (0, descriptions.count)
    while low + 1 < high {
      let middle = (low + high) / 2
      if descriptions[middle].firstSample <= sample { low = middle } else { high = middle }
    }
    return low
  }
  /// The sample at which the next description begins.
  fileprivate func descriptionEnd(_ index: Int) -> Int {
    index + 1 < descriptions.count ? descriptions[index + 1].firstSample : Int.max
  }
}
