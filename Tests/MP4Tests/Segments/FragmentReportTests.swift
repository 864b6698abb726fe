import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("The report of segments")
struct FragmentReportTests {
  private func report(_ plan: FragmentPlan, names: [String]? = nil) throws -> JSONValue {
    let sink = MemorySink()
    try plan.writeReport(to: sink, output: "out \"1\".mp4", isWritten: true, names: names)
    return try JSONValue(sink.bytes)
  }
  private func int(_ value: JSONValue?) throws -> Int { try #require(value?.number.flatMap { Int($0) }) }

  private let file = progressive([
    .pictures(100, group: 20, offsets: [1024, 2048, 512, 512]).with(\.edits, [.media(from: 1024)]),
    .sound(188).with(\.edits, [.media(from: 1024)]),
  ])

  @Test("The positions of segments and their first samples match the bytes", arguments: [false, true])
  func places(isApple: Bool) throws {
    var options = isApple ? Fragmenter.Options.apple : .init()
    (options.cutting, options.hasIndex, options.hasRandomAccess) = (.interval(time(1)), true, true)
    options.fragmentDuration = time(0, 500)
    let output = try FragmentedOutput(named([file.bytes]), options: options)
    let report = try report(output.plan)
    #expect(report["profile"]?.string == (isApple ? "apple" : "cmaf"))
    #expect(report["cmaf_brands"] == .array([]) && report["severity"]?.string == "note")
    #expect(report["output"]?["name"]?.string == "out \"1\".mp4" && report["output"]?["is_written"] == .bool(true))
    #expect(try int(report["output"]?["size"]) == output.bytes.count)
    let segments = report["segments"]?.elements ?? []
    #expect(segments.count == output.plan.segments.count + 1)
    #expect(segments[0]["type"]?.string == "initialization" && segments[0]["offset"]?.number == "0")
    #expect(try int(segments[0]["size"]) == output.plan.initializationByteCount)
    var next: [String: Int] = [:]
    for (index, segment) in segments.dropFirst().enumerated() {
      let (offset, size) = (try int(segment["offset"]), try int(segment["size"]))
      #expect(try int(segment["number"]) == index + 1 && segment["type"]?.string == "separable")
      #expect(Array(output.bytes[offset + 4..<offset + 8]) == ascii("moof"))
      #expect(output.fragments.contains { $0.end == offset + size })
      #expect(try int(segment["fragments"]) == output.fragments(ofSegment: index).count)
      #expect(segment["starts_with_sync"] == .bool(true))
      for track in segment["tracks"]?.elements ?? [] {
        let id = try #require(track["id"]?.number)
        let reading = try #require(output[UInt32(id) ?? 0])
        let sample = reading.samples[next[id, default: 0]]
        let first = try #require(track["first_sample"])
        let place = offset + (try int(first["offset"]))
        #expect(Array(output.bytes[place..<place + (try int(first["size"]))]) == sample.payload)
        #expect(first["is_sync"] == .bool(sample.isSync) && track["decode_time"]?.number == "\(sample.decodeTime)")
        #expect(track["timescale"]?.number == "\(reading.timescale)" && track["handler"]?.string == reading.handler)
        // The presentation time after edits.
        let cut = Int(reading.edits.first?.mediaTime ?? 0)
        #expect(try int(first["presentation_time"]) == sample.compositionTime - cut)
        next[id, default: 0] += try int(track["samples"])
      }
    }
    #expect(next == ["1": 100, "2": 188])
    let tracks = report["tracks"]?.elements ?? []
    #expect(tracks.map { $0["is_reference"] } == [.bool(true), .bool(false)])
    #expect(tracks.map { $0["samples"]?.number } == ["100", "188"])
    #expect(tracks.map { $0["start"]?.number } == output.movie.tracks.map { "\($0.samples[0].decodeTime)" })
    #expect(tracks[1]["edits"]?.elements.count == (isApple ? 0 : 1))
  }

  @Test("Separate segment files have names, and positions count from their starts")
  func names() throws {
    let output = try FragmentedOutput(file.bytes) { ($0.cutting, $0.hasIndex) = (.interval(time(1)), true) }
    let names = ["init.mp4"] + output.plan.segments.indices.map { "segment\($0 + 1).m4s" }
    let report = try report(output.plan, names: names)
    let segments = report["segments"]?.elements ?? []
    #expect(segments.map { $0["name"]?.string } == names && segments.allSatisfy { $0["offset"] == nil })
    var total = output.plan.initializationByteCount
    for (index, segment) in segments.dropFirst().enumerated() {
      let sink = MemorySink()
      try output.plan.writeSegment(index, to: sink)
      total += sink.bytes.count
      #expect(try int(segment["size"]) == sink.bytes.count)
      for track in segment["tracks"]?.elements ?? [] {
        let first = try #require(track["first_sample"])
        let (place, size) = (try int(first["offset"]), try int(first["size"]))
        let all = try #require(output[UInt32(track["id"]?.number ?? "") ?? 0]).samples.map(\.payload)
        #expect(all.contains(Array(sink.bytes[place..<place + size])))
      }
    }
    #expect(try int(report["output"]?["size"]) == total)
  }

  @Test("Segments are adjacent from the start of the presentation to its end")
  func durations() throws {
    for options in [Fragmenter.Options(), .apple] {
      var options = options
      options.cutting = .interval(time(0, 700))
      let report = try report(FragmentedOutput(named([file.bytes]), options: options).plan)
      var end = Seconds(0, 1)
      for segment in (report["segments"]?.elements ?? []).dropFirst() {
        func seconds(_ key: String) throws -> Seconds {
          Seconds(try int(segment[key]?["value"]), try int(segment[key]?["timescale"]))
        }
        #expect(try seconds("start") == end)
        end = end + (try seconds("duration"))
      }
      #expect(end == Seconds(4, 1))
    }
  }

  @Test("The report contains the messages")
  func diagnostics() throws {
    let long = progressive([.pictures(300, group: 100).with(\.edits, [.media(from: 5120)])])
    var options = Fragmenter.Options.apple
    options.cutting = .interval(time(1))
    let output = try FragmentedOutput(named([long.bytes]), options: options)
    let report = try report(output.plan)
    let diagnostics = report["diagnostics"]?.elements ?? []
    #expect(
      diagnostics.map { $0["kind"]?.string } == output.plan.diagnostics.indices.map { diagnostics[$0]["kind"]?.string })
    #expect(diagnostics.contains { $0["kind"]?.string == "long_segments" && $0["segments"]?.number == "3" })
    #expect(diagnostics.contains { $0["kind"]?.string == "presented" } && report["severity"]?.string == "warning")
  }
}
