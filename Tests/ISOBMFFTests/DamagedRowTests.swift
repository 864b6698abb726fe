import ISOBMFF
import MP4Bytes
import MP4FileIO
import Testing

/// A custom box, because no standard box has a table with impossible values.
private struct Levels: BoxPayload {
  struct Level: BoxTableRow {
    var number: UInt8 = 0
    var height: UInt8 = 0
    init() {}
    mutating func fields(_ c: inout FieldCoder, shape: UInt32) throws(BoxError) {
      try c.uint8("number", &number)
      try c.check(number < 9, "number", number, "less than 9")
      try c.uint8("height", &height)
    }
  }
  static let info = BoxInfo("lvls", "Levels", in: [], "")
  var levels = BoxTable<Level>()
  init() {}
  mutating func fields(_ c: inout FieldCoder) throws(BoxError) { try c.tableToEnd("levels", &levels) }
}

@Suite("Damage in a row")
struct DamagedRowTests {
  @Test("Rows are shown up to the damage, including the undamaged fields of the last one")
  func damage() throws {
    let source = MemorySource([0, 0, 0, 16] + Array("lvls".utf8) + [1, 10, 2, 20, 9, 30, 3, 40], name: "levels")
    var parser = BoxParser(source)
    var node = try #require(try parser.next())
    node.content = .payload(BoxDeclaration(Levels.self))
    let recorder = Recorder()
    guard case .failure(let error) = try parser.show(node, to: recorder) else {
      Issue.record("9 is no level")
      return
    }
    #expect(error.description == "number at byte 13 is 9 but can only be less than 9")
    #expect(
      recorder.lines == [
        "levels:", "  - 0", "  number = 1", "  height = 10", "  - 1", "  number = 2", "  height = 20", "  - 2",
        "  number = 9",
      ])
  }
}
