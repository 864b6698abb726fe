import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

/// Tables of the recovered share of real files.
///
/// A sample counts if its position, size and kind are right.
@Suite("Recovery of real files", .serialized, .enabled(if: Effort.all, "needs MP4TOOL_TESTS=all"))
struct RecoveryCorpusTests {
  /// The result for one file.
  private struct Row {
    var name: String
    var codecs: [String] = []
    var score = BrokenFile.Score()
    var unknown = 0
    var problem: String?

    init(_ name: String, _ broken: BrokenFile, _ good: [UInt8]) {
      self.name = name
      codecs = broken.codecs.map { String($0.prefix { $0 != "." }) }
      do {
        let recovery = try Recovery(of: MemorySource(broken.bytes, name: name), like: MemorySource(good, name: "good"))
        (score, unknown) = (broken.score(recovery), recovery.unknownByteCount)
      } catch {
        problem = "\(error)"
        for known in broken.samples {
          var track = BrokenFile.Score.Track()
          (track.allBytes, track.allCount) = (known.values.reduce(0) { $0 + $1.size }, known.count)
          score.tracks.append(track)
        }
      }
    }

    var text: String {
      let tracks = zip(codecs, score.tracks).map { codec, track in
        "\(codec) \(track.count)/\(track.allCount)\(track.misplaced > 0 ? " (\(track.misplaced) misplaced)" : "")"
      }
      let rest = score.wrong + unknown > 0 ? " | \(score.wrong) wrong, \(unknown) bytes unknown" : ""
      let why = problem.map { " | \($0)" } ?? ""
      return "\(percent(score.share)) | \(name) | \(tracks.joined(separator: ", "))\(rest)\(why)"
    }
    /// The found shares of the samples and of the bytes of a codec.
    func shares(_ codec: String) -> (count: Double, bytes: Double)? {
      let tracks = zip(codecs, score.tracks).filter { $0 == codec && $1.allCount > 0 }.map(\.1)
      guard !tracks.isEmpty else { return nil }
      return (
        Double(tracks.reduce(0) { $0 + $1.count }) / Double(tracks.reduce(0) { $0 + $1.allCount }),
        Double(tracks.reduce(0) { $0 + $1.bytes }) / Double(tracks.reduce(0) { $0 + $1.allBytes })
      )
    }
  }

  private static func percent(_ share: Double) -> String { "\((share * 1000).rounded(.down) / 10) %" }
  private static func median(_ shares: [Double]) -> Double { shares.sorted()[shares.count / 2] }

  /// Prints a table, and returns the median share of bytes.
  private func report(_ title: String, _ rows: [Row]) -> Double {
    guard !rows.isEmpty else { return 1 }
    let median = Self.median(rows.map(\.score.share))
    var lines = ["", "\(title): \(rows.count) files, median \(Self.percent(median)) of bytes"]
    for codec in Set(rows.flatMap(\.codecs)).sorted() {
      let shares = rows.compactMap { $0.shares(codec) }
      guard !shares.isEmpty else { continue }
      lines.append(
        "\(codec): \(shares.count) files, median \(Self.percent(Self.median(shares.map(\.count)))) of samples, "
          + "\(Self.percent(Self.median(shares.map(\.bytes)))) of bytes")
    }
    print((lines + rows.map(\.text)).joined(separator: "\n"))
    return median
  }

  @Test(
    "The corpus, with each file and with its first half as the reference",
    .enabled(if: !corpus().isEmpty, "needs MP4TOOL_CORPUS"))
  func files() throws {
    var (whole, halves): ([Row], [Row]) = ([], [])
    for path in corpus() where path.contains("/progressive/") || path.contains("/quicktime/") {
      let bytes = try readFile(path)
      let name = path.split(separator: "/").last.map(String.init) ?? path
      guard bytes.count > 100_000, let broken = try? BrokenFile(bytes), broken.byteCount > 10_000 else { continue }
      whole.append(Row(name, broken, bytes))
      if let (broken, good) = try BrokenFile.halves(bytes) { halves.append(Row(name, broken, good)) }
    }
    #expect(report("corpus, like itself", whole) > 0.999)
    #expect(report("corpus, second half like first half", halves) > 0.999)
    let common = halves.filter { $0.codecs.starts(with: ["avc1", "mp4a"]) }
    #expect(report("corpus, halves with H.264 and AAC", common) > 0.999)
    for row in whole + halves {
      #expect(row.score.share == 1 && row.score.wrong == 0, "\(row.text)")
    }
  }

