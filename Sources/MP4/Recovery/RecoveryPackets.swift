import MP4Bytes

/// Samples that start with one of a few bytes and whose size is not declared: Opus packets, which start with a TOC
/// byte. A run of them ends at the next picture. It is divided where these bytes are, if one division is far more
/// likely than all others.
struct PacketSyntax {
  /// The first bytes of samples.
  var firstBytes: Set<UInt8> = []
  /// The maximum size of a sample.
  var largestSize = 1275
  /// The maximum number of samples in a run.
  var longestRun = 1
  /// How often samples have a size relative to the average of their run, in eighths.
  private var ratios = [Int](repeating: 0, count: 32)
  /// How often samples have a second byte.
  private var seconds = [Int](repeating: 0, count: 256)
  private var ratioCount = 0
  private var secondCount = 0

  /// Learns from the sizes of the samples of a run.
  mutating func learn(sizes: [Int]) {
    longestRun = max(longestRun, sizes.count)
    let total = sizes.reduce(0, +)
    guard sizes.count > 1, total > 0 else { return }
    for size in sizes {
      ratios[min(31, size * sizes.count * 8 / total)] += 1
      ratioCount += 1
    }
  }
  mutating func learn(second: UInt8) {
    seconds[Int(second)] += 1
    secondCount += 1
  }

  /// The relative likelihood of a sample with this second byte and this size in a run of `count` samples.
  private func weight(_ second: UInt8, size: Int, count: Int, total: Int) -> Double {
    let ratio = size * count * 8 / total
    let known = (Double(ratio < 32 ? ratios[ratio] : 0) + 0.1) / (Double(ratioCount) + 3.2)
    let usual = 4..<12 ~= ratio ? 0.12 : 0.002
    let byte = (Double(seconds[Int(second)]) + 0.25) / (Double(secondCount) + 64)
    return (0.5 * known + 0.5 * usual) * byte
  }

  /// The probability that the best division must have, so that hardly any wrong sample is written.
  private static let confidence = 0.9999
  private static let candidateLimit = 1 << 10

  /// The sizes of the `count` samples that consist of these bytes; `nil` if several divisions are likely.
  func sizes(of bytes: ArraySlice<UInt8>, count: Int) -> [Int]? {
    guard let first = bytes.first, firstBytes.contains(first), count > 0, bytes.count <= count * largestSize else {
      return nil
    }
    if count == 1 { return [bytes.count] }
    let total = bytes.count
    // The second byte of a sample is in the run too.
    let starts = (0..<total - 1).filter { firstBytes.contains(bytes[bytes.startIndex + $0]) }
    guard starts.count <= Self.candidateLimit else { return nil }
    typealias State = (sum: Double, best: Double, from: Int)
    var states: [[State]] = [starts.map { $0 == 0 ? (1, 1, 0) : (0, 0, 0) }]
    for step in 1..<count {
      var next: [State] = starts.map { _ in (0, 0, 0) }
      for (to, end) in starts.enumerated() where to > 0 {
        for (from, start) in starts[..<to].enumerated() where states[step - 1][from].sum > 0 {
          guard end - start <= largestSize else { continue }
          let own = weight(bytes[bytes.startIndex + start + 1], size: end - start, count: count, total: total)
          let state = states[step - 1][from]
          next[to].sum += state.sum * own
          if state.best * own > next[to].best { (next[to].best, next[to].from) = (state.best * own, from) }
        }
      }
      // Only relative likelihoods matter.
      let scale = next.reduce(0) { max($0, $1.sum) }
      guard scale > 0 else { return nil }
      states.append(next.map { ($0.sum / scale, $0.best / scale, $0.from) })
    }
    var (sum, best, last): (Double, Double, Int?) = (0, 0, nil)
    for (from, start) in starts.enumerated() where total - start <= largestSize {
      let own = weight(bytes[bytes.startIndex + start + 1], size: total - start, count: count, total: total)
      sum += states[count - 1][from].sum * own
      if states[count - 1][from].best * own > best { (best, last) = (states[count - 1][from].best * own, from) }
    }
    guard var at = last, best >= Self.confidence * sum else { return nil }
    var (result, end) = ([Int](), total)
    for step in (0..<count).reversed() {
      result.append(end - starts[at])
      end = starts[at]
      at = states[step][at].from
    }
    return result.reversed()
  }
}

