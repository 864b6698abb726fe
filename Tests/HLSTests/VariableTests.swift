import MP4HLS
import Testing

@Suite("Variables")
struct VariableTests {
  @Test("Variables are replaced in URIs, and a definition can use previous ones")
  func substitution() throws {
    let text = try #require(Examples.media.first { $0.name == "events" }).text
    let playlist = try MediaPlaylist(text)
    let uri = URIReference("https://example.com/index.m3u8?a=1&token=x%20y")
    let variables = try Variables(playlist.definitions, uri: uri)
    #expect(variables.values == ["host": "https://cdn.example.com", "token": "x y"])
    #expect(try playlist.resolved(variables).map(\.uri).first == "https://cdn.example.com/1.ts?token=x y")
    #expect(throws: PlaylistError(.undefinedVariable("token"), line: 0)) { try playlist.resolved() }
    let nested = try Variables([
      VariableDefinition(name: "a", value: "1"), VariableDefinition(name: "b", value: "{$a}{$a}"),
    ])
    #expect(try nested.substituted("<{$b}{$a}>") == "<111>")
    #expect(try nested.substituted("no {variable} {$} {$ a} {$a") == "no {variable} {$} {$ a} {$a")
    #expect(throws: PlaylistError(.undefinedVariable("c"), line: 0)) { try nested.substituted("{$c}") }
  }

  @Test("A media playlist imports variables of the multivariant playlist")
  func importing() throws {
    let main = try MultivariantPlaylist(
      "#EXTM3U\n#EXT-X-VERSION:8\n#EXT-X-DEFINE:NAME=\"p\",VALUE=\"cdn\"\n#EXT-X-STREAM-INF:BANDWIDTH=1\n{$p}/a.m3u8\n")
    let media = try MediaPlaylist(
      "#EXTM3U\n#EXT-X-DEFINE:IMPORT=\"p\"\n#EXT-X-MAP:URI=\"{$p}/init.mp4\"\n#EXTINF:1,\n{$p}/1.m4s\n")
    let variables = try Variables(media.definitions, importing: Variables(main.definitions))
    let segment = try #require(try media.resolved(variables).first)
    #expect(segment.uri == "cdn/1.m4s" && segment.map?.uri == "cdn/init.mp4")
    #expect(throws: PlaylistError(.undefinedVariable("p"), line: 0)) { try Variables(media.definitions) }
  }

  @Test("Definitions that double each other are an error and do not exhaust memory")
  func doubling() {
    var definitions = [VariableDefinition(name: "v0", value: String(repeating: "x", count: 100))]
    for number in 1...60 {
      definitions.append(VariableDefinition(name: "v\(number)", value: "{$v\(number - 1)}{$v\(number - 1)}"))
    }
    #expect(throws: PlaylistError(.tooLong(limit: 65_536), line: 0)) { try Variables(definitions) }
  }

  @Test("A long value that many segments use is an error and does not exhaust memory")
  func repeated() throws {
    var text = "#EXTM3U\n#EXT-X-DEFINE:NAME=\"v\",VALUE=\"\(String(repeating: "x", count: 60_000))\"\n"
    for _ in 0..<1200 { text += "#EXTINF:1,\n{$v}\n" }
    let playlist = try MediaPlaylist(text)
    #expect(throws: PlaylistError(.tooLong(limit: 67_108_864), line: 0)) { try playlist.resolved() }
  }
}
