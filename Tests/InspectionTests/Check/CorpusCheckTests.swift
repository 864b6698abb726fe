import MP4
import MP4Bytes
import MP4FileIO
import MP4Inspection
import Support
import Testing

@Suite("Checks of real files")
struct CorpusCheckTests {
  /// The files that break rules, by the end of their names, with the reason.
  private static let known: [(name: String, reason: String)] = [
    ("fragmented-whole/05-esds.mp4", "it is cut off before the media data"),
    ("fragmented-whole/14-vvc_400kbps_2s.mp4", "its brand is that of CMAF, but an empty edit delays its track"),
    ("fragmented-whole/17-init_preceded_with_media.mp4", "a segment precedes its init segment"),
    ("fragmented-whole/22-vp9.mp4", "it is cut off before the media data"),
    ("fragmented-whole/26-scte35.ismv", "its events last longer than the time to the next one"),
    ("fragmented-whole/35-v-0144p-0100k-libx264_broken_sidx.mp4", "its index has wrong sizes"),
    ("fragmented-whole/40-opus_audioinit_two_desc.mp4", "its base data offsets are those of another file"),
    ("fragmented-whole/43-bbb.mp4", "it was put together from fragments of two recordings"),
    ("init/07-nested_moov_1000.mp4", "1,000 movie boxes are in each other"),
    ("media-segment/04-h264_encrypted_segment.mp4", "it is cut off before the media data"),
    ("other/01-compatible-brands-fail.mov", "it is cut off before its movie box"),
    ("other/02-CanonRaw.cr3", "it is cut off"),
    ("other/06-fixture.f4p", "it ends in its first box"),
    ("progressive/10-zero_empty_stsc.mp4", "it has no media data, and a damaged table"),
    ("progressive/18-init_non_empty_moov.mp4", "it has tables, but no media data"),
    ("progressive/26-QuickTime.m4a", "it is cut off before the media data"),
    ("quicktime/02-QuickTime.mov", "it is cut off before the media data"),
    ("quicktime/05-MOV1.MOV", "it is cut off"),
    ("quicktime/06-sample_qt.mp4", "it is cut off, and has two file types"),
    ("quicktime/11-QuickTime.mov", "it is cut off, and its tables contradict each other"),
    ("sets/11-enca-mp4a/seg01.m4s", "it is cut off"),
    ("sets/12-enca-mp4a/seg01.m4s", "it is cut off"),
    ("sets/29-stpp/seg01.m4s", "its index ends before its second sample"),
    ("sets/29-stpp/seg02.m4s", "its index ends before its second sample"),
  ]

  private static let files = corpus().filter { name in
    !["/broken/", "-fuzz/", ".tsv"].contains { name.contains($0) }
  }

  @Test("Undamaged files have no errors except for explained ones", .enabled(if: !corpus().isEmpty))
  func errors() throws {
    var wrong: [String] = []
    for file in Self.files {
      guard let source = try? FileSource.open(file), (try? source.bytes(in: 4..<8)) != nil else { continue }
      let findings = try Check().run([source]).findings.filter { $0.severity == .error }
      let isKnown = Self.known.contains { file.hasSuffix($0.name) }
      if !findings.isEmpty != isKnown { wrong.append("\(file): \(findings.first?.description ?? "nothing")") }
    }
    #expect(wrong == [])
  }

  @Test("Checks of damaged files do not fail", arguments: 0..<4)
  func damage(seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    for name in ["fragmented.mp4", "progressive.mp4", "encrypted-cenc.mp4", "global-sidx.mp4"] {
      let bytes = try readFile(vectorPath("files/" + name))
      for _ in 0..<Effort.count(short: 4, all: 30) {
        var damaged = bytes
        for _ in 0..<Int.random(in: 1...20, using: &random) {
          damaged[Int.random(in: 0..<min(damaged.count, 6000), using: &random)] = .random(in: 0...255, using: &random)
        }
        var check = Check()
        check.profiles = Set(RuleSource.Profile.choices)
        _ = try check.run([MemorySource(damaged, name: name)])
      }
    }
  }
}
