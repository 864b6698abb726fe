import Bytes
import ISOBMFF

extension LiveFragment {
  /// Makes decoding start again at the first sync sample of a track, before which samples are missing or are those of
  /// another recording. `media` is the data after the `moof`; its size does not change. Returns a note about a change,
  /// or a warning if none is possible; `nil` if decoding starts there already.
  ///
  /// A CRA picture of H.265 becomes a BLA picture. H.264 and H.266 have no means that keeps the size.
  public func startDecoder(ofTrack track: Int, of movie: LiveMovie, media: inout [UInt8]) throws(MovieError)
    -> Diagnostic?
  {
    func diagnostic(_ change: Diagnostic.JointChange) -> Diagnostic {
      Diagnostic(.joints(change, count: 1), movie.name, movie.movie.tracks.reference(track))
    }
    let source = MemorySource(box + media, name: movie.name)
    let (table, _, _) = try FragmentTable.reading(0..<box.count, of: source, movie.movie)
    let columns = table.samples[track]
    var found: (fragment: TrackFragment, sample: Int)?
    for fragment in table.trackFragments where fragment.track == track && found == nil {
      found = fragment.samples.first { columns.flags($0).isSync }.map { (fragment, $0) }
    }
    guard let (fragment, first) = found else { return nil }
    let configurations = try movie.decoderConfigurations(ofTrack: track)
    let number = Int(fragment.descriptionIndex) - 1
    let start = columns.offset(first)
    guard configurations.indices.contains(number), start >= box.count,
      let (codec, lengthSize) = configurations[number].pictureUnits
    else { return nil }
    let sample = JointSample(
      index: first, source: 0, bytes: start..<max(start, start &+ columns.size(first)), compositionTime: 0, isSync: true
    )
    var reader = SampleUnitReader([source])
    guard let units = try reader.units(of: sample, codec, lengthSize: lengthSize),
      let slice = units.first(where: { codec.isSlice($0.type) })
    else { return diagnostic(.unknown) }
    if codec.isIDR(slice.type) { return nil }
    guard codec == .hevc else { return diagnostic(.unknown) }
    guard slice.type == 21 else { return nil }
    var at = sample.bytes.lowerBound - box.count
    for part in try SampleChange(brokenLink: units, of: sample, &reader).parts {
      switch part {
      case .range(let range): at += range.count
      case .bytes(let bytes):
        for byte in bytes where media.indices.contains(at) {
          media[at] = byte
          at += 1
        }
      }
    }
    return diagnostic(.brokenLink)
  }
}
