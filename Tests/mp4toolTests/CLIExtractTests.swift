import Support
import Testing

@Suite("extract, end to end")
struct CLIExtractTests {
  /// The units of a byte stream, each with whether its start code has four bytes.
  private func units(_ bytes: [UInt8]) -> [[UInt8]] {
    var starts: [(code: Int, unit: Int)] = []
    for at in bytes.indices.dropLast(2) where bytes[at] == 0 && bytes[at + 1] == 0 && bytes[at + 2] == 1 {
      starts.append((at > 0 && bytes[at - 1] == 0 ? at - 1 : at, at + 3))
    }
    let ends = starts.dropFirst().map(\.code) + [bytes.count]
    return zip(starts, ends).map { Array(bytes[$0.unit..<$1]) }
  }

  /// The units of an MP4 sample with lengths of four bytes.
  private func units(ofSample bytes: [UInt8]) -> [[UInt8]] {
    var (found, at): ([[UInt8]], Int) = ([], 0)
    while at + 4 <= bytes.count {
      let size = bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
      found.append(Array(bytes[at + 4..<at + 4 + size]))
      at += 4 + size
    }
    return found
  }

  @Test("H.264 has all units of the samples, and parameter sets before each IDR picture")
  func video() throws {
    let shell = try EndToEnd()
    let result = try shell("mp4tool extract --tracks video in.mp4 -o out.h264")
    #expect(result.exitCode == 0 && result.text == "" && result.errorText == "")
    let found = try units(shell.bytes("out.h264"))
    let samples = try SampleReader.read(shell.bytes("in.mp4")).samples[1] ?? []
    #expect(samples.count > 100)
    let isSet: ([UInt8]) -> Bool = { [7, 8].contains($0[0] & 31) }
    #expect(found.filter { !isSet($0) } == samples.flatMap { units(ofSample: $0.payload) })
    #expect(found.filter(isSet).count > 2)
    for index in found.indices where found[index][0] & 31 == 5 && found[index][1] & 0x80 != 0 {
      #expect(found[index - 2][0] & 31 == 7 && found[index - 1][0] & 31 == 8)
    }
  }

  @Test("AAC has a header with the size of each sample")
  func audio() throws {
    let shell = try EndToEnd()
    #expect(try shell("mp4tool extract --tracks 2 in.mp4 -o out.aac").exitCode == 0)
    let bytes = try shell.bytes("out.aac")
    var (found, at): ([[UInt8]], Int) = ([], 0)
    while at + 7 <= bytes.count, bytes[at] == 0xff, bytes[at + 1] == 0xf1 {
      let size = Int(bytes[at + 3] & 3) << 11 | Int(bytes[at + 4]) << 3 | Int(bytes[at + 5] >> 5)
      found.append(Array(bytes[at + 7..<at + size]))
      at += size
    }
    let samples = try SampleReader.read(shell.bytes("in.mp4")).samples[2]?.map(\.payload)
    #expect(at == bytes.count && found == samples)
  }

