import ISOBMFF
import MP4Bytes

/// Creates movie fragments with their media data, according to the cuts.
struct MovieFragmentWriter {
  let tracks: [TrackFragmentWriter]
  let cuts: Segmentation
  /// Boxes that every `moof` contains in addition to its track fragments, and their sources.
  var boxes: [Box] = []
  var sources: [any ByteSource] = []
  /// The `pssh` boxes that a `moof` contains if it has samples with these keys.
  var keyHeaders: [[UInt8]: [Box]] = [:]

  /// A `moof` and the `mdat` after it.
  struct MovieFragment: Sendable {
    /// The index of its part between cuts.
    var part: Int
    /// The `moof`, the header of the media data, and the auxiliary information before the samples.
    var boxes: [UInt8]
    var moofSize: Int
    var copies: CopyPlan
    /// Its samples by track, and the offset of the first one of each, relative to the start of the fragment.
    var samples: [(track: Int, range: Range<Int>, offset: Int)]

    var byteCount: Int { boxes.count + copies.byteCount }

    func write(to sink: any ByteSink, from sources: [any ByteSource]) throws(IOError) {
      try sink.write(boxes)
      try copies.write(to: sink, from: sources)
    }
  }

  /// Samples of one track with the same description; auxiliary information is present for all or none of them.
  private struct TrackPart {
    var track: Int
    var description: UInt32
    /// The start of each of its runs, and the end of the last one.
    var positions: [SampleCursor] = []
    /// The half second of the presentation that each run belongs to.
    var slots: [Int64] = []
    var samples: Range<Int> { positions[0].sample..<positions[positions.count - 1].sample }
  }

  /// The reason why a fragment cannot be written.
  enum Failure: Error {
    /// The data of a track would start too far after the start of the fragment.
    case tooLarge
    case box(BoxError)
    case io(IOError)
  }

  /// The movie fragments of a part. This is usually one.
  ///
  /// Each change of the sample description, or between clear and encrypted samples, starts another one: decrypters look
  /// up the only track fragment of a track in a movie fragment, as CMAF requires it.
  func fragments(of part: Int, sequenceNumber: Int) throws(Failure) -> [MovieFragment] {
    var groups: [[TrackPart]] = []
    for track in tracks.indices {
      var pieces: [TrackPart] = []
      appendPieces(of: track, part, to: &pieces)
      var group = -1
      for (index, piece) in pieces.enumerated() {
        // Pieces with the same decode time share a fragment: a second one would be read as a repetition of the first.
        if index == 0 || piece.positions.first?.time != pieces[index - 1].positions.first?.time { group += 1 }
        if group == groups.count { groups.append([]) }
        groups[group].append(piece)
      }
    }
    var fragments: [MovieFragment] = []
    for (index, group) in groups.enumerated() { fragments.append(try fragment(group, part, sequenceNumber + index)) }
    return fragments
  }

  private func appendPieces(of track: Int, _ part: Int, to pieces: inout [TrackPart]) {
    let list = tracks[track].list
    let end = cuts.positions[track][part + 1]
    var position = cuts.positions[track][part]
    guard position.sample < end.sample else { return }
    var description = list.descriptionIndex(at: position.sample)
    while position.sample < end.sample {
      var next = min(list.descriptionEnd(description), end.sample)
      // The standard does not define an entry of `senc` for a clear sample, so clear samples are in a fragment without
      // `senc`.
      next = tracks[track].details.auxiliaryEnd(in: position.sample..<next)
      var piece = TrackPart(track: track, description: list.descriptions[description].index)
      while position.sample < next {
        let slot = tracks.count > 1 ? tracks[track].slot(at: position.time) : (number: 0, end: .max)
        if piece.slots.last != slot.number {
          piece.positions.append(position)
          piece.slots.append(slot.number)
        }
        let later = list.columns.index(at: slot.end &- position.time, in: position.sample..<next)
        position = SampleCursor(max(position.sample + 1, later), in: list)
      }
      piece.positions.append(position)
      pieces.append(piece)
      if next == list.descriptionEnd(description) { description += 1 }
    }
  }

  /// Whether a part contains both clear and encrypted samples.
  func mixesProtection(in part: Int) -> Bool {
    tracks.indices.contains { track in
      let samples = cuts.positions[track][part].sample..<cuts.positions[track][part + 1].sample
      return tracks[track].details.auxiliaryEnd(in: samples) < samples.upperBound
    }
  }