  /// The settings of a recording, and its file name suffix.
  private struct Setting {
    var options: String
    var suffix: String
    init(_ options: String, _ suffix: String = "mp4") { (self.options, self.suffix) = (options, suffix) }
  }
  private static let settings: [Setting] = [
    Setting("-c:v libx264 -c:a aac"), Setting("-c:v libx264 -bf 0 -c:a aac -ac 1"),
    Setting("-c:v libx264 -x264-params slices=4 -c:a aac -ar 44100", "mov"),
    Setting("-c:v libx264 -tune zerolatency -g 15 -c:a aac -b:a 64k"),
    Setting("-c:v libx264 -flags +ildct+ilme -x264-params tff=1 -c:a aac", "mov"),
    Setting("-c:v libx264 -x264-params open-gop=1:bframes=4:b-pyramid=normal -c:a aac -ac 6"),
    Setting("-c:v libx264 -preset ultrafast -crf 40 -c:a aac -ar 22050 -ac 1"),
    Setting("-c:v libx264 -c:a aac -movflags +faststart"), Setting("-c:v libx264 -tag:v avc3 -c:a aac -ar 32000"),
    Setting("-vf noise=alls=20:allf=t -c:v libx264 -c:a aac -b:a 256k"),
    Setting(
      "-vf noise=alls=20:allf=t -c:v libx264 -x264-params aud=1:repeat-headers=1 -c:a aac -chunk_duration 500000"),
    Setting("-c:v libx264 -x264-params intra-refresh=1 -bf 0 -c:a aac -chunk_duration 1000000 -ar 16000 -ac 1"),
    Setting("-c:v libx265 -x265-params log-level=none -c:a aac"),
    Setting("-c:v libx265 -x265-params log-level=none:bframes=0 -tag:v hvc1 -c:a aac", "mov"),
    Setting("-vf noise=alls=20:allf=t -c:v libx265 -x265-params log-level=none:slices=2 -tag:v hvc1 -c:a aac"),
    Setting("-c:v libx264 -c:a pcm_s16le", "mov"), Setting("-c:v libx264 -bf 0 -c:a pcm_s24be -ac 1", "mov"),
    Setting("-c:v libx264 -c:a pcm_s16le -chunk_duration 500000", "mov"),
    Setting("-c:v libx265 -x265-params log-level=none -c:a pcm_s16be", "mov"),
    Setting("-c:v libx264 -c:a libmp3lame"), Setting("-c:v libx264 -c:a ac3"), Setting("-c:v libx264 -c:a eac3"),
    Setting("-c:v prores_ks -c:a pcm_s16le", "mov"), Setting("-c:v libx264 -c:a aac -timecode 01:00:00:00", "mov"),
    Setting("-c:v libx264 -c:a pcm_s16le -timecode 01:00:00:00", "mov"),
    Setting("-map 0:v -map 1:a -map 1:a -c:v libx264 -c:a:0 aac -b:a:0 160k -c:a:1 aac -b:a:1 64k"),
    Setting("-map 0:v -map 1:a -map 1:a -c:v libx264 -c:a:0 aac -c:a:1 ac3"),
    Setting("-map 0:v -map 1:a -map 1:a -c:v libx264 -c:a:0 pcm_s16le -c:a:1 pcm_s24le", "mov"),
    Setting("-c:v mjpeg -c:a aac", "mov"), Setting("-c:v libx264 -c:a alac", "m4v"), Setting("-c:v libx264 -an"),
    Setting("-vn -c:a aac -b:a 192k", "m4a"),
  ]

  @Test(
    "Recordings of ffmpeg, each with another recording of the same settings as the reference",
    .enabled(if: Effort.has("ffmpeg"), "needs ffmpeg"))
  func recordings() throws {
    let folder = try TemporaryFolder()
    var rows: [Row] = []
    for setting in Self.settings {
      /// A recording of these sources, which have the same format but different contents.
      func make(_ seconds: Int, _ source: String, _ sound: String) throws -> [UInt8] {
        let path = folder("recording.\(setting.suffix)")
        let words =
          "-nostdin -v error -y -f lavfi -i \(source)=size=640x360:rate=25 "
          + "-f lavfi -i \(sound),aformat=channel_layouts=stereo -t \(seconds) "
          + "-pix_fmt \(setting.options.contains("prores") ? "yuv422p10le" : "yuv420p") \(setting.options) \(path)"
        let result = try run("ffmpeg", words.split(separator: " ").map(String.init))
        try #require(result.exitCode == 0, "\(setting.options): \(result.errorText)")
        return try readFile(path)
      }
      let good = try make(4, "testsrc", "anoisesrc=amplitude=0.1:sample_rate=48000:seed=3")
      let whole = try make(
        9, "testsrc2", "aevalsrc=0.4*sin(2*PI*t*(200+90*t))+0.05*random(0)|0.3*sin(900*t):sample_rate=48000")
      let broken = try #require(try BrokenFile(whole))
      rows.append(Row("\(setting.options) (\(setting.suffix))", broken, good))
    }
    #expect(report("ffmpeg", rows) > 0.999)
    let common = rows.filter { $0.codecs.starts(with: ["avc1", "mp4a"]) }
    #expect(report("ffmpeg, H.264 and AAC", common) > 0.999)
    for row in rows {
      #expect(row.score.share > 0.98 && row.score.wrong == 0, "\(row.text)")
      #expect(row.score.tracks.allSatisfy { $0.misplaced == 0 }, "\(row.text)")
    }
    for row in common { #expect(row.score.share > 0.999, "\(row.text)") }
  }
}
