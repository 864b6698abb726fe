import ISOBMFF
import Testing

@testable import MP4

@Suite("The edits of a file whose media starts at 0")
struct EditPlanTests {
  private typealias Times = EditPlan.TrackTimes
  private func track(
    _ timescale: UInt32, start: Int64?, end: Int64 = 0, _ edits: (duration: UInt64, mediaTime: Int64)...
  ) -> EditPlan.TrackTimes {
    let entries = edits.map { EditListBox.Entry(segmentDuration: $0.duration, mediaTime: $0.mediaTime) }
    return Times(timescale: timescale, movieTimescale: 1000, edits: entries, start: start, compositionEnd: end)
  }
  /// The edits of each track as pairs of duration and media time.
  private func pairs(_ plan: EditPlan) -> [[[Int64]]] {
    plan.edits.map { $0.map { [Int64(clamping: $0.segmentDuration), $0.mediaTime] } }
  }

  @Test("Tracks that start together without edits need none", arguments: [0, 100])
  func none(seconds: Int64) {
    let plan = EditPlan(
      movieTimescale: 1000,
      [track(12_800, start: seconds * 12_800, end: 5000), track(48_000, start: seconds * 48_000, end: 9000)])
    #expect(pairs(plan) == [[], []] && plan.timescale == 1000 && !plan.isRounded)
  }

  @Test("An edit of media before the first sample presents nothing, and does not become an edit of all media")
  func editBeforeStart() {
    // The second edit shows the media at 20 from the sixth unit on, 10 units after its own start.
    let plan = EditPlan(
      movieTimescale: 1000,
      [track(1000, start: 20, end: 40, (5, 0), (20, 10)), track(1000, start: 15, end: 40)])
    #expect(pairs(plan) == [[[5, -1], [10, 0]], [[5, -1], [40, 0]]])
    // Without remaining edits, all media is presented.
    #expect(pairs(EditPlan(movieTimescale: 1000, [track(1000, start: 20, end: 40, (5, 0))])) == [[[40, 0]]])
  }

  @Test("A later start becomes an empty edit followed by an edit of all media")
  func lateTrack() {
    let plan = EditPlan(
      movieTimescale: 1000, [track(1000, start: 0, end: 70), track(48_000, start: 24_000, end: 96_000)])
    #expect(pairs(plan) == [[], [[500, -1], [2000, 0]]])
  }

  @Test("The movie timescale becomes a multiple that can express each start")
  func timescale() {
    func timescale(_ movie: UInt32, _ tracks: EditPlan.TrackTimes...) -> UInt32 {
      let plan = EditPlan(movieTimescale: movie, tracks)
      #expect(!plan.isRounded)
      return plan.timescale
    }
    #expect(timescale(1000, track(12_800, start: 0), track(48_000, start: 1)) == 48_000)
    #expect(timescale(1000, track(12_800, start: 0), track(48_000, start: 1024)) == 3000)
    #expect(timescale(600, track(90_000, start: 1), track(90_000, start: 0)) == 90_000)
    // 1/44100 - 1/12800 s requires 5,644,800 units.
    #expect(timescale(1, track(44_100, start: 1), track(12_800, start: 1)) == 5_644_800)
  }

  @Test("A start that no 32-bit timescale can express is rounded, which is recorded")
  func rounded() {
    let plan = EditPlan(
      movieTimescale: 4_294_967_291, [track(4_294_967_279, start: 1), track(48_000, start: 0, end: 1)])
    #expect(plan.isRounded)
    #expect(pairs(plan)[0].first == [1, -1])
  }

  @Test("A priming edit keeps its media time, and a duration of 0 becomes the actual one")
  func priming() {
    let plan = EditPlan(
      movieTimescale: 1000,
      [track(48_000, start: 0, end: 96_000, (0, 1024)), track(12_800, start: 0, end: 26_624, (0, 1024))])
    // 94,976 of 48000 are 1978.67 ms; 25,600 of 12800 are 2 s.
    #expect(pairs(plan) == [[[1979, 1024]], [[2000, 1024]]])
  }

  @Test("The media time counts from the first sample; earlier media is removed from the edit")
  func mediaTime() {
    let late = EditPlan(movieTimescale: 1000, [track(1000, start: 5000, end: 3000, (0, 5200))])
    #expect(pairs(late) == [[[2800, 200]]])
    let cut = EditPlan(movieTimescale: 1000, [track(1000, start: 5000, end: 3000, (9000, 2000))])
    #expect(pairs(cut) == [[[6000, 0]]])
  }

  @Test("The edit of a track affects its start")
  func startByEdit() {
    // Both are presented from 10 s on: 11 s - 1 s, and 10 s.
    let same = EditPlan(
      movieTimescale: 1000, [track(1000, start: 11_000, end: 50, (0, 1000)), track(1000, start: 10_000, end: 40)])
    #expect(pairs(same) == [[[50, 0]], []])
    let later = EditPlan(
      movieTimescale: 1000, [track(1000, start: 11_000, end: 50, (0, 500)), track(1000, start: 10_000, end: 40)])
    #expect(pairs(later) == [[[500, -1], [50, 0]], []])
  }

  @Test("An empty edit and a later start are merged")
  func emptyEdit() {
    let plan = EditPlan(
      movieTimescale: 1000,
      [track(1000, start: 250, end: 80, (40, -1), (0, 0)), track(1000, start: 0, end: 9, (7, -1), (0, 2))])
    #expect(pairs(plan) == [[[290, -1], [80, 0]], [[7, -1], [7, 2]]])
  }

  @Test("Edits keep their durations in a raised timescale")
  func scaled() {
    let plan = EditPlan(
      movieTimescale: 1000,
      [track(1000, start: 0, end: 900, (300, -1), (200, 100), (100, 0)), track(48_000, start: 1, end: 48_000)])
    #expect(plan.timescale == 48_000)
    #expect(pairs(plan) == [[[14_400, -1], [9600, 100], [4800, 0]], [[1, -1], [48_000, 0]]])
  }

  @Test("A still picture keeps its duration of 0")
  func rateZero() {
    var edit = EditListBox.Entry(segmentDuration: 0, mediaTime: 10)
    edit.mediaRateInteger = 0
    let times = Times(timescale: 1000, movieTimescale: 1000, edits: [edit], start: 0, compositionEnd: 100)
    #expect(pairs(EditPlan(movieTimescale: 1000, [times])) == [[[0, 10]]])
  }

  @Test("A track without samples keeps its edits and does not delay others")
  func emptyTrack() {
    let plan = EditPlan(
      movieTimescale: 1000, [track(1000, start: nil, (5, -1)), track(1000, start: 700, end: 30)])
    #expect(pairs(plan) == [[[5, -1]], []])
  }

  @Test("Edits with extreme numbers do not overflow")
  func extremes() {
    let plan = EditPlan(
      movieTimescale: .max,
      [
        track(1, start: 1 << 61, end: .max, (.max, .max), (.max, -1), (.max, -1), (0, .min)),
        track(.max, start: 0, end: .max, (0, 0), (.max, 1)), track(7, start: 1 << 61 - 1, end: 1, (1, .max)),
      ])
    #expect(plan.edits.count == 3)
    let waits = EditPlan(
      movieTimescale: 1, [track(1, start: 1 << 61, (.max, -1), (.max, -1), (.max, -1)), track(1, start: 0)])
    #expect(waits.edits[0].count == 1)
  }
}
