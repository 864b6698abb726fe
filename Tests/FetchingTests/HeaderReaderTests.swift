import MP4HLS
import Support
import Testing

@testable import MP4Fetching

@Suite("Response headers are found in pieces of any size")
struct HeaderReaderTests {
  private let address: WebAddress

  init() throws { address = try #require(WebAddress("http://example.com/")) }

  /// Reads a response in pieces of `pieceSize` bytes; returns the header and the bytes after it.
  private func read(_ text: String, pieceSize: Int) throws -> (response: FetchResponse, rest: [UInt8])? {
    var reader = HeaderReader()
    let bytes = ascii(text)
    for start in stride(from: 0, to: bytes.count, by: pieceSize) {
      let end = min(bytes.count, start + pieceSize)
      guard let (response, rest) = try reader.take(Array(bytes[start..<end]), from: address) else { continue }
      return (response, rest + bytes[end...])
    }
    return nil
  }

  @Test("Interim responses are skipped, and bytes after the header are kept", arguments: [1, 2, 3, 7, 1000])
  func pieces(size: Int) throws {
    let text =
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: a\r\n\r\n"
      + "HTTP/1.1 206 Part\r\nETag:  \"a\" \r\n\r\n\n\nb"
    let (response, rest) = try #require(try read(text, pieceSize: size))
    #expect(response.status == 206 && response.entityTag == "\"a\"" && response["link"] == nil)
    #expect(rest == ascii("\n\nb"))
    #expect(try read("HTTP/2 200\nA: b\n\nc", pieceSize: size)?.rest == ascii("c"))
    #expect(try read("HTTP/1.1 200 OK\r\nA: b\r\n", pieceSize: size) == nil)
  }

  @Test("Invalid headers are an error, as a whole and in pieces", arguments: [1, 7, 1000])
  func nonsense(size: Int) {
    for text in ["\n\nHTTP/1.1 200 OK\r\n\r\n", "FTP 200\r\n\r\n", "HTTP/1.1\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"] {
      #expect(throws: FetchError.self) { try read(text, pieceSize: size) }
    }
  }

  @Test("Headers that do not end are an error", arguments: [4096, 1 << 20])
  func endless(size: Int) {
    let fields = String(repeating: "A: b\r\n", count: 60_000)
    #expect(throws: FetchError.self) { try read("HTTP/1.1 200 OK\r\n" + fields, pieceSize: size) }
    #expect(throws: FetchError.self) { try read("HTTP/1.1 200 OK\r\n" + fields + "\r\n", pieceSize: size) }
  }
}
