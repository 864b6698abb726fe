import ISOBMFF
import MP4
import MP4Bytes
package import MP4Records

/// A property of two movies, or of a track of each.
public struct ComparedProperty: Sendable {
  /// Its name, such as `bit rate`.
  public let name: String
  /// The ID of the track of the first movie; `nil` for properties of movies, and if there is no such track.
  public let track: UInt32?
  /// The ID of the track of the other movie.
  public let otherTrack: UInt32?
  /// The kind of the tracks, such as `video`; `nil` for properties of movies.
  public let kind: String?
  /// Its value in the first movie as text; `nil` if there is none.
  public let value: String?
  /// Its value in the other movie as text; `nil` if there is none.
  public let otherValue: String?
  /// The amounts, in thousandths of bytes, bits per second, seconds and so on; `nil` for other properties.
  let amounts: (Int, Int)?

  /// Whether both values are equal.
  public var isSame: Bool { value == otherValue }

  /// The increase from the first to the other amount, in thousandths; `nil` for other properties.
  var change: Int? {
    guard let amounts, amounts.0 > 0, !isSame else { return nil }
    let change = (Double(amounts.1) / Double(amounts.0) - 1) * 1000
    return change < 1e15 ? Int(change.rounded()) : nil
  }
}

/// A property with its value in one movie or track.
struct PropertyValue {
  let name: String
  let text: String?
  /// In thousandths; `nil` if it is not an amount.
  let amount: Int?

  init(_ name: String, _ text: String?) { (self.name, self.text, amount) = (name, text, nil) }
  /// A property in bytes.
  init(_ name: String, bytes: Int?) {
    self.name = name
    text = bytes.map { $0 < 1000 ? "\($0) B" : "\($0) B (\(Quantity.text($0, "B")))" }
    amount = bytes.flatMap(Self.thousandths)
  }
  /// A property in bits per second.
  init(_ name: String, rate: Int?) {
    self.name = name
    text = rate.map { Quantity.text($0, "b/s") }
    amount = rate.flatMap(Self.thousandths)
  }
  init(_ name: String, count: Int?) {
    self.name = name
    text = count.map { "\($0)" }
    amount = count.flatMap(Self.thousandths)
  }
  init(_ name: String, time: MediaTime?) {
    self.name = name
    text = time?.clock
    amount = time.map { Int($0.converted(to: 1000).value) }
  }

  private static func thousandths(_ number: Int) -> Int? {
    let (product, overflow) = number.multipliedReportingOverflow(by: 1000)
    return overflow ? nil : product
  }
}

extension MovieSummary {
  /// The compared properties of movies.
  var properties: [PropertyValue] {
    let brands = BrandName.codes(major: majorBrand, brands).joined(separator: ", ")
    let start = presented?.lowerBound
    return [
      PropertyValue("size", bytes: byteCount), PropertyValue("duration", time: duration),
      PropertyValue("bit rate", rate: bitRate), PropertyValue("layout", layoutWords),
      PropertyValue("start", layout == .fragmented ? start?.clock : nil),
      PropertyValue("brands", brands.isEmpty ? nil : brands),
      PropertyValue("chapters", count: chapters.count), PropertyValue("covers", count: covers.count),
    ] + metadata.entries.map { PropertyValue($0.name.lowercased(), $0.value) }
  }
  private var covers: [Metadata.Cover] { metadata.covers }
}

extension TrackSummary {
  /// The compared properties of tracks.
  var properties: [PropertyValue] {
    [
      PropertyValue("size", bytes: samples.byteCount), PropertyValue("bit rate", rate: samples.bitRate),
      PropertyValue("highest bit rate", rate: samples.peakBitRate), PropertyValue("codec", codecName),
      PropertyValue("codec string", codec.isEmpty ? nil : codec),
    ] + (video.map { $0.properties + groupProperties } ?? []) + (audio?.properties ?? []) + [
      PropertyValue("duration", time: samples.duration),
      PropertyValue(video == nil ? "samples" : "frames", count: samples.count),
      PropertyValue("language", role.language), PropertyValue("name", role.name),
      PropertyValue("edit list", edits.isEmpty ? nil : edits.map(\.words).joined(separator: ", then ")),
      PropertyValue("starts at", presented?.lowerBound.clock), PropertyValue("timecode", timecode),
      PropertyValue("encryption", encryption?.words),
    ]
  }

