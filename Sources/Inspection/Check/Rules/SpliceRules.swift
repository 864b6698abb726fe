import ISOBMFF
import MP4
import MP4Bytes
import MP4HLS
import MP4Presentations

extension Rule {
  /// Splice information (SCTE-35) in event messages, event tracks and playlists.
  static let splices: [Rule] = [
    .box(
      "scte35-emsg", .splice, .error, ["emsg"],
      "SCTE-35 messages in emsg boxes are complete and have correct checksums."
    ) { (message: EventMessageBox, box, report) in
      let payload = EventPayload(message.messageData[...], scheme: message.schemeIDURI.description)
      if let problem = payload.problem { report.add(box, "the SCTE-35 message \(message.id) is damaged: \(problem)") }
    },
    .track(
      "scte35-track", .splice, .error,
      "SCTE-35 messages in event tracks are complete and have correct checksums."
    ) { track, movie, report in
      let isEvents = track.decoderConfigurations.contains { $0.format == "evte" }
      let isSplices = MetadataSamples.scheme(of: track)?.hasPrefix("urn:scte:scte35:") ?? false
      guard isEvents || isSplices, let box = movie.box(of: track) else { return }
      var samples = MetadataSamples(file: "")
      try samples.read(track)
      for event in samples.events {
        guard let problem = event.problem else { continue }
        let time = event.time.map { " at \($0)" } ?? ""
        report.add(
          "the SCTE-35 message\(time) is damaged: \(problem)", path: box.path, offset: box.node.header.offset)
      }
    },
    .playlist(
      "hls-date-range-splice", .hls("4.4.5.1"), .error,
      "SCTE-35 messages in EXT-X-DATERANGE are complete and have correct checksums."
    ) { playlist, _, report in
      guard let media = playlist.playlist.playlist else { return }
      var number = 0
      for lines in [media.header] + media.segments.map(\.lines) + [media.trailer] {
        for line in lines {
          number += 1
          guard case .tag(.dateRange, .attributes(let list)) = line.content else { continue }
          let range = DateRange(attributes: list)
          let messages = [
            ("SCTE35-CMD", range.scte35Command), ("SCTE35-OUT", range.scte35Out), ("SCTE35-IN", range.scte35In),
          ]
          for case (let name, let bytes?) in messages {
            let payload = EventPayload(bytes[...], scheme: "urn:scte:scte35:2013:bin")
            if let problem = payload.problem {
              report.add("\(name) of \"\(range.id)\" is damaged: \(problem)", line: number)
            }
          }
        }
      }
    },
  ]
}
