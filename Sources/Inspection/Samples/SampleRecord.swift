import MP4
import MP4Bytes
package import MP4Records

/// A sample with its track, as `SampleListing` writes it.
package struct SampleRecord: Record {
  package static let summary = "A sample of a track."
  let track: UInt32
  let timescale: UInt32
  let sample: Sample
  let dependencies: Sample.Dependencies
  let decodeTime: MediaTime
  let relativeDecodeTime: MediaTime
  let duration: MediaTime
  /// The value added to its times in seconds; `nil` for files.
  var shift: MediaTime?
  /// Whether times in seconds are known.
  private let hasSeconds: Bool

  init(_ sample: Sample, track: UInt32, timescale: UInt32, hasSeconds: Bool = true) {
    (self.track, self.timescale, self.sample, self.hasSeconds) = (track, timescale, sample, hasSeconds)
    (dependencies, decodeTime, duration) = (sample.dependencies, sample.decodeTime, sample.duration)
    relativeDecodeTime = sample.relativeDecodeTime
  }

  package static let members: [RecordMember<SampleRecord>] = [
    RecordMember("track", "the ID of its track") { Int($0.track) },
    RecordMember("number", "its number in decoding order, starting at 1") { $0.sample.index + 1 },
    RecordMember("timescale", "the timescale: the number of time units per second; missing if unknown") {
      $0.hasSeconds ? Int($0.timescale) : nil
    },
    RecordMember("decode_time", "its decode time, in units of the timescale") { Int($0.decodeTime.value) },
    RecordMember("decode_seconds", "the same in seconds, relative to the start of the presentation") { record in
      record.hasSeconds ? record.shift.map { record.relativeDecodeTime + $0 } ?? record.relativeDecodeTime : nil
    },
    RecordMember("composition_time", "its composition time (without the edit list), in units of the timescale") {
      Int($0.sample.compositionTime.value)
    },
    RecordMember(
      "presentation_seconds",
      "its presentation time (with the edit list), in seconds; missing if it is never presented"
    ) {
      record in
      record.hasSeconds ? record.sample.presentationTime.map { time in record.shift.map { time + $0 } ?? time } : nil
    },
    RecordMember("duration", "its duration, in units of the timescale") { Int($0.duration.value) },
    RecordMember("duration_seconds", "the same in seconds") { $0.hasSeconds ? $0.duration : nil },
    RecordMember("size", "its size in bytes") { $0.sample.size },
    RecordMember("offset", "the offset of its data in the file") { $0.sample.offset },
    RecordMember("keyframe", "whether it is a sync sample (decoding can start here)") { $0.sample.isSync },
    RecordMember("description", "the number of its sample description, starting at 1") { $0.sample.descriptionIndex },
    RecordMember("depends_on_others", "whether it depends on other samples; missing if that is not declared") {
      $0.dependencies.dependsOnOthers
    },
    RecordMember("is_depended_on", "whether other samples depend on it; missing if that is not declared") {
      $0.dependencies.isDependedOn
    },
    RecordMember(
      "leading",
      "whether it is a leading sample: presented before the preceding sync sample; missing if unknown"
    ) {
      $0.dependencies.leading == .unknown ? nil : $0.dependencies.leading != .no
    },
    RecordMember("file", "the name of its file") { $0.sample.source.name },
  ]
}
