import MP4
import MP4Bytes
import Support

/// A file without its movie box, and the samples that it contained.
struct BrokenFile {
  /// A sample of the original file.
  struct Known {
    var size: Int
    var isSync: Bool
    /// The presentation time in media timescale units.
    var time: Int64
  }
  /// The file without `moov`.
  var bytes: [UInt8]
  /// For each track, the samples by their offset in the broken file.
  var samples: [[Int: Known]] = []
  var codecs: [String] = []
  /// The total size of all samples in bytes.
  var byteCount = 0

  /// Removes the movie box of a progressive file; `nil` for other files.
  init?(_ whole: [UInt8]) throws {
    guard let moov = Self.movieBox(whole) else { return nil }
    bytes = Array(whole[..<moov.lowerBound] + whole[moov.upperBound...])
    try add(whole) { $0 > moov.lowerBound ? $0 - moov.count : $0 }
  }

  /// The second half of a file without its movie box, and the complete first half: like an interrupted recording.
  ///
  /// `nil` if a track is in one half only.
  static func halves(_ whole: [UInt8]) throws -> (broken: BrokenFile, good: [UInt8])? {
    var whole = whole
    guard let moov = movieBox(whole) else { return nil }
    let samples = try Movie(reading: [MemorySource(whole, name: "whole")]).tracks.flatMap { track in
      track.samples.map { ($0.offset, $0.size, track.handler == "vide" && $0.isSync && !track.samples.areAllSync) }
    }
    .sorted { $0.0 < $1.0 }
    guard let first = samples.first?.0, let last = samples.map({ $0.0 + $0.1 }).max() else { return nil }
    let middle = (first + last) / 2
    // Recordings start with a keyframe.
    let near = samples.first { $0.0 >= middle && $0.2 && $0.0 < middle + (last - middle) / 2 }
    guard var start = (near ?? samples.first { $0.0 >= middle })?.0, let fileType = firstBox(whole) else { return nil }
    let header: [UInt8] = Array(whole[fileType]) + [0, 0, 0, 0] + Array("mdat".utf8)
    guard !(start..<last).overlaps(moov) else { return nil }
    var broken = BrokenFile(bytes: header + whole[start..<last])
    try broken.add(whole) { $0 >= start && $0 < last ? $0 - start + header.count : nil }
    if moov.lowerBound > start {
      // If the movie box comes first, the second half can simply be cut off.
      let index = samples.firstIndex { $0.0 == start } ?? 0
      let sink = MemorySink()
      try Defragmenter(Defragmenter.Options()).plan([MemorySource(whole, name: "whole")]).write(to: sink)
      whole = sink.bytes
      let moved = try Movie(reading: [MemorySource(whole, name: "whole")]).tracks.flatMap { $0.samples.map(\.offset) }
      start = moved.sorted()[index]
    }
    let good = Array(whole[..<start])
    let movie = try Movie(reading: [MemorySource(good, name: "good")])
    for (track, known) in zip(movie.tracks, broken.samples) where track.samples.isEmpty && !known.isEmpty { return nil }
    return (broken, good)
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// The first `end` bytes, with the samples that are whole in them.
  func cut(at end: Int) -> BrokenFile {
    var result = BrokenFile(bytes: Array(bytes.prefix(end)))
    result.samples = samples.map { $0.filter { $0.key + $0.value.size <= end } }
    result.codecs = codecs
    result.byteCount = result.samples.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.size } }
    return result
  }

  private mutating func add(_ whole: [UInt8], _ place: (Int) -> Int?) throws {
    let movie = try Movie(reading: [MemorySource(whole, name: "whole")])
    codecs = movie.tracks.map { $0.codecs.first ?? "\($0.handler)" }
    for track in movie.tracks {
      var known: [Int: Known] = [:]
      for sample in track.samples where sample.size > 0 {
        guard let offset = place(sample.offset) else { continue }
        let time = sample.decodeTime.value + Int64(sample.compositionOffset.value)
        known[offset] = Known(size: sample.size, isSync: sample.isSync, time: time)
        byteCount += sample.size
      }
      samples.append(known)
    }
  }

  private static func firstBox(_ bytes: [UInt8]) -> Range<Int>? {
    guard bytes.count >= 8 else { return nil }
    let size = bytes[..<4].reduce(0) { $0 << 8 | Int($1) }
    return 8...bytes.count ~= size && bytes[4..<8].elementsEqual("ftyp".utf8) ? 0..<size : 0..<0
  }

  private static func movieBox(_ whole: [UInt8]) -> Range<Int>? {
    var (at, movies): (Int, [Range<Int>]) = (0, [])
    while at + 8 <= whole.count {
      func number(_ range: Range<Int>) -> Int { range.reduce(0) { $0 << 8 | Int(whole[at + $1]) } }
      var size = number(0..<4)
      if size == 1, at + 16 <= whole.count { size = number(8..<16) }
      if size == 0 { size = whole.count - at }
      guard size >= 8, at + size <= whole.count else { return nil }
      if Array(whole[at + 4..<at + 8]) == Array("moov".utf8) { movies.append(at..<at + size) }
      at += size
    }
    return movies.count == 1 ? movies.first : nil
  }

  /// The quality of a recovery.
  struct Score {
    struct Track {
      /// The samples with the right position, size and kind, and all samples.
      var (bytes, allBytes, count, allCount) = (0, 0, 0, 0)
      /// The number of found samples that are presented too early.
      var misplaced = 0
    }
    var tracks: [Track] = []
    /// The number of found samples that do not exist.
    var wrong = 0
    var share: Double {
      let all = tracks.reduce(0) { $0 + $1.allBytes }
      return all == 0 ? 0 : Double(tracks.reduce(0) { $0 + $1.bytes }) / Double(all)
    }
  }

  func score(_ recovery: Recovery) -> Score {
    var score = Score()
    for (index, known) in samples.enumerated() {
      var part = Score.Track()
      (part.allBytes, part.allCount) = (known.values.reduce(0) { $0 + $1.size }, known.count)
      var times: [(found: Int64, real: Int64)] = []
      if index < recovery.found.count {
        recovery.found[index].forEach { offset, size, isSync, time in
          if let sample = known[offset], sample.size == size, sample.isSync == isSync {
            part.bytes += size
            part.count += 1
            times.append((time, sample.time))
          } else {
            score.wrong += 1
          }
        }
      }
      times.sort { ($0.found, $0.real) < ($1.found, $1.real) }
      part.misplaced = zip(times, times.dropFirst()).count { $0.real >= $1.real }
      score.tracks.append(part)
    }
    return score
  }
}
