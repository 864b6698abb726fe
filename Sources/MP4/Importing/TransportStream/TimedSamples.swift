import MP4Bytes

/// The times of samples in a transport stream, in units of 1/90000 s. Not every sample has its own: only the first that
/// starts in a PES packet.
struct TimedSamples {
  private(set) var decode: [Int64] = []
  private(set) var presentation: [Int64] = []
  /// The duration of the last sample.
  let lastDuration: Int64

  /// Completes the times of samples in decoding order; the others are between those around them in decoding and in
  /// output order. `ranks` are their numbers in output order; `usual` is the duration that the stream declares.
  ///
  /// `nil` if no sample has times.
  init?(_ known: [PacketTable.Times?], ranks: [Int], usual: Int64?) {
    let step = Self.step(known.map { $0?.decode }) ?? usual ?? 3600
    guard var decode = Self.filled(known.map { $0?.decode }, step: step) else { return nil }
    // A sample cannot be decoded before the one before it.
    for index in decode.indices.dropFirst() { decode[index] = max(decode[index], decode[index - 1]) }
    var order = [Int](repeating: 0, count: ranks.count)
    for (index, rank) in ranks.enumerated() { order[rank] = index }
    guard let shown = Self.filled(order.map { known[$0]?.presentation }, step: step) else { return nil }
    var presentation = decode
    for (rank, index) in order.enumerated() { presentation[index] = shown[rank] }
    (self.decode, self.presentation) = (decode, presentation)
    lastDuration = decode.count > 1 ? max(1, decode[decode.count - 1] - decode[decode.count - 2]) : step
  }

  /// The distance of the first two neighbours with times.
  private static func step(_ times: [Int64?]) -> Int64? {
    for (time, next) in zip(times, times.dropFirst()) {
      if let time, let next, next > time { return next - time }
    }
    return nil
  }

  /// Times at regular distances between those that are known.
  private static func filled(_ times: [Int64?], step: Int64) -> [Int64]? {
    guard let first = times.firstIndex(where: { $0 != nil }), let start = times[first] else { return nil }
    var result: [Int64] = []
    result.reserveCapacity(times.count)
    for index in 0..<first { result.append(start - Int64(first - index) * step) }
    var (last, time, index) = (first, start, first)
    while index < times.count {
      if let own = times[index] {
        (last, time) = (index, own)
        result.append(own)
        index += 1
        continue
      }
      var next = index
      while next < times.count, times[next] == nil { next += 1 }
      let end = next < times.count ? times[next] : nil
      while index < next {
        let place = Int64(index - last)
        result.append(time + (end.map { ($0 - time) * place / Int64(next - last) } ?? place * step))
        index += 1
      }
    }
    return result
  }
}

/// How the frames of audio in a transport stream are placed on the timeline of their track, in which they last as many
/// units as they have samples.
struct TimedFrames {
  /// The start of each frame in units of the track, from that of the first.
  private(set) var starts: [Int64] = []
  /// The time of the first frame.
  let first: Int64
  /// Where the time of a frame is later than the end of the one before it: the number of places, the time that is
  /// missing in all, and the time of the first.
  private(set) var gaps: (count: Int, missing: Int64, first: Int64) = (0, 0, 0)
  /// The same where frames overlap.
  private(set) var overlaps: (count: Int, first: Int64) = (0, 0)

  /// Times of PES packets are rounded to 1/90000 s.
  private static let tolerance: Int64 = 2

  /// Frames follow each other as long as the times of their packets say so; `missing` is the number of frames that are
  /// missing after some. `nil` if no frame has a time.
  init?(
    _ known: [PacketTable.Times?], duration: Int64, timescale: UInt32, missing: [(frame: Int, count: Int)] = []
  ) {
    guard let anchor = known.firstIndex(where: { $0 != nil }), let time = known[anchor]?.presentation else {
      return nil
    }
    let scale = Int64(timescale)
    let before = Int64(anchor) * duration
    first = time - before * 90_000 / scale
    var (base, start) = ((time: time, start: before), Int64(0))
    var lost = missing[...]
    starts.reserveCapacity(known.count)
    for (index, own) in known.enumerated() {
      if let own = own?.presentation {
        let distance = own &- base.time &- (start &- base.start) &* 90_000 / scale
        if distance.magnitude > UInt64(Self.tolerance) {
          let place = before &+ ((own &- time) &* scale &+ 45_000) / 90_000
          if distance > 0 {
            if gaps.count == 0 { gaps.first = own - distance }
            (gaps.count, gaps.missing) = (gaps.count + 1, gaps.missing &+ distance)
          } else {
            if overlaps.count == 0 { overlaps.first = own }
            overlaps.count += 1
          }
          start = max(place, starts.last ?? place)
          base = (own, start)
        }
      }
      starts.append(start)
      start += duration
      if let gap = lost.first, gap.frame == index {
        lost.removeFirst()
        start += Int64(gap.count) * duration
      }
    }
  }

  /// The duration of a frame: up to the start of the next.
  func duration(_ index: Int, usual: Int64) -> Int64 {
    index + 1 < starts.count ? starts[index + 1] &- starts[index] : usual
  }

  /// Where the times of the packets are not those of the frames, in a file. Times count from the first frame.
  func diagnostics(of file: String) -> [Diagnostic] {
    var result: [Diagnostic] = []
    func time(_ value: Int64) -> MediaTime { MediaTime(value, TransportedTrack.timescale) }
    // Packets whose times are not precise are no gaps.
    if gaps.count > 0, gaps.missing > Int64(gaps.count) * Self.audible {
      let text =
        "sound is missing at \(counted(gaps.count, "place")), \(time(gaps.missing)) in all, the first "
        + "\(time(gaps.first &- first)) after its start; what follows keeps its time"
      result.append(Diagnostic(.warning, file, text))
    }
    return result
  }
  /// Shorter gaps are not reported: 10 ms.
  private static let audible: Int64 = 900
}
