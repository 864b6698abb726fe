import Support
import Testing

@Suite("events, end to end")
struct CLIEventsTests {
  /// A file with a splice and an unknown message.
  private func shell() throws -> EndToEnd {
    let shell = try EndToEnd()
    var file = FragmentedFileBuilder([.audio()])
    let splice = hex(
      "fc302f000000000000fffff014054800008f7feffe7369c02efe0052ccf500000000000a0008435545490000013562dba30a")
    let message = { (scheme: String, id: UInt32, time: UInt64, data: [UInt8]) in
      fullBox(
        "emsg", version: 1, big(UInt32(1000)), big(time), big(UInt32(500)), big(id), ascii(scheme + "\0v\0"), data)
    }
    file.addBoxes(message("urn:scte:scte35:2013:bin", 7, 1000, splice), message("urn:x", 8, 250, [0, 27, 255]))
    file.addFragments(2, samples: 48)
    try shell.folder.write("events.mp4", file.build().bytes)
    return shell
  }
  private func hex(_ text: String) -> [UInt8] {
    let digits = Array(text)
    return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) }
  }

  @Test("Each event has a line with its values, including unknown ones")
  func text() throws {
    let result = try shell()("mp4tool events events.mp4")
    #expect(
      result.description == """
        exit code 0
        0:00.250  event   urn:x: 3 unknown bytes [id 8, lasts 0.500 s]
            payload: 001bff
        0:01.000  scte35  splice_insert: event 1207959695 leaves the network at 21514.559 s for 60.293 s [id 7, lasts 0.500 s]
            protocol_version: 0
            pts_adjustment: 0 (0.000 s)
            tier: 4095
            splice_command_type: 5 (splice_insert)
            splice_event_id: 1207959695
            splice_event_cancel_indicator: false
            out_of_network_indicator: true
            splice_immediate_flag: false
            pts_time: 1936310318 (21514.559 s)
            break_duration: 5426421 (60.293 s)
            auto_return: true
            unique_program_id: 0
            avail_num: 0
            avails_expected: 0
            descriptors[1].splice_descriptor_tag: 0 (avail)
            descriptors[1].provider_avail_id: 309
            CRC_32: right


        """)
  }

  @Test("Events that were converted to a track are the same")
  func track() throws {
    let result = try shell()(
      """
      mp4tool -q defrag --keep-events events.mp4 -o track.mp4
      for f in events track; do mp4tool events --format csv $f.mp4 | cut -d, -f2-; done
      """)
    #expect(result.lines.count == 6 && result.lines.prefix(3) == result.lines.suffix(3))
    #expect(
      result.lines.first == "kind,presentation_seconds,duration_seconds,scheme,value,id,summary,payload")
    #expect(
      result.lines.dropFirst().first
        == "event,0.250000,0.500000,urn:x,v,8,urn:x: 3 unknown bytes,001bff")
  }

  @Test("JSON, and files without events or without a movie")
  func others() throws {
    let shell = try shell()
    let lines = try shell("mp4tool events --format jsonl events.mp4").lines
    let expected: Substring =
      "{\"kind\":\"event\",\"presentation_seconds\":0.250000,\"duration_seconds\":0.500000,\"scheme\":\"urn:x\","
      + "\"value\":\"v\",\"id\":8,\"summary\":\"urn:x: 3 unknown bytes\",\"details\":[],\"payload\":\"001bff\"}"
    #expect(lines.first == expected)
    #expect(
      lines.last?.contains("{\"name\":\"splice_command_type\",\"value\":\"5\",\"meaning\":\"splice_insert\"}") == true)
    #expect(try shell("mp4tool events $V/progressive.mp4").description == "exit code 0\nno events\n\n")
    let playlist = try shell("printf '#EXTM3U\\n' > a.m3u8; mp4tool events a.m3u8")
    #expect(playlist.exitCode == 65 && playlist.text == "")
    #expect(try shell("mp4tool events --print-schema").text.hasPrefix("{\"$schema\":"))
  }
}