  private var groupProperties: [PropertyValue] {
    [
      PropertyValue("keyframes", count: samples.keyframeCount),
      PropertyValue("GOP", samples.groups?.words ?? "all keyframes"),
      PropertyValue("open GOPs", count: samples.groups?.openCount ?? 0),
    ]
  }
}

extension TrackSummary.Video {
  fileprivate var properties: [PropertyValue] {
    let (size, rates) = (displaySize ?? codedSize, frameRates.map { "\($0.lowerBound.text) to \($0.upperBound.text)" })
    return [
      PropertyValue("resolution", "\(codedSize.width)x\(codedSize.height)"),
      PropertyValue("shown as", "\(size.width)x\(size.height)"),
      PropertyValue("frame rate", frameRate.map { $0.text + (rates.map { " (\($0))" } ?? "") }),
      PropertyValue("rotation", rotation.map { "\($0)" }), PropertyValue("dynamic range", dynamicRangeWords),
      PropertyValue("scan", scan ?? "progressive"),
      PropertyValue("bit depth", bitDepth.map { "\($0)" }), PropertyValue("chroma", chroma),
      PropertyValue("colors", colors?.words), PropertyValue("Dolby Vision", dolbyVision?.words),
      PropertyValue("mastering display", masteringDisplay?.words), PropertyValue("light level", lightLevel?.words),
    ]
  }
}

extension TrackSummary.Audio {
  fileprivate var properties: [PropertyValue] {
    [
      PropertyValue("channels", layout), PropertyValue("sample rate", sampleRate.map { "\($0) Hz" }),
      PropertyValue("HE-AAC signalling", extensionSignalling), PropertyValue("priming", priming?.milliseconds),
      PropertyValue("padding", padding?.milliseconds),
    ]
  }
}

extension ComparedProperty: Record {
  /// A percentage with a sign.
  private struct Percentage: RecordValue {
    let thousandths: Int
    static var schema: RecordSchema { .type("number") }
    func write(to json: inout JSONWriter) { writeCell(to: &json.out) }
    func writeCell(to text: inout TextBuffer) {
      if thousandths < 0 { text.byte(UInt8(ascii: "-")) }
      text.text(Quantity.decimal(UInt64(thousandths.magnitude), 1))
    }
  }

  package static let summary = "A property of two movies, or of a track of each."
  package static let members: [RecordMember<ComparedProperty>] = [
    RecordMember("property", "the name of the property, such as `bit rate`") { $0.name },
    RecordMember("track", "the ID of the track of the first file; missing for properties of files") {
      $0.track.map { Int($0) }
    },
    RecordMember("other_track", "the ID of the track of the second file; missing for properties of files") {
      $0.otherTrack.map { Int($0) }
    },
    RecordMember("kind", "the kind of the tracks, such as `video`; missing for properties of files") { $0.kind },
    RecordMember("same", "whether the values are the same") { $0.isSame },
    RecordMember("value", "the value in the first file as text; missing if there is none") { $0.value },
    RecordMember("other_value", "the value in the second file as text; missing if there is none") { $0.otherValue },
    RecordMember("number", "the first value in bytes, bits per second, seconds, or as a count; missing for text") {
      $0.amounts.map { Decimal($0.0, 3) }
    },
    RecordMember("other_number", "the second value in the same unit") { $0.amounts.map { Decimal($0.1, 3) } },
    RecordMember(
      "change_percent",
      "the change from the first to the second value in percent; missing if they are the same, or text"
    ) {
      $0.change.map { Percentage(thousandths: $0) }
    },
  ]
}
