import Support
import Testing

@Suite("info and ffprobe", .enabled(if: Effort.has("ffprobe", "jq"), "needs MP4TOOL_TESTS=all, ffmpeg and jq"))
struct CLIInfoProbeTests {
  /// The accepted differences, by the end of a file name and the start of a message, with the reason why ours is right.
  private static let differences: [(reason: String, lines: [String])] = [
    (
      "no sample that the tables list is in the file; 'declared duration' says what the header says",
      [
        "09-d61142fba4a256aaf69e6d88fba1629d4bf656d0: duration 0", "03-canon-r6.cr3: duration 0",
        "17-659bbe0ef600e7aeabfd5c24be3bdc00f6c6277b: track 1: frame rate 0",
        "17-659bbe0ef600e7aeabfd5c24be3bdc00f6c6277b: duration 0", "10-issue-151.m4a: duration 0",
        "14-ilst-is-last.m4a: duration 0", "05-esds.mp4: track 1: frame rate 0", "22-vp9.mp4: track 1: frame rate 0",
        "22-vp9.mp4: duration 0", "08-init.mp4: duration 0", "10-smpte_init.mp4: duration 0",
        "01-8bcfce2018e0b6793c89e2081472261dec7d1a28: track 1: frame rate 0",
        "01-8bcfce2018e0b6793c89e2081472261dec7d1a28: duration 0", "10-zero_empty_stsc.mp4: track 1: frame rate 0",
        "10-zero_empty_stsc.mp4: duration 0", "18-init_non_empty_moov.mp4: track 1: frame rate 0",
        "18-init_non_empty_moov.mp4: duration 0", "26-QuickTime.m4a: duration 0",
        "02-QuickTime.mov: track 1: frame rate 0", "02-QuickTime.mov: duration 0",
        "05-MOV1.MOV: track 1: frame rate 0", "05-MOV1.MOV: duration 0", "06-sample_qt.mp4: track 1: frame rate 0",
        "06-sample_qt.mp4: duration 0", "11-QuickTime.mov: track 1: frame rate 0", "11-QuickTime.mov: duration 0",
        "03-avc1/init.mp4: duration 0",
      ]
    ),
    (
      "the file is cut off, and only the samples that are there count",
      [
        "20-bgo_701689.m4a: duration 4", "21-truncated-64bit.mp4: track 2: frame rate 0",
        "21-truncated-64bit.mp4: duration 0.04644",
      ]
    ),
    (
      "ffprobe does not read the size of the sample entry of a damaged track",
      [
        "08-crash_moov-trak: track 1: width 176", "08-crash_moov-trak: track 1: height 144",
        "21-truncated-64bit.mp4: track 2: width 160", "21-truncated-64bit.mp4: track 2: height 120",
      ]
    ),
    ("ffprobe counts the movie box of still images as a track", [".avif: track 1: missing"]),
    ("a track without a media header has no times", ["03-a8937eba0d9ffbf68233a3e9529bf9a97.fuzzed: track 1: missing"]),
    (
      "ffprobe adds the durations of the frames to the first time; the last frame is reordered and ends later",
      [
        "base-data-offset.mp4: duration 6.24", "encrypted-cbcs.mp4: duration 6.24", "encrypted-cenc.mp4: duration 6.24",
        "fragmented.mp4: duration 6.24", "hybrid.mp4: duration 6.24", "omit-tfhd-offset.mp4: duration 6.24",
        "separate-moof.mp4: duration 6.24",
      ]
    ),
    (
      "two pictures without those that are presented between them; the last one lasts half as long",
      ["12-mp4Video.mp4: track 1: frame rate 14.99"]
    ),
    ("a gap between fragments lengthens the frame before it", ["06-fragmented.mp4: track 1: frame rate 20.94"]),
    ("one frame that lasts longer is no other rate", ["03-segment_fmp4.mp4: track 1: frame rate 25"]),
    ("the captions start earlier than the pictures and end later", ["39-cbcsdec.mp4: duration 13.706"]),
    ("a decode time of hours in one fragment is impossible", ["41-sample_fragmented.mp4: duration 1.068"]),
    ("ffprobe decodes encrypted AAC", ["46-ar-1280x720-a_frag-cenc-key_rotation.mp4: track 1: channels 2"]),
    ("ffprobe does not know IAMF", ["07-sample_iamf.mp4: track 1: channels 2"]),
    ("ffprobe does not read the extended language tag", ["12-enca-mp4a/init.mp4: track 1: language en-AU"]),
  ]

