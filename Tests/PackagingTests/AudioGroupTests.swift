import MP4
import MP4HLS
import MP4Packaging
import Support
import Testing

@Suite("Groups of audio renditions")
struct AudioGroupTests {
  /// Two seconds of audio with samples of this size; `seed` determines their contents.
  private func sound(_ language: String, _ byteCount: UInt32 = 100, seed: UInt64 = 1, _ format: String = "mp4a")
    -> [[UInt8]]
  {
    [progressive(track(language, byteCount, format), seed: seed)]
  }
  private func track(_ language: String, _ byteCount: UInt32 = 100, _ format: String = "mp4a") -> TrackSpec {
    let track = TrackSpec.sound(2, language).with(\.samples, Array(repeating: SampleSpec(byteCount), count: 94))
    guard format != "mp4a" else { return track }
    let configuration = box("dOps", [0, 2], zeros(8), [0])
    return track.with(\.sampleEntries, [EntryBytes.audio(format, channels: 2, rate: 48_000, configuration)])
  }
  private func video(_ byteCount: UInt32 = 50, _ audio: TrackSpec? = nil, seed: UInt64 = 1) -> [[UInt8]] {
    var samples = TrackSpec.pictures(50).samples
    for index in samples.indices { samples[index].size = byteCount }
    let video = TrackSpec.video().with(\.samples, samples)
    return [FragmentedFileBuilder([video] + (audio.map { [$0] } ?? []), seed: seed).build().bytes]
  }
  /// The members of each group as `NAME=folder`.
  private func groups(_ package: Package) throws -> [String: [String]] {
    var result: [String: [String]] = [:]
    for rendition in try package.main.renditions {
      let folder = rendition.uri?.split(separator: "/").first ?? ""
      result[rendition.group, default: []].append("\(rendition.name)=\(folder)")
    }
    return result
  }
  /// The renditions of each variant as `video+group`.
  private func variants(_ package: Package) throws -> [String] {
    try package.main.variants.map { "\($0.uri.split(separator: "/").first ?? "")+\($0.audio ?? "")" }
  }
  private func notes(_ package: Package) -> [String] {
    package.plan.diagnostics.map(\.description).filter { !$0.contains("copied") && !$0.contains("moved") }
  }

  @Test("The same samples in several inputs are one rendition with the known language")
  func repeated() throws {
    // The bytes of samples do not depend on the preceding tracks.
    let first = sound("und"), second = sound("eng")
    let package = try Package([video(50), first, video(60, seed: 2), second, first])
    #expect(package.folders == ["video-90", "video-90-2", "audio-en"])
    #expect(try groups(package) == ["audio-1": ["English=audio-en"]])
    let used = notes(package).filter { $0.hasSuffix("used once") }
    #expect(used.count == 2)
    #expect(used.first == "input4.mp4: track 2: the same samples as track 2 of input2.mp4; used once")
    // Fragmented or not, and video as well.
    let again = try Package([video(50), video(50)])
    #expect(again.folders == ["video-90"])
  }

  @Test("Different bytes with the same sizes and times are another rendition, and so is another language")
  func different() throws {
    let package = try Package([sound("eng"), sound("eng", seed: 2), sound("deu")])
    #expect(try groups(package) == ["audio-1": ["English=audio-en", "English 2=audio-en-2", "German=audio-de"]])
    let note =
      "audio-en-2: same language, codec and channels as audio-en, but different samples; players offer both, as "
      + "\"English\" and \"English 2\""
    #expect(notes(package) == [note])
  }

  @Test("Another bit rate is another group with the same names, paired with the video of its input")
  func bitRates() throws {
    let package = try Package([video(90, track("eng", 100)), video(40, track("eng", 50)), sound("fra", 100)])
    #expect(
      try groups(package) == [
        "audio-1": ["English=audio-en", "French=audio-fr"], "audio-2": ["English=audio-en-2", "French=audio-fr"],
      ])
    #expect(try variants(package) == ["video-90+audio-1", "video-90-2+audio-2"])
    #expect(
      notes(package) == [
        "audio-en-2: same language, codec and channels as audio-en at another bit rate (18 instead of 37 kbit/s); it "
          + "has its own group",
        "audio-2: \"French\" is not available in this bit rate; the group lists audio-fr instead, because all groups "
          + "need the same members",
      ])
    for name in ["English", "French"] {
      let renditions = try package.main.renditions.filter { $0.name == name }
      #expect(Set(renditions.map(\.isDefault)).count == 1 && Set(renditions.map(\.isAutoselected)).count == 1)
    }
  }

  @Test("Bit rates of other inputs are paired with the videos by rank, and none is omitted")
  func ranks() throws {
    let package = try Package([
      video(40), video(60, seed: 2), video(90, seed: 3), sound("eng", 50), sound("eng", 100),
    ])
    #expect(
      try variants(package) == ["video-90+audio-2", "video-90-2+audio-1", "video-90-3+audio-1"])
    let single = try Package([video(40), sound("eng", 50), sound("eng", 100), sound("eng", 200)])
    #expect(try variants(single) == ["video-90+audio-1", "video-90+audio-2", "video-90+audio-3"])
    #expect(
      try single.main.renditions.map(\.uri) == ["audio-en-3", "audio-en-2", "audio-en"].map { $0 + "/index.m3u8" })
  }

  @Test("Two tracks of one input are different audio, regardless of their bit rates")
  func oneInput() throws {
    let package = try Package([
      [progressive(track("eng", 100), track("eng", 50).with(\.id, 3))], sound("eng", 104, seed: 3),
    ])
    #expect(try groups(package) == ["audio-1": ["English=audio-en", "English 2=audio-en-2", "English 3=audio-en-3"]])
  }

  @Test("A member that a format lacks is taken from another group, and CODECS of the variant has both formats")
  func formats() throws {
    let package = try Package([video(), sound("eng"), sound("fra"), sound("eng", 100, "Opus")])
    #expect(
      try groups(package) == [
        "audio-1": ["English=audio-en", "French=audio-fr"], "audio-2": ["English=audio-en-2", "French=audio-fr"],
      ])
    let main = try package.main
    #expect(main.renditions.map(\.channels) == ["1", "1", "2", "1"])
    #expect(main.variants.map(\.codecs) == ["avc1.64000B,mp4a.40.2", "avc1.64000B,Opus,mp4a.40.2"])
    #expect(
      notes(package).filter { $0.hasPrefix("audio-2: \"French\" is not available in this format (Opus, ") }.count == 1)
    #expect(package.warnings.isEmpty)
  }

  @Test("Languages with one format each are one group, with a warning that players may not support a format")
  func mixed() throws {
    let package = try Package([video(), sound("eng"), sound("fra", 100, "Opus")])
    #expect(try groups(package) == ["audio-1": ["English=audio-en", "French=audio-fr"]])
    #expect(try package.main.variants.map(\.codecs) == ["avc1.64000B,mp4a.40.2,Opus"])
    #expect(package.warnings.count == 1)
    #expect(package.warnings.first?.hasPrefix("audio-1: each audio group mixes codecs (mp4a, Opus)") == true)
  }
}

extension AudioGroupTests {
  private func sound(_ language: String, _ byteCount: UInt32, _ format: String) -> [[UInt8]] {
    sound(language, byteCount, seed: 1, format)
  }
}
