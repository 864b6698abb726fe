import MP4
import MP4Bytes
import MP4FileIO
import MP4Inspection
import MP4Packaging
import MP4Records
import Support
import Testing

@Suite("The report page of a file")
struct FileReportTests {
  private static let files = namesInFolder(vectorPath("files")).filter {
    $0.hasSuffix(".mp4") || $0.hasSuffix(".mov") || $0.hasSuffix(".ismv")
  }

  private static func movie(_ bytes: [UInt8], _ name: String) throws -> Movie {
    try Movie(reading: [MemorySource(bytes, name: name)])
  }
  private static func page(_ movie: Movie) throws -> String {
    let sink = MemorySink()
    try FileReport(movie).write(to: sink)
    return String(decoding: sink.bytes, as: UTF8.self)
  }
  /// The text of the elements with this start tag.
  private static func contents(_ page: String, _ start: String, _ end: String) -> [Substring] {
    page.split(separator: start).dropFirst().compactMap { $0.split(separator: end, maxSplits: 1).first }
  }
  private static func data(_ page: String) throws -> JSONValue {
    let text = try #require(contents(page, "<script type=\"application/json\" id=\"data\">", "</script>").first)
    return try JSONValue(Array(text.utf8))
  }
  private static func rows(_ movie: Movie) throws -> [[Substring]] {
    let sink = MemorySink()
    try SampleListing(movie).write(.csv, to: sink)
    return String(decoding: sink.bytes, as: UTF8.self).split(separator: "\n").dropFirst().map {
      $0.split(separator: ",", omittingEmptySubsequences: false)
    }
  }
  private static func numbers(_ value: JSONValue?) -> [Int] {
    value?.elements.compactMap { $0.number.flatMap { Int($0) } } ?? []
  }

  @Test(
    "The summary equals that of info, and the sample values equal those of samples",
    arguments: Effort.some(files, short: 6))
  func numbers(file: String) throws {
    let movie = try Self.movie(readFile(vectorPath("files/" + file)), file)
    let data = try Self.data(Self.page(movie))
    let info = MemorySink()
    try FileSummary.write([.movie(MovieSummary(movie, captions: .start))], .jsonLines, to: info)
    #expect(try data["summary"] == JSONValue(info.bytes))
    let rows = try Self.rows(movie)
    let tracks = try #require(data["tracks"]).elements
    #expect(tracks.count == movie.tracks.count)
    for (track, report) in zip(movie.tracks, tracks) {
      let own = rows.filter { $0[0] == "\(track.id)" }
      let samples = try #require(report["samples"])
      let perBin = try #require(samples["per_bin"]?.number.flatMap { Int($0) })
      let bins = stride(from: 0, to: own.count, by: perBin).map { own[$0..<min($0 + perBin, own.count)] }
      func extremes(_ column: Int) -> [(least: Int, most: Int, sum: Int)] {
        bins.map { bin in
          let values = bin.compactMap { Int($0[column]) }
          return (values.min() ?? 0, values.max() ?? 0, values.reduce(0, +))
        }
      }
      let times = bins.compactMap { $0.first.map { String($0[4]) } }
      #expect(samples["decode_seconds"]?.elements.compactMap(\.number) == times)
      #expect(Self.numbers(samples["bytes"]) == extremes(9).map(\.sum))
      #expect(Self.numbers(samples["smallest"]) == extremes(9).map(\.least))
      #expect(Self.numbers(samples["largest"]) == extremes(9).map(\.most))
      #expect(Self.numbers(samples["first_offset"]) == extremes(10).map(\.least))
      #expect(Self.numbers(samples["last_offset"]) == extremes(10).map(\.most))
      let offsets = bins.map { bin in
        bin.compactMap { row in Int(row[5]).flatMap { time in Int(row[3]).map { time - $0 } } }
      }
      let most = offsets.map { $0.max() ?? 0 }
      #expect(samples["most_composition"].map { Self.numbers($0) == most } ?? most.allSatisfy { $0 == 0 })
      let kinds = try #require(report["kinds"]).elements
      func sum(_ member: String) -> Int { kinds.compactMap { $0[member]?.number.flatMap { Int($0) } }.reduce(0, +) }
      #expect(sum("samples") == own.count && sum("bytes") == track.samples.byteCount)
      let keys = kinds.first { $0["kind"] == .string("key") }?["samples"]?.number ?? "0"
      #expect(keys == "\(own.count { $0[11] == "1" })")
      let rates = try #require(report["rates"])
      #expect(Self.numbers(rates["bytes"]).reduce(0, +) == track.samples.byteCount)
    }
  }

