import Bytes
import MP4
import Support

/// A file without its movie box, and what was in it.
struct BrokenFile {
  /// The file without `moov`.
  var bytes: [UInt8]
  /// For each track the samples by their offset in the broken file.
  var samples: [[Int: (size: Int, isSync: Bool)]]
  /// The IDs of the tracks.
  var ids: [UInt32]
  var codecs: [String]
  /// The number of bytes of all samples.
  var byteCount = 0

  /// Removes the movie box of a progressive file; `nil` if it is none.
  init?(_ whole: [UInt8]) throws {
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
    guard movies.count == 1, let moov = movies.first else { return nil }
    bytes = Array(whole[..<moov.lowerBound] + whole[moov.upperBound...])
    let movie = try Movie(reading: [MemorySource(whole, name: "whole")])
    (samples, ids) = ([], movie.tracks.map(\.id))
    codecs = movie.tracks.map { $0.codecs.first ?? "\($0.handler)" }
    for track in movie.tracks {
      var known: [Int: (size: Int, isSync: Bool)] = [:]
      for sample in track.samples where sample.size > 0 {
        let offset = sample.offset > moov.lowerBound ? sample.offset - moov.count : sample.offset
        known[offset] = (sample.size, sample.isSync)
        byteCount += sample.size
      }
      samples.append(known)
    }
  }

  /// What a recovery has of the samples.
  struct Score {
    /// For each track: the bytes and the number of samples with the right place, size and kind, and those that there
    /// are.
    var tracks: [(bytes: Int, allBytes: Int, count: Int, allCount: Int)] = []
    /// Samples that are none.
    var wrong = 0
    var share: Double {
      let all = tracks.reduce(0) { $0 + $1.allBytes }
      return all == 0 ? 0 : Double(tracks.reduce(0) { $0 + $1.bytes }) / Double(all)
    }
  }

  func score(_ recovery: Recovery) -> Score {
    var score = Score()
    for (index, known) in samples.enumerated() {
      var part = (bytes: 0, allBytes: known.values.reduce(0) { $0 + $1.size }, count: 0, allCount: known.count)
      if index < recovery.found.count {
        recovery.found[index].forEach { offset, size, isSync in
          if let sample = known[offset], sample.size == size, sample.isSync == isSync {
            part.bytes += size
            part.count += 1
          } else {
            score.wrong += 1
          }
        }
      }
      score.tracks.append(part)
    }
    return score
  }
}
