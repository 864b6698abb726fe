import Support
import Testing

/// Keys for two kinds of tracks and three key periods.
enum PackageKeys {
  static let video = (1...3).map { id($0) }
  static let audio = (10...12).map { id($0) }
  /// The IDs and the keys.
  static let all = (video + audio).map { (id: $0, key: "c0ffee00" + $0.suffix(24)) }
  /// The lines of a file.
  static let file = all.map { "\(video.contains($0.id) ? "video" : "audio")=\($0.id):\($0.key)\n" }.joined()

  private static func id(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return "0123456789abcdef0123456789abcd" + String(repeating: "0", count: 2 - digits.count) + digits
  }
}

@Suite("hls --encrypt, end to end")
struct CLIProtectionTests {
  private func shell() throws -> EndToEnd {
    let shell = try EndToEnd()
    try shell.folder.write("keys", ascii(PackageKeys.file))
    try shell.folder.write("plain", ascii(PackageKeys.all.map { "\($0.id):\($0.key)\n" }.joined()))
    return shell
  }

  /// Lines that print what is wrong with the package `out`, whose clear equivalent is `clear`: findings, other samples,
  /// and keys in files or messages.
  private static let verification = """
    mp4tool check out/master.m3u8 | grep -v 'no findings'
    mp4tool defrag -q --key-file plain out/master.m3u8 -o decrypted.mp4; mp4tool defrag -q clear/master.m3u8 -o clear.mp4
    mp4tool diff --samples decrypted.mp4 clear.mp4 2>&1 | grep -v 'the same'
    if test -e out/manifest.mpd; then
      mp4tool check out/manifest.mpd | grep -v 'no findings'
      mp4tool defrag -q --key-file plain out/manifest.mpd -o decrypted.mp4
      mp4tool diff --samples decrypted.mp4 clear.mp4 2>&1 | grep -v 'the same'
    fi
    LC_ALL=C grep -rlia c0ffee00 out messages; find out -type f ! -name '*.key' -print0 |
      xargs -0 cat | LC_ALL=C grep -cPa '\\xc0\\xff\\xee\\x00' | grep -v '^0'
    """

  @Test(
    "The decrypted samples are those of a clear package, and keys are only in key files",
    arguments: [
      "cbcs --drm fairplay=skd://{kid},widevine,playready,clearkey=https://example.com/?a,b",
      "cenc --dash --drm widevine",
    ],
    [
      ("", ""), ("--single-file", "--clear-lead 5"), ("--muxed --profile cmaf", ""), ("", "--key-period 2"),
      ("--start-number 7", "--key-period 3"),
    ])
  func restored(method: String, options: (common: String, own: String)) throws {
    let result = try shell()(
      """
      mp4tool hls -q --segment-duration 4 \(options.common) $V/progressive.mp4 -o clear
      mp4tool hls --segment-duration 4 --encrypt \(method) --encrypt-key-file keys \(options.common) \(options.own) \\
        $V/progressive.mp4 -o out 2> messages || cat messages
      \(Self.verification)
      """)
    #expect(result.text.isEmpty, "\(result)")
  }

