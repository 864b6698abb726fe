import Bytes
import MP4

/// A sample with its track, as `SampleListing` writes it.
package struct SampleRecord: Record {
  package static let summary = "A sample of a track."
  let track: UInt32
  let timescale: UInt32
  let sample: Sample
  let dependencies: Sample.Dependencies
  let decodeTime: MediaTime
  let duration: MediaTime
  /// The value added to its presentation time; `nil` for files.
  var shift: MediaTime?

  init(_ sample: Sample, track: UInt32, timescale: UInt32) {
    (self.track, self.timescale, self.sample) = (track, timescale, sample)
    (dependencies, decodeTime, duration) = (sample.dependencies, sample.decodeTime, sample.duration)
  }

  package static let members: [RecordMember<SampleRecord>] = [
    RecordMember("track", "the ID of its track") { Int($0.track) },
    RecordMember("number", "its number in decoding order, from 1") { $0.sample.index + 1 },
    RecordMember("timescale", "the units of its times in a second") { Int($0.timescale) },
    RecordMember("decode_time", "when it is decoded, in units of the timescale") { Int($0.decodeTime.value) },
    RecordMember("decode_seconds", "the same in seconds") { $0.decodeTime },
    RecordMember("composition_time", "when it is presented without an edit list, in units of the timescale") {
      Int($0.sample.compositionTime.value)
    },
    RecordMember("presentation_seconds", "when it is presented by the edit list, in seconds; missing if it never is") {
      record in
      record.sample.presentationTime.map { time in record.shift.map { time + $0 } ?? time }
    },
    RecordMember("duration", "how long it lasts, in units of the timescale") { Int($0.duration.value) },
    RecordMember("duration_seconds", "the same in seconds") { $0.duration },
    RecordMember("size", "its size in bytes") { $0.sample.size },
    RecordMember("offset", "where its bytes start in its file") { $0.sample.offset },
    RecordMember("keyframe", "whether it is a sync sample, where decoding can start") { $0.sample.isSync },
    RecordMember("description", "the number of its sample description, from 1") { $0.sample.descriptionIndex },
    RecordMember("depends_on_others", "whether it depends on other samples; missing if that is not declared") {
      $0.dependencies.dependsOnOthers
    },
    RecordMember("is_depended_on", "whether other samples depend on it; missing if that is not declared") {
      $0.dependencies.isDependedOn
    },
    RecordMember("leading", "whether it is presented before the sync sample that precedes it; missing if unknown") {
      $0.dependencies.leading == .unknown ? nil : $0.dependencies.leading != .no
    },
    RecordMember("file", "the name of its file") { $0.sample.source.name },
  ]
}
