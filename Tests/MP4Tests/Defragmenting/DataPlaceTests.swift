import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

/// Rows 1 to 5 and 7 of the rules: the position of the data of a track run.
@Suite("Positions of track run data")
struct DataPlaceTests {
  @Test("Row 1: default-base-is-moof counts from the moof for every traf")
  func defaultBaseIsMoof() throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    file.addFragments(3)
    check(try .defragmenting(file.build().bytes), file.build())
  }

  @Test("Row 2: without a base, a later traf counts from the end of the previous one's data")
  func noBase() throws {
    var file = FragmentedFileBuilder([.video(), .audio(), .text()])
    for _ in 0..<3 {
      file.addFragment { fragment in
        for track: UInt32 in [1, 2, 3] {
          fragment.addTraf(track) {
            $0.base = .none
            $0.addRun(.samples(3))
            $0.addRun(.samples(2), dataOffset: .absent)
          }
        }
      }
    }
    check(try .defragmenting(file.build().bytes), file.build())
  }

  @Test("Row 2: a later traf without a base and data offset follows the previous one's data")
  func noBaseNoOffset() throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    file.addFragment { fragment in
      fragment.addTraf(1) {
        $0.base = .none
        $0.addRun(.samples(3))
      }
      fragment.addTraf(2) {
        $0.base = .none
        $0.addRun(.samples(3), dataOffset: .absent)
      }
    }
    check(try .defragmenting(file.build().bytes), file.build())
  }

  @Test("Row 3: an explicit base counts from the start of the file", arguments: [true, false])
  func explicitBase(countsFromData: Bool) throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    for _ in 0..<3 {
      file.addFragment { fragment in
        for track: UInt32 in [1, 2] {
          fragment.addTraf(track) {
            $0.base = countsFromData ? .explicitData : .explicit
            $0.addRun(.samples(4), dataOffset: countsFromData ? .absent : .explicit)
          }
        }
      }
    }
    let built = file.build()
    check(try .defragmenting(built.bytes), built)
    // In segments, the base counts from the start of each segment file.
    check(try .defragmenting(named([built.initialization] + built.segments)), built)
  }

  @Test("Row 3: segments that were cut from a file without correcting their bases can be read")
  func explicitBaseOfWholeFile() throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    for _ in 0..<4 {
      file.addFragment { fragment in
        for track: UInt32 in [1, 2] {
          fragment.addTraf(track) {
            $0.base = .explicit
            $0.addRun(.samples(3))
          }
        }
      }
    }
    let built = file.build()
    check(try .defragmenting(named([built.initialization] + cut(built))), built)
  }

  @Test(
    "Row 3: explicit bases that are outdated by an inserted box count from the moof, with a warning",
    arguments: [8, 24, 5000],
    [TrackFragmentSpec.Base.explicit, .moof])
  func insertedBox(size: Int, otherBase: TrackFragmentSpec.Base) throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    for _ in 0..<3 {
      file.addFragment { fragment in
        for track: UInt32 in [1, 2] {
          fragment.addTraf(track) {
            $0.base = track == 1 ? .explicit : otherBase
            $0.addRun(.samples(4))
          }
        }
      }
    }
    let built = file.build()
    let inserted = box("uuid", zeros(size - 8))
    let changed = built.initialization + inserted + built.bytes[built.initialization.count...]
    let result = try Output.defragmenting([MemorySource(changed, name: "in")])
    check(result, built)
    #expect(
      result.texts(.warning) == [
        "in: the base data offset of 3 fragments, the first at byte \(built.initialization.count + size), is out of "
          + "date, as if a box had been inserted; the data was located relative to the start of the fragment"
      ])
    // Joining corrects them.
    let joined = try Output.joining([
      MemorySource(changed, name: "in"), MemorySource(built.initialization + built.segments[0], name: "again"),
    ])
    #expect(joined.texts(.warning).first?.hasPrefix("in: the base data offset of 3 fragments") == true)
    check(try .defragmenting([MemorySource(Array(joined.bytes.prefix(changed.count)), name: "joined")]), built)
  }

  @Test("Row 3: fragments with right bases are not affected by one with a wrong base")
  func oneInsertedBox() throws {
    var file = FragmentedFileBuilder([.video()])
    for index in 0..<3 {
      file.addFragment { fragment in
        fragment.addTraf(1) {
          $0.base = index == 2 ? .explicit : .moof
          $0.addRun(.samples(4))
        }
      }
    }
    let built = file.build()
    let last = built.initialization.count + built.segments[0].count + built.segments[1].count
    let changed = built.bytes[..<last] + box("free", zeros(16)) + built.bytes[last...]
    let result = try Output.defragmenting(Array(changed))
    check(result, built)
    #expect(result.texts(.warning).count == 1 && result.texts(.warning)[0].contains("of 1 fragment, the first"))
  }

  @Test("Row 4: runs without data offset follow the previous run")
  func laterRuns() throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    for _ in 0..<2 {
      file.addFragment { fragment in
        for track: UInt32 in [1, 2] {
          fragment.addTraf(track) {
            $0.addRun(.samples(3))
            $0.addRun(.samples(2), dataOffset: .absent)
            $0.addRun(.samples(4), dataOffset: .absent)
          }
        }
      }
    }
    check(try .defragmenting(file.build().bytes), file.build())
  }

  @Test("Row 5: data before its moof, 64-bit sizes and a size of 0 at the end are read")
  func mediaDataForms() throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    for header: FragmentSpec.MediaDataHeader in [.compact, .large, .toEnd] {
      file.addFragment { fragment in
        fragment.order = header == .toEnd ? .movieFragmentFirst : .mediaDataFirst
        fragment.mediaDataHeader = header
        fragment.addTraf(1, .samples(3))
        fragment.addTraf(2, .samples(3))
      }
    }
    let built = file.build()
    #expect(built.bytes.count > 0 && number(built.bytes, built.bytes.count - dataSize(built, last: 6) - 8) == 0)
    check(try .defragmenting(built.bytes), built)
  }

  @Test("Row 7: a run without samples has no effect")
  func emptyRuns() throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    for _ in 0..<2 {
      file.addFragment { fragment in
        fragment.addTraf(1) {
          $0.addRun([])
          $0.addRun(.samples(3))
          $0.addRun([])
          $0.addRun(.samples(1))
        }
        fragment.addTraf(2) { $0.addRun([]) }
      }
    }
    file.addFragment { $0.addTraf(2, .samples(3)) }
    let built = file.build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    // Two chunks of the two fragments with video, one of the audio.
    #expect(result[1]?.chunkCount == 2 && result[2]?.chunkCount == 1)
  }

  @Test("Runs whose data is in another order, with unused bytes between them, are found")
  func dataOrder() throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    for _ in 0..<2 {
      file.addFragment { fragment in
        fragment.dataOrder = [(1, 1), (0, 1), (1, 0), (0, 0)]
        for track: UInt32 in [1, 2] {
          fragment.addTraf(track) {
            $0.addRun(.samples(2), unusedBytesBefore: 5)
            $0.addRun(.samples(3), unusedBytesBefore: 1)
          }
        }
      }
    }
    let built = file.build()
    let result = try Output.defragmenting(built.bytes)
    check(result, built)
    // Bytes that belong to no sample are not copied.
    let payload = built.samples.values.joined().reduce(0) { $0 + $1.payload.count }
    let media = try #require(result.movie.tracks.flatMap(\.places).map(\.lowerBound).min())
    #expect(result.bytes.count - media == payload)
  }

  /// The sum of the sizes of the last `count` samples.
  private func dataSize(_ built: BuiltFile, last count: Int) -> Int {
    let places = built.places.values.joined().sorted { $0.lowerBound < $1.lowerBound }
    return places.suffix(count).reduce(0) { $0 + $1.count }
  }
}

/// The file cut into segments without any changes.
func cut(_ built: BuiltFile) -> [[UInt8]] {
  var start = built.initialization.count
  return built.segments.map { segment in
    defer { start += segment.count }
    return Array(built.bytes[start..<start + segment.count])
  }
}
