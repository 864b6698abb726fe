import ISOBMFF
import MP4
import MP4FileIO
import Support
import Testing

@Suite("Losses and wrong assignments are always reported")
struct SilentLossTests {
  typealias File = HostileFile

  /// A file of one fragment and its data; `data` is the position of the data relative to the fragment.
  private func file(_ data: String, _ fragment: (_ data: Int32) -> [UInt8]) -> [UInt8] {
    let start = Int32(fragment(0).count + 8)
    return HostileFile(sampleSize: 4, boxes: [fragment(start), box("mdat", ascii(data))]).bytes
  }
  private func trun(_ count: Int, at data: Int32) -> [UInt8] {
    fullBox("trun", flags: 1, big(UInt32(count)), big(data))
  }
  private func payloads(_ output: Output) -> [[UInt8]]? { output[1]?.samples.map(\.payload) }

  @Test("Runs without a track fragment header are reported")
  func noHeader() throws {
    let result = try Output.defragmenting(
      file("aaaabbbb") { data in
        File.moof(File.traf(1, trun(1, at: data)), box("traf", trun(1, at: data), File.tfhd()))
      })
    #expect(payloads(result) == [ascii("aaaa")])
    #expect(
      result.texts(.error) == [
        "init.mp4: moof/traf[2]/trun: no tfhd before it; its samples are omitted"
      ])
  }

  @Test("A second header starts a new track fragment")
  func twoHeaders() throws {
    let result = try Output.defragmenting(
      file("aaaabbbb") { data in
        File.moof(File.traf(1, trun(1, at: data), File.tfhd(), trun(1, at: data + 4)))
      })
    #expect(payloads(result) == [ascii("aaaa"), ascii("bbbb")])
    let other = try Output.defragmenting(
      file("aaaabbbb") { data in
        File.moof(File.traf(1, trun(1, at: data), File.tfhd(9), trun(1, at: data + 4)))
      })
    #expect(payloads(other) == [ascii("aaaa")])
    #expect(other.texts(.error).count == 1)
  }

  @Test("Data that counts from the end of an undeclared track's data is found")
  func behindUnknownTrack() throws {
    let result = try Output.defragmenting(
      file("XXXXYYYYaaaabbbb") { data in
        let unknown = fullBox("tfhd", flags: 0x10, big(UInt32(9)), big(UInt32(4)))
        let known = fullBox("tfhd", big(UInt32(1)))
        return File.moof(box("traf", unknown, trun(2, at: data)), box("traf", known, fullBox("trun", big(UInt32(2)))))
      })
    #expect(payloads(result) == [ascii("aaaa"), ascii("bbbb")])
    #expect(result.texts(.error).count == 1)
  }

  /// A file whose movie box has four samples of its own, with two descriptions.
  private func hybrid(_ boxes: [UInt8]...) -> [UInt8] {
    func bytes(_ data: Int) -> [UInt8] {
      let tables = [
        fullBox("stts", big(UInt32(1)), big(UInt32(4)), big(UInt32(10))),
        fullBox("stsc", [2, 1, 2, 1, 2, 2, 2].flatMap { big(UInt32($0)) }),
        fullBox("stsz", big(UInt32(4)), big(UInt32(4))),
        fullBox("stco", big(UInt32(2)), big(UInt32(data)), big(UInt32(data + 8))),
      ]
      let trak = File.trak(tables: (tables + boxes).flatMap(\.self))
      let size = File.moof(File.traf(1, at: 40, trun(1, at: 0))).count
      let fragment = File.moof(File.traf(1, at: 40, trun(1, at: Int32(size + 8)))) + box("mdat", ascii("eeee"))
      return HostileFile(traks: [trak], sampleSize: 4, boxes: [box("mdat", ascii("aaaabbbbccccdddd")), fragment]).bytes
    }
    let data = bytes(0)
    return bytes((data.indices.dropLast(4).first { Array(data[$0..<$0 + 4]) == ascii("mdat") } ?? 0) + 4)
  }

  @Test("Samples of a movie box keep their descriptions, dependencies and groups if fragments follow")
  func hybridSamples() throws {
    let groups =
      fullBox("sgpd", version: 1, ascii("roll"), big(UInt32(2)), big(UInt32(1)), [0xff, 0xff])
      + fullBox("sbgp", ascii("roll"), [2, 1, 0, 3, 1].flatMap { big(UInt32($0)) })
    let result = try Output.defragmenting(hybrid(fullBox("sdtp", [0x10, 0x20, 0x18, 0x28]), groups))
    #expect(
      MP4Tests.payloads(of: "sbgp", in: result.bytes) == [
        zeros(4) + ascii("roll") + [3, 1, 0, 3, 1, 1, 0].flatMap { big(UInt32($0)) }
      ])
    #expect(payloads(result) == ["aaaa", "bbbb", "cccc", "dddd", "eeee"].map(ascii))
    #expect(result[1]?.samples.map(\.descriptionIndex) == [1, 1, 2, 2, 1])
    #expect(result[1]?.samples.map(\.decodeTime) == [0, 10, 20, 30, 40])
    #expect(MP4Tests.payloads(of: "sdtp", in: result.bytes) == [zeros(4) + [0x10, 0x20, 0x18, 0x28, 0]])
    #expect(result.texts(.error) == [])
  }

  @Test("Dependencies for too few samples cannot be assigned; their omission is reported")
  func hybridShortDependencies() throws {
    let result = try Output.defragmenting(hybrid(fullBox("sdtp", [0x10, 0x20, 0x18])))
    #expect(
      result.texts(.error) == [
        "init.mp4: track 1: the sample information in moov's sdtp cannot be carried over; omitted"
      ])
  }

  @Test("Other sample information of a movie box is carried over to the tables")
  func hybridInformation() throws {
    let auxiliary = box("free", ascii("auxiliary"))
    let bytes = hybrid(
      fullBox("stdp", [5, 6, 7, 8].flatMap { big(UInt16($0)) }), fullBox("padb", big(UInt32(4)), [0x12, 0x34]),
      fullBox("subs", big(UInt32(1)), big(UInt32(3)), big(UInt16(1)), big(UInt16(4)), zeros(6)),
      fullBox("saiz", [0], big(UInt32(4)), [1, 2, 3, 3]), fullBox("saio", big(UInt32(1)), big(UInt32(0))))
    let start = bytes.count + 8
    let place = try #require(bytes.indices.first { Array(bytes[$0..<min($0 + 4, bytes.count)]) == ascii("saio") })
    let placed = Array(bytes[..<(place + 12)]) + big(UInt32(start)) + bytes[(place + 16)...] + auxiliary
    let result = try Output.defragmenting(placed)
    #expect(
      MP4Tests.payloads(of: "stdp", in: result.bytes) == [zeros(4) + [5, 6, 7, 8, 0].flatMap { big(UInt16($0)) }])
    #expect(MP4Tests.payloads(of: "padb", in: result.bytes) == [zeros(4) + big(UInt32(5)) + [0x12, 0x34, 0]])
    let subsamples = big(UInt32(1)) + big(UInt32(3)) + big(UInt16(1)) + big(UInt16(4)) + zeros(6)
    #expect(MP4Tests.payloads(of: "subs", in: result.bytes) == [zeros(4) + subsamples])
    #expect(MP4Tests.payloads(of: "saiz", in: result.bytes) == [zeros(4) + [0] + big(UInt32(5)) + [1, 2, 3, 3, 0]])
    let saio = try #require(MP4Tests.payloads(of: "saio", in: result.bytes).first)
    let at = number(saio, 8)
    #expect(Array(result.bytes[at..<(at + 9)]) == ascii("auxiliary"))
    #expect(result.texts(.error) == [])
  }

  @Test("The omission of unreadable sample information is reported")
  func hybridDamage() throws {
    let result = try Output.defragmenting(
      hybrid(
        fullBox("sbgp", ascii("roll"), [1, 4, 1].flatMap { big(UInt32($0)) }), fullBox("saiz", [8], big(UInt32(4))),
        fullBox("stsh", zeros(4))))
    #expect(
      result.texts(.error) == [
        "init.mp4: track 1: the sample information in moov's saiz, sbgp, stsh cannot be carried over; omitted"
      ])
  }

  @Test("Damage in other sample information of a movie box does not lose samples")
  func hybridDamagedTables() throws {
    for type in ["sbgp", "csgp", "subs", "saiz", "saio", "stdp", "padb"] {
      let result = try Output.defragmenting(hybrid(fullBox(type, [0xff, 0xff, 0xff])))
      #expect(payloads(result)?.count == 5)
      #expect(
        result.texts(.error) == [
          "init.mp4: track 1: the sample information in moov's \(type) cannot be carried over; omitted"
        ])
    }
    let sgpd = try Output.defragmenting(
      hybrid(fullBox("sgpd", [1]), fullBox("sbgp", ascii("roll"), [1, 4, 1].flatMap { big(UInt32($0)) })))
    #expect(payloads(sgpd)?.count == 5 && sgpd.texts(.error).count == 1)
  }
}
