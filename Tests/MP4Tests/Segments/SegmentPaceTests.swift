import ISOBMFF
import MP4
import Support
import Testing

@Suite("Rules for the duration of segments")
struct SegmentPaceTests {
  /// Segments of video with a sync sample every `group` pictures of 40 ms.
  private func counts(_ pictures: Int, group: Int, _ pace: SegmentPace) throws -> [Int] {
    try FragmentedOutput(progressive([.pictures(pictures, group: group)]).bytes) { $0.cutting = .paced(pace) }.counts()
  }

  @Test("The first sync sample after the duration, the nearest one, or the last one within it")
  func rules() throws {
    // Sync samples every 1.2 s; 2 s are nearer to 2.4 than to 1.2.
    #expect(try counts(150, group: 30, SegmentPace(time(2), .minimum)) == [60, 60, 30])
    #expect(try counts(150, group: 30, SegmentPace(time(2), .nearest)) == [60, 60, 30])
    #expect(try counts(150, group: 30, SegmentPace(time(2), .maximum)) == [30, 30, 30, 30, 30])
    #expect(try counts(150, group: 30, SegmentPace(time(0, 1700), .nearest)) == [30, 30, 30, 30, 30])
    #expect(try counts(150, group: 30, SegmentPace(time(0, 2400), .maximum)) == [60, 60, 30])
    #expect(try counts(150, group: 30, SegmentPace(time(0, 2500), .maximum)) == [60, 60, 30])
    // The end of the media counts like a sync sample.
    #expect(try counts(110, group: 50, SegmentPace(time(4), .maximum)) == [100, 10])
    #expect(try counts(120, group: 50, SegmentPace(time(0, 4500), .maximum)) == [100, 20])
  }

  @Test("A group of pictures that is longer than the maximum is kept whole, and a note reports it")
  func longGroups() throws {
    let output = try FragmentedOutput(progressive([.pictures(250, group: 100)]).bytes) {
      $0.cutting = .paced(SegmentPace(time(3), .maximum))
    }
    #expect(output.counts() == [100, 100, 50])
    #expect(
      output.texts(.note).contains { $0.contains("2 segments are longer than requested") }, "\(output.texts(.note))")
  }

  @Test("A segment starts at the first sync sample at or after a break, however short the one before it is")
  func breaks() throws {
    func counts(_ breaks: [MediaTime], _ rule: SegmentPace.Rule = .minimum) throws -> [Int] {
      try self.counts(250, group: 25, SegmentPace(time(4), rule, breaks: breaks))
    }
    #expect(try counts([]) == [100, 100, 50])
    #expect(try counts([time(1)]) == [25, 100, 100, 25])
    #expect(try counts([time(0, 1001)]) == [50, 100, 100])
    #expect(try counts([time(1), time(2)]) == [25, 25, 100, 100])
    // Two breaks before one sync sample, and breaks outside the media.
    #expect(try counts([time(0), time(0, 1100), time(0, 1900), time(99)]) == [50, 100, 100])
    #expect(try counts([time(0, 4500)], .maximum) == [100, 25, 100, 25])
  }
}
