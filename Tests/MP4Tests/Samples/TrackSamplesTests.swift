import ISOBMFF
import MP4Bytes
import Testing

@testable import MP4

@Suite("Samples of a track, chosen and joined")
struct TrackSamplesTests {
  /// Two fragments of three samples each. There is a gap between them, and samples 2 to 4 of 6 are in the group with
  /// this description.
  private func samples(inGroup description: [UInt8]) throws -> TrackSamples {
    var given = TimelineFragments()
    given.add(at: 0, durations: [10, 10, 10], size: 100)
    given.add(at: 40, durations: [10, 10, 10], size: 200)
    var groups = SampleGroupDescriptionBox()
    groups.entries = [SampleGroupDescriptionBox.Entry(description: description)]
    let track = TrackDescription(
      id: 1, timescale: 100, handler: "vide", edits: [], defaults: TrackExtendsBox(), alternateGroup: 0,
      hasSamples: false, externalDescriptions: [], groupDescriptions: [groups])
    var table = FragmentTable()
    _ = table.add(MovieDescription(box: Box("moov", boxes: []), timescale: 100, tracks: [track]))
    var members = SampleToGroupBox()
    members.groupingType = "roll"
    var local = SampleGroups.Local([])
    for (number, runs) in [[(1, 0), (2, 1)], [(1, 1)]].enumerated() {
      members.entries = BoxTable(
        runs.map { count, index in
          var entry = SampleToGroupBox.Entry()
          (entry.sampleCount, entry.groupDescriptionIndex) = (UInt32(count), UInt32(index))
          return entry
        })
      let own = try #require(table.information[0].groups.add(GroupMembers(members), &local))
      given.fragments[number].information.groups = [own]
    }
    (table.samples, table.trackFragments) = ([given.samples], given.fragments)
    return TrackSamples(try given.timeline(), table, track: 0, ranks: [0, 1])
  }

  private func groups(_ samples: TrackSamples) -> [UInt8?] {
    (0..<samples.list.count).map { samples.details.groups(of: $0).first?.description.first }
  }
  private func durations(_ samples: TrackSamples) -> [Int64] {
    (0..<samples.list.count).map { samples.list.duration($0) }
  }

  @Test("A gap extends the last sample of a run")
  func runs() throws {
    let all = try samples(inGroup: [1])
    #expect(all.runs.map(\.first) == [0, 3] && all.runs.map(\.stretch) == [10, 0])
    #expect(durations(all) == [10, 10, 20, 10, 10, 10])
    #expect(groups(all) == [nil, 1, 1, 1, nil, nil])
  }

  @Test("A part of a run keeps its extension only with its last sample")
  func choice() throws {
    let all = try samples(inGroup: [1])
    var chosen = TrackSamples(timescale: 100, all.details.groupDescriptions)
    chosen.append(all, 1..<2, stretch: 5, TrackSamples.Change(rank: 4))
    chosen.append(all, 2..<5, TrackSamples.Change(rank: 8))
    chosen.measure()
    #expect(chosen.runs.map(\.first) == [0, 1, 2] && chosen.runs.map(\.stretch) == [5, 10, 0])
    #expect(chosen.runs.map(\.rank) == [4, 8, 9])
    #expect(durations(chosen) == [15, 20, 10, 10] && chosen.list.compositionEnd == 55)
    #expect(groups(chosen) == [1, 1, 1, nil])
  }

  @Test("A replaced sample keeps its duration, its groups and its place")
  func replacement() throws {
    var all = try samples(inGroup: [1])
    var sample = SampleColumns()
    sample.append(duration: 20, size: 7, flags: 0, compositionOffset: 0, at: 50)
    all.replace([(2, sample)], source: 3)
    #expect(all.runs.map(\.first) == [0, 2, 3] && all.runs.map(\.source) == [0, 3, 0])
    #expect(all.runs.map(\.rank) == [0, 0, 1] && all.runs.map(\.stretch) == [0, 10, 0])
    #expect(durations(all) == [10, 10, 20, 10, 10, 10] && all.list.size(2) == 7 && all.list.columns.offset(2) == 50)
    #expect(groups(all) == [nil, 1, 1, 1, nil, nil])
  }

  @Test("Descriptions of groups and samples get new numbers in another track")
  func joining() throws {
    let (first, second) = (try samples(inGroup: [1]), try samples(inGroup: [2]))
    var joined = TrackSamples(timescale: 100, first.details.groupDescriptions)
    for (number, part) in [first, second].enumerated() {
      let change = TrackSamples.Change(
        rank: 2 * number, source: number, descriptions: [UInt32(number + 1)], groups: joined.merge(part))
      joined.append(part, 0..<6, change)
    }
    joined.measure()
    #expect(joined.runs.map(\.source) == [0, 0, 1, 1] && joined.runs.map(\.descriptionIndex) == [1, 1, 2, 2])
    #expect(joined.runs.map(\.rank) == [0, 1, 2, 3])
    #expect(groups(joined) == [nil, 1, 1, 1, nil, nil, nil, 2, 2, 2, nil, nil])
  }
}