  @Test("Key tags of each system, in the playlists and the multivariant playlist")
  func tags() throws {
    let result = try shell()(
      """
      mp4tool hls -q --encrypt cbcs --encrypt-key-file keys --drm fairplay=skd://a/{kid},widevine --drm playready \\
        --drm clearkey=license?x,y $V/progressive.mp4 -o out
      sed -n 's/#EXT-X-KEY://p' out/video-90/index.m3u8 | sed 's/base64,[^"]*/base64,/'
      grep -c SESSION-KEY out/master.m3u8; grep -o 'URI="license[^"]*' out/master.m3u8
      """)
    #expect(
      result.text == """
        METHOD=SAMPLE-AES,URI="skd://a/\(PackageKeys.video[0])",KEYFORMAT="com.apple.streamingkeydelivery",\
        KEYFORMATVERSIONS="1"
        METHOD=SAMPLE-AES,URI="data:text/plain;base64,",KEYFORMAT="urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed",\
        KEYFORMATVERSIONS="1",KEYID=0x\(PackageKeys.video[0])
        METHOD=SAMPLE-AES,URI="data:text/plain;charset=UTF-16;base64,",KEYFORMAT="com.microsoft.playready",\
        KEYFORMATVERSIONS="1"
        METHOD=SAMPLE-AES,URI="../license?x,y",KEYFORMAT="org.w3.clearkey",KEYFORMATVERSIONS="1",\
        KEYID=0x\(PackageKeys.video[0])
        7
        URI="license?x,y

        """, "\(result)")
  }

  @Test("Whole segments are encrypted with AES-128, and the key files are written", arguments: ["", "--key-period 2"])
  func segments(options: String) throws {
    let result = try shell()(
      """
      mp4tool hls -q --segment-duration 4 $V/progressive.mp4 -o clear
      mp4tool hls --segment-duration 4 --start-number 5 --clear-lead 3 --encrypt aes-128 --encrypt-key-file keys \\
        \(options) $V/progressive.mp4 -o out 2> messages || cat messages
      \(Self.verification.replacing("--key-file plain", with: ""))
      ls out | grep -c key; cat out/*.key | wc -c; grep -c METHOD out/video-90/index.m3u8
      mp4tool hls -q --encrypt aes-128 --encrypt-key-file keys --key-uri 'https://x/{kid}' $V/progressive.mp4 -o other
      ls other; grep -ho 'URI="https[^"]*' other/*/index.m3u8
      """)
    let count = options.isEmpty ? 2 : 6
    #expect(
      result.lines == [
        "\(count)", "\(16 * count)", "\(1 + count / 2)", "audio-en", "master.m3u8", "video-90",
        "URI=\"https://x/\(PackageKeys.audio[0])", "URI=\"https://x/\(PackageKeys.video[0])",
      ], "\(result)")
  }

  @Test("An encrypted input is decrypted and encrypted again, and given pssh boxes are used")
  func again() throws {
    let result = try shell()(
      """
      mp4tool encrypt -q --scheme cenc --pssh widevine --key-file plain $V/progressive.mp4 -o in.mp4
      mp4tool extract --whole --box 'moov/pssh' in.mp4 -o pssh
      mp4tool hls -q $V/progressive.mp4 -o clear
      mp4tool hls -q --encrypt cbcs --encrypt-key-file keys in.mp4 -o out; echo $?
      mp4tool hls --encrypt cbcs --drm widevine,playready --pssh pssh --encrypt-key-file keys --key-file plain \\
        in.mp4 -o out 2> messages || cat messages
      \(Self.verification)
      grep -l "$(base64 -w 0 pssh)" out/*/index.m3u8
      """)
    #expect(
      result.lines.first == "65" && result.errorText.contains("already encrypted")
        && result.lines.suffix(2) == ["out/audio-en/index.m3u8", "out/video-90/index.m3u8"], "\(result)")
  }

  @Test("Added silence is encrypted with other vectors for each sample")
  func silence() throws {
    let result = try shell()(
      """
      mp4tool edit -q --delay 2=2.5 $V/progressive.mp4 -o late.mp4
      mp4tool hls -q late.mp4 -o clear
      mp4tool hls --encrypt cenc --drm widevine --encrypt-key-file keys late.mp4 -o out 2> messages
      \(Self.verification)
      cat messages
      """)
    #expect(result.lines.count == 1 && result.text.contains("53 silent samples are added"), "\(result)")
  }

  @Test("Keys for resolutions: media without a key stays clear, which is reported")
  func qualities() throws {
    let (sd, hd) = (PackageKeys.all[0], PackageKeys.all[1])
    let result = try shell()(
      """
      mp4tool hls --encrypt cenc --drm widevine --encrypt-key hd,uhd=\(hd.id):\(hd.key) \\
        --encrypt-key sd=\(sd.id):\(sd.key) $V/progressive.mp4 -o out
      mp4tool info -q out/*/init.mp4 | grep encryption:
      """)
    #expect(
      result.errorText.hasSuffix("progressive.mp4: no key applies to its audio; it stays clear\n")
        && result.lines.count == 1 && result.text.contains(sd.id.prefix(8)), "\(result)")
  }

  @Test("What is impossible is refused without showing a key, and nothing is written")
  func refused() throws {
    let shell = try shell()
    for (line, code, message) in [
      ("--encrypt cenc --encrypt-key-file keys --drm fairplay=skd://a", 64, "FairPlay only supports the scheme cbcs"),
      ("--encrypt aes-128 --encrypt-key-file keys --dash", 64, "DASH has no AES-128"),
      ("--encrypt aes-128 --encrypt-key-file keys --single-file", 64, "its own padding"),
      ("--encrypt aes-128 --encrypt-key-file keys --drm widevine", 64, "DRM systems encrypt samples"),
      (
        "--encrypt cbcs --encrypt-key-file keys --drm fairplay=skd://a --key-period 2 --dash", 64,
        "has only one init segment"
      ),
      (
        "--encrypt cbcs --encrypt-key-file keys --drm fairplay=skd://a --key-period 2 --muxed", 64,
        "cannot be in one rendition"
      ),
      ("--encrypt cbcs --encrypt-key-file keys --reference", 64, "'--reference' and '--encrypt' contradict"),
      ("--encrypt cbcs", 64, "no key is specified; use '--encrypt-key [LIST=]KID:KEY'"),
      ("--encrypt-key-file keys", 64, "option '--encrypt-key-file' needs '--encrypt METHOD'"),
      ("--drm widevine", 64, "option '--drm' needs '--encrypt METHOD'"),
      ("--encrypt cbcs --encrypt-key-file keys --drm fairplay", 64, "option '--drm' takes a list of"),
      ("--encrypt cbcs --encrypt-key-file keys --drm widevine,widevine", 64, "option '--drm' specifies widevine twice"),
      ("--encrypt cbcs --encrypt-key 1:\(PackageKeys.all[0].key)", 64, "option '--encrypt-key' takes KID:KEY"),
      ("--encrypt cbcs --encrypt-key 1=\(PackageKeys.all[0].id):c0ffee00", 64, "option '--encrypt-key' takes KID:KEY"),
      ("--encrypt cbcs --encrypt-key-file damaged", 65, "damaged: line 2 is not a key"),
      ("--encrypt cbcs --encrypt-key-file missing", 66, "missing: cannot open"),
      ("--encrypt cbcs --encrypt-key-file uhd", 65, "none of the keys applies to its tracks"),
      ("--encrypt cbcs --encrypt-key-file keys --clear-lead 100", 65, "the clear lead covers the whole file"),
      (
        "--encrypt cbcs --encrypt-key-file keys --key-period 1 --segment-duration 2", 65,
        "a new key every 1 segment needs 12 keys for 12 segments, but only 3 keys are given"
      ),
      ("--encrypt cbcs --encrypt-key-file keys --pssh in.mp4", 65, "this file does not consist of pssh boxes"),
    ] {
      let result = try shell(
        """
        printf '\(PackageKeys.all[0].id):\(PackageKeys.all[0].key)\\n\(PackageKeys.all[1].id):c0ffee00' > damaged
        echo uhd=\(PackageKeys.all[0].id):\(PackageKeys.all[0].key) > uhd
        mp4tool hls \(line) $V/progressive.mp4 -o out
        code=$?; ls out 2> /dev/null; exit $code
        """)
      #expect(
        result.exitCode == code && result.text.isEmpty && result.errorText.contains(message)
          && !result.errorText.contains("c0ffee00"), "\(line): \(result)")
    }
  }

  // MARK: Other programs

  /// Inputs of one track each: shaka-packager 3.8 crashes at a file with only a second track.
  private static let inputs = """
    ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=320x180:r=25:d=12 -c:v libx264 -preset ultrafast -g 50 -bf 2 \
      -pix_fmt yuv420p video.mp4
    ffmpeg -nostdin -v error -f lavfi -i sine=d=12 -c:a aac audio.m4a
    """

  @Test(
    "ffmpeg and shaka-packager decrypt all samples",
    .enabled(
      if: Effort.has("ffmpeg") && environment("MP4TOOL_FFMPEG") != nil && environment("MP4TOOL_SHAKA") != nil,
      "needs MP4TOOL_TESTS=all, ffmpeg, a newer one as MP4TOOL_FFMPEG, and MP4TOOL_SHAKA"),
    arguments: ["cenc", "cbcs"], ["", "--clear-lead 3"])
  func decrypted(method: String, options: String) throws {
    let (newest, packager) = (try #require(environment("MP4TOOL_FFMPEG")), try #require(environment("MP4TOOL_SHAKA")))
    let keys = PackageKeys.all.map { "\($0.id)=\($0.key)" }.joined(separator: ":")
    let labels = PackageKeys.all.map { "label=\($0.id):key_id=\($0.id):key=\($0.key)" }.joined(separator: ",")
    let result = try shell()(
      """
      \(Self.inputs)
      mp4tool hls -q --segment-duration 2 video.mp4 audio.m4a -o clear
      mp4tool hls -q --segment-duration 2 --encrypt \(method) --encrypt-key-file keys --drm widevine \(options) \\
        video.mp4 audio.m4a -o out
      packets() { timeout -k 1 60 \(newest) -nostdin -v error "${@:2}" -i $1 -map 0 -f framemd5 - | grep -v '^#'; }
      hashes() { timeout -k 1 60 \(newest) -nostdin -v error -i $1 -map 0 -c copy -f framemd5 - | awk '/^[^#]/ { print $NF }'; }
      for r in video-180 audio; do
        for p in clear out; do cat $p/$r/init.mp4 $(ls $p/$r/segment*.m4s | sort -V) > $p.mp4; done
        packets clear.mp4 > clear.txt; packets out.mp4 -decryption_keys \(keys) > out.txt
        cmp clear.txt out.txt && wc -l < out.txt
        timeout -k 1 60 \(packager) in=out.mp4,stream=0,output=shaka.mp4 --enable_raw_key_decryption \\
          --keys \(labels) > log 2>&1 || cat log
        hashes clear.mp4 > clear.txt; hashes shaka.mp4 > out.txt; cmp clear.txt out.txt && wc -l < out.txt
      done
      """)
    // The decoder omits the priming of audio.
    let counts = result.lines.compactMap { Int($0) }
    #expect(
      counts.count == 4 && counts.allSatisfy { $0 >= 300 }
        && result.errorText.isEmpty,
      "\(result)")
  }

  /// ffmpeg 9.0 does not read the keys of sample groups.
  @Test(
    "ffmpeg decrypts the segments of each key, given its init segment",
    .enabled(
      if: Effort.has("ffmpeg") && environment("MP4TOOL_FFMPEG") != nil,
      "needs MP4TOOL_TESTS=all, ffmpeg and a newer one as MP4TOOL_FFMPEG"))
  func keyPeriods() throws {
    let newest = try #require(environment("MP4TOOL_FFMPEG"))
    let keys = PackageKeys.all.map { "\($0.id)=\($0.key)" }.joined(separator: ":")
    let result = try shell()(
      """
      \(Self.inputs)
      mp4tool hls -q --segment-duration 2 video.mp4 audio.m4a -o clear
      mp4tool hls -q --segment-duration 2 --encrypt cbcs --encrypt-key-file keys --drm fairplay=skd://{kid} \\
        --key-period 2 video.mp4 audio.m4a -o out
      packets() { timeout -k 1 60 \(newest) -nostdin -v error "${@:2}" -i $1 -map 0 -f framemd5 - | grep -v '^#'; }
      for r in video-180 audio; do
        for period in '1 2 init' '3 4 init2' '5 6 init3'; do
          set -- $period
          cat clear/$r/init.mp4 clear/$r/segment{$1,$2}.m4s > clear.mp4
          cat out/$r/$3.mp4 out/$r/segment{$1,$2}.m4s > out.mp4
          packets clear.mp4 > clear.txt; packets out.mp4 -decryption_keys \(keys) > out.txt
          cmp clear.txt out.txt && wc -l < out.txt
        done
      done
      """)
    let counts = result.lines.compactMap { Int($0) }
    #expect(counts.count == 6 && counts.allSatisfy { $0 >= 100 } && result.errorText.isEmpty, "\(result)")
  }

  @Test(
    "Generated pssh boxes are those of shaka-packager",
    .enabled(if: Effort.has() && environment("MP4TOOL_SHAKA") != nil, "needs MP4TOOL_TESTS=all and MP4TOOL_SHAKA"),
    arguments: ["cenc", "cbcs"])
  func headers(method: String) throws {
    let key = PackageKeys.all[0]
    let result = try shell()(
      """
      \(try #require(environment("MP4TOOL_SHAKA"))) in=$V/progressive.mp4,stream=video,init_segment=v/init.mp4,segment_template='v/$Number$.m4s' \\
        --enable_raw_key_encryption --protection_scheme \(method) --keys label=:key_id=\(key.id):key=\(key.key) \\
        --protection_systems Widevine,PlayReady,CommonSystem --mpd_output v/shaka.mpd > log 2>&1 || cat log
      mp4tool hls -q --dash --encrypt \(method) --encrypt-key \(key.id):\(key.key) --drm widevine,playready,clearkey=x \\
        --tracks video $V/progressive.mp4 -o out
      values() { grep -oE '(pssh|pro)>[^<]+' $1 | sort; }
      values v/shaka.mpd > a; values out/manifest.mpd > b; comm -3 a b
      """)
    // Its PlayReady header for `cenc` also has a checksum, which is optional: two values of each program differ.
    #expect(result.lines.count == (method == "cenc" ? 4 : 0), "\(result)")
  }

  @Test(
    "ffmpeg plays segments encrypted with AES-128",
    .enabled(if: Effort.has("ffmpeg"), "needs MP4TOOL_TESTS=all and ffmpeg"))
  func playedSegments() throws {
    let result = try shell()(
      """
      mp4tool hls -q --segment-duration 4 $V/progressive.mp4 -o clear
      mp4tool hls -q --segment-duration 4 --encrypt aes-128 --encrypt-key-file keys --key-period 2 --clear-lead 3 \\
        $V/progressive.mp4 -o out
      for p in clear out; do
        timeout -k 1 60 ffmpeg -nostdin -v error -allowed_extensions ALL -i $p/master.m3u8 -map 0 -f framemd5 $p.txt
      done
      cmp clear.txt out.txt && grep -vc '^#' out.txt
      """)
    #expect(result.lines.count == 1 && Int(result.lines[0]) ?? 0 > 1100, "\(result)")
  }
}