  @Test("The bits of the highest second are those of the summary")
  func peaks() throws {
    let movie = try Self.movie(readFile(vectorPath("files/progressive.mp4")), "a.mp4")
    let report = try FileReport(movie)
    for (track, summary) in zip(report.tracks, report.summary.tracks) {
      #expect(track.rates.peaks.max().map { $0 * 8 } == summary.samples.peakBitRate)
    }
  }

  /// A movie with samples of random sizes, many times more than a chart has bins.
  private static func longMovie(_ count: Int) throws -> Movie {
    var random = SplitMix64(seed: 7)
    let sink = MemorySink()
    let writer = MovieWriter(to: sink)
    let source = try Movie(reading: [MemorySource(readFile(vectorPath("files/progressive.mp4")))])
    let tracks = try source.tracks.map { try writer.add(MovieWriter.Track(like: $0)) }
    let order: [Int64] = [2, 5, 2, 0, 1]
    for index in 0..<count {
      let picture = bytes(1 + Int(random.next() % 30)) { _ in 0 }
      try writer.append(
        picture, to: tracks[0], duration: MediaTime(512, 12_800),
        compositionOffset: MediaTime(index % 50 == 0 ? 1024 : order[index % 5] * 512, 12_800), isSync: index % 50 == 0)
      for _ in 0..<2 { try writer.append([1, 2, 3], to: tracks[1], duration: MediaTime(441, 22_050)) }
    }
    try writer.finish()
    return try movie(sink.bytes, "long.mp4")
  }

  @Test("A long movie has bins, which keep sums and extreme values, and a page of at most 1 MB")
  func long() throws {
    let count = Effort.count(short: 7000, all: 30_000)
    let movie = try Self.longMovie(count)
    let page = try Self.page(movie)
    #expect(page.utf8.count < 1_000_000)
    let data = try Self.data(page)
    let rows = try Self.rows(movie)
    for (track, report) in zip(movie.tracks, try #require(data["tracks"]).elements) {
      let sizes = rows.filter { $0[0] == "\(track.id)" }.compactMap { Int($0[9]) }
      let samples = try #require(report["samples"])
      let perBin = try #require(samples["per_bin"]?.number.flatMap { Int($0) })
      let bins = stride(from: 0, to: sizes.count, by: perBin).map { sizes[$0..<min($0 + perBin, sizes.count)] }
      #expect(perBin > 10 && bins.count <= 600)
      #expect(Self.numbers(samples["bytes"]) == bins.map { $0.reduce(0, +) })
      #expect(Self.numbers(samples["smallest"]) == bins.map { $0.min() ?? 0 })
      #expect(Self.numbers(samples["largest"]) == bins.map { $0.max() ?? 0 })
      #expect(Self.numbers(report["rates"]?["bytes"]).reduce(0, +) == track.samples.byteCount)
    }
    let groups = try #require(data["tracks"]?[0]?["groups"])
    #expect(Self.numbers(groups["bytes"]).reduce(0, +) == movie.tracks[0].samples.byteCount)
    #expect(Self.numbers(groups["most_samples"]).max() == 50)
  }

