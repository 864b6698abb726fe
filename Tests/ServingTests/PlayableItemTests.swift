import MP4Bytes
import MP4FileIO
import Support
import Testing

@testable import MP4Serving

@Suite("Items on the player page")
struct PlayableItemTests {
  @Test("A folder is listed once even if links lead to it again")
  func loop() throws {
    let folder = try Support.TemporaryFolder()
    _ = try run(
      "bash", ["-c", "mkdir -p a/b; touch a/b/x.mp4 y.mp4; ln -s .. a/loop; ln -s b a/again"], folder: folder.path)
    let (items, isCut) = PlayableItem.all(in: try SourceFolder(#require(Pathname(folder.path))))
    #expect(items.count == 2 && !isCut, "\(items.map(\.text))")
  }

  @Test("An incomplete list is marked as such")
  func cut() throws {
    let folder = try Support.TemporaryFolder()
    for number in 0..<501 { try folder.write("\(number).mp4", []) }
    let (items, isCut) = PlayableItem.all(in: try SourceFolder(#require(Pathname(folder.path))))
    #expect(items.count == 500 && isCut)
    let sink = MemorySink()
    let content = PlayerPage(title: "a", items: items, isCut: isCut).response.resource.content
    try content.write(0..<content.byteCount, to: sink)
    #expect(String(decoding: sink.bytes, as: UTF8.self).contains("Only the first 500 are listed."))
  }
}
