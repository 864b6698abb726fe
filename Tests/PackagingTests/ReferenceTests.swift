import ISOBMFF
import MP4
import MP4FileIO
import MP4HLS
import MP4Packaging
import Support
import Testing

@Suite("Movie fragments that are used unchanged")
struct ReferenceTests {
  static let usable = [
    "fragmented.mp4", "global-sidx.mp4", "hevc-fragmented.mp4", "negative-cts.mp4", "prft.mp4", "separate-moof.mp4",
    "hls",
    "video", "audio",
  ]

  @Test(
    "Ranges of an input contain all its samples with their times, and no media is written", arguments: usable, [1, 3])
  func ranges(name: String, duration: Int64) throws {
    let source = try PackagerVectorTests.files(name)
    let package = try Package([source]) {
      $0.storage = .referenced
      $0.segmentDuration = MediaTime(duration, 1)
    }
    #expect(package.files.keys.allSatisfy { $0.hasSuffix(".m3u8") } && package.folders.count == 1)
    let whole = try SampleReader.read(source.flatMap { $0 })
    let played = try SampleReader.read(package.bytes(of: package.folders[0]))
    #expect(played.presented == whole.presented)
    #expect(played.tracks.map { $0.samples.map(\.payload) } == whole.tracks.map { $0.samples.map(\.payload) })
    #expect(played.tracks.map { $0.samples.map(\.decodeTime) } == whole.tracks.map { $0.samples.map(\.decodeTime) })
  }

  /// A track with one fragment for each of these sample counts.
  private func fragmented(
    _ track: TrackSpec, _ counts: [Int], _ change: (inout FragmentSpec, Int) -> Void = { _, _ in }
  )
    -> [[UInt8]]
  {
    var builder = FragmentedFileBuilder([track.with(\.samples, [])])
    var rest = track.samples[...]
    for (index, count) in counts.enumerated() {
      var fragment = FragmentSpec()
      fragment.trafs = [TrackFragmentSpec(track.id, [RunSpec(Array(rest.prefix(count)))])]
      rest = rest.dropFirst(count)
      change(&fragment, index)
      builder.parts.append(.fragment(fragment))
    }
    return [builder.build().bytes]
  }
  private func reference(_ movies: [[[UInt8]]], seconds: Int64 = 6) throws -> Package {
    try Package(movies) {
      $0.storage = .referenced
      $0.segmentDuration = MediaTime(seconds, 1)
    }
  }
  private func refusal(_ input: [[UInt8]]) -> Obstacle? {
    do { _ = try reference([input]) } catch { return (error as? MovieError)?.obstacle }
    return nil
  }

  @Test("Segments start where a fragment starts with a sync sample, and are longer if there are few")
  func cutting() throws {
    let input = fragmented(.pictures(300, group: 30), [30, 10, 50, 60, 30, 30, 90])
    let package = try reference([input], seconds: 1)
    // The third fragment begins within a GOP.
    #expect(try package.durations("video-90") == [1_200_000, 2_400_000, 2_400_000, 1_200_000, 1_200_000, 3_600_000])
  }

