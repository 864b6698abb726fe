import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Joining")
struct JoinTests {
  /// `count` segments with styp, each with four video and four audio samples.
  static func file(_ count: Int, change: (inout FragmentedFileBuilder) -> Void = { _ in }) -> FragmentedFileBuilder {
    var file = FragmentedFileBuilder([.video(), .audio().with(\.timescale, 25_600)])
    change(&file)
    for _ in 0..<count {
      file.startSegment()
      file.addBoxes(box("styp", ascii("msdh"), zeros(4)))
      file.addFragments(1)
    }
    return file
  }
  /// The init segment, then the segments in this order, named by their position in time.
  static func sources(_ built: BuiltFile, _ order: [Int]) -> [any ByteSource] {
    [MemorySource(built.initialization, name: "init.mp4")]
      + order.map { MemorySource(built.segments[$0], name: "seg\($0 + 1).m4s") }
  }

  @Test("Ordered segments are concatenated byte for byte, without diagnostics")
  func concatenation() throws {
    let built = Self.file(12).build()
    for order: Joiner.Order in [.time, .given] {
      let result = try Output.joining(Self.sources(built, Array(0..<12)), order: order)
      #expect(result.bytes == built.bytes && result.diagnostics == [])
    }
    #expect(difference(built.samples, try SampleReader.samples(built.bytes)) == nil)
  }

  @Test("A segment without a decode time stays after the previous one")
  func withoutTime() throws {
    var file = Self.file(0)
    for index in 0..<4 {
      file.startSegment()
      file.addFragment { fragment in
        for track: UInt32 in [1, 2] {
          fragment.addTraf(track) {
            $0.addRun(.samples(4))
            if index == 2 { $0.tfdt = .absent }
          }
        }
      }
    }
    let built = file.build()
    let result = try Output.joining(Self.sources(built, [3, 1, 2, 0]))
    #expect(result.bytes == built.bytes)
  }

  @Test("A whole file and the segments after it can be joined, too")
  func wholeFirst() throws {
    let built = Self.file(4).build()
    let whole = MemorySource(built.initialization + built.segments[0] + built.segments[1], name: "whole.mp4")
    let result = try Output.joining([whole] + Self.sources(built, [3, 2])[1...])
    #expect(result.bytes == built.bytes)
  }

  @Test("Unordered segments are sorted by time, which is reported")
  func anyOrder() throws {
    let built = Self.file(12).build()
    let orders: [[Int]] = [
      Array((0..<12).reversed()),
      // As a shell expands seg*.m4s.
      (0..<12).sorted { String($0 + 1) < String($1 + 1) }, [5, 3, 1, 0, 2, 4, 11, 10, 9, 8, 7, 6],
    ]
    for order in orders {
      let result = try Output.joining(Self.sources(built, order))
      #expect(result.bytes == built.bytes)
      #expect(result.diagnostics.map(\.severity) == [.note])
      #expect(result.texts(.note) == ["init.mp4: segments were sorted by decode time"])
    }
  }

  @Test("`given` keeps the order")
  func given() throws {
    let built = Self.file(3).build()
    let result = try Output.joining(Self.sources(built, [0, 2, 1]), order: .given)
    #expect(result.bytes == built.initialization + built.segments[0] + built.segments[2] + built.segments[1])
  }

  @Test("Segments with the same time are sorted by sequence number")
  func sequenceNumbers() throws {
    // Audio and video in separate segments; the audio segments have the lower numbers.
    var file = FragmentedFileBuilder([.video(), .audio().with(\.timescale, 25_600)])
    for index in 0..<3 {
      for track: UInt32 in [2, 1] {
        file.addFragment { fragment in
          fragment.sequenceNumber = UInt32(index * 2) + (track == 2 ? 1 : 2)
          fragment.addTraf(track, .samples(4))
        }
      }
    }
    let built = file.build()
    for order in [[0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0], [1, 3, 5, 0, 2, 4], [1, 0, 2, 5, 4, 3]] {
      #expect(try Output.joining(Self.sources(built, order)).bytes == built.bytes, "\(order)")
    }
  }

  @Test("Segments with the same time and number are sorted naturally by name")
  func names() throws {
    let built = Self.file(1).build()
    func source(_ name: String, _ content: UInt8) -> any ByteSource {
      MemorySource(built.segments[0] + box("free", [content]), name: name)
    }
    let names = ["a10.m4s", "a2.m4s", "a1.m4s", "a02b.m4s"]
    let sources = names.enumerated().map { source($1, UInt8($0)) }
    let result = try Output.joining([MemorySource(built.initialization)] + sources)
    let order = payloads(of: "free", in: result.bytes).map { names[Int($0[0])] }
    #expect(order == ["a1.m4s", "a2.m4s", "a02b.m4s", "a10.m4s"])
  }

