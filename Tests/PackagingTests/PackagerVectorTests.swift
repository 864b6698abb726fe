import MP4
import MP4HLS
import MP4Packaging
import Support
import Testing

@Suite("Packages of the vectors")
struct PackagerVectorTests {
  static let names = [
    "base-data-offset.mp4", "encrypted-cenc.mp4", "fragmented.mp4", "global-sidx.mp4", "hevc-fragmented.mp4",
    "hybrid.mp4", "ismv.ismv", "negative-cts.mp4", "omit-tfhd-offset.mp4", "pcm.mov", "prft.mp4",
    "progressive-moov-last.mp4", "progressive.mov", "progressive.mp4", "separate-moof.mp4", "hls", "video", "audio",
  ]
  /// The files of a vector, in order.
  static func files(_ name: String) throws -> [[UInt8]] {
    let path = vectorPath("files/\(name)")
    if !namesInFolder(path).isEmpty {
      let count = namesInFolder(path).filter { $0.hasPrefix("segment") }.count
      return try (["init.mp4"] + (1...count).map { "segment\($0).m4s" }).map { try readFile("\(path)/\($0)") }
    }
    return [try readFile(path)]
  }

  @Test(
    "Files have the planned sizes, no rule is broken, and segments and keyframes equal the source",
    arguments: Effort.some(names, short: 6), [Packager.Storage.separateFiles, .singleFile])
  func everything(name: String, storage: Packager.Storage) throws {
    let source = try Self.files(name)
    let samples = try SampleReader.read(source.flatMap { $0 }).tracks
    for isMuxed in [false, true] {
      for profile in [Packager.Profile.hls, .cmaf, .apple] {
        for duration in [1, 6] as [Int64] {
          let package = try Package([source]) {
            $0.storage = storage
            $0.isMuxed = isMuxed
            $0.profile = profile
            $0.segmentDuration = MediaTime(duration, 1)
          }
          let written = try package.folders.flatMap { try SampleReader.read(package.bytes(of: $0)).tracks }
          #expect(written.map { $0.samples.map(\.payload) } == samples.map { $0.samples.map(\.payload) })
          #expect(written.map { $0.samples.map(\.isSync) } == samples.map { $0.samples.map(\.isSync) })
          #expect(package.folders.count == (isMuxed ? 1 : samples.count))
          let sounds = isMuxed ? 0 : samples.filter { $0.handler == "soun" }.count
          #expect(try package.main.renditions.count == (name == "audio" ? 1 : sounds))
        }
      }
    }
  }

  @Test("All vectors of one kind are a presentation with many variants")
  func together() throws {
    let names = ["progressive.mp4", "hevc-fragmented.mp4", "progressive.mov"]
    let package = try Package(try names.map(Self.files)) { $0.segmentDuration = MediaTime(2, 1) }
    let main = try package.main
    #expect(package.folders == ["video-90", "video-90-2", "video-90-3", "audio-en", "audio"])
    #expect(main.variants.count == 3 && main.iFrameVariants.count == 3)
    #expect(main.renditions.map(\.name) == ["English", "Audio"])
    #expect(
      main.renditions.map(\.isAutoselected) == [true, true] && main.renditions.map(\.isDefault) == [true, false])
  }

  @Test("The key URI of an encrypted movie is in all playlists, or in none", arguments: [true, false])
  func key(isGiven: Bool) throws {
    let package = try Package([try Self.files("encrypted-cenc.mp4")]) {
      if isGiven { $0.key = .init(uri: "skd://movie", format: "com.example", formatVersions: "1/2") }
    }
    for path in package.files.keys where path.hasSuffix(".m3u8") && path != "master.m3u8" {
      let keys = try package.playlist(path).segments.flatMap(\.keys)
      #expect(keys.count == (isGiven ? 1 : 0), "\(path)")
      guard let key = keys.first else { continue }
      #expect(key.method == .sampleAESCTR && key.uri == "skd://movie")
      #expect(key.keyFormat == "com.example" && key.keyFormatVersions == "1/2")
    }
    let text = "it is encrypted (cenc), but the playlists have no key URI"
    #expect(package.warnings == (isGiven ? [] : ["video-90: \(text)", "audio: \(text)"]))
  }

  @Test("Audio that no player supports is packaged with a warning, and supported audio without one")
  func unplayed() throws {
    let text = "sowt does not play over HLS; transcode it first"
    let all = try ["pcm.mov", "progressive.mov", "encrypted-cenc.mp4", "hevc-fragmented.mp4"].map { name in
      let diagnostics = try Package([try Self.files(name)]).plan.diagnostics.map(\.description)
      return diagnostics.filter { $0.contains("does not play over HLS") }
    }
    #expect(all == [["input1.mp4: " + text], [], [], []])
    let muxed = try Package([try Self.files("pcm.mov")]) { $0.isMuxed = true }
    #expect(muxed.plan.diagnostics.contains { $0.description.contains("sowt does not play over HLS") })
  }

  @Test("A key for clear media is not written")
  func clear() throws {
    let package = try Package([try Self.files("progressive.mp4")]) { $0.key = .init(uri: "skd://movie") }
    for file in package.files.values { #expect(!String(decoding: file.prefix(4096), as: UTF8.self).contains("skd:")) }
  }

  @Test("QuickTime audio is described as segment players expect it, with the same configuration")
  func quickTime() throws {
    let source = try Self.files("progressive.mov")
    let old = try #require(SampleReader.read(source[0]).tracks.first { $0.handler == "soun" }).sampleEntries[0]
    for isMuxed in [false, true] {
      let package = try Package([source]) { $0.isMuxed = isMuxed }
      for folder in package.folders {
        let movie = try SampleReader.read(package.bytes(of: folder))
        #expect(movie.brands.first == "iso6" && !movie.brands.contains("qt  "))
        for track in movie.tracks where track.handler == "soun" {
          let entry = track.sampleEntries[0]
          // Version 0 with one channel of 16 bits at 22,050 Hz.
          let fields = zeros(6) + big(UInt16(1)) + zeros(8) + big(UInt16(1)) + big(UInt16(16)) + zeros(4)
          #expect(entry[8..<36].elementsEqual(fields + big(UInt32(22_050 << 16))))
          let boxes = try BoxOutline.all(in: Array(entry.dropFirst(36)))
          #expect(boxes.map(\.type) == ["esds"])
          #expect(old.contains(boxes[0].payload))
        }
      }
    }
  }
}
