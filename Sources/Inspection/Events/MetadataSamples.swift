import BoxCatalog
import ISOBMFF
import MP4
import MP4Bytes

/// The events in the samples of metadata tracks.
struct MetadataSamples {
  /// The maximum size of a sample, and of all samples together.
  private static let sampleLimit = 1 << 20
  private static let limit = 1 << 26
  /// The sample entries of tracks whose samples can contain events.
  private static let formats: Set<FourCC> = ["evte", "urim", "mett", "metx"]

  /// Identifies an event, because an event message track repeats it in every sample in which it is active.
  private struct Identity: Hashable {
    let track: UInt32
    let time: MediaTime?
    let scheme: [UInt8]
    let value: [UInt8]
    let id: UInt32
    let data: [UInt8]
  }

  private(set) var events: [TimelineEvent] = []
  private(set) var diagnostics: [Diagnostic] = []
  private let file: String
  private var byteCount = 0
  private var seen: Set<Identity> = []

  init(file: String) { self.file = file }

  /// Reads the samples of a track.
  mutating func read(_ track: Track) throws(MovieError) {
    guard track.decoderConfigurations.contains(where: { Self.formats.contains($0.format) }), byteCount <= Self.limit
    else { return }
    let scheme = Self.scheme(of: track)
    var (largeCount, damagedCount) = (0, 0)
    for sample in track.samples {
      guard sample.size <= Self.sampleLimit else {
        largeCount += 1
        continue
      }
      byteCount += sample.size
      guard byteCount <= Self.limit else {
        let text = "the samples of metadata tracks exceed \(Self.limit >> 20) MiB; the rest is skipped"
        diagnostics.append(Diagnostic(.error, file, text))
        break
      }
      let bytes = try sample.bytes(sample.size)
      guard bytes.count == sample.size, readBoxes(bytes[...], sample, track) || read(bytes, sample, track, scheme)
      else {
        damagedCount += 1
        continue
      }
    }
    for (count, problem) in [(largeCount, "larger than 1 MiB"), (damagedCount, "damaged")] where count > 0 {
      let text = "track \(track.id): \(counted(count, "sample is", "samples are")) \(problem); skipped"
      diagnostics.append(Diagnostic(.error, file, text))
    }
  }

  /// Reads a sample that consists of boxes.
  ///
  /// - Returns: Whether it consists of boxes and is not damaged.
  private mutating func readBoxes(_ bytes: ArraySlice<UInt8>, _ sample: Sample, _ track: Track) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let size = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      guard rest.count >= 8, 8...rest.count ~= size else { return false }
      let (type, payload) = (
        String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self), rest.prefix(size).dropFirst(8)
      )
      rest = rest.dropFirst(size)
      switch type {
      case "emib":
        guard let box = try? EventMessageInstanceBox(decoding: payload) else { return false }
        var message = EventMessageBox()
        (message.schemeIDURI, message.value, message.id) = (box.schemeIDURI, box.value, box.id)
        (message.messageData, message.eventDuration) = (box.messageData, box.eventDuration)
        let delta = MediaTime(box.presentationTimeDelta, track.timescale)
        append(message, sample.presentationTime.map { $0 + delta }, timescale: track.timescale, track)
      case "emsg":
        guard let message = try? EventMessageBox(decoding: payload) else { return false }
        let delta = MediaTime(Int64(message.presentationTimeDelta), message.timescale)
        let time = MediaTime(Int64(clamping: message.presentationTime), message.timescale)
        let start = message.version == 0 ? sample.presentationTime.map { $0 + delta } : time - track.mediaStart
        append(message, start, timescale: message.timescale, track)
      case "emeb": break
      default: return false
      }
    }
    return true
  }

  private mutating func append(_ message: EventMessageBox, _ time: MediaTime?, timescale: UInt32, _ track: Track) {
    let identity = Identity(
      track: track.id, time: time, scheme: message.schemeIDURI.bytes, value: message.value.bytes, id: message.id,
      data: message.messageData)
    guard seen.insert(identity).inserted else { return }
    let duration = message.eventDuration == .max ? nil : MediaTime(Int64(message.eventDuration), timescale)
    var event = TimelineEvent(message, at: time, lasting: duration)
    event.track = track.id
    events.append(event)
  }

  /// Reads a sample that consists of a payload. Samples that are neither ID3 nor splice information, such as positions,
  /// are not events.
  ///
  /// - Returns: Whether it is undamaged.
  private mutating func read(_ bytes: [UInt8], _ sample: Sample, _ track: Track, _ scheme: String?) -> Bool {
    guard track.decoderConfigurations.first?.format != "evte" else { return false }
    let payload = EventPayload(bytes[...], scheme: scheme ?? "")
    guard payload.kind != .event else { return true }
    var event = TimelineEvent(payload, scheme: scheme, data: bytes, at: sample.presentationTime)
    (event.track, event.duration) = (track.id, sample.duration)
    events.append(event)
    return true
  }

  /// The URI in a metadata sample entry; `nil` if there is none.
  static func scheme(of track: Track) -> String? {
    let entry = track.box.first(in: ["mdia", "minf", "stbl", "stsd"])?.boxes.first
    guard let box = entry?.first("uri "), box.header?.payload.count ?? 0 <= 1 << 16,
      let payload = try? box.payload(from: track.boxSource, registry: .standard)?.get(),
      case .text(let uri)? = payload["theURI"]
    else { return nil }
    return uri.description
  }
}
