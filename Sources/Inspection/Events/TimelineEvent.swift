import Bytes
public import MP4

/// Something that happens in a movie at a time of its presentation.
public struct TimelineEvent: Sendable {
  /// The kinds of events.
  public enum Kind: String, Sendable {
    /// An event message of another scheme than those below.
    case event
    /// One or more ID3 tags.
    case id3
    /// A splice information section: ANSI/SCTE 35.
    case scte35
    /// The start of a chapter.
    case chapter
    /// A timecode, which counts from there.
    case timecode
    /// The time of day at which media was produced.
    case producerTime = "producer_time"
    /// EXT-X-DATERANGE of a playlist.
    case dateRange = "date_range"
    /// EXT-X-PROGRAM-DATE-TIME of a playlist, the first one and where it does not continue.
    case programDateTime = "program_date_time"
    /// EXT-X-DISCONTINUITY of a playlist.
    case discontinuity
  }

  /// A value that was decoded.
  public struct Detail: Sendable, Equatable {
    /// The name of the field or frame in its standard.
    public let name: String
    /// What the name stands for, such as `Title` for `TIT2`; `nil` if it says so itself.
    public let label: String?
    /// The value as text.
    public let value: String
    /// What the value stands for; `nil` if it says so itself.
    public let meaning: String?

    init(_ name: String, label: String? = nil, _ value: some CustomStringConvertible, _ meaning: String? = nil) {
      (self.name, self.label, self.value, self.meaning) = (name, label, value.description, meaning)
    }
  }

  /// The ID of its track; `nil` if it is in no track.
  public var track: UInt32?
  /// What it is.
  public let kind: Kind
  /// When it is presented; `nil` if that is unknown.
  public internal(set) var time: MediaTime?
  /// How long it lasts; `nil` if that is unknown.
  public var duration: MediaTime?
  /// The URI that says what its payload means; `nil` without one.
  public var scheme: String?
  /// A value that the scheme defines; `nil` without one.
  public var value: String?
  /// The number of the message: equal messages have equal numbers; `nil` if it is no message.
  public var id: UInt32?
  /// What happens, as a sentence.
  public let summary: String
  /// The values that were decoded.
  public var details: [Detail] = []
  /// The payload, if it was not or not completely decoded; otherwise empty.
  public var payload: [UInt8] = []
  /// The payload, if it has ID3 tags; otherwise empty.
  var tags: [UInt8] = []
  /// What is wrong with its payload, in words; `nil` if nothing is known to be.
  var problem: String?
  /// The input that has the message; `nil` if that is unknown.
  var source: Int?
  /// Where it is in a presentation; `nil` in files.
  var place: Place?

  init(_ kind: Kind, at time: MediaTime?, _ summary: String) {
    (self.kind, self.time, self.summary) = (kind, time, summary)
  }
}

extension TimelineEvent.Detail: Record {
  package static let summary = "A value of an event."
  package static let members: [RecordMember<Self>] = [
    RecordMember("name", "the name of the field or frame in its standard") { $0.name },
    RecordMember("label", "a description of the name; missing if the name is self-explanatory") { $0.label },
    RecordMember("value", "the value as text") { $0.value },
    RecordMember("meaning", "the meaning of the value; missing if the value is self-explanatory") { $0.meaning },
  ]
}

extension TimelineEvent: Record {
  package static let summary = "An event at a time of the presentation."
  package static let members: [RecordMember<TimelineEvent>] = [
    RecordMember("track", "the ID of its track; missing if it is not in a track") { $0.track.map(Int.init) },
    RecordMember(
      "kind",
      "`event`, `id3`, `scte35`, `chapter`, `timecode`, `producer_time`; in playlists also `date_range`, "
        + "`program_date_time` or `discontinuity`"
    ) { $0.kind.rawValue },
    RecordMember("presentation_seconds", "its presentation time in seconds; missing if unknown") { $0.time },
    RecordMember("duration_seconds", "its duration in seconds; missing if unknown") { $0.duration },
    RecordMember("scheme", "the scheme URI that identifies the payload; missing if there is none") { $0.scheme },
    RecordMember("value", "the value, which the scheme defines; missing if there is none") { $0.value },
    RecordMember("id", "the message ID; missing if it is not a message") { $0.id.map(Int.init) },
    RecordMember("summary", "the event as a sentence") { $0.summary },
    RecordMember("details", "the decoded values, in order; objects with `name`, `label`, `value` and `meaning`") {
      $0.details
    },
    RecordMember("payload", "the payload in hexadecimal, if it was not completely decoded") {
      $0.payload.isEmpty ? nil : hexText($0.payload)
    },
  ]
}
