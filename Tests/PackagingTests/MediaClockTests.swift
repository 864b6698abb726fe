import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import MP4Packaging
import Support
import Testing

@Suite struct MediaClockTests {
  /// A transport stream packet with the start of a PES packet with this time.
  private func packet(stream: UInt8, time: UInt64, adaptation: Int = 0) -> [UInt8] {
    var packet: [UInt8] = [0x47, 0x40, 0x11, adaptation > 0 ? 0x30 : 0x10]
    if adaptation > 0 { packet += [UInt8(adaptation - 1)] + [UInt8](repeating: 0, count: adaptation - 1) }
    packet += [0, 0, 1, stream, 0, 0, 0x80, 0x80, 5]
    packet += [
      UInt8(0x21 | time >> 29 & 0xe), UInt8(time >> 22 & 0xff), UInt8(1 | time >> 14 & 0xfe), UInt8(time >> 7 & 0xff),
      UInt8(1 | time << 1 & 0xfe),
    ]
    return packet + [UInt8](repeating: 0xff, count: 188 - packet.count)
  }
  private func start(_ bytes: [UInt8]) -> MediaTime? { MediaClock.start(of: MemorySource(bytes), initialization: nil) }

  @Test("A transport stream starts with the first timestamp of its video, or without video, of its audio")
  func transportStream() {
    let tables: [UInt8] = [0x47, 0x40, 0, 0x10, 0] + [UInt8](repeating: 0xff, count: 183)
    let (sound, picture) = (packet(stream: 0xc0, time: 1), packet(stream: 0xe0, time: 0x1_2345_6789, adaptation: 30))
    #expect(start(tables + sound + picture) == MediaTime(0x1_2345_6789, 90_000))
    #expect(start(tables + sound) == MediaTime(1, 90_000))
    #expect(start(tables) == nil && start([0x47]) == nil && start([]) == nil)
    for end in 0...188 { _ = start(Array((picture + picture).prefix(188 + end))) }
    for length in 0...255 {
      var broken = picture
      broken[4] = UInt8(length)
      _ = start(broken)
    }
  }

  @Test("Packed audio starts with the time in its tag")
  func packedAudio() {
    let owner = Array("com.apple.streaming.transportStreamTimestamp\0".utf8)
    let tag: [UInt8] = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 63] + Array("PRIV".utf8) + [0, 0, 0, 53, 0, 0] + owner
    #expect(start(tag + [0, 0, 0, 0, 0, 0x0d, 0xbb, 0xa0]) == MediaTime(900_000, 90_000))
    #expect(start(tag + [0, 0]) == nil && start(Array("ID3".utf8)) == nil)
  }

  @Test("MP4 segments start at their first presented sample in both profiles", arguments: [nil, MediaTime(10, 1)])
  func fragments(offset: MediaTime?) throws {
    for name in ["progressive.mp4", "fragmented.mp4"] {
      let source = MemorySource(try readFile(vectorPath("files/\(name)")))
      var fragmenter = Fragmenter()
      if let offset { fragmenter.options.profile = .apple(timeOffset: offset) }
      fragmenter.options.cutting = .interval(MediaTime(2, 1))
      let plan = try fragmenter.plan(try Movie(reading: [source]))
      let (initialization, first, second) = (MemorySink(), MemorySink(), MemorySink())
      try plan.writeInitialization(to: initialization)
      try plan.writeSegment(0, to: first)
      try plan.writeSegment(1, to: second)
      let starts = [first, second].map {
        MediaClock.start(of: MemorySource($0.bytes), initialization: MemorySource(initialization.bytes))
      }
      let zero = plan.segments[0].start
      #expect(
        starts[0] == MediaTime((offset?.value ?? 0) * Int64(zero.timescale) + zero.value, zero.timescale), "\(name)")
      #expect(starts[1].map { $0 > MediaTime(1, 1) } == true)
    }
  }
}
