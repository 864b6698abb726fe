import Testing

@testable import MP4HLS

@Suite("The lines of a playlist")
struct PlaylistDocumentTests {
  private static let head = "#EXTM3U\n#EXT-X-VERSION:7\n"

  @Test(
    "Lines belong to the header, to segments or to the end, and are written unchanged",
    arguments: [
      (head, [], 0), (head + "#EXTINF:6,", [], 1), (head + "#EXTINF:6,\na\n", [2], 0),
      (head + "a", [1], 0),
      (
        head + "\n#x\n#EXT-X-GAP\n#y\n#EXTINF:6,\na\n#EXTINF:6,\n\nb\n#EXT-X-ENDLIST\n\n", [4, 3], 2
      ),
      (head + "#EXT-X-ENDLIST\n#EXTINF:6,\n", [], 1), ("#EXTM3U", [], 0),
    ])
  func parts(text: String, segments: [Int], trailer: Int) throws {
    let playlist = try MediaPlaylist(text)
    #expect(playlist.segments.map(\.lines.count) == segments)
    #expect(playlist.trailer.count == trailer)
    #expect(playlist.text == text)
    let document = try PlaylistDocument(Array(text.utf8))
    #expect(document.count == playlist.lines.count)
    #expect(document.lines == playlist.lines)
  }

  @Test("The number of lines is limited, so that a small file cannot use all memory")
  func limit() throws {
    let bytes = Array("#EXTM3U\n\n\n\n".utf8)
    #expect(try PlaylistDocument(bytes, mostLines: 4).count == 4)
    #expect { try PlaylistDocument(bytes, mostLines: 3) } throws: {
      "\($0)" == "line 4: there are more than 3 lines"
    }
  }
}
