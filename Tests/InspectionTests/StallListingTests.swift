import ISOBMFF
import MP4
import MP4Bytes
import MP4Inspection
import Support
import Testing

@Suite("Stalls of reordered pictures")
struct StallListingTests {
  /// A track at 25 pictures per second with pictures at these numbers, decoded in the order I P B B P B B.
  private func movie(_ numbers: [Int]) throws -> Movie {
    let sink = MemorySink()
    let writer = MovieWriter(fragmentsTo: sink)
    var entry = VisualSampleEntry()
    (entry.width, entry.height) = (16, 16)
    let track = try writer.add(MovieWriter.Track(Box(entry, type: "jpeg"), timescale: 25, handler: "vide"))
    var decoded = [0]
    for start in stride(from: 1, to: numbers.count, by: 3) {
      let end = min(start + 3, numbers.count)
      decoded += [end - 1] + (start..<(end - 1))
    }
    // Encoders decode at the times of the pictures in presentation order.
    for (place, picture) in decoded.enumerated() {
      let next = place + 1 < numbers.count ? numbers[place + 1] : numbers[place] + 1
      try writer.append(
        [UInt8(numbers[picture])], to: track, duration: MediaTime(Int64(next - numbers[place]), 25),
        compositionOffset: MediaTime(Int64(numbers[picture] - numbers[place]), 25), isSync: place == 0)
    }
    try writer.finish()
    return try Movie(reading: [MemorySource(sink.bytes)])
  }

  @Test("The picture that is seen for long is named, not the one whose decoding takes long", arguments: 55...62)
  func gap(start: Int) throws {
    let movie = try movie(Array(0...start) + Array((start + 13)..<150))
    let track = movie.tracks[0]
    let stalls = StallListing(movie).stalls
    #expect(stalls.map(\.kind) == [.longSample])
    let stall = try #require(stalls.first)
    #expect(stall.time == MediaTime(Int64(start), 25) && stall.duration == MediaTime(13, 25))
    #expect(try track.samples[try #require(stall.sample) - 1].bytes() == [UInt8(start)])
    #expect(try MovieSummary(movie).tracks[0].video?.longCount == 1)
    // It is the one that is listed for a time in the gap.
    var selection = SampleListing.Selection()
    selection.times = MediaTime(Int64(start) + 6, 25)..<MediaTime(Int64(start) + 7, 25)
    var found: [UInt8] = []
    try SampleListing(movie, selection).forEach(of: track) { found += (try? $0.bytes()) ?? [] }
    #expect(found == [UInt8(start)])
  }

  @Test("A constant rate has no stalls, however pictures are reordered")
  func even() throws {
    #expect(try StallListing(movie(Array(0..<150))).stalls.isEmpty)
  }
}
