import Bytes
import FileIO
import Serving
import Support
import Testing

@testable import Streaming

@Suite("What the page of a server lists")
struct PlayableItemTests {
  @Test("A folder to which links lead again is listed once")
  func loop() throws {
    let folder = try Support.TemporaryFolder()
    _ = try run(
      "bash", ["-c", "mkdir -p a/b; touch a/b/x.mp4 y.mp4; ln -s .. a/loop; ln -s b a/again"], folder: folder.path)
    let (items, isCut) = PlayableItem.all(in: try SourceFolder(#require(Pathname(folder.path))))
    #expect(items.count == 2 && !isCut, "\(items.map(\.text))")
  }

  @Test("A list that is not all says so")
  func cut() throws {
    let folder = try Support.TemporaryFolder()
    for number in 0..<501 { try folder.write("\(number).mp4", []) }
    let (items, isCut) = PlayableItem.all(in: try SourceFolder(#require(Pathname(folder.path))))
    #expect(items.count == 500 && isCut)
    let sink = MemorySink()
    let content = PlayerPage(title: "a", items: items, isCut: isCut).response.resource.content
    try content.write(0..<content.byteCount, to: sink)
    #expect(String(decoding: sink.bytes, as: UTF8.self).contains("There may be more: the first 500 are listed."))
  }
}
