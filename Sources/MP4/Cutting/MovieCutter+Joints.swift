import ISOBMFF
import MP4Bytes

extension MovieCutter {
  /// The number of sync samples on each side that are examined.
  private static let searchLimit = 256

  /// The obstacle to a part that starts with this sample of a track, with the nearest IDR pictures.
  func openGOP(atSample sample: Int, ofTrack number: Int) throws(MovieError) -> Obstacle {
    let track = tracks[number]
    var reader = SampleUnitReader(track.sources)
    var nearest: [MediaTime] = []
    for step in [-1, 1] {
      var (index, left) = (sample + step, Self.searchLimit)
      while index >= 0, index < track.list.count, left > 0 {
        if track.list.isSync(index) {
          left -= 1
          if try isIDR(index, number, &reader), let time = time(ofSample: index, number) {
            nearest.append(time)
            break
          }
        }
        index += step
      }
    }
    let time = time(ofSample: sample, number) ?? MediaTime(0, 1)
    let pictures = nearest.count == 1 ? "picture is" : "pictures are"
    let text =
      "the part that starts with the open GOP at \(time) cannot follow another: H.264 decoders cannot start again "
      + "there, and would present its pictures in the wrong order"
      + (nearest.isEmpty
        ? ""
        : "; the nearest IDR \(pictures) at " + nearest.map(\.description).joined(separator: " and "))
    return Obstacle(.openGOP, text, ["time": .time(time), "nearest": .list(nearest.map { .time($0) })])
  }

  private func isIDR(_ sample: Int, _ number: Int, _ reader: inout SampleUnitReader) throws(MovieError) -> Bool {
    let list = tracks[number].list
    guard let (codec, lengthSize) = configuration(ofSample: sample, number)?.pictureUnits else { return false }
    let units = try reader.units(of: list.jointSample(sample), codec, lengthSize: lengthSize)
    let slice = units?.first { codec.isSlice($0.type) }
    return slice.map { codec.isIDR($0.type) } ?? false
  }

  private func time(ofSample sample: Int, _ number: Int) -> MediaTime? {
    let track = tracks[number]
    return track.presentation.presentations(
      of: track.compositionTime(sample), lasting: max(1, track.list.duration(sample))
    ).first?.lowerBound
  }

  /// The configuration of a sample of a track.
  func configuration(ofSample sample: Int, _ number: Int) -> DecoderConfiguration? {
    let index = Int(tracks[number].list.descriptionIndex(of: sample)) - 1
    return configurations[number].indices.contains(index) ? configurations[number][index] : nil
  }
}
