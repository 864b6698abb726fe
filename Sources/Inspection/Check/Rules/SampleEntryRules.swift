import ISOBMFF
import MP4
import MP4Bytes

extension Rule {
  /// A rule for sample entries of these formats, encrypted or not.
  static func entry(
    _ id: String, _ source: RuleSource, _ severity: Diagnostic.Severity, _ formats: Set<FourCC>, _ meaning: String,
    mendedBy remedy: Remedy? = nil, _ test: @escaping @Sendable (CheckedBox, inout RuleReport) -> Void
  ) -> Rule {
    container(id, source, severity, ["stsd"], meaning, mendedBy: remedy) { box, report in
      for entry in box.boxes where formats.contains(entry.codedFormat) { test(entry, &report) }
    }
  }
  /// A rule for sample entries of these formats: each must have a box with its decoder configuration.
  static func configuration(
    _ id: String, _ source: RuleSource, _ boxes: [FourCC: FourCC], _ meaning: String
  ) -> Rule {
    entry(id, source, .error, Set(boxes.keys), meaning) { entry, report in
      guard let type = boxes[entry.codedFormat] else { return }
      // QuickTime stores the configuration of audio in `wave`.
      if entry.first(type) == nil, entry.first("wave", type) == nil {
        report.add(entry, "it has no \(type), which decoders need to decode the samples")
      }
    }
  }

  /// Rules for sample entries of all kinds.
  static let sampleEntries: [Rule] = [
    .container(
      "iso-handler-entry", .isobmff, .error, ["stsd"], "The kind of a sample entry matches the handler."
    ) { box, report in
      guard let handler = box.enclosing("mdia")?.fields("hdlr", as: HandlerBox.self)?.handlerType else { return }
      for entry in box.boxes {
        switch entry.payload {
        case is AudioSampleEntry where handler == "vide":
          report.add(entry, "it is an audio sample entry, but the handler is vide")
        case is VisualSampleEntry where handler == "soun":
          report.add(entry, "it is a video sample entry, but the handler is soun")
        default: break
        }
      }
    },
    .container("iso-entry-unknown", .isobmff, .note, ["stsd"], "The type of a sample entry is known.") { box, report in
      for entry in box.boxes where entry.definition?.isGuess ?? false {
        report.add(entry, "the code is unknown; few players decode the track")
      }
    },
    .track(
      "iso-entry-samples", .isobmff, .warning, "Samples match their sample entry."
    ) { track, movie, report in
      guard let box = movie.box(of: track) else { return }
      if let problem = movie.examined(track)?.differing {
        report.add(box, "\(problem.detail): \(problem.words(in: movie))")
      } else if case .differs(let mismatch) = try track.firstFit() {
        report.add(box, mismatch.description)
      } else if let problem = movie.examined(track)?.otherChannels {
        report.add(box, "its audio has a different number of channels: \(problem.words(in: movie))")
      }
    }.explained(by: "iso-samples-zero"),
    .configuration(
      "text-webvtt-configuration", .text, ["wvtt": "vttC"], "A WebVTT sample entry has the WebVTT header (vttC)."),
    .entry("text-ttml-namespace", .text, .error, ["stpp"], "A TTML sample entry has a namespace.") {
      entry, report in
      guard let fields = entry.payload as? XMLSubtitleSampleEntry, fields.namespace.description.isEmpty else { return }
      report.add(entry, "namespace is empty")
    },
    .entry(
      "text-handler", .text, .warning, ["wvtt", "stpp"],
      "The handler is text for WebVTT tracks and subt for TTML tracks."
    ) {
      entry, report in
      guard let handler = entry.enclosing("mdia")?.fields("hdlr", as: HandlerBox.self)?.handlerType else { return }
      let expected: FourCC = entry.type == "wvtt" ? "text" : "subt"
      if handler != expected { report.add(entry, "the handler is \(handler), not \(expected)") }
    },
    .entry(
      "text-tx3g-fonts", .timedText, .warning, ["tx3g"], "A 3GPP timed text sample entry has a font table."
    ) { entry, report in
      if entry.first("ftab") == nil { report.add(entry, "it has no ftab") }
    },
    .container(
      "quicktime-timecode-reference", .quickTime, .warning, ["tref"], "A tmcd reference points to a timecode track."
    ) { box, report in
      guard let reference = box.first("tmcd"), let ids = (reference.payload as? TrackReferenceTypeBox)?.trackIDs,
        let movie = box.enclosing("moov")
      else { return }
      for track in movie.all("trak") {
        guard let id = track.fields("tkhd", as: TrackHeaderBox.self)?.trackID, ids.contains(id) else { continue }
        let handler = track.fields("mdia", "hdlr", as: HandlerBox.self)?.handlerType
        if let handler, handler != "tmcd" {
          report.add(reference, "it points to track \(id), whose handler is \(handler)")
        }
      }
    },
    .container(
      "quicktime-timecode-entry", .quickTime, .error, ["stsd"], "The sample entries of a timecode track are tmcd."
    ) { box, report in
      guard box.enclosing("mdia")?.fields("hdlr", as: HandlerBox.self)?.handlerType == "tmcd" else { return }
      for entry in box.boxes where entry.type != "tmcd" && entry.type != "tc64" {
        report.add(entry, "it is in a timecode track but is not tmcd")
      }
    },
    .entry(
      "quicktime-timecode-rate", .quickTime, .warning, ["tmcd"],
      "The number of frames of a timecode format is its rate, rounded up."
    ) { entry, report in
      guard let fields = entry.payload as? TimecodeSampleEntry, let rate = fields.framesPerSecond,
        rate != Int(fields.numberOfFrames)
      else { return }
      report.add(
        entry,
        "number_of_frames is \(fields.numberOfFrames), but time_scale \(fields.timeScale) and frame_duration "
          + "\(fields.frameDuration) are those of \(rate)")
    },
  ]
}

extension CheckedBox {
  /// The format of the samples, even if the entry is encrypted.
  var codedFormat: FourCC {
    let original = fields("sinf", "frma", as: OriginalFormatBox.self) ?? fields("rinf", "frma")
    return original?.dataFormat ?? type
  }
  /// The payload of a box of an entry, or of QuickTime's `wave` in it.
  func configuration<Payload: BoxPayload>(_ type: FourCC, as _: Payload.Type) -> Payload? {
    fields(type, as: Payload.self) ?? fields("wave", type, as: Payload.self)
  }
}

extension Track {
  /// The first sample at which decoding can start, with its description; `nil` if there is none.
  func firstSync() -> (sample: Sample, configuration: DecoderConfiguration)? {
    guard let sample = samples.first(where: \.isSync) else { return nil }
    let index = sample.descriptionIndex - 1
    guard decoderConfigurations.indices.contains(index) else { return nil }
    return (sample, decoderConfigurations[index])
  }
  /// Whether the first samples match their description. At most 64 KiB of the first sync sample are read.
  func firstFit() throws(MovieError) -> DecoderConfiguration.Fit {
    guard let (sample, configuration) = firstSync() else { return .unknown }
    var starts = [try sample.bytes(1 << 16)[...]]
    // A single audio sample is not conclusive; several are compared.
    if handler == "soun" {
      for next in samples[sample.index...].prefix(DecoderConfiguration.sampleLimit).dropFirst() {
        starts.append(try next.bytes(16)[...])
      }
    }
    return configuration.fit(of: starts, size: sample.size)
  }
}