  @Test("32-bit decode times that wrap around do not move the end to the front")
  func wrap() throws {
    var file = FragmentedFileBuilder([.video()])
    for index: UInt64 in 0..<6 {
      file.addFragment { fragment in
        fragment.addTraf(1) {
          $0.tfdt = .version0
          $0.decodeTime = 1 << 32 - 6144 + index * 2048
          $0.addRun(.samples(4))
        }
      }
    }
    let built = file.build()
    for order in [[0, 1, 2, 3, 4, 5], [3, 4, 5, 0, 1, 2], [5, 0, 4, 1, 3, 2]] {
      let result = try Output.joining(Self.sources(built, order))
      #expect(result.bytes == built.bytes, "\(order)")
      #expect(result.diagnostics.allSatisfy { $0.severity == .note })
    }
    check(try .defragmenting(Output.joining(Self.sources(built, [4, 2, 0, 1, 3, 5])).bytes), built)
  }

  @Test("Overlapping segments of two takes are sorted by name and stay together, with a warning")
  func takes() throws {
    let first = Self.file(4).build()
    let second = Self.file(4) { $0.seed = 2 }
    var shifted = second
    // The second take starts 1000/12800 s later, so that sorting would interleave the segments.
    for index in shifted.parts.indices {
      if case .fragment(var fragment) = shifted.parts[index], index < 4 {
        fragment.trafs[0].decodeTime = 1000
        fragment.trafs[1].decodeTime = 2000
        shifted.parts[index] = .fragment(fragment)
      }
    }
    let other = shifted.build()
    let one = Self.sources(first, [0, 1, 2, 3])
    let two = other.segments.enumerated().map { MemorySource($1, name: "take2-\($0 + 1).m4s") }
    let mixed = [one[0], two[1], one[2], one[4], two[0], one[1], two[3], one[3], two[2]]
    let result = try Output.joining(mixed)
    #expect(result.bytes == first.bytes + other.segments.joined())
    #expect(
      result.texts(.warning).first
        == "init.mp4: the segments overlap in time, like two recordings; sorted by name")
  }

  @Test("Two takes that overlap only at the end of one and the start of the other stay together")
  func overlappingEnds() throws {
    let first = Self.file(4).build()
    var second = Self.file(4) { $0.seed = 2 }
    let place = try #require(second.parts.firstIndex { if case .fragment = $0 { true } else { false } })
    guard case .fragment(var fragment) = second.parts[place] else { return }
    // A little more than two segments of 2048 units of video before the end, so that sorting would interleave the
    // segments.
    (fragment.trafs[0].decodeTime, fragment.trafs[1].decodeTime) = (4596, 8192)
    second.parts[place] = .fragment(fragment)
    let other = second.build()
    let two = other.segments.enumerated().map { MemorySource($1, name: "take2-\($0 + 1).m4s") }
    let result = try Output.joining(Self.sources(first, [0, 1, 2, 3]) + two)
    #expect(result.bytes == first.bytes + other.segments.joined())
  }

  @Test("Segments of two takes with identical times stay together too, and are not reported as duplicates")
  func equalTakes() throws {
    let first = Self.file(3).build()
    let second = first.segments.enumerated().map { index, segment in segment + box("free", [UInt8(index)]) }
    let two = second.enumerated().map { MemorySource($1, name: "take2-\($0 + 1).m4s") }
    let result = try Output.joining(Self.sources(first, [0, 1, 2]) + two)
    #expect(result.bytes == first.bytes + second.joined())
    #expect(
      result.texts(.warning).first
        == "init.mp4: the segments overlap in time, like two recordings; sorted by name")
    #expect(!result.texts(.warning).contains { $0.contains("duplicate") })
  }

  @Test("A join in any order is defragmented to the same samples")
  func defragmented() throws {
    let built = Self.file(5).build()
    let joined = try Output.joining(Self.sources(built, [4, 0, 3, 1, 2]))
    check(try .defragmenting(joined.bytes), built)
    check(try .defragmenting(Self.sources(built, [4, 0, 3, 1, 2])), built)
  }

  @Test("The segments of the vectors are sorted and equal ffmpeg's source")
  func vectors() throws {
    let names = ["init.mp4"] + (1...12).map { "segment\($0).m4s" }
    let files = try names.map { MemorySource(try readFile(vectorPath("files/hls/" + $0)), name: $0) }
    let result = try Output.joining([files[0]] + files[1...].sorted { $0.name < $1.name })
    #expect(result.bytes == files.flatMap(\.bytes))
  }
}