  @Test("The map contains every byte once, with its purpose")
  func map() throws {
    for file in ["progressive.mp4", "fragmented.mp4", "progressive-moov-last.mp4"] {
      let bytes = try readFile(vectorPath("files/" + file))
      let movie = try Self.movie(bytes, file)
      let map = try FileReport(movie).map
      #expect(ByteMap.Use.allCases.reduce(0) { $0 + map.byteCount(of: $1) } == bytes.count)
      for track in movie.tracks {
        #expect(map.byteCount(of: track.handler == "vide" ? .video : .audio) == track.samples.byteCount)
      }
      #expect(map.byteCount(of: .noSample) == 0 && map.types.reduce(0) { $0 + $1.byteCount } == bytes.count)
    }
  }

  @Test("Media data that no sample uses is shown")
  func unusedMedia() throws {
    let bytes = try readFile(vectorPath("files/progressive.mp4")) + box("mdat", zeros(5000))
    #expect(try FileReport(Self.movie(bytes, "a.mp4")).map.byteCount(of: .noSample) == 5000)
  }

  @Test("Text from files cannot start or end an element")
  func escaping() throws {
    let hostile = "</script><script>alert(1)</script><img src=x onerror='alert(2)'>\"&\u{1}"
    var track = TrackSpec.video()
    track.handler = "vide"
    var file = FragmentedFileBuilder([track, .audio()])
    let value = box("data", big(UInt32(1)), big(UInt32(0)), ascii(hostile))
    let items = big(UInt32(value.count + 8)) + [0xa9] + ascii("nam") + value
    let handler = fullBox("hdlr", zeros(4), ascii("mdir"), zeros(13))
    file.movieBoxes = box("udta", fullBox("meta", handler, box("ilst", items)))
    file.addFragments(3)
    let movie = try Self.movie(file.build().bytes, hostile)
    let report = try FileReport(movie)
    #expect(report.summary.metadata.title?.contains("</script>") == true)
    let page = try Self.page(movie)
    #expect(page.split(separator: "<script").count == 3 && page.split(separator: "</script").count == 3)
    #expect(!page.contains("<img") && page.contains("&lt;img src=x onerror=&#39;alert(2)&#39;&gt;&quot;&amp;"))
    #expect(try Self.data(page)["summary"]?["title"] == .string(report.summary.metadata.title ?? ""))
  }

  @Test("Gaps and overlaps of fragments are shown at their positions")
  func findings() throws {
    var file = FragmentedFileBuilder([.audio()])
    for time in [0, 48_000, 144_000] {
      file.addFragment { fragment in
        fragment.addTraf(2) {
          $0.decodeTime = UInt64(time)
          $0.addRun(.samples(48, size: 4, duration: 1000))
        }
      }
    }
    let report = try FileReport(Self.movie(file.build().bytes, "gap.mp4"))
    let finding = try #require(report.findings.first)
    #expect(finding.severity == .warning && finding.track == 2 && finding.message.contains("gap"))
    #expect(finding.time.map { $0 >= MediaTime(1, 1) && $0 <= MediaTime(2, 1) } == true, "\(report.findings)")
  }

  @Test("Impossible times do not overflow", arguments: [1 << 58, 1 << 60, UInt64(1) << 61 - 1])
  func hugeTimes(time: UInt64) throws {
    var file = FragmentedFileBuilder([.audio().with(\.timescale, 1)])
    for start in [time, time + 50_000] {
      file.addFragment { fragment in
        fragment.addTraf(2) {
          $0.decodeTime = start
          $0.addRun(.samples(48))
        }
      }
    }
    let page = try Self.page(Self.movie(file.build().bytes, "late.mp4"))
    #expect(page.contains("id=\"timeline\"") && !page.contains("nan") && !page.contains("inf\""))
  }

