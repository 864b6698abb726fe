import MP4Bytes
import Testing

@Suite("Four-character codes")
struct FourCCTests {
  @Test("They are created from texts of at most four Latin-1 characters")
  func texts() {
    let name = "moov"
    #expect(FourCC(name) == "moov" && FourCC(name.dropLast()) == "moo ")
    #expect(FourCC(String("©nam")) == "©nam")
    for text in ["", "moov5", "mööv!", "→abc"] { #expect(FourCC(text) == nil) }
  }
}
