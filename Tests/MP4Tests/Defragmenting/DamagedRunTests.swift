import MP4
import Support
import Testing

@Suite("After a damaged box, no wrong data is used")
struct DamagedRunTests {
  typealias File = HostileFile

  /// The output for a fragment with these boxes in its moof and with `data` after it, in samples of four bytes.
  private func output(_ data: String, _ trafs: (_ data: Int32) -> [UInt8]) throws -> Output {
    let start = Int32(File.moof(trafs(0)).count + 8)
    let tracks = [File.trak(1), File.trak(2)]
    return try .defragmenting(
      HostileFile(traks: tracks, sampleSize: 4, boxes: [File.moof(trafs(start)), box("mdat", ascii(data))]).bytes)
  }
  private func trun(_ count: UInt32, at data: Int32? = nil) -> [UInt8] {
    fullBox("trun", flags: data == nil ? 0 : 1, big(count), data.map { big($0) } ?? [])
  }
  /// A run whose size table has fewer rows than its sample count.
  private let damaged = fullBox("trun", flags: 0x200, big(UInt32(9)), big(UInt32(4)))
  private func payloads(_ output: Output, _ track: UInt32) -> [String]? {
    output[track]?.samples.map { String(decoding: $0.payload, as: UTF8.self) }
  }

  @Test("Runs after a damaged one are omitted unless they have a data offset")
  func laterRuns() throws {
    let result = try output("aaaabbbbccccdddd") { data in
      File.traf(1, trun(1, at: data), damaged, trun(1), trun(1, at: data + 12), trun(0))
    }
    #expect(payloads(result, 1) == ["aaaa", "dddd"])
    #expect(
      result.texts(.error) == [
        "init.mp4: track 1: moof/traf/trun[2]: samples at byte 922 counts 9 entries of 4 bytes but 4 bytes are left; "
          + "its samples (fragment at 0.000 s) are omitted",
        "init.mp4: track 1: moof/traf/trun[3] at byte 926: its data follows data with a damaged description; its "
          + "samples (fragment at 0.000 s) are omitted",
      ])
  }

  @Test("Track fragments that count from the end of a damaged one are omitted, those with their own base are kept")
  func laterTrackFragments() throws {
    let withoutBase = fullBox("tfhd", big(UInt32(2)))
    let result = try output("aaaabbbbccccdddd") { data in
      File.traf(1, trun(1, at: data), damaged) + box("traf", withoutBase, trun(1), trun(1, at: 4))
        + File.traf(2, trun(1, at: data + 12))
    }
    #expect(payloads(result, 1) == ["aaaa"])
    #expect(payloads(result, 2) == ["dddd"])
    #expect(result.texts(.error).count == 3)
    #expect(result.texts(.error).last?.hasSuffix("data with a damaged description; its samples are omitted") == true)
  }

  @Test("The same applies after a damaged tfhd", arguments: [true, false])
  func damagedHeader(isDamaged: Bool) throws {
    let header = isDamaged ? box("tfhd", zeros(6)) : fullBox("tfhd", flags: 0x2_0000, big(UInt32(1)))
    let result = try output("aaaabbbbcccc") { data in
      box("traf", header, trun(1, at: data)) + box("traf", fullBox("tfhd", big(UInt32(2))), trun(1))
        + File.traf(2, at: 10, trun(1, at: data + 8))
    }
    #expect(payloads(result, 1) == (isDamaged ? [] : ["aaaa"]))
    #expect(payloads(result, 2) == (isDamaged ? ["cccc"] : ["bbbb", "cccc"]))
    #expect(result.texts(.error).count == (isDamaged ? 2 : 0))
  }

  @Test("A damaged mfhd or sgpd does not lose samples, and the message does not claim that")
  func harmless() throws {
    let result = try output("aaaa") { data in
      File.traf(1, trun(1, at: data), fullBox("sgpd", version: 1, ascii("roll"), big(UInt32(2)), big(UInt32(9))))
    }
    #expect(payloads(result, 1) == ["aaaa"])
    #expect(result.texts(.error).count == 1)
    #expect(result.texts(.error).first?.hasSuffix("; its information (fragment at 0.000 s) is omitted") == true)

    let traf = File.traf(1, fullBox("trun", flags: 1, big(UInt32(1)), big(Int32(100))))
    let moof = box("moof", box("mfhd", zeros(2)), traf)
    let data = zeros(100 - moof.count - 8) + ascii("aaaa")
    let other = try Output.defragmenting(HostileFile(sampleSize: 4, boxes: [moof, box("mdat", data)]).bytes)
    #expect(payloads(other, 1) == ["aaaa"])
    #expect(other.texts(.error) == [])
    #expect(other.texts(.warning).first?.hasSuffix("; the sequence number is unknown") == true)
  }

  @Test("An impossible decode time is reported, and the samples follow the previous ones")
  func impossibleTime() throws {
    let result = try output("aaaabbbb") { data in
      File.traf(1, at: 0, trun(1, at: data)) + File.traf(1, at: 1 << 61, trun(1, at: data + 4))
    }
    #expect(payloads(result, 1) == ["aaaa", "bbbb"])
    #expect(result[1]?.samples.map(\.decodeTime) == [0, 10])
    #expect(
      result.texts(.warning) == [
        "init.mp4: track 1: 1 fragment declares a decode time of 2^61 or more, which is invalid; the samples from "
          + "0.010 s on follow the previous ones"
      ])
  }
}