  @Test("Findings of a check are shown at their byte, and those of the movie are shown once")
  func checked() throws {
    let bytes = Array(try readFile(vectorPath("files/fragmented.mp4")).prefix(30_000))
    let source = MemorySource(bytes, name: "cut.mp4")
    let check = try Check().run([source])
    let report = try FileReport(Movie(reading: [source]), check: check)
    let sizes = report.findings.filter { $0.message.contains(" 752") }
    #expect(sizes.count == 1 && sizes.allSatisfy { $0.severity == .error && $0.offset == 29_385 }, "\(sizes)")
    #expect(report.findings.count { $0.message.contains("no data for 50 samples") } == 1)
    #expect(Set(report.findings.map(\.message)).count == report.findings.count, "\(report.findings)")
  }

  @Test("Events are on the timeline and in a list, which equals that of events")
  func events() throws {
    var file = FragmentedFileBuilder([.audio()])
    let message = fullBox(
      "emsg", version: 1, big(UInt32(1000)), big(UInt64(250)), big(UInt32(500)), big(UInt32(8)),
      ascii("urn:x\0v\0"), ascii("<b>"))
    file.addBoxes(message)
    file.addFragments(2, samples: 48)
    let movie = try Self.movie(file.build().bytes, "events.mp4")
    let page = try Self.page(movie)
    let events = try EventListing(movie).events
    #expect(events.count == 1 && page.contains("data-chart=\"events\"") && page.contains("id=\"events\""))
    let own = try Self.data(page)["events"]?[0]
    #expect(own?["summary"] == .string(events[0].summary) && own?["seconds"]?.number == "0.250000")
    #expect(!page.contains("<b>\"") && page.contains("&lt;b&gt;"))
  }

  @Test("A file of still images has a page with its items")
  func images() throws {
    let item = fullBox("infe", version: 2, big(UInt16(1)), big(UInt16(0)), ascii("hvc1"), [0])
    let meta = fullBox(
      "meta", fullBox("hdlr", zeros(4), ascii("pict"), zeros(13)), fullBox("pitm", big(UInt16(1))),
      fullBox("iinf", big(UInt16(1)), item))
    let file = "<i>.heic"
    let source = MemorySource(box("ftyp", ascii("heic"), zeros(4), ascii("mif1heic")) + meta, name: file)
    let images = try #require(try ImageSummary(reading: source))
    let sink = MemorySink()
    try ImageReport(images, of: source, check: Check().run([source])).write(to: sink)
    let page = String(decoding: sink.bytes, as: UTF8.self)
    let info = MemorySink()
    try FileSummary.write([.images(images)], .jsonLines, to: info)
    #expect(try Self.data(page)["summary"] == JSONValue(info.bytes))
    #expect(images.items.count == 1 && page.contains("<title>&lt;i&gt;.heic</title>"))
    #expect(page.contains("<th scope=\"row\">1</th><td>hvc1</td>"))
  }

  /// An image of 100 bytes, metadata of 30 bytes that another item shares, and 4 bytes in `idat`; no item uses 20 bytes
  /// of the media data. `more` boxes follow the media data.
  private static func images(_ more: [UInt8]) -> [UInt8] {
    func item(_ id: UInt16, _ type: String) -> [UInt8] {
      fullBox("infe", version: 2, big(id), big(UInt16(0)), ascii(type), [0])
    }
    func place(_ id: UInt16, _ method: UInt16, _ offset: UInt32, _ length: UInt32) -> [UInt8] {
      big(id) + big(method) + big(UInt16(0)) + big(UInt16(1)) + big(offset) + big(length)
    }
    func meta(_ start: UInt32) -> [UInt8] {
      fullBox(
        "meta", fullBox("hdlr", zeros(4), ascii("pict"), zeros(13)), fullBox("pitm", big(UInt16(1))),
        fullBox("iinf", big(UInt16(4)), item(1, "hvc1"), item(2, "Exif"), item(3, "mime") + [0], item(4, "grid")),
        fullBox(
          "iloc", version: 1, [0x44, 0], big(UInt16(4)), place(1, 0, start, 100), place(2, 0, start + 100, 30),
          place(3, 0, start + 110, 20), place(4, 1, 0, 4)),
        box("idat", zeros(4)))
    }
    let start = box("ftyp", ascii("heic"), zeros(4), ascii("mif1heic"))
    return start + meta(UInt32(start.count + meta(0).count + 8)) + box("mdat", zeros(150)) + more
  }

