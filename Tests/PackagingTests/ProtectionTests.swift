import ISOBMFF
import MP4
import MP4Bytes
import MP4HLS
import MP4Packaging
import Support
import Testing

@Suite("Encrypted packages")
struct ProtectionTests {
  private static func key(_ number: UInt8) throws -> Encryption.Key {
    try Encryption.Key([UInt8](repeating: 0xc0 + number, count: 16), keyID: [UInt8](repeating: number, count: 16))
  }
  private func protection(_ method: Packager.Protection.Method, count: UInt8 = 1) throws -> Packager.Protection {
    try Packager.Protection(method, keys: (1...count).map { Packager.Protection.Key(try Self.key($0)) })
  }

  /// The decode times and bytes of the samples of the only track.
  private static func samples(_ sources: [any ByteSource]) throws -> [String] {
    let movie = try Movie(reading: sources)
    #expect(movie.tracks.count == 1)
    return try movie.tracks[0].samples.map { "\($0.decodeTime) \($0.compositionOffset) \(try $0.bytes())" }
  }

  @Test(
    "Decrypted samples are those of a clear package, in separate files and in one",
    arguments: [Packager.Protection.Method.cbcs, .cenc], [Packager.Storage.separateFiles, .singleFile])
  func samples(method: Packager.Protection.Method, storage: Packager.Storage) throws {
    let input = [try PackagerVectorTests.files("progressive.mp4")]
    func change(_ options: inout Packager.Options) {
      options.segmentDuration = MediaTime(2, 1)
      options.storage = storage
    }
    let clear = try Package(input, change)
    var protection = try protection(method, count: 4)
    protection.systems = [.widevine, .playReady, .clearKey(url: "https://example.com/")]
    (protection.clearLead, protection.keyPeriod) = (MediaTime(3, 1), 3)
    let package = try Package(input) {
      change(&$0)
      $0.protection = protection
    }
    #expect(package.folders == clear.folders && package.plan.findings.isEmpty)
    var keys = ContentKeys()
    for number in 1...4 as ClosedRange<UInt8> {
      try keys.set([UInt8](repeating: 0xc0 + number, count: 16), forKeyID: [UInt8](repeating: number, count: 16))
    }
    for folder in clear.folders {
      let source = MemorySource(try package.bytes(of: folder))
      let expected = try Self.samples([MemorySource(try clear.bytes(of: folder))])
      #expect(try Self.samples(Decryption(of: [source], with: keys).sources) == expected, "\(folder)")
      #expect(try Self.samples([source]) != expected, "\(folder)")
      let playlist = try package.playlist("\(folder)/index.m3u8")
      let places = playlist.segments.indices.filter { !playlist.segments[$0].keys.isEmpty }
      #expect(places == [0, 2, 5, 8, 11] && playlist.segments[0].keys[0].method == .none, "\(folder)")
      #expect(places.dropFirst().allSatisfy { playlist.segments[$0].keys.count == 3 }, "\(folder)")
    }
  }

  @Test("FairPlay gets an init segment for each key, without sample groups")
  func fairPlay() throws {
    var protection = try protection(.cbcs, count: 3)
    protection.systems = [.fairPlay(uri: "skd://movie"), .widevine]
    protection.keyPeriod = 2
    let package = try Package([try PackagerVectorTests.files("progressive.mp4")]) {
      $0.segmentDuration = MediaTime(4, 1)
      $0.protection = protection
    }
    #expect(package.warnings.count == 2 && package.warnings[0].contains("3 keys"), "\(package.warnings)")
    for folder in package.folders {
      let playlist = try package.playlist("\(folder)/index.m3u8")
      #expect(playlist.segments.map(\.map?.uri) == ["init.mp4", nil, "init2.mp4", nil, "init3.mp4", nil])
      for (number, name) in zip(1...3 as ClosedRange<UInt8>, ["init.mp4", "init2.mp4", "init3.mp4"]) {
        let movie = try Movie(reading: [MemorySource(try #require(package.files["\(folder)/\(name)"]))])
        let keyID = [UInt8](repeating: number, count: 16)
        #expect(movie.tracks[0].keyIDs == [keyID])
        let pssh = try #require(movie.movieBoxes[0].payload(["pssh"], as: ProtectionSystemSpecificHeaderBox.self))
        #expect(pssh.data.starts(with: [0x12, 0x10] + keyID))
      }
      #expect(try !BoxOutline.all(in: package.bytes(of: folder)).contains { $0.type == "sgpd" })
    }
  }

  @Test("The PlayReady header depends on the scheme and the number of keys")
  func playReady() {
    let keyID = [UInt8](0x10...0x1f)
    func header(_ keyIDs: [[UInt8]], _ scheme: FourCC) -> String {
      let data = ProtectionSystem.playReady.box(keyIDs: keyIDs, scheme: scheme).data
      let units = stride(from: 10, to: data.count, by: 2).map { UInt16(data[$0]) | UInt16(data[$0 + 1]) << 8 }
      return String(decoding: units, as: UTF16.self)
    }
    let start = #"<WRMHEADER xmlns="http://schemas.microsoft.com/DRM/2007/03/PlayReadyHeader" version="4."#
    #expect(
      header([keyID], "cenc") == start + #"0.0.0"><DATA><PROTECTINFO><KEYLEN>16</KEYLEN><ALGID>AESCTR</ALGID>"#
        + "</PROTECTINFO><KID>ExIREBUUFxYYGRobHB0eHw==</KID></DATA></WRMHEADER>")
    let row = #"<KID ALGID="AESCBC" VALUE="ExIREBUUFxYYGRobHB0eHw=="></KID>"#
    let end = "</KIDS></PROTECTINFO></DATA></WRMHEADER>"
    #expect(header([keyID], "cbcs") == start + #"3.0.0"><DATA><PROTECTINFO><KIDS>"# + row + end)
    #expect(
      header([keyID, keyID], "cenc") == start + #"3.0.0"><DATA><PROTECTINFO><KIDS>"#
        + (row + row).replacing("AESCBC", with: "AESCTR") + end)
  }

  @Test("Contradictory options, too few keys and keys for other media are errors; descriptions do not contain keys")
  func errors() throws {
    let movie = try Movie(reading: try PackagerVectorTests.files("progressive.mp4").map { MemorySource($0) })
    var options = Packager.Options()
    func code() -> String? {
      do throws(MovieError) {
        _ = try Packager(options).plan([movie])
        return nil
      } catch {
        guard case .impossible(_, let obstacle) = error else { return "\(error)" }
        return obstacle.code.rawValue
      }
    }
    options.protection = try protection(.aes128)
    options.storage = .singleFile
    #expect(code() == "contradictory_options")
    options.storage = .separateFiles
    #expect(code() == nil)
    options.formats = [.hls, .dash]
    #expect(code() == "contradictory_options")
    options.protection = try protection(.cenc)
    options.protection?.systems = [.fairPlay(uri: "skd://movie")]
    #expect(code() == "contradictory_options")
    options.protection = try protection(.cenc)
    options.protection?.keyPeriod = 1
    #expect(code() == "too_few_keys")
    options.protection?.keys[0].media = [.hd, .uhd]
    #expect(code() == "no_keys_for_tracks")
    options.protection?.keys[0].media = [.audio]
    options.protection?.keyPeriod = nil
    #expect(code() == nil)
    options.protection?.clearLead = MediaTime(1000, 1)
    #expect(code() == "clear_lead_too_long")
    var text = ""
    dump(options, to: &text)
    #expect(!text.contains("193") && !text.lowercased().contains("c1"), "\(text)")
  }
}
