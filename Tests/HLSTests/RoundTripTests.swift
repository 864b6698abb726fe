import MP4HLS
import Support
import Testing

@Suite("Playlists are written back unchanged")
struct RoundTripTests {
  @Test("Every example is written back byte for byte", arguments: Examples.all.indices)
  func examples(index: Int) throws {
    let text = Examples.all[index].text
    let playlist = try Playlist(text)
    #expect(String(decoding: playlist.bytes, as: UTF8.self) == text)
    #expect(playlist.bytes == Array(text.utf8))
  }

  @Test("Line endings, a byte order mark and an unterminated last line are kept", arguments: Examples.all.indices)
  func endings(index: Int) throws {
    let text = Examples.all[index].text
    let plain = String(text.split(separator: "\r\n", omittingEmptySubsequences: false).joined(separator: "\n"))
    let windows = plain.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
    for variant in [plain, windows, "\u{FEFF}" + plain, plain + "\n# end", windows + "\r\n# end"] {
      #expect(try Playlist(variant).bytes == Array(variant.utf8))
    }
  }

  @Test("The kind of each example is recognized")
  func kinds() throws {
    for (name, text) in Examples.media {
      let playlist = try Playlist(text)
      #expect(playlist == .media(try MediaPlaylist(text)), "\(name)")
      #expect(throws: PlaylistError.self) { try MultivariantPlaylist(text) }
    }
    for (name, text) in Examples.multivariant {
      let playlist = try Playlist(text)
      #expect(playlist == .multivariant(try MultivariantPlaylist(text)), "\(name)")
      #expect(throws: PlaylistError.self) { try MediaPlaylist(text) }
    }
  }

  @Test("A tag of the wrong kind is kept and found, and does not change the kind")
  func wrongKind() throws {
    let main = "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n#EXT-X-STREAM-INF:BANDWIDTH=1\na.m3u8\n"
    #expect(try MultivariantPlaylist(main).findings.map(\.rule) == [.tagKind])
    #expect(try MultivariantPlaylist(main).text == main)
    let media = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\na\n#EXT-X-STREAM-INF:BANDWIDTH=1\n"
    #expect(try MediaPlaylist(media).findings.map(\.rule) == [.tagKind])
    #expect(throws: PlaylistError.self) { try MultivariantPlaylist("#EXTM3U\n#EXT-X-ENDLIST\n") }
    #expect(try Playlist("#EXTM3U\n") == .media(try MediaPlaylist("#EXTM3U\n")))
  }

  @Test("Every truncation is written back unchanged, or is an error with a line", arguments: Examples.all.indices)
  func truncations(index: Int) {
    let text = Examples.all[index].text
    let bytes = Array(text.utf8)
    for count in Effort.some(Array(0...bytes.count), short: 100) { tryOut(Array(bytes[..<count])) }
  }

  @Test("Mutations of each example are written back unchanged, or refused", arguments: Examples.all.indices)
  func mutations(index: Int) {
    let original = Array(Examples.all[index].text.utf8)
    var random = SplitMix64(seed: UInt64(index) + 1)
    let pieces = ["\n", "\r", "\"", ",", "@", "=", "{$a}", "99999999999999999999", "-1", ":", "#EXT", "\0", "é", ".."]
    for _ in 0..<Effort.count(short: 100, all: 1000) {
      var bytes = original
      for _ in 0...Int.random(in: 0...3, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0...4, using: &random) {
        case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(contentsOf: Array(pieces.randomElement(using: &random)!.utf8), at: place)
        case 3: bytes[place] = UInt8(ascii: "9")
        default:
          let end = Int.random(in: place..<bytes.count, using: &random)
          bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0..<bytes.count, using: &random))
        }
      }
      tryOut(bytes)
    }
  }

  /// Calls everything that accepts these bytes: nothing may trap, and a readable playlist is written back unchanged.
  private func tryOut(_ bytes: [UInt8]) {
    do throws(PlaylistError) {
      let playlist = try Playlist(bytes)
      #expect(playlist.bytes == bytes)
      switch playlist {
      case .media(var media):
        #expect(media.lowestVersion >= 1 && media.lowestVersion <= 13)
        #expect(media.findings.allSatisfy { $0.line <= media.lines.count && !$0.description.isEmpty })
        _ = try? media.resolved()
        let count = media.segments.count
        if (try? media.removeFirstSegments(1)) != nil { #expect(media.segments.count == max(0, count - 1)) }
        _ = try? MediaPlaylist(media.bytes)
      case .multivariant(let main):
        #expect(main.findings.allSatisfy { $0.line <= main.lines.count && !$0.description.isEmpty })
        #expect(Presentation(main, media: [:]).findings == main.findings)
        #expect(main.variants.count <= main.lines.count)
      }
    } catch {
      #expect(error.line >= 1)
      #expect(!error.description.isEmpty)
    }
  }
}
