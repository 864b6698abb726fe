import ISOBMFF
import MP4Bytes
import MP4FileIO
import Support
import Testing

@testable import MP4

/// Before anything is written, the planned fragments are read with our own reader.
@Suite("Fragments that would be read differently are refused")
struct FragmentReadBackTests {
  private func reason(_ bytes: [UInt8], _ profile: FragmentProfile = .cmaf) -> String? {
    let error = #expect(throws: MovieError.self) {
      _ = try Fragmenter(.with { $0.profile = profile }).plan(Movie(reading: [MemorySource(bytes, name: "in.mp4")]))
    }
    #expect(error == .impossible(file: "in.mp4", Obstacle("unreadable_output", "")))
    return error?.reason
  }

  @Test("An impossible decode time")
  func decodeTime() {
    // An empty edit of so many seconds, then all of the media.
    let rows = [(UInt64(1) << 62, Int64(-1)), (0, 0)].flatMap { big($0.0) + big($0.1) + big(UInt32(0x1_0000)) }
    let list = fullBox("elst", version: 1, big(UInt32(2)), rows)
    let late = TrackSpec.sound(4).with(\.boxes, ["trak": box("edts", list)])
    let expected = "fragment 1: track 2: its decode time cannot be written"
    #expect(reason(progressive([late], movieTimescale: 1).bytes)?.contains(expected) == true)
  }

  @Test("A composition offset of more than 32 bits after the first one")
  func compositionOffset() {
    var track = TrackSpec.pictures(2, offsets: [Int64(Int32.max), Int64(Int32.min)])
    for index in track.samples.indices { track.samples[index].duration = .max }
    let expected = "the composition offset of sample 2 cannot be written"
    #expect(reason(progressive([track]).bytes, .cmf2)?.contains(expected) == true)
  }

  @Test("A fragment with a changed box is refused, or read without a difference")
  func changes() throws {
    let bytes = progressive([.pictures(3, group: 2, offsets: [512, 1024]), .sound(3)]).bytes
    let plan = try Fragmenter().plan(Movie(reading: [MemorySource(bytes, name: "in.mp4")]))
    let fragment = try #require(plan.fragments.first?.first)
    let sink = MemorySink()
    try plan.write(to: sink)
    let samples = try SampleReader.read(sink.bytes).samples
    let start = plan.initialization.byteCount
    for place in 0..<fragment.moofSize {
      for bits: UInt8 in [0x02, 0x80] {
        var changed = sink.bytes
        changed[start + place] ^= bits
        let readBack = try FragmentReadBack(plan.initialization, plan.writer.tracks, of: "in.mp4")
        do throws(MovieError) {
          try readBack.check(fragment, as: MemorySource(Array(changed[start...])))
        } catch { continue }
        let read = try? SampleReader.read(changed).samples
        #expect(read.map { difference(samples, $0) == nil } == true, "byte \(place) by \(bits)")
      }
    }
  }
}
