/// The caption bytes of pictures, in the order in which the pictures are presented.
public struct CaptionData: Sendable {
  /// The bytes of one picture.
  public struct Picture: Hashable, Sendable {
    /// When it is presented, in units of the timescale.
    public var time: Int64
    /// Its bytes.
    public var pairs: ArraySlice<CaptionPair>
  }
  /// The units of times in a second; not 0.
  public let timescale: UInt32
  /// When the last picture ends.
  public var end: Int64 = 0
  /// The times of pictures, and the ends of their pairs.
  private var times: [(time: Int64, end: Int)] = []
  private var pairs: [CaptionPair] = []

  /// No captions.
  public init(timescale: UInt32) {
    precondition(timescale > 0, "a second has no units")
    self.timescale = timescale
  }

  /// Whether there are no captions.
  public var isEmpty: Bool { pairs.isEmpty }
  /// The number of pairs.
  package var pairCount: Int { pairs.count }

  /// Appends the bytes of a picture. Pictures are put in the order of their times later.
  public mutating func append(_ more: some Collection<CaptionPair>, at time: Int64) {
    guard !more.isEmpty else { return }
    pairs += more
    times.append((time, pairs.count))
  }

  /// The pictures with captions, in the order of their times.
  public var pictures: [Picture] {
    var (result, start): ([Picture], Int) = ([], 0)
    result.reserveCapacity(times.count)
    var isSorted = true
    for (time, end) in times {
      if let last = result.last, time < last.time { isSorted = false }
      result.append(Picture(time: time, pairs: pairs[start..<end]))
      start = end
    }
    if !isSorted { result.sort { ($0.time, $0.pairs.startIndex) < ($1.time, $1.pairs.startIndex) } }
    return result
  }

  /// The pairs of a field, one in each frame. Pairs of a picture that has several are in the following frames.
  package func frames(of field: CaptionPair.Kind) -> [CaptionFrame] {
    var result: [CaptionFrame] = []
    var next: Int64 = 0
    for picture in pictures {
      let (seconds, rest) = max(0, picture.time).quotientAndRemainder(dividingBy: Int64(timescale))
      guard seconds < 1 << 40 else { break }
      // The nearest frame, computed without overflow.
      let (groups, left) = seconds.quotientAndRemainder(dividingBy: 1001)
      let part = (left * Int64(timescale) + rest) * 30_000 + Int64(timescale) * 1001 / 2
      let own = groups * 30_000 + part / (Int64(timescale) * 1001)
      for pair in picture.pairs where pair.kind == field {
        next = max(next, own)
        result.append(CaptionFrame(next, pair))
        next += 1
      }
    }
    return result
  }

  private func milliseconds(_ time: Int64) -> Int64 {
    let (seconds, rest) = max(0, min(time, CueTime.latest)).quotientAndRemainder(dividingBy: Int64(timescale))
    return min(seconds, CueTime.latest / 1000) * 1000 + (rest * 1000 + Int64(timescale) / 2) / Int64(timescale)
  }

  /// The channels that have text, in order. Text that was sent but never shown counts, because the captions that are
  /// examined can end before it is shown.
  public var channels: [CaptionChannel] {
    var (fields, services) = ((1...4).map { CEA608Decoder(channel: $0) }, CEA708Decoder(service: nil))
    var result: Set<CaptionChannel> = []
    for picture in pictures {
      for pair in picture.pairs {
        for index in fields.indices { fields[index].add(pair, at: 0) }
        services.add(pair, at: 0)
      }
    }
    for (index, field) in fields.enumerated() where field.hasText { result.insert(.cc(index + 1)) }
    for service in services.servicesWithText { result.insert(.service(service)) }
    return result.sorted()
  }

  /// The text of a channel. Cues have the times at which it appears and disappears; text that is written letter by
  /// letter is a cue from its first letter until it changes in another way.
  public func cues(of channel: CaptionChannel) -> [Cue] {
    let end = milliseconds(end)
    switch channel {
    case .cc(let number):
      var decoder = CEA608Decoder(channel: number)
      for picture in pictures {
        let time = milliseconds(picture.time)
        for pair in picture.pairs { decoder.add(pair, at: time) }
      }
      return decoder.finish(at: end)
    case .service(let number):
      var decoder = CEA708Decoder(service: number)
      for picture in pictures {
        let time = milliseconds(picture.time)
        for pair in picture.pairs { decoder.add(pair, at: time) }
      }
      return decoder.finish(at: end)
    }
  }
}
