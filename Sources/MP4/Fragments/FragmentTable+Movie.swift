import Bytes
import ISOBMFF

extension FragmentTable {
  /// Adds the information of a movie box to these fragments, which contain all of its samples of one track. `chunks`
  /// are the numbers of samples in its chunks. Returns the types of the boxes that could not be read.
  mutating func inform(
    _ fragments: inout [TrackFragment], _ boxes: InformationBoxes, chunks: [Int], of source: any ByteSource
  ) throws(IOError) -> [FourCC] {
    guard let track = fragments.first?.track else { return [] }
    let sampleCount = fragments.reduce(0) { $0 + $1.sampleCount }
    var window = ByteWindow(source)
    let (all, notUnderstood) = try boxes.resolve(
      into: &information[track], base: 0, runs: chunks, sampleCount: sampleCount, precedingBytes: 0, &window)
    let parts = all.split(fragments.map(\.sampleCount), information[track])
    for (index, part) in parts.enumerated() { fragments[index].information = part }
    return notUnderstood
  }

  /// The duration of the samples of each track that the movie box describes; `nil` where it describes none.
  var movieDurations: [Int64?] {
    var ends = [UInt64](repeating: 0, count: tracks.count)
    for fragment in trackFragments.prefix(while: { $0.fragment < movieCount }) where fragment.sampleCount > 0 {
      ends[fragment.track] = (fragment.declaredTime ?? ends[fragment.track]) &+ fragment.duration
    }
    return zip(tracks, ends).map { $0.hasSamples ? Int64(clamping: $1) : nil }
  }

  /// Whether each track has samples in fragments after those of the movie box.
  var continuesInFragments: [Bool] {
    var result = [Bool](repeating: false, count: tracks.count)
    for fragment in trackFragments.drop(while: { $0.fragment < movieCount }) where fragment.sampleCount > 0 {
      result[fragment.track] = true
    }
    return result
  }

  /// The tracks in which every sample lacks the initialization vector that it needs. If some samples have one, or
  /// groups declare encryption, the samples without one are clear.
  fileprivate var undecryptable: [(track: Int, samples: Int)] {
    var counts = Array(repeating: 0, count: tracks.count)
    let isConcerned = tracks.indices.map { track in
      information[track].auxiliarySizes.isEmpty && omitted["saiz"] == nil && omitted["senc"] == nil
        && !information[track].groups.kinds.contains { $0.type == "seig" }
        && tracks[track].encryption.contains { $0?.hasVectors == true }
    }
    guard isConcerned.contains(true) else { return [] }
    for fragment in trackFragments where isConcerned[fragment.track] {
      let entries = tracks[fragment.track].encryption
      let entry = Int(fragment.descriptionIndex) - 1
      if entries.indices.contains(entry), entries[entry]?.hasVectors == true {
        counts[fragment.track] += fragment.sampleCount
      }
    }
    return counts.indices.filter { counts[$0] > 0 }.map { ($0, counts[$0]) }
  }
}

extension MovieInput {
  /// Diagnostics about sample information in fragments that is not carried over to the sample tables.
  func droppedBoxes() -> [Diagnostic] {
    var diagnostics: [Diagnostic] = []
    for (type, counts) in fragments.omitted.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      diagnostics += perMovie(counts).map { Diagnostic(.notCarried(type, count: $0.count), $0.file) }
    }
    for (track, information) in fragments.information.enumerated() where information.otherEncryption > 0 {
      let kind = Diagnostic.Kind.otherEncryption(fragments: information.otherEncryption)
      diagnostics.append(Diagnostic(kind, name(ofTrack: track), tracks.reference(track)))
    }
    return diagnostics
      + fragments.undecryptable.map { track, samples in
        Diagnostic(.undecryptable(samples: samples), name(ofTrack: track), tracks.reference(track))
      }
  }

  /// The number of events and reference times, by type and by the movie that they belong to.
  func deliveryBoxes() -> [(type: FourCC, count: Int, file: String)] {
    var counts: [FourCC: [Int: Int]] = [:]
    for (source, contents) in contents.enumerated() {
      for (type, count) in contents.events { counts[type, default: [:]][source] = count }
    }
    return counts.sorted { $0.key.rawValue < $1.key.rawValue }.flatMap { type, counts in
      perMovie(counts).map { (type, $0.count, $0.file) }
    }
  }

  /// The sums of the counts of sources for each movie, with the file name of the movie for messages.
  private func perMovie(_ counts: [Int: Int]) -> [(count: Int, file: String)] {
    var sums = Array(repeating: 0, count: groups.count)
    for (source, count) in counts { sums[contents[source].group] += count }
    return groups.indices.filter { sums[$0] > 0 }.map { (sums[$0], sources[groups[$0].source].name) }
  }
}
