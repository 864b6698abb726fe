import MP4
import MP4HLS
import MP4Packaging
import Support
import Testing

/// Tracks with encrypted samples.
enum EncryptedTrack {
  static let keyID: [UInt8] = (1...16).map { $0 }

  /// A video track with a clear first sample description and other, encrypted ones.
  static func video(entries: Int = 1) -> TrackSpec {
    let tenc = fullBox("tenc", [0, 0, 1, 8], keyID)
    let protection = box(
      "sinf", box("frma", ascii("avc1")), fullBox("schm", ascii("cenc"), big(UInt32(0x1_0000))), box("schi", tenc))
    let entry = EntryBytes.visual("encv", width: 160, height: 90, protection)
    return TrackSpec.video().with(\.sampleEntries, [EntryBytes.avc1()] + Array(repeating: entry, count: entries))
  }

  /// A sample group description with this key, or for clear samples.
  static func group(_ keyID: [UInt8]?) -> [UInt8] { [0, 0, keyID == nil ? 0 : 1, 8] + (keyID ?? zeros(16)) }

  /// Fragments of two seconds, one per key: a key in a sample group, no group for the key of the track, or a clear
  /// sample description.
  static func movie(_ keys: [Key]) -> BuiltFile {
    var file = FragmentedFileBuilder([video()])
    for (index, key) in keys.enumerated() {
      file.addFragment { fragment in
        fragment.addTraf(1) {
          $0.description = key == .clear ? 1 : 2
          var samples: [SampleSpec] = .samples(50)
          samples[0].flags = .sync
          for index in 1..<50 { samples[index].flags = .depends }
          if key != .clear, key != .clearGroup {
            samples = samples.withAuxiliary((0..<50).map { big(UInt64(index * 50 + $0)) })
          }
          switch key {
          case .clear, .track: break
          case .clearGroup: samples = samples.inGroup("seig", group(nil), at: 0..<50)
          case .other(let byte):
            samples = samples.inGroup("seig", group(Array(repeating: byte, count: 16)), at: 0..<50)
          }
          $0.addRun(samples)
        }
      }
    }
    return file.build()
  }
  enum Key: Equatable {
    case clear
    case clearGroup
    case track
    case other(UInt8)
  }
}

@Suite("Keys of encrypted segments")
struct KeyTests {
  private func places(_ playlist: MediaPlaylist) -> [Int] {
    playlist.segments.indices.filter { !playlist.segments[$0].keys.isEmpty }
  }

  @Test("A key is declared for the first encrypted segment", arguments: [EncryptedTrack.Key.clear, .clearGroup])
  func clearLead(lead: EncryptedTrack.Key) throws {
    let built = EncryptedTrack.movie([lead, lead, .track, .track, lead])
    let package = try Package([[built.bytes]]) {
      $0.segmentDuration = MediaTime(2, 1)
      $0.key = Packager.Key(uri: "skd://movie")
    }
    let playlist = try package.playlist("\(package.folders[0])/index.m3u8")
    #expect(places(playlist) == [2] && playlist.segments[2].keys.first?.method == .sampleAESCTR)
    let live = LiveRun([built.bytes]) {
      $0.segmentDuration = MediaTime(2, 1)
      $0.keepsAll = true
      $0.key = Packager.Key(uri: "skd://movie")
    }
    #expect(places(live.playlist) == [2] && live.playlist.segments[2].keys.first?.uri == "skd://movie")
    #expect(live.recorder.problems == [] && live.diagnostics.isEmpty, "\(live.lines)")
  }

  @Test("Key changes with only one URI are reported")
  func rotation() throws {
    let built = EncryptedTrack.movie([.track, .other(7), .other(8), .track])
    let package = try Package([[built.bytes]]) {
      $0.segmentDuration = MediaTime(2, 1)
      $0.key = Packager.Key(uri: "skd://movie")
    }
    #expect(package.plan.diagnostics.count { "\($0)".contains("encrypted with 3 keys") } == 1)
    let live = LiveRun([built.bytes]) {
      $0.segmentDuration = MediaTime(2, 1)
      $0.key = Packager.Key(uri: "skd://movie")
    }
    #expect(live.lines.count == 1 && live.lines[0].contains("encrypted with 2 keys"), "\(live.lines)")
    let none = LiveRun([built.bytes]) { $0.segmentDuration = MediaTime(2, 1) }
    #expect(none.lines.count == 1 && none.lines[0].contains("have no key URI"), "\(none.lines)")
  }

  @Test("A clear source after an encrypted one has no key")
  func sources() throws {
    let clear = LivePackagerTests.builder(4).build()
    let encrypted = EncryptedTrack.movie([.track, .track])
    let run = LiveRun([encrypted.bytes + clear.bytes]) {
      $0.segmentDuration = MediaTime(2, 1)
      $0.keepsAll = true
      $0.key = Packager.Key(uri: "skd://movie")
    }
    #expect(places(run.playlist) == [0, 2] && run.playlist.segments[2].keys.first?.method == EncryptionKey.Method.none)
  }
}
