import Bytes
import FileIO
import MP4
import Support
import Testing

/// How much of real files is found again, as a table.
@Suite("Recovery of real files", .enabled(if: Effort.all, "needs MP4TOOL_TESTS=all"))
struct RecoveryCorpusTests {
  private func row(_ name: String, _ broken: BrokenFile, _ good: [UInt8], _ how: String) -> (String, Double) {
    do {
      let recovery = try Recovery(of: MemorySource(broken.bytes, name: name), like: MemorySource(good, name: "good"))
      let score = broken.score(recovery)
      let parts = zip(broken.codecs, score.tracks).map { codec, track in
        "\(codec) \(track.count)/\(track.allCount)"
      }
      let share = (score.share * 1000).rounded(.down) / 10
      return (
        "\(share) % | \(name) | \(how) | \(parts.joined(separator: ", ")) | \(score.wrong) wrong, "
          + "\(recovery.unknownByteCount) unknown", score.share
      )
    } catch { return ("0 % | \(name) | \(error)", 0) }
  }

  private func report(_ title: String, _ rows: [(String, Double)]) -> Double {
    let shares = rows.map(\.1).sorted()
    let median = shares.isEmpty ? 1 : shares[shares.count / 2]
    print("\n\(title): median \(median)\n" + rows.map(\.0).joined(separator: "\n"))
    return median
  }

  @Test("The corpus, each file like itself", .enabled(if: !corpus().isEmpty, "needs MP4TOOL_CORPUS"))
  func files() throws {
    var rows: [(String, Double)] = []
    for path in corpus() where path.contains("/progressive/") || path.contains("/quicktime/") {
      let bytes = try readFile(path)
      guard bytes.count > 100_000, let broken = try? BrokenFile(bytes), broken.byteCount > 50_000 else { continue }
      rows.append(row(String(path.split(separator: "/").last ?? ""), broken, bytes, "itself"))
    }
    #expect(report("corpus", rows) > 0.95)
  }

  /// Settings of ffmpeg: what each recording has, and the suffix of its name.
  private static let settings: [(String, String)] = [
    ("-c:v libx264 -c:a aac", "mp4"), ("-c:v libx264 -bf 0 -c:a aac -ac 1", "mp4"),
    ("-c:v libx264 -x264-params slices=4 -c:a aac -ar 44100", "mov"),
    ("-c:v libx264 -tune zerolatency -g 15 -c:a aac -b:a 64k", "mp4"),
    ("-c:v libx264 -flags +ildct+ilme -x264-params tff=1 -c:a aac", "mov"),
    ("-c:v libx264 -x264-params open-gop=1:bframes=4:b-pyramid=normal -c:a aac -ac 6", "mp4"),
    ("-c:v libx264 -preset ultrafast -crf 40 -c:a aac -ar 22050 -ac 1", "mp4"),
    ("-c:v libx264 -c:a aac -movflags +faststart", "mp4"), ("-c:v libx264 -tag:v avc3 -c:a aac -ar 32000", "mp4"),
    ("-c:v libx265 -x265-params log-level=none -c:a aac", "mp4"),
    ("-c:v libx265 -x265-params log-level=none:bframes=0 -tag:v hvc1 -c:a aac", "mov"),
    ("-c:v libx264 -c:a pcm_s16le", "mov"), ("-c:v libx264 -bf 0 -c:a pcm_s24be -ac 1", "mov"),
    ("-c:v libx265 -x265-params log-level=none -c:a pcm_s16be", "mov"), ("-c:v libx264 -c:a libmp3lame", "mp4"),
    ("-c:v libx264 -c:a ac3", "mp4"), ("-c:v libx264 -c:a eac3", "mp4"), ("-c:v prores_ks -c:a pcm_s16le", "mov"),
    ("-c:v libx264 -c:a aac -timecode 01:00:00:00", "mov"),
    ("-c:v libx264 -c:a pcm_s16le -timecode 01:00:00:00", "mov"),
    ("-c:v libx264 -an", "mp4"), ("-vn -c:a aac -b:a 192k", "m4a"),
  ]

  @Test(
    "Recordings of ffmpeg, each like another one of the same settings",
    .enabled(if: Effort.has("ffmpeg"), "needs ffmpeg"))
  func recordings() throws {
    let folder = try TemporaryFolder()
    var (rows, common): ([(String, Double)], [(String, Double)]) = ([], [])
    for (number, (setting, suffix)) in Self.settings.enumerated() {
      func make(_ name: String, _ seconds: Int, _ source: String, _ sound: String) throws -> [UInt8]? {
        let path = folder("\(name)\(number).\(suffix)")
        let words =
          "-nostdin -v error -y -f lavfi -i \(source)=size=640x360:rate=25 -f lavfi -i \(sound) -t \(seconds) "
          + "-pix_fmt \(setting.contains("prores") ? "yuv422p10le" : "yuv420p") \(setting) \(path)"
        let result = try run("ffmpeg", words.split(separator: " ").map(String.init))
        return result.exitCode == 0 ? try readFile(path) : nil
      }
      guard let good = try make("good", 4, "testsrc", "anoisesrc=amplitude=0.1:sample_rate=48000:seed=3"),
        let whole = try make(
          "broken", 9, "testsrc2", "aevalsrc=0.4*sin(2*PI*t*(200+90*t))|0.3*sin(900*t):sample_rate=48000"),
        let broken = try BrokenFile(whole)
      else {
        rows.append(("- | \(setting) | not made", 0))
        continue
      }
      rows.append(row(setting, broken, good, suffix))
      if setting.contains("264"), setting.contains("aac") { common.append(rows[rows.count - 1]) }
    }
    _ = report("ffmpeg", rows)
    #expect(report("H.264 and AAC", common) > 0.95)
  }
}
