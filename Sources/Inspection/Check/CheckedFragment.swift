import ISOBMFF
import MP4
import MP4Bytes

/// The properties of a movie fragment that rules need after its boxes have been discarded.
package struct CheckedFragment: Sendable {
  /// The properties of one track in it.
  struct Track: Sendable {
    let id: UInt32
    /// Its offset.
    let offset: Int
    /// The indices of its fragment and of itself, starting at 1.
    private let indices: (fragment: Int32, track: Int32)
    /// The decode time of its first sample; `nil` if not declared.
    let decodeTime: UInt64?
    /// The total duration of its samples.
    let duration: UInt64
    /// The same if the first and the last sample last as long as the others on average: some writers extend them to the
    /// start of another track, or over a pause.
    let usualDuration: UInt64
    let sampleCount: Int
    /// The total size of its samples.
    let byteCount: Int
    /// The flags of its first sample; `nil` if there is none.
    let firstFlags: SampleFlags?
    /// The smallest composition offset of its samples, and that of the first one.
    let compositionOffsets: (least: Int64, first: Int64)
    /// The lowest and highest sample description index of its samples.
    let description: UInt32
    /// The flags that determine the base of data offsets, and the first data offset; `nil` if there is none.
    let addressing: (flags: UInt32, dataOffset: Int32?)
    /// Whether a run has unsigned composition offsets.
    let hasUnsignedOffsets: Bool
    /// The places of sample auxiliary information, if they are known.
    let auxiliaryOffsets: [Int]

    /// Its path.
    var path: String {
      CheckedBox.step("moof", Int(indices.fragment)) + "/" + CheckedBox.step("traf", Int(indices.track))
    }
    /// The duration of its samples from a media time on.
    func duration(from time: UInt64) -> UInt64 {
      guard let decodeTime, decodeTime < time else { return duration }
      return duration - min(time - decodeTime, duration)
    }
  }
  let offset: Int
  let end: Int
  /// Its sequence number; `nil` if it has none.
  let sequenceNumber: UInt32?
  /// Its index among the movie fragments of the file, starting at 1.
  private let index: Int32
  /// Whether it is the first one of a segment.
  let isSegmentStart: Bool
  /// The indices of its track fragments in those of the file.
  let tracks: Range<Int>

  init(_ box: CheckedBox, tracks: Range<Int>, isSegmentStart: Bool) {
    (offset, end, index) = (box.node.header.offset, box.node.header.end, Int32(clamping: box.node.index))
    sequenceNumber = box.fields("mfhd", as: MovieFragmentHeaderBox.self)?.sequenceNumber
    (self.tracks, self.isSegmentStart) = (tracks, isSegmentStart)
  }

  /// Its path.
  var path: String { CheckedBox.step("moof", Int(index)) }
}

extension CheckedFragment.Track {
  /// The properties of a track fragment box in a movie fragment.
  init?(_ box: CheckedBox, _ defaults: TrackDefaults) {
    guard let header = box.fields("tfhd", as: TrackFragmentHeaderBox.self) else { return nil }
    let extends = defaults.tracks[header.trackID]
    (id, offset) = (header.trackID, box.node.header.offset)
    let fragment = box.enclosing("moof")?.node
    indices = (Int32(clamping: fragment?.index ?? 1), Int32(clamping: box.node.index))
    decodeTime = box.fields("tfdt", as: TrackFragmentDecodeTimeBox.self)?.baseMediaDecodeTime
    description = header.sampleDescriptionIndex ?? extends?.defaultSampleDescriptionIndex ?? 1
    let (duration, size) = (
      UInt64(header.defaultSampleDuration ?? extends?.defaultSampleDuration ?? 0),
      Int(header.defaultSampleSize ?? extends?.defaultSampleSize ?? 0)
    )
    let flags = header.defaultSampleFlags ?? extends?.defaultSampleFlags
    var totals = (duration: UInt64(0), count: 0, bytes: 0)
    var firstFlags: UInt32?
    var (firstDuration, lastDuration) = (UInt64?.none, UInt64(0))
    var offsets: (least: Int64, first: Int64)?
    let runs = box.boxes.compactMap { $0.type == "trun" ? $0.payload as? TrackRunBox : nil }
    for run in runs {
      if run.flags & 0xf00 == 0 {
        // All samples are equal, so that a large count costs nothing.
        let count = Int(run.sampleCount)
        totals.duration &+= duration &* UInt64(count)
        totals.bytes &+= size &* count
        if count > 0 { (firstDuration, lastDuration) = (firstDuration ?? duration, duration) }
        if count > 0, totals.count == 0 { firstFlags = run.firstSampleFlags ?? flags }
        if count > 0 { offsets = (min(offsets?.least ?? 0, 0), offsets?.first ?? 0) }
        totals.count &+= count
        continue
      }
      for (index, sample) in run.samples.enumerated() {
        lastDuration = sample.duration.map(UInt64.init) ?? duration
        firstDuration = firstDuration ?? lastDuration
        totals.duration &+= lastDuration
        totals.bytes &+= sample.size.map(Int.init) ?? size
        if totals.count == 0, index == 0 { firstFlags = run.firstSampleFlags ?? sample.flags ?? flags }
        let offset = Int64(sample.compositionTimeOffset ?? 0)
        offsets = (min(offsets?.least ?? offset, offset), offsets?.first ?? offset)
      }
      totals.count &+= run.samples.count
    }
    (self.duration, sampleCount, byteCount) = totals
    let ends = (firstDuration ?? 0) &+ lastDuration
    if sampleCount > 2, totals.duration >= ends {
      let inner = totals.duration - ends
      let usual = inner / UInt64(sampleCount - 2) &+ 1
      usualDuration = inner &+ min(firstDuration ?? 0, usual) &+ min(lastDuration, usual)
    } else {
      usualDuration = totals.duration
    }
    self.firstFlags = firstFlags.map { SampleFlags(rawValue: $0) }
    compositionOffsets = offsets ?? (0, 0)
    addressing = (header.flags, runs.first?.dataOffset)
    hasUnsignedOffsets = runs.contains { $0.version == 0 && $0.flags & 0x800 != 0 }
    let base = header.baseDataOffset ?? UInt64(fragment?.header.offset ?? 0)
    auxiliaryOffsets = box.all("saio").flatMap { table in
      ((table.payload as? SampleAuxiliaryInformationOffsetsBox)?.offsets).map { offsets in
        offsets.map { Int(clamping: base &+ $0) }
      } ?? []
    }
  }
}

/// The properties in a movie box that apply to the fragments of its tracks.
package struct TrackDefaults: Sendable {
  /// The context for parsing the boxes of fragments; `nil` if there is no movie box.
  let context: MovieContext?
  /// The defaults by track ID.
  var tracks: [UInt32: TrackExtendsBox] = [:]
  /// The timescales of the media by track ID.
  var timescales: [UInt32: UInt32] = [:]

  init(_ context: MovieContext?) { self.context = context }

  init(_ movie: CheckedBox, _ context: MovieContext?) {
    self.context = context
    for box in movie.first("mvex")?.all("trex") ?? [] {
      if let extends = box.payload as? TrackExtendsBox { tracks[extends.trackID] = extends }
    }
    for track in movie.all("trak") {
      guard let id = track.fields("tkhd", as: TrackHeaderBox.self)?.trackID else { continue }
      timescales[id] = track.fields("mdia", "mdhd", as: MediaHeaderBox.self)?.timescale
    }
  }
}