  private func fragment(_ pieces: [TrackPart], _ part: Int, _ sequenceNumber: Int) throws(Failure) -> MovieFragment {
    var fragments = pieces.map { tracks[$0.track].fragment($0.positions, description: $0.description) }
    let boxes = boxes + headers(of: pieces)
    var header = MovieFragmentHeaderBox()
    header.sequenceNumber = UInt32(truncatingIfNeeded: sequenceNumber)
    // The header of `moof`, and `mfhd`.
    var boxOffset = 8 + 16
    if !boxes.isEmpty { boxOffset += try boxSerializer(boxes).size }
    let sizes = fragments.map { BoxSerializer.size(of: [$0.box]) }
    let size = boxOffset + sizes.reduce(0, +)
    let auxiliarySize = fragments.reduce(0) { $0 + $1.auxiliaryBytes.count }
    let (runs, copies) = self.runs(of: pieces)
    var front = FileLayout.mediaHeader(auxiliarySize + copies.byteCount)
    var auxiliaryOffset = size + front.count
    for run in runs {
      guard let offset = Int32(exactly: auxiliaryOffset + auxiliarySize + run.start) else { throw .tooLarge }
      fragments[run.piece].runs[run.number].dataOffset = offset
    }
    for index in fragments.indices {
      let isInBox = fragments[index].encryption != nil
      let offset = isInBox ? boxOffset + fragments[index].encryptionOffset : auxiliaryOffset
      fragments[index].auxiliary?.offsets.offsets = [UInt64(offset)]
      boxOffset += sizes[index]
      auxiliaryOffset += fragments[index].auxiliaryBytes.count
      front += fragments[index].auxiliaryBytes
    }
    let moof = try boxSerializer([Box("moof", boxes: [Box(header)] + boxes + fragments.map(\.box))])
    guard moof.size == size else { throw .box(BoxError(.notKept(["size"]), field: "moof", offset: 0)) }
    let sink = MemorySink(capacity: size + front.count)
    do throws(IOError) {
      try moof.write(to: sink, from: sources)
      try sink.write(front)
    } catch { throw .io(error) }
    return MovieFragment(
      part: part, boxes: sink.bytes, moofSize: size, copies: copies,
      samples: zip(pieces, fragments).map { ($0.track, $0.samples, Int($1.runs[0].dataOffset ?? 0)) })
  }

  /// The `pssh` boxes for the keys of pieces.
  private func headers(of pieces: [TrackPart]) -> [Box] {
    var keyIDs: [[UInt8]] = []
    for piece in pieces where !keyHeaders.isEmpty {
      let (track, number) = (tracks[piece.track], Int(piece.description) - 1)
      let own = track.encryption.indices.contains(number) ? track.encryption[number] : nil
      for keyID in track.details.orderedKeyIDs(of: piece.samples, own).compactMap(\.self) where !keyIDs.contains(keyID)
      {
        keyIDs.append(keyID)
      }
    }
    return keyIDs.flatMap { keyHeaders[$0] ?? [] }
  }

  /// A run of a piece, its half second, and the start of its data relative to that of the first run.
  private struct Run {
    var piece: Int
    var number: Int
    var slot: Int64
    var start = 0
  }

  /// The runs of all pieces in the order of their data, and this data. Tracks are interleaved every half second, so
  /// that a player can start audio before it has loaded all pictures of a fragment.
  private func runs(of pieces: [TrackPart]) -> (runs: [Run], copies: CopyPlan) {
    var runs: [Run] = []
    for (index, piece) in pieces.enumerated() {
      for (number, slot) in piece.slots.enumerated() { runs.append(Run(piece: index, number: number, slot: slot)) }
    }
    if tracks.count > 1 { runs.sort { ($0.slot, $0.piece, $0.number) < ($1.slot, $1.piece, $1.number) } }
    var copies = CopyPlan()
    for index in runs.indices {
      let (piece, number) = (pieces[runs[index].piece], runs[index].number)
      runs[index].start = copies.byteCount
      let samples = piece.positions[number].sample..<piece.positions[number + 1].sample
      tracks[piece.track].list.forEachRange(of: samples) { copies.append($0, of: $1) }
    }
    return (runs, copies)
  }

  private func boxSerializer(_ boxes: [Box]) throws(Failure) -> BoxSerializer {
    do throws(BoxError) { return try BoxSerializer(boxes) } catch { throw .box(error) }
  }
}

extension TrackFragmentWriter {
  /// The half second of the presentation in which a sample of this time is decoded, and the time at which the next one
  /// starts. Samples before the presentation belong to the first half second.
  fileprivate func slot(at time: Int64) -> (number: Int64, end: Int64) {
    let (shift, timescale) = (list.compositionStart &+ placement.presentationShift, Int64(placement.timescale))
    let number = max(0, (time &+ shift) &* 2 / timescale)
    return (number, ((number &+ 1) &* timescale &+ 1) / 2 &- shift)
  }
}

extension SampleList {
  /// The description number of a sample.
  func descriptionIndex(at sample: Int) -> Int { max(0, descriptions.partition { $0.firstSample > sample } - 1) }
  /// The first sample with the next description.
  fileprivate func descriptionEnd(_ index: Int) -> Int {
    index + 1 < descriptions.count ? descriptions[index + 1].firstSample : Int.max
  }
}
