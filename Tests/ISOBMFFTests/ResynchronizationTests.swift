import ISOBMFF
import Support
import Testing

@Suite("Resynchronization after bytes that are not boxes")
struct ResynchronizationTests {
  private let fragment = box("moof", fullBox("mfhd", big(UInt32(1)))) + box("mdat", [1, 2, 3])

  @Test("Garbage between two fragments is one node, and the next fragment is found")
  func garbage() throws {
    let garbage = ascii("what a crashed camera wrote")
    #expect(
      try summary(of: fragment + garbage + fragment) == [
        "moof 0+24", "moof/mfhd 8+16", "mdat 24+11", "- 35+27", "moof[2] 62+24", "moof[2]/mfhd 70+16", "mdat[2] 86+11",
      ])
  }

  @Test("A gap of zeros longer than a read is one node")
  func zerosBetween() throws {
    let found = try summary(of: fragment + zeros(200_001) + fragment)
    #expect(found[3] == "- 35+200001")
    #expect(found[4] == "moof[2] 200036+24")
  }

  @Test("Media data with a size that is too large ends where the next fragment starts")
  func tooLong() throws {
    let long: [UInt8] = Array(fragment[..<24]) + big(UInt32(1_000_000)) + ascii("mdat") + [1, 2, 3]
    let found = try summary(of: long + fragment)
    #expect(
      found == ["moof 0+24", "moof/mfhd 8+16", "mdat 24+11", "moof[2] 35+24", "moof[2]/mfhd 43+16", "mdat[2] 59+11"])
    #expect(try problems(of: long + fragment).map(\.problem) == [.sizeTooLarge(1_000_000, left: 46)])
  }

  @Test("A box before incomplete media data is not doubted, regardless of its bytes", arguments: [8, 16])
  func cutOff(headerSize: Int) throws {
    let size = headerSize == 8 ? big(UInt32(1000)) + ascii("mdat") : big(UInt32(1)) + ascii("mdat") + big(UInt64(1000))
    let bytes = box("free", fragment) + size + [1, 2, 3]
    let found = try summary(of: bytes)
    #expect(found == ["free 0+\(fragment.count + 8)", "mdat \(fragment.count + 8)+\(headerSize + 3)"])
    #expect(try problems(of: bytes).map(\.problem) == [.sizeTooLarge(1000, left: headerSize + 3)])
  }

  @Test("Bytes that only look like a fragment do not count")
  func looksLike() throws {
    let found = try summary(of: fragment + ascii("\u{7f}~~~ moof and mdat in prose") + fragment)
    #expect(found.filter { $0.hasPrefix("moof[") }.count == 2)
  }

  @Test("Resynchronization works for a pipe, too")
  func stream() throws {
    let found = try summary(of: TestStream(fragment + zeros(100_000) + fragment))
    #expect(found.last == "mdat[2] \(fragment.count + 100_000 + 24)+11")
  }
}
