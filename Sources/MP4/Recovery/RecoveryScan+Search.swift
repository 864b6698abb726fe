import ISOBMFF
import MP4Bytes

/// What the scan does where the pattern does not say what follows: it searches for the next sample.
extension RecoveryScan {
  /// The maximum number of consecutive samples that start with their sizes, such as a text and the pause before it.
  private static let sizedLimit = 8

  /// Finds the next sample after unrecognized bytes, and returns its offset.
  mutating func resume(_ at: Int, _ onProgress: (Int) -> Bool) throws(IOError) -> Int {
    if let end = try takePackets(at) { return end }
    let next = pattern.groups[latest]?.first { _ in !isAfterGroup }
    let kinds = Set(next?.runs.compactMap(\.track) ?? [])
    if kinds.contains(where: { pattern.leads[$0] != nil }) {
      let largest = pattern.groups[latest]?.map(\.byteCount).max() ?? 0
      var size = 1
      if let track = kinds.first, kinds.count == 1, case .fixed(let own) = syntaxes[track] { size = max(1, own) }
      // No data is searched twice, so that the cost is linear.
      let limit = at < searchedEnd ? at : min(end, at + max(1 << 16, min(largest, 1 << 40) * 4))
      guard let found = try nextSample(from: at + size, step: size, limit: limit, onProgress) else { return -1 }
      if found >= limit { searchedEnd = max(searchedEnd, limit) }
      let stop = found < limit ? found : end
      let runs = try expectedRuns(from: at, to: stop, isFollowed: found < limit)
      if !runs.isEmpty {
        // Their sizes are likely, not certain.
        noteHole()
        var offset = at
        for run in runs {
          try write(run, at: offset)
          offset += run.byteCount
        }
        isAfterGroup = true
        return offset
      }
    }
    if let track = kinds.first, kinds.count == 1 {
      if case .sized(let syntax) = syntaxes[track] {
        var (next, sizes): (Int, [Int]) = (at, [])
        while sizes.count < Self.sizedLimit {
          let bytes = try window.slice(at: next, count: min(1 << 16, end - next))
          guard let size = syntax.byteCount(bytes), size > 0, size <= end - next else { break }
          sizes.append(size)
          next += size
          guard try isBoundary(next) else { continue }
          var start = at
          for size in sizes {
            write(Found(track: track, byteCount: size), start)
            start += size
          }
          isAfterGroup = true
          return next
        }
      }
    }
    guard let found = try nextSample(from: at + 1, step: 1, limit: end, onProgress) else { return -1 }
    if found < end, let track = kinds.first, kinds.count == 1, case .unknown = syntaxes[track],
      next?.runs.count == 1, pattern.tracks[track].usualRun == 1, found - at <= pattern.tracks[track].largestSize * 2
    {
      write(Found(track: track, byteCount: found - at), at)
    } else {
      try omit(at..<found)
    }
    isAfterGroup = true
    return found
  }

  /// The offset of the next sample that is followed by another one; `limit` if there is none, `nil` if the scan was
  /// stopped.
  private mutating func nextSample(
    from start: Int, step: Int, limit: Int, _ onProgress: (Int) -> Bool
  ) throws(IOError) -> Int? {
    let size = 1 << 16
    var (at, reported) = (start, start)
    while at < limit {
      if at - reported >= 1 << 22 {
        reported = at
        guard onProgress(at) else { return nil }
      }
      let block = try scanWindow.slice(at: at, count: min(size + 16, end - at))
      guard !block.isEmpty else { return limit }
      let base = block.startIndex
      let count = min(size, block.count, limit - at)
      var index = 0
      while index < count {
        let zeroCount = zeroCount(block, from: base + index) / step * step
        if zeroCount > 0 {
          index += zeroCount
          continue
        }
        if canStart[Int(block[base + index])], isPossible(block[(base + index)...], available: end - at - index),
          try isFollowed(at + index)
        {
          return at + index
        }
        index += step
      }
      at += index
    }
    return limit
  }

  /// The number of zeros to skip, because unwritten space can be much larger than the media. A few are kept, because a
  /// sample can start with them.
  private func zeroCount(_ block: ArraySlice<UInt8>, from start: Int) -> Int {
    guard canSkipZeros, start + 64 <= block.endIndex, block[start] == 0, block[start + 63] == 0, block[start + 31] == 0
    else { return 0 }
    var at = start
    while at < block.endIndex, block[at] == 0 { at += 1 }
    return max(0, at - start - 16)
  }

  /// A quick test whether a sample can start with these bytes.
  private func isPossible(_ bytes: ArraySlice<UInt8>, available: Int) -> Bool {
    for track in recognizable {
      switch syntaxes[track] {
      case .pictures(let syntax): if syntax.canStart(bytes, available: available) { return true }
      case .aac(let syntax):
        if let byte = bytes.first, syntax.firstBytes.contains(byte & 0xfe) { return true }
      default: return true
      }
    }
    return false
  }

  /// Whether there is a sample at an offset, followed by another one or by data that matches the pattern.
  mutating func isFollowed(_ offset: Int) throws(IOError) -> Bool {
    guard let found = try sample(offset) else { return try boxEnd(offset) != nil }
    let next = offset + found.byteCount
    guard next < end else { return next == end && found.byteCount > 16 }
    if let second = try sample(next) {
      // Two audio frames are not enough to recognize audio.
      guard !pattern.tracks[found.track].syntax.isPictures, second.track == found.track else { return true }
      let third = next + second.byteCount
      if third >= end { return true }
      if try sample(third) != nil { return true }
      return try group(after: second.track, at: third) != nil
    }
    if try group(after: found.track, at: next) != nil { return true }
    if try startsPackets(next) { return true }
    return try continues(found, at: offset)
  }

  /// Records unrecognized bytes. Zeros at the end of the media, and those that may be a gap as in the pattern, are
  /// counted as space that was never written. Other zeros replace samples.
  private mutating func omit(_ range: Range<Int>) throws(IOError) {
    var at = range.lowerBound
    var last = at
    while at < range.upperBound {
      let bytes = try scanWindow.slice(at: at, count: min(1 << 16, range.upperBound - at))
      guard !bytes.isEmpty else { break }
      if let index = bytes.lastIndex(where: { $0 != 0 }) { last = at + (index - bytes.startIndex) + 1 }
      at += bytes.count
    }
    // A few zeros can be the end of other data.
    let count = range.upperBound - last
    var isRoom = count >= 512 || last == range.lowerBound
    if range.upperBound < end, count > pattern.largestGap, try boxEnd(range.upperBound) == nil { isRoom = false }
    if isRoom { paddingByteCount += range.upperBound - last } else { last = range.upperBound }
    addUnknown(range.lowerBound..<last)
  }
}
