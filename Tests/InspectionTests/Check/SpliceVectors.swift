import MP4Bytes
import Support

extension RuleVector {
  /// Splice information with a changed last byte.
  static let splices: [RuleVector] = [
    RuleVector("scte35-emsg", { [("a.mp4", messages(section))] }, { [("a.mp4", messages(damaged))] }),
    RuleVector("scte35-track", { [("a.mp4", try track(section))] }, { [("a.mp4", try track(damaged))] }),
  ]

  /// The first example in ANSI/SCTE 35, 14, in hexadecimal.
  static let splice =
    "FC3034000000000000FFFFF00506FE72BD0050001E021C435545494800008E7FCF0001A599B00808000000002CA0A18A3402009AC9D17E"
  private static let section = stride(from: 0, to: splice.utf8.count, by: 2).compactMap { place in
    UInt8(splice.dropFirst(place).prefix(2), radix: 16)
  }
  private static let damaged: [UInt8] = Array(section.dropLast()) + [0]

  /// A file with an event message before its fragment.
  private static func messages(_ section: [UInt8]) -> [UInt8] {
    var file = FragmentedFileBuilder([.audio()])
    file.addBoxes(
      fullBox(
        "emsg", ascii("urn:scte:scte35:2013:bin\0\0"), big(UInt32(48_000)), zeros(4), big(UInt32(48_000)),
        big(UInt32(1)), section))
    file.addFragment { $0.addTraf(2, .samples(48)) }
    return file.build().bytes
  }
  /// A file with a track whose samples are event messages.
  private static func track(_ section: [UInt8]) throws -> [UInt8] {
    let message = fullBox(
      "emib", zeros(4), zeros(8), big(UInt32(500)), big(UInt32(1)), ascii("urn:scte:scte35:2013:bin\0\0"), section)
    var track = TrackSpec.text(id: 3)
    (track.handler, track.timescale) = ("meta", 1000)
    track.sampleEntries = [box("evte", zeros(6), big(UInt16(1)))]
    var file = FragmentedFileBuilder([track])
    file.addFragment { $0.addTraf(3, .samples(1, size: UInt32(message.count), duration: 500)) }
    let built = file.build()
    var bytes = built.bytes
    if let place = built.places[3]?.first { bytes.replaceSubrange(place, with: message) }
    return bytes
  }
}