  @Test("The map of an image file contains each byte once: images, their metadata, the rest, and a video in the file")
  func imageMap() throws {
    let video = try readFile(vectorPath("files/progressive.mp4"))
    let source = MemorySource(Self.images(box("mpvd", video)), name: "motion.heic")
    let report = try ImageReport(try #require(try ImageSummary(reading: source)), of: source)
    let map = report.map
    #expect(map.byteCount(of: .images) == 104 && map.byteCount(of: .imageMetadata) == 30)
    #expect(map.byteCount(of: .noSample) == 20 && map.byteCount(of: .motionVideo) == video.count + 8)
    #expect(ByteMap.Use.allCases.reduce(0) { $0 + map.byteCount(of: $1) } == source.byteCount)
    let sink = MemorySink()
    try report.write(to: sink)
    let page = String(decoding: sink.bytes, as: UTF8.self)
    #expect(page.contains("data-chart=\"map\"") && page.contains("video of a motion photo (mpvd): "))
    #expect(page.contains("<bdi>track 1: H.264 ") && !page.contains("id=\"tools\""))
    #expect(try Self.data(page)["map"]?["bytes"]?.number == source.byteCount.map { "\($0)" })
  }

  @Test("A file with a track and images has the items on its page, and their bytes on its map")
  func sequence() throws {
    let images = Self.images([])
    let track = try readFile(vectorPath("files/fragmented.mp4"))
    let movie = try Self.movie(images + track.dropFirst(Int(track[3])), "both.heic")
    let report = try FileReport(movie)
    let page = try Self.page(movie)
    #expect(report.map.byteCount(of: .images) == 104 && report.map.byteCount(of: .video) > 0)
    #expect(page.contains("<h3>Items</h3>") && page.contains("<section id=\"timeline\""))
    let info = MemorySink()
    let source = MemorySource(images + track.dropFirst(Int(track[3])), name: "both.heic")
    try FileSummary.write([FileSummary(reading: [source], captions: .start)], .jsonLines, to: info)
    #expect(try Self.data(page)["summary"] == JSONValue(info.bytes))
  }

  @Test(
    "Reading and checking a file together gives the same page as checking it before",
    arguments: Effort.some(files, short: 6))
  func atOnce(file: String) throws {
    let source = MemorySource(try readFile(vectorPath("files/" + file)), name: file)
    let (once, twice) = (MemorySink(), MemorySink())
    try FileReport(reading: [source]).write(to: once)
    try FileReport(Movie(reading: [source]), check: Check().run([source])).write(to: twice)
    #expect(once.bytes == twice.bytes)
    let text = MemorySource(ascii("text"), name: "text")
    #expect(throws: MovieError.text(file: "text")) { try FileReport(reading: [text]) }
  }

  @Test("Init segments and damaged files have a page", arguments: ["fragmented.mp4", "progressive.mp4"])
  func damaged(file: String) throws {
    let initSegment = try Self.page(Self.movie(readFile(vectorPath("files/hls/init.mp4")), "init.mp4"))
    #expect(initSegment.contains("init segment") && !initSegment.contains("id=\"timeline\""))
    let bytes = try readFile(vectorPath("files/" + file))
    var random = SplitMix64(seed: 16)
    for _ in 0..<Effort.count(short: 10, all: 100) {
      var damaged = bytes
      for _ in 0..<(1 + random.next() % 12) {
        damaged[Int(random.next() % UInt64(min(bytes.count, 16_000)))] = UInt8(truncatingIfNeeded: random.next())
      }
      guard let movie = try? Self.movie(damaged, file), let report = try? FileReport(movie) else { continue }
      let sink = MemorySink()
      try report.write(to: sink)
      #expect(sink.bytes.count < 1_000_000)
    }
  }
}