extension RecoveryScan {
  /// The track whose samples are packets, if the pattern has one and pictures.
  private var packets: (track: Int, syntax: PacketSyntax)? {
    guard let reference = pattern.reference, syntaxes[reference].isPictures else { return nil }
    for track in syntaxes.indices { if case .packets(let syntax) = syntaxes[track] { return (track, syntax) } }
    return nil
  }

  /// Whether packets start at `offset` that a picture follows.
  mutating func startsPackets(_ offset: Int) throws(IOError) -> Bool {
    guard let packets else { return false }
    return try picture(after: offset, packets.syntax, isConfirmed: false) != nil
  }

  /// Divides the packets that start at `offset`, and returns their end; `nil` if there are none.
  mutating func takePackets(_ offset: Int) throws(IOError) -> Int? {
    guard let (track, syntax) = packets, let end = try picture(after: offset, syntax, isConfirmed: true) else {
      return nil
    }
    let bytes = try scanWindow.slice(at: offset, count: end - offset)
    let counts = expectedCounts(track, syntax)
    let divisions = counts.compactMap { syntax.sizes(of: bytes, count: $0) }
    if bytes.count > 1 { learn(second: bytes[bytes.startIndex + 1], sizes: nil, track) }
    guard let sizes = divisions.first, divisions.count == 1, counts.count == 1 else {
      omit(packets: counts.first ?? 0, of: track, at: offset..<end)
      return end
    }
    var at = offset
    for size in sizes {
      if at > offset { learn(second: bytes[bytes.startIndex + at - offset + 1], sizes: nil, track) }
      write(packet: size, of: track, at: at)
      at += size
    }
    learn(second: nil, sizes: sizes, track)
    return end
  }

  /// The numbers of samples with which a run would end as those of the pattern do.
  private func expectedCounts(_ track: Int, _ syntax: PacketSyntax) -> [Int] {
    let all = Array(1...max(1, syntax.longestRun))
    let distances = all.map { deviation(of: track, adding: $0) ?? 0 }
    let least = distances.min() ?? 0
    return zip(all, distances).filter { $1 == least }.map(\.0)
  }

  /// The offset of the first picture after the packets that start at `start`; if `isConfirmed`, it must be followed by
  /// other samples. If there is none, that of a picture that is cut off at the end of the file.
  private mutating func picture(
    after start: Int, _ syntax: PacketSyntax, isConfirmed: Bool
  ) throws(IOError) -> Int? {
    guard let reference = pattern.reference, case .pictures(let pictures) = syntaxes[reference], start < end else {
      return nil
    }
    let limit = min(end, start + min(1 << 20, (syntax.longestRun + 1) * syntax.largestSize))
    let block = try scanWindow.slice(at: start, count: min(limit + 16, end) - start)
    guard let first = block.first, syntax.firstBytes.contains(first) else { return nil }
    for offset in start + 1..<max(limit, start + 1) {
      let rest = block[(block.startIndex + offset - start)...]
      guard pictures.canStart(rest, available: end - offset),
        let found = try sample(offset, only: reference, isTaken: false)
      else { continue }
      if !isConfirmed { return offset }
      let next = offset + found.byteCount
      if next == end { return offset }
      if try isSampleOrBox(next) { return offset }
      if try isCutPicture(next) { return offset }
      if try picture(after: next, syntax, isConfirmed: false) != nil { return offset }
    }
    guard limit == end || end - start < pictures.unitLimit else { return nil }
    for offset in start + 1..<max(limit, start + 1) where end - offset >= 32 {
      let rest = block[(block.startIndex + offset - start)...]
      guard pictures.canStart(rest, available: .max) else { continue }
      if try isCutPicture(offset) { return offset }
    }
    return nil
  }
}