  private static let comparison = #"""
    def ratio: split("/") | (.[0] | tonumber) / (.[1] // "1" | tonumber);
    def hundredths: . * 100 | round / 100;
    def number: ltrimstr("0x") | explode | reduce .[] as $c (0; . * 16 + if $c > 96 then $c - 87 else $c - 48 end);
    def compare($name; $own; $other): select($own != $other) | "\($name) \($own), ffprobe \($other)";
    {h264: "H.264", hevc: "H.265", vvc: "H.266", av1: "AV1", vp9: "VP9", aac: "AAC", mp3: "MP3", ac3: "AC-3",
     eac3: "E-AC-3", opus: "Opus", flac: "FLAC", alac: "Apple Lossless"} as $names
    | {eng: "en", deu: "de", fra: "fr", spa: "es", jpn: "ja", ita: "it", nld: "nl"} as $languages
    | ($ours[0][0].tracks // [] | map({key: "\(.id)", value: .}) | from_entries) as $tracks
    | (($probe[0].streams // [])[]
       | select(.disposition.attached_pic != 1 and (.codec_type == "video" or .codec_type == "audio") and .id != null)
       | . as $stream | "\(.id | number)" as $id | $tracks[$id] as $track
       | "track \($id): " +
         if $track == null then "missing" else
           compare("width"; $track.video.width; .width),
           compare("height"; $track.video.height; .height),
           compare("rotation"; $track.video.rotation // 0; [.side_data_list[]?.rotation // empty][0] // 0 | (720 - .) % 360),
           compare("channels"; $track.audio.channels; .channels),
           compare("sample rate"; $track.audio.sample_rate; .sample_rate // null | if . then tonumber else . end),
           compare("language"; $track.language // "und"; .tags.language // "und" | $languages[.] // .),
           ($names[.codec_name // ""] // empty | . as $name | select($track.codec_name | contains($name) | not)
            | "codec \($track.codec_name), ffprobe \($name)"),
           (select($track.video and .avg_frame_rate != "0/0" and .nb_frames != "1")
            | (.avg_frame_rate | ratio) as $rate | ($track.video.frame_rate // "0" | ratio) as $own
            | select(($own - $rate | fabs) > $rate / 200)
            | "frame rate \($own | hundredths), ffprobe \($rate | hundredths)")
         end),
      (($ours[0][0].duration_seconds // empty) as $own
       | (($ours[0][0].start_seconds // 0) + ($ours[0][0].media_start_seconds // 0)) as $start
       | ($probe[0].format.duration // empty | tonumber) as $seconds
       | select(($own - $seconds | fabs) > 0.05 and ($own + $start - $seconds | fabs) > 0.05)
       | "duration \($own), ffprobe \($seconds)")

    """#

  @Test("They agree on codecs, sizes, rotations, frame rates, channels, sample rates, languages and durations")
  func agreement() throws {
    let shell = try EndToEnd()
    let files = filesBelow(vectorPath("files")) + (corpusFolder.map { filesBelow($0) } ?? [])
    try shell.folder.write("files", Array((files.joined(separator: "\n") + "\n").utf8))
    try shell.folder.write("compare.jq", Array(Self.comparison.utf8))
    let result = try shell(
      #"""
      while IFS= read -r file; do
        case $file in *.m3u8|*.tsv|*.vtt|*.md|*SUMS) continue;; esac
        mp4tool info --quiet --format json "$file" > ours.json 2> messages
        ffprobe -v quiet -of json -show_streams -show_format "$file" > probe.json
        jq -rn --slurpfile ours ours.json --slurpfile probe probe.json -f compare.jq | sed "s|^|$file: |"
      done < files
      """#)
    #expect(result.errorText == "")
    let known = Self.differences.flatMap(\.lines)
    for line in result.lines where !known.contains(where: { line.contains($0) }) { Issue.record("\(line)") }
  }
}
