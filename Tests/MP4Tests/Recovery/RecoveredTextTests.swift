import ISOBMFF
import MP4
import MP4Bytes
import Support
import Testing

@Suite("Recovery of files with text")
struct RecoveredTextTests {
  @Test("Text between pictures is found, and no picture or audio sample is taken for text")
  func timedText() throws {
    let original = try readFile(vectorPath("files/progressive.mp4"))
    // Texts with pauses, which have a length of 0, follow the media as one chunk.
    var track = ProgressiveTrack()
    let texts: [[UInt8]] = [[], ascii("Hello world"), [], ascii("Zweite Zeile"), []]
    track.samples = texts.map { big(UInt16($0.count)) + $0 }
    track.entry = box("tx3g", zeros(6), big(UInt16(1)), zeros(30), box("ftab", zeros(2)))
    let file = original + box("mdat", track.samples.flatMap(\.self))
    let sink = MemorySink()
    try MovieEditor(MemorySource(file))
      .appending(Box("trak", bytes: track.boxes(addedToBytes: original.count)), to: "moov").write(to: sink)
    let whole = sink.bytes
    let boxes = try [Box](reading: MemorySource(whole))
    let broken = boxes.filter { $0.type != "moov" }.compactMap(\.header).flatMap { whole[$0.offset..<$0.end] }
    let recovery = try Recovery(
      of: MemorySource(broken, name: "broken.mp4"), like: MemorySource(whole, name: "good.mp4"))
    let output = MemorySink()
    try recovery.write(to: output)
    let (before, after) = (try SampleReader.read(whole), try SampleReader.read(output.bytes))
    for (id, samples) in before.samples {
      #expect(after.samples[id]?.map(\.payload) == samples.map(\.payload), "track \(id)")
    }
  }
}
