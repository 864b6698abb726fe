import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Damage in boxes other than samples")
struct SidecarMutationTests {
  /// Two fragments with events before them, compact sample groups, and PIFF encryption.
  private var original: [UInt8] {
    let texts = ascii("urn:x\0") + ascii("1\0")
    let numbers: [UInt32] = [1000, 100, 500, 1]
    let event = fullBox("emsg", texts, numbers.flatMap { big($0) })
    let descriptions = fullBox("sgpd", version: 1, ascii("roll"), big(UInt32(2)), big(UInt32(1)), big(Int16(-1)))
    let patterns = fullBox("csgp", flags: 0x95, ascii("roll"), big(UInt32(1)), [2, 5], [0x81, 0])
    let subsample = big(UInt16(1)) + big(UInt16(3)) + big(UInt32(9))
    let samples = (UInt8(0)..<5).flatMap { zeros(7) + [$0] + subsample }
    let userType = PIFFSampleEncryptionBox.info.userType?.bytes ?? []
    let encryption = box("uuid", userType, big(UInt32(3)), [0, 0, 1, 8], zeros(16), big(UInt32(5)), samples)
    var file = FragmentedFileBuilder([.audio()])
    for _ in 0..<2 {
      file.addBoxes(event)
      file.addFragment { $0.addTraf(2, .samples(5), boxes: descriptions + patterns + encryption) }
    }
    return file.build().bytes
  }

  @Test("Damage never makes the defragmenter trap, hang or write unreadable output")
  func mutations() throws {
    let original = original
    let boxes = try [Box](reading: MemorySource(original)).compactMap(\.header).filter { $0.type != "mdat" }
    let places = boxes.flatMap { Array($0.offset..<$0.end) }
    var options = Defragmenter.Options()
    options.reading.keepsEvents = true
    var written = 0
    let count = Effort.count(short: 40, all: 400)
    for seed in 0..<count {
      var random = SplitMix64(seed: UInt64(seed))
      var bytes = original
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let place = try #require(places.randomElement(using: &random))
        let count = Int.random(in: 1...4, using: &random)
        let values = [zeros(4), big(UInt32.max), big(UInt32(0x7fff_ffff)), random.bytes(4)]
        let value = try #require(values.randomElement(using: &random))
        bytes.replaceSubrange(place..<(place + count), with: value.prefix(count))
      }
      let clock = WorkClock()
      if let plan = try? Defragmenter(options).plan([MemorySource(bytes)]), plan.byteCount < 50_000_000 {
        let sink = MemorySink()
        try plan.write(to: sink)
        #expect(sink.bytes.count == plan.byteCount, "\(seed)")
        var parser = BoxParser(MemorySource(sink.bytes))
        while let node = try parser.next() {
          #expect(node.type != "moov" || node.problem == nil, "\(seed)")
          parser.skipBoxes()
        }
        written += 1
      }
      #expect(clock.elapsed < .seconds(5), "\(seed)")
    }
    #expect(written > count / 4)
  }
}
