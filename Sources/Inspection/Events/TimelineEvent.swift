public import MP4
import MP4Bytes
package import MP4Records

/// An event of a movie at a presentation time.
public struct TimelineEvent: Sendable {
  /// The kinds of events.
  public enum Kind: String, Sendable {
    /// An event message of a scheme without a case below.
    case event
    /// One or more ID3 tags.
    case id3
    /// A splice information section: ANSI/SCTE 35.
    case scte35
    /// The start of a chapter.
    case chapter
    /// A timecode from which counting continues.
    case timecode
    /// A text of closed captions.
    case caption
    /// The wall-clock time at which media was produced.
    case producerTime = "producer_time"
    /// EXT-X-DATERANGE of a playlist.
    case dateRange = "date_range"
    /// EXT-X-PROGRAM-DATE-TIME of a playlist: the first one, and those that do not continue the previous one.
    case programDateTime = "program_date_time"
    /// EXT-X-DISCONTINUITY of a playlist.
    case discontinuity
  }

  /// A decoded value.
  public struct Detail: Sendable, Equatable {
    /// The name of the field or frame in its standard.
    public let name: String
    /// The meaning of the name, such as `Title` for `TIT2`; `nil` if the name is self-explanatory.
    public let label: String?
    /// The value as text.
    public let value: String
    /// The meaning of the value; `nil` if it is self-explanatory.
    public let meaning: String?

    init(_ name: String, label: String? = nil, _ value: some CustomStringConvertible, _ meaning: String? = nil) {
      (self.name, self.label, self.value, self.meaning) = (name, label, value.description, meaning)
    }
  }

  /// The ID of its track; `nil` if it is not in a track.
  public var track: UInt32?
  /// The kind of event.
  public let kind: Kind
  /// Its presentation time; `nil` if unknown.
  public internal(set) var time: MediaTime?
  /// Its duration; `nil` if unknown.
  public var duration: MediaTime?
  /// The URI that identifies the format of its payload; `nil` if there is none.
  public var scheme: String?
  /// A value that the scheme defines, or the channel of captions; `nil` if there is none.
  public var value: String?
  /// The message ID: equal messages have equal IDs; `nil` for other events.
  public var id: UInt32?
  /// A sentence that describes it.
  public let summary: String
  /// The decoded values.
  public var details: [Detail] = []
  /// The payload, unless it was decoded completely; otherwise empty.
  public var payload: [UInt8] = []
  /// The payload, if it consists of ID3 tags; otherwise empty.
  var tags: [UInt8] = []
  /// A problem with its payload, in words; `nil` if none is known.
  var problem: String?
  /// The input that contains the message; `nil` if unknown.
  var source: Int?
  /// Its place in a presentation; `nil` in files.
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
      "`event`, `id3`, `scte35`, `chapter`, `timecode`, `caption` or `producer_time`; in playlists also `date_range`, "
        + "`program_date_time` or `discontinuity`"
    ) { $0.kind.rawValue },
    RecordMember("presentation_seconds", "its presentation time in seconds; missing if unknown") { $0.time },
    RecordMember("duration_seconds", "its duration in seconds; missing if unknown") { $0.duration },
    RecordMember("scheme", "the scheme URI that identifies the payload; missing if there is none") { $0.scheme },
    RecordMember(
      "value", "the value, which the scheme defines; of captions, the channel, such as `CC1`; missing if there is none"
    ) { $0.value },
    RecordMember("id", "the message ID; missing if it is not a message") { $0.id.map(Int.init) },
    RecordMember("summary", "the event in one line of text") { $0.summary },
    RecordMember("details", "the decoded values, in order; objects with `name`, `label`, `value` and `meaning`") {
      $0.details
    },
    RecordMember("payload", "the payload in hexadecimal, if it was not completely decoded") {
      $0.payload.isEmpty ? nil : hexText($0.payload)
    },
  ]
}