  @Test("Inputs that players cannot use unchanged are refused with the reason")
  func refusals() {
    let pictures = TrackSpec.pictures(100)
    #expect(
      refusal(fragmented(pictures.with(\.samples, Array(pictures.samples.dropFirst(5))), [95]))?.code
        == "fragment_without_sync")
    #expect(refusal([progressive(pictures)])?.description.hasSuffix("its moov has samples") == true)
    #expect(
      refusal(fragmented(pictures, [50, 50]) { fragment, _ in fragment.trafs[0].base = .explicit })?.code
        == "other_base")
    #expect(
      refusal(fragmented(pictures, [50, 50]) { fragment, _ in fragment.trafs[0].tfdt = .absent })?.description
        .hasSuffix("a movie fragment has no decode time (tfdt)") == true)
    #expect(
      refusal(fragmented(pictures, [50, 50]) { fragment, _ in fragment.order = .mediaDataFirst })?.code
        == "data_elsewhere")
    #expect(
      refusal(
        fragmented(pictures, [50, 50]) { fragment, index in fragment.trafs[0].decodeTime = index == 0 ? 90_000 : 0 }
      )?.description.hasSuffix("its movie fragments are not in time order") == true)
  }

  @Test("Keyframes with their own fragments are ranges too, others are a file on request")
  func keyFrames() throws {
    let alone = fragmented(.pictures(75), [1, 24, 1, 24, 1, 24])
    let package = try reference([alone], seconds: 1)
    #expect(Set(package.files.keys) == ["master.m3u8", "video-90/index.m3u8", "video-90/iframes.m3u8"])
    #expect(try package.playlist("video-90/iframes.m3u8").segments.count == 3)
    #expect(try package.main.iFrameVariants.count == 1)
    let together = fragmented(.pictures(75), [25, 25, 25])
    let without = try reference([together], seconds: 1)
    #expect(without.files.count == 2 && without.plan.diagnostics.contains { "\($0)".contains("no I-frame playlist") })
    let copied = try Package([together]) {
      $0.storage = .referenced
      $0.copiesKeyFrames = true
    }
    #expect(copied.files["video-90/iframes.mp4"] != nil)
  }

  @Test("Times of an input do not change, including those of copied keyframes")
  func start() throws {
    let late = fragmented(.pictures(75), [25, 25, 25]) { fragment, index in
      fragment.trafs[0].decodeTime = index == 0 ? 9_000_000 : nil
    }
    let package = try Package([late]) {
      $0.storage = .referenced
      $0.copiesKeyFrames = true
    }
    let frames = try SampleReader.read(#require(package.files["video-90/iframes.mp4"]))
    let source = try SampleReader.read(late[0])
    #expect(frames.presentationStart == source.presentationStart && package.warnings == [])
  }

  @Test("An incomplete fragment at the end is omitted with a message, damage before it is refused")
  func cutOff() throws {
    let whole = fragmented(.pictures(100), [25, 25, 25, 25])[0]
    let short = try reference([[Array(whole.dropLast(100))]], seconds: 1)
    #expect(try short.durations("video-90") == [1_000_000, 1_000_000, 1_000_000])
    #expect(short.warnings.contains { $0.hasSuffix("is cut off; omitted") })
    // The first of them declares more samples than there is data for.
    var damaged = whole
    let first = try #require(BoxOutline.all(in: whole).first { $0.type == "mdat" }).range.lowerBound
    damaged[first + 3] &-= 8
    #expect(refusal([damaged]) != nil)
  }

  @Test("Several inputs are separate renditions, cut like the first")
  func several() throws {
    let video = fragmented(.pictures(300, group: 50), [50, 50, 50, 50, 50, 50])
    let sound = fragmented(.sound(12, "eng"), Array(repeating: 47, count: 11) + [46])
    let package = try reference([video, sound], seconds: 4)
    #expect(package.folders == ["video-90", "audio-en"])
    #expect(try package.durations("video-90") == [4_000_000, 4_000_000, 4_000_000])
    #expect(try package.durations("audio-en").count == 3)
    #expect(try package.main.variants.map(\.audio) == ["audio-1"])
  }

  // MARK: Copies

  @Test("Fragments that start with segments are copied byte for byte, and cut again on request")
  func copies() throws {
    let counts = [50, 50, 50, 50, 50, 50]
    let input = fragmented(TrackSpec.pictures(300, group: 50).with(\.trackDuration, 7), counts)
    for duration in [2, 4] as [Int64] {
      for storage in [Packager.Storage.separateFiles, .singleFile] {
        let package = try Package([input]) {
          $0.segmentDuration = MediaTime(duration, 1)
          $0.storage = storage
        }
        #expect(package.plan.renditions[0].fragments.sourceFragments == .copied)
        #expect(package.plan.diagnostics.contains { "\($0)".hasSuffix("at segment boundaries; copied") })
        let file = try package.bytes(of: "video-90")
        let types = Set(["moof", "mdat"])
        func bytes(_ file: [UInt8]) throws -> [[UInt8]] {
          try BoxOutline.all(in: file).filter { types.contains($0.type) }.map(\.payload)
        }
        #expect(try bytes(file) == bytes(input[0]))
        let tkhd = try #require(BoxOutline.all(in: file).first { $0.type == "moov" }?.all("trak", "tkhd").first)
        #expect(tkhd.payload[20..<24].allSatisfy { $0 == 0 })
      }
    }
    let recut = try Package([input]) { $0.copiesFragments = false }
    #expect(recut.plan.renditions[0].fragments.sourceFragments == .remuxed)
  }

  @Test("Media that has to be repaired or moved is cut again")
  func notCopied() throws {
    let pictures = TrackSpec.pictures(300, group: 50)
    let half = fragmented(pictures, [75, 75, 75, 75])
    let gap = fragmented(pictures, Array(repeating: 50, count: 6)) {
      if $1 == 1 { $0.trafs[0].decodeTime = 1_000_000 }
    }
    let late = fragmented(pictures, Array(repeating: 50, count: 6)) {
      if $1 == 0 { $0.trafs[0].decodeTime = 9_000_000 }
    }
    let base = fragmented(pictures, Array(repeating: 50, count: 6)) { fragment, _ in
      fragment.trafs[0].base = .explicit
    }
    for input in [half, gap, base] {
      let package = try Package([input]) { $0.segmentDuration = MediaTime(2, 1) }
      #expect(package.plan.renditions[0].fragments.sourceFragments == .remuxed)
    }
    let moved = try Package([late]) { $0.segmentDuration = MediaTime(2, 1) }
    #expect(moved.plan.renditions[0].fragments.sourceFragments == .copied)
    let apple = try Package([fragmented(pictures, [150, 150])]) {
      ($0.profile, $0.timeOffset) = (.apple, MediaTime(10, 1))
    }
    #expect(apple.plan.renditions[0].fragments.sourceFragments == .remuxed)
  }

  // MARK: Keys

  @Test("The key of all renditions is in the multivariant playlist, unless it is unknown")
  func sessionKey() throws {
    let package = try Package([try PackagerVectorTests.files("encrypted-cenc.mp4")]) {
      $0.key = .init(uri: "skd://movie", format: "com.example", formatVersions: "1/2")
    }
    let keys = try package.main.sessionKeys
    #expect(keys.count == 1 && keys[0].method == .sampleAESCTR && keys[0].uri == "skd://movie")
    #expect(keys[0].keyFormat == "com.example" && keys[0].keyFormatVersions == "1/2")
    #expect(try Package([try PackagerVectorTests.files("encrypted-cenc.mp4")]).main.sessionKeys.isEmpty)
    let clear = try Package([try PackagerVectorTests.files("progressive.mp4")]) { $0.key = .init(uri: "skd://movie") }
    #expect(try clear.main.sessionKeys.isEmpty)
  }
}