  @Test("Fragmented and progressive files, segments and pipes give the same stream")
  func sameStreams() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool defrag -q in.mp4 -o flat.mp4
      for t in video audio; do
        mp4tool extract --tracks $t in.mp4 -o a; mp4tool extract --tracks $t flat.mp4 -o b; cmp a b && echo same
        cat in.mp4 | mp4tool extract --tracks $t - -o - | cmp - a && echo same
      done
      cat $V/video/init.mp4 $V/video/segment?.m4s > whole.mp4
      mp4tool extract $V/video/init.mp4 $V/video/segment?.m4s -o a; mp4tool extract whole.mp4 -o b; cmp a b && echo same
      mp4tool extract --frame 0 whole.mp4 -o b; test -s b && cmp -n $(stat -c %s b) a b && echo same
      """)
    #expect(result.lines == Array(repeating: "same", count: 6) && result.errorText == "")
  }

  @Test("One sample is extracted by its time, frame number or timecode, like the start of a cut")
  func frames() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      for file in in.mp4 $V/fragmented.mp4 $V/hevc-fragmented.mp4 $V/negative-cts.mp4; do
        for i in 0 1 2 31 32; do
          mp4tool extract -q --tracks video --raw --frame ${i}f $file -o a
          mp4tool cut -q --from ${i}f --to $((i + 1))f --tracks video $file -o b.mp4
          mp4tool extract -q --tracks video --raw --frame 0f b.mp4 -o c; cmp a c && md5sum < a
        done | sort | uniq | wc -l
      done
      """)
    #expect(result.lines == ["5", "5", "5", "5"], "\(result.text) \(result.errorText)")
    // The frame number is that of the video; a time within a millisecond of a frame selects it.
    let same = try shell(
      """
      mp4tool extract --tracks audio --raw --frame 31f in.mp4 -o a; mp4tool extract --tracks 2 --raw --frame 1.32 in.mp4 -o b
      cmp a b && echo same
      mp4tool extract --tracks video --frame 31f in.mp4 -o a; mp4tool extract --tracks 1 --frame 1.3195 in.mp4 -o b
      cmp a b && echo same
      mp4tool extract --raw --frame 31f in.mp4 -o t%d && ls t1 t2
      cat $V/video/init.mp4 $V/video/segment2.m4s > late.mp4; cat $V/video/init.mp4 $V/video/segment?.m4s > whole.mp4
      mp4tool extract --frame 9f late.mp4 -o c; mp4tool extract --frame 0.44 late.mp4 -o d; cmp c d && echo same
      mp4tool extract --frame 2.36 whole.mp4 -o e; cmp c e && echo same
      """)
    #expect(same.lines == ["same", "same", "t1", "t2", "same", "same"], "\(same)")
    // A note for each picture that depends on others, and none for audio.
    #expect(same.errorLines.count == 6, "\(same)")
    #expect(
      same.errorLines.allSatisfy { $0.hasSuffix("of track 1 is not a sync sample; decoders need others before it") })
    for (line, message) in [
      ("--frame 100000f", "in.mp4: frame 100000 does not exist; the video has "),
      ("--frame 01:00:10:00", "in.mp4: there is no timecode track"),
    ] {
      let result = try shell("mp4tool extract --tracks 1 \(line) in.mp4 -o out")
      #expect(result.exitCode == 65 && result.errorText.contains(message), "\(result)")
    }
  }

  @Test("Raw samples are those of the file, also for encrypted tracks, and can be preceded by their sizes")
  func raw() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool extract --raw --tracks 2 in.mp4 -o a && mp4tool extract --raw --tracks audio $V/encrypted-cenc.mp4 -o b
      mp4tool extract --raw --tracks 2 $V/pcm.mov -o c && test -s b -a -s c && echo done
      """)
    #expect(result.text == "done\n" && result.errorText == "")
    let samples = try #require(SampleReader.read(shell.bytes("in.mp4")).samples[2])
    #expect(try shell.bytes("a") == samples.flatMap(\.payload))
    #expect(try shell("mp4tool extract --raw --sizes --tracks audio in.mp4 -o d").exitCode == 0)
    #expect(
      try shell.bytes("d")
        == samples.flatMap { [0, 0, UInt8($0.payload.count >> 8), UInt8($0.payload.count & 0xff)] + $0.payload })
    let moved = try shell("mp4tool dump --tracks 2 in.mp4 -o out")
    #expect(moved.exitCode == 64)
    #expect(
      moved.errorText.contains("unknown option '--tracks'; did you mean 'mp4tool extract --tracks'?"))
  }

  @Test("Impossible extraction is refused, and nothing is written")
  func refused() throws {
    let shell = try EndToEnd()
    for (line, code, message) in [
      ("in.mp4", 64, ""), ("--tracks 0 in.mp4 -o out", 64, ""), ("--frame x in.mp4 -o out", 64, ""),
      ("in.mp4 -o out", 65, "in.mp4: only one track can be written; select one of track 1 (vide), track 2 (soun)"),
      ("--tracks 7 in.mp4 -o out", 65, "in.mp4: track 7 does not exist; it has track 1 (vide), track 2 (soun)"),
      ("--tracks 1 --frame 1:00:00 in.mp4 -o out", 65, "in.mp4: track 1: no sample is presented at 3600.000 s"),
      ("--tracks 2 --format ivf $V/pcm.mov -o out", 65, "pcm.mov: track 2: its codec sowt cannot be written as IVF\n"),
      ("--tracks 1 --format wav in.mp4 -o out", 65, "cannot be written as WAV"),
      ("--tracks 1 --format mp5 in.mp4 -o out", 64, "--format"),
      ("--tracks 1 --format wav --raw in.mp4 -o out", 64, "options '--raw' and '--format' contradict each other"),
      ("--tracks 1 --sizes in.mp4 -o out", 64, "option '--sizes' needs '--raw'"),
      ("--format wav --cover in.mp4 -o out", 64, "options '--cover' and '--format' contradict each other"),
      (
        "--tracks 1 $V/encrypted-cenc.mp4 -o out", 65,
        "encrypted-cenc.mp4: track 1: its samples are encrypted (cenc), so players cannot decode them; specify keys "
          + "with --key or --key-file, or decrypt the file with 'mp4tool decrypt'; --raw writes the encrypted samples"
      ),
      ("--tracks 1 in.mp4 -o in.mp4", 73, ""), ("none.mp4 -o out", 66, ""),
    ] as [(String, Int32, String)] {
      let result = try shell("mp4tool extract \(line)")
      #expect(result.exitCode == code, "\(line)")
      #expect(result.errorText.contains(message), "\(line): \(result.errorText)")
    }
    #expect(shell.folder.names == ["in.mp4"])
  }

  @Test("The rest of a truncated file is extracted, unless --strict; other extensions of OUT are noted")
  func damaged() throws {
    let shell = try EndToEnd()
    let cut = try shell("head -c 30000 in.mp4 > cut.mp4; mp4tool extract --tracks 1 cut.mp4 -o out.264")
    #expect(cut.exitCode == 1 && cut.errorText.contains("the file is cut off"))
    #expect(try shell("mp4tool extract --strict --tracks 1 cut.mp4 -o other").exitCode == 65)
    #expect(shell.folder.names == ["cut.mp4", "in.mp4", "out.264"])
    let named = try shell(
      "mp4tool extract --tracks audio in.mp4 -o out.MP4; mp4tool extract --tracks 2 in.mp4 -o out.x.aac")
    #expect(named.exitCode == 0)
    #expect(
      named.errorText
        == "mp4tool: note: out.MP4: the content is AAC (ADTS), which is usually named .aac\n")
  }
}

@Suite(
  "Extracted tracks equal those of ffmpeg", .enabled(if: Effort.has("ffmpeg"), "needs MP4TOOL_TESTS=all and ffmpeg"))
struct CLIExtractReadersTests {
  @Test("A picture is found by its timecode, written by ffmpeg, as by its frame number")
  func timecode() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=192x108:r=25:d=3 -pix_fmt yuv420p -timecode 01:00:10:00 tc.mov
      mp4tool extract --tracks video --frame 01:00:11:05 tc.mov -o a; mp4tool extract --tracks 1 --frame 30f tc.mov -o b
      cmp a b && echo same
      mp4tool extract --tracks video --frame 01:00:20:00 tc.mov -o c; echo $?
      """)
    #expect(result.lines == ["same", "65"], "\(result)")
    #expect(result.errorLines.last == "mp4tool: tc.mov: the timecode track does not contain this timecode", "\(result)")
  }

  @Test(
    "Each track of the vectors equals the copy by ffmpeg",
    arguments: [
      "base-data-offset.mp4", "fragmented.mp4", "global-sidx.mp4", "hevc-fragmented.mp4", "hybrid.mp4",
      "negative-cts.mp4", "omit-tfhd-offset.mp4", "pcm.mov", "prft.mp4", "progressive-moov-last.mp4",
      "progressive.mov", "progressive.mp4", "separate-moof.mp4",
    ])
  func vectors(name: String) throws {
    let shell = try EndToEnd()
    let video = name.hasPrefix("hevc") ? "hevc" : "h264"
    let result = try shell(
      """
      mp4tool extract --tracks video $V/\(name) -o a
      ffmpeg -nostdin -v error -ignore_editlist 1 -i $V/\(name) -map 0:v -c copy -f \(video) b; cmp a b && echo same
      """)
    #expect(result.text == "same\n", "\(result.errorText)")
    guard video == "h264", name != "pcm.mov" else { return }
    let audio = try shell(
      """
      mp4tool extract --tracks audio $V/\(name) -o a
      ffmpeg -nostdin -v error -y -ignore_editlist 1 -i $V/\(name) -map 0:a -c copy -f adts b; cmp a b && echo same
      """)
    #expect(audio.text == "same\n", "\(audio.errorText)")
  }

  /// The options make the muxers write frames only, because a Xing header and tags are not in the samples.
  @Test(
    "AC-3, E-AC-3 and MP3 equal the copies by ffmpeg",
    arguments: [
      ("ac3", "-f ac3"), ("eac3", "-f eac3"), ("libmp3lame", "-f mp3 -write_xing 0 -id3v2_version 0 -write_id3v1 0"),
    ])
  func frames(codec: String, format: String) throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      ffmpeg -nostdin -v error -f lavfi -i sine=d=2:r=48000 -c:a \(codec) made.mp4
      mp4tool extract made.mp4 -o a
      ffmpeg -nostdin -v error -ignore_editlist 1 -i made.mp4 -c copy \(format) b; cmp a b && echo same
      """)
    #expect(result.text == "same\n", "\(result.errorText)")
  }

  /// ffmpeg writes other metadata blocks than those of the sample entry, so only the audio is compared.
  @Test("FLAC decodes to the audio of the movie")
  func flac() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      ffmpeg -nostdin -v error -f lavfi -i sine=d=2:r=48000 -c:a flac -strict -2 made.mp4
      mp4tool extract made.mp4 -o a.flac
      for f in made.mp4 a.flac; do ffmpeg -nostdin -v error -xerror -i $f -f md5 -; done | sort -u | wc -l
      ffmpeg -nostdin -v error -ignore_editlist 1 -i made.mp4 -map 0 -c copy -f data frames
      tail -c $(stat -c %s frames) a.flac | cmp - frames && echo same
      """)
    #expect(result.lines == ["1", "same"], "\(result.errorText)")
  }

  /// ffmpeg writes the duration instead of the frame count (bytes 24 to 27).
  @Test(
    "AV1 and VP9 equal the copies by ffmpeg",
    arguments: [
      ("-c:v libaom-av1 -cpu-used 8 -g 5", "ivf", "av1"), ("-c:v libaom-av1 -cpu-used 8 -g 5", "obu", "av1"),
      ("-c:v libvpx-vp9 -g 5", "ivf", "vp9"),
    ])
  func frames(encoder: String, format: String, codec: String) throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      ffmpeg -nostdin -v error -f lavfi -i testsrc=d=1:s=64x48:r=12 \(encoder) made.mp4 || exit
      mp4tool extract --format \(format) made.mp4 -o a
      ffmpeg -nostdin -v error -i made.mp4 -c copy -copyts -f \(format) b
      if test \(format) = ivf; then
        for f in a b; do { head -c 24 $f; tail -c +29 $f; } > $f.cut; done; cmp a.cut b.cut && echo same
        for f in made.mp4 a; do ffmpeg -nostdin -v error -xerror -i $f -f framemd5 - | cut -d, -f6; done | sort | uniq -c |
          awk '/#/ || $1 == 2 { next } { print }'
      else
        cmp a b && echo same
      fi
      """)
    #expect(result.text == "same\n", "\(result.errorText)")
  }

  /// Pages are divided differently, and the vendor differs, so the packets and the audio are compared with those of
  /// ffmpeg's file. From the movie itself, ffmpeg also decodes the audio after the end of the last packet.
  @Test("Opus in Ogg has the packets and the audio of ffmpeg's file", arguments: [1, 2, 6])
  func opus(channels: Int) throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      ffmpeg -nostdin -v error -f lavfi -i sine=d=3.01:r=48000 -ac \(channels) -c:a libopus made.mp4 || exit
      mp4tool extract made.mp4 -o a.opus && ffmpeg -nostdin -v error -i made.mp4 -c copy b.opus
      for f in made.mp4 a.opus; do ffmpeg -nostdin -v error -i $f -map 0 -c copy -f data - | md5sum; done | sort -u | wc -l
      for f in a.opus b.opus; do ffmpeg -nostdin -v error -xerror -i $f -f s16le - | md5sum; done | sort -u | wc -l
      ffmpeg -nostdin -v error -xerror -i a.opus -f s16le - | wc -c
      """)
    #expect(result.lines == ["1", "1", "\(144_480 * 2 * channels)"], "\(result.errorText)")
  }

  @Test(
    "Uncompressed audio equals ffmpeg's output",
    arguments: [
      ("pcm_s16le", 1, 48000), ("pcm_s16be", 2, 44100), ("pcm_s24le", 2, 48000), ("pcm_s24be", 1, 96000),
      ("pcm_s32le", 2, 48000), ("pcm_s32be", 2, 48000), ("pcm_f32le", 2, 48000), ("pcm_f32be", 1, 48000),
      ("pcm_f64le", 2, 192_000), ("pcm_f64be", 2, 48000), ("pcm_s8", 1, 8001), ("pcm_u8", 1, 8001),
      ("pcm_alaw", 1, 8000), ("pcm_mulaw", 2, 8000),
    ])
  func uncompressed(codec: String, channels: Int, rate: Int) throws {
    let shell = try EndToEnd()
    let little = codec == "pcm_s8" ? "pcm_u8" : codec.hasSuffix("be") ? String(codec.dropLast(2)) + "le" : codec
    let big = codec == "pcm_u8" ? "pcm_s8" : codec.hasSuffix("le") ? String(codec.dropLast(2)) + "be" : codec
    let result = try shell(
      """
      ffmpeg -nostdin -v error -f lavfi -i sine=d=1.00013:r=\(rate) -ac \(channels) -c:a \(codec) made.mov || exit
      mp4tool extract made.mov -o a.wav && mp4tool extract --format aiff made.mov -o a.aiff
      ffmpeg -nostdin -v error -i made.mov -map_metadata -1 -fflags +bitexact -c \(little) b.wav
      ffmpeg -nostdin -v error -i made.mov -map_metadata -1 -fflags +bitexact -c \(big) b.aiff
      cmp a.wav b.wav && cmp a.aiff b.aiff && echo same
      """)
    #expect(result.text == "same\n", "\(codec): \(result.errorText)")
  }

  /// Tracks for which ffmpeg's copy differs, with the reason.
  private static let different = [
    "aac 21-truncated-64bit.mp4": "ffmpeg writes the start of a sample that is cut off",
    "aac 06-fragmented.mp4": "ffmpeg reads samples at base data offsets that are out of date",
    "h264 43-bbb.mp4": "ffmpeg writes a sample that two fragments have twice",
    "aac 43-bbb.mp4": "ffmpeg writes a sample that two fragments have twice",
    "h264 44-v.mp4": "ffmpeg starts with the first IDR picture, but the file marks other pictures as sync samples",
    "opus 40-opus_audioinit_two_desc.mp4": "samples are encrypted without saying so, thus not packets",
    "eia_608 28-apple_hevc.mp4": "ffmpeg writes captions without the boxes that samples consist of",
    "eia_608 39-cbcsdec.mp4": "ffmpeg writes captions without the boxes that samples consist of",
  ]

  /// Tracks that ffmpeg copies but extract refuses, with the reason.
  private static let refused = [
    "aac 21-myMovie.mp4": "an ADTS header cannot express its configuration",
    "h264 13-bear-640x360-v_frag-cenc-senc.mp4": "its samples are encrypted",
    "av1 15-av1-clearkey-cbcs-video.mp4": "its samples are encrypted",
    "aac 46-ar-1280x720-a_frag-cenc-key_rotation.mp4": "its samples are encrypted",
    "unknown 19-unknown_mdat_in_oversized_meta.avif": "the box is missing",
  ]

  /// Bytes are compared if the format has only one form. ffmpeg writes the duration into the frame count of IVF (bytes
  /// 24 to 27). Ogg pages and FLAC metadata blocks differ, so packets are compared. ffmpeg's WAV has more chunks, so
  /// the audio is compared. Other codecs are compared as raw samples, and attached pictures with the cover.
  @Test(
    "Each track of the corpus equals the copy by ffmpeg",
    .enabled(if: corpusFolder != nil, "needs MP4TOOL_CORPUS"))
  func corpusFiles() throws {
    let folders = ["progressive", "quicktime", "fragmented-whole", "broken", "other"]
    let files = filesBelow(try #require(corpusFolder)).filter { file in folders.contains { file.contains("/\($0)/") } }
    let shell = try EndToEnd()
    try shell.folder.write("files", Array(files.joined(separator: "\n").utf8) + [10])
    let result = try shell(
      """
      packets() { ffmpeg -nostdin -v error -i "$1" -map 0 -c copy -f data - 2> /dev/null; }
      sound() { ffmpeg -nostdin -v error "$@" -map_metadata -1 -f s32le - 2> /dev/null | md5sum; }
      while IFS= read -r file; do
        ffprobe -v error -show_entries stream=index,id,codec_name -of csv=p=0 "$file" 2> /dev/null < /dev/null |
          grep , | sort -u > streams
        hasCover=
        while IFS=, read -r index codec track rest; do
          kind=bytes copy= select="--tracks $((track))"
          case $codec in
            h264 | hevc | ac3 | eac3) format=$codec;;
            aac) format=adts;;
            mp3) format='mp3 -write_xing 0 -id3v2_version 0 -write_id3v1 0';;
            av1 | vp8 | vp9) format=ivf kind=frames copy=-copyts;;
            opus | flac) format=data kind=packets;;
            pcm_*) format=wav kind=sound;;
            *) format=data kind=raw;;
          esac
          if test $((track)) = 0; then
            test -z "$hasCover" || continue
            hasCover=1 format=data kind=cover select=--cover
          fi
          test $kind != raw || select="$select --raw"
          ffmpeg -nostdin -v error -ignore_editlist 1 -i "$file" -map 0:$index -c copy $copy -f $format -y b 2> /dev/null &&
            test -s b || continue
          mp4tool extract -q $select "$file" -o a < /dev/null 2> messages
          test $? -le 1 || { echo "refused $codec ${file##*/}: $(cat messages)"; continue; }
          case $kind in
            bytes | raw | cover) cmp -s a b ;;
            frames) for f in a b; do { head -c 24 $f; tail -c +29 $f; } > $f.cut; done; cmp -s a.cut b.cut ;;
            packets) packets a | cmp -s - b ;;
            sound) test "$(sound -i a)" = "$(sound -ignore_editlist 1 -i "$file" -map 0:$index)" ;;
          esac && echo "same $kind" || echo "different $codec ${file##*/}"
        done < streams
      done < files
      """)
    for (kind, count) in ["bytes": 80, "frames": 3, "packets": 4, "sound": 1, "raw": 20, "cover": 5] {
      #expect(result.lines.count { $0 == "same \(kind)" } >= count, "\(kind)")
    }
    let different = result.lines.filter { $0.hasPrefix("different ") }.map { String($0.dropFirst(10)) }
    #expect(Set(different).subtracting(Self.different.keys).isEmpty, "\(different)")
    let missing = ["it has no usable samples: ", "samples is missing (track ", "its only sample is missing (track "]
    for line in result.lines where line.hasPrefix("refused ") && !missing.contains(where: { line.contains($0) }) {
      let parts = line.dropFirst(8).split(separator: ":", maxSplits: 1)
      let reason = Self.refused[String(parts[0])]
      #expect(reason.map { line.contains($0) } == true, "\(line)")
    }
  }
}
