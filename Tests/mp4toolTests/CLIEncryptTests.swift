import Support
import Testing

@Suite("encrypt, end to end")
struct CLIEncryptTests {
  private static let keyID = "0123456789abcdef0123456789abcdef"
  private static let key = "00112233445566778899aabbccddeeff"
  private static let other = "fedcba9876543210fedcba9876543210:ffeeddccbbaa99887766554433221100"
  private static let given = "--key \(keyID):\(key)"

  @Test(
    "decrypt restores all samples, with every scheme",
    arguments: Effort.some(["cenc", "cens", "cbc1", "cbcs"], short: 2))
  func restored(scheme: String) throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      for file in $V/progressive.mp4 in.mp4 $V/hevc-fragmented.mp4; do
        mp4tool encrypt --scheme \(scheme) \(Self.given) --segment-duration 2 $file -o enc.mp4 || exit
        mp4tool check enc.mp4 2>&1 | grep ' error: '
        mp4tool diff --samples enc.mp4 $file > /dev/null 2>&1 && echo not encrypted
        mp4tool decrypt \(Self.given) enc.mp4 -o dec.mp4; mp4tool diff --samples dec.mp4 $file > /dev/null 2>&1 && echo same
        mp4tool defrag -q enc.mp4 -o flat.mp4; mp4tool decrypt \(Self.given) flat.mp4 -o dec.mp4
        mp4tool diff --samples dec.mp4 $file > /dev/null 2>&1 && echo same
      done
      mp4tool info -q enc.mp4 | grep -c 'encryption: \(scheme)'
      """)
    #expect(result.lines.dropLast() == Array(repeating: "same", count: 6)[...], "\(result)")
    #expect(result.lines.last == "1", "\(result)")
    #expect(
      result.errorLines.allSatisfy {
        $0.contains("could not be verified from the samples") || $0.hasSuffix("no key applies to it; it stays clear")
          || $0.hasSuffix("progressive.mp4: it is progressive; the output is fragmented")
      }, "\(result)")
  }

  @Test("Several keys, a clear lead, a given IV and pssh boxes")
  func options() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      echo audio=\(Self.other) > keys
      encrypt() { mp4tool encrypt "$@" || exit; }
      encrypt --scheme cenc --iv 0011223344556677 --key video=\(Self.keyID):\(Self.key) --key-file keys in.mp4 -o a
      encrypt --scheme cenc --iv 0011223344556677 --key video=\(Self.keyID):\(Self.key) --key-file keys in.mp4 -o b
      cmp a b && echo same
      echo \(Self.keyID):\(Self.key) >> keys; sed s/audio=// keys > all
      mp4tool decrypt --key-file all a -o c; mp4tool diff --samples c in.mp4 > /dev/null 2>&1 && echo same
      encrypt --clear-lead 3 \(Self.given) --pssh common --pssh widevine --pssh playready in.mp4 -o d
      mp4tool decrypt \(Self.given) d -o e; mp4tool diff --samples e in.mp4 > /dev/null 2>&1 && echo same
      mp4tool info -q d | grep -c 'protection system: .*key ID'
      mp4tool samples -q --tracks 1 d | awk '{ print $NF }' | sort | uniq -c
      mp4tool extract --whole --box 'moov/pssh[2]' d -o box; encrypt --pssh box \(Self.given) --tracks audio in.mp4 -o f
      mp4tool info -q f | grep -c Widevine; mp4tool info -q f | grep -c 'encryption: cbcs'
      """)
    #expect(result.lines.prefix(4) == ["same", "same", "same", "3"], "\(result)")
    #expect(result.lines.suffix(2) == ["1", "1"], "\(result)")
    #expect(
      result.errorLines.allSatisfy {
        $0.contains("could not be verified from the samples") || $0.hasSuffix("no key applies to it; it stays clear")
          || $0.contains("the clear lead ends at ")
      }, "\(result)")
  }

  @Test("Impossible encryption is refused without showing a key, and nothing is written")
  func refused() throws {
    let shell = try EndToEnd()
    for (line, code, message) in [
      ("in.mp4 -o out", 64, "option '--key' is missing"),
      ("--key 1:\(Self.key) in.mp4 -o out", 64, "option '--key' takes KID:KEY"),
      (
        "--key 7=\(Self.keyID):\(Self.key) in.mp4 -o out", 65,
        "in.mp4: track 7 does not exist; it has track 1 (vide), track 2 (soun)"
      ),
      ("--tracks 2,7 \(Self.given) in.mp4 -o out", 65, "in.mp4: track 7 does not exist; it has track 1"),
      (
        "--key 1=\(Self.keyID):\(Self.key) --key 2=\(Self.keyID):\(Self.keyID) in.mp4 -o out", 64,
        "option '--key' specifies two different keys for KID \(Self.keyID)"
      ),
      ("--key x=\(Self.keyID):\(Self.key) in.mp4 -o out", 64, "option '--key' takes KID:KEY"),
      ("\(Self.given) --iv 00 in.mp4 -o out", 64, "option '--iv' takes 32 hexadecimal digits for cbcs"),
      ("\(Self.given) --scheme cenc --iv \(Self.keyID) in.mp4 -o out", 64, "option '--iv' takes 16 hexadecimal digits"),
      ("\(Self.given) --pssh fairplay in.mp4 -o out", 64, "FairPlay needs no pssh box"),
      ("\(Self.given) --pssh in.mp4 in.mp4 -o out", 65, "this file does not consist of pssh boxes"),
      ("\(Self.given) --pssh none in.mp4 -o out", 66, "none"),
      ("\(Self.given) --tracks text in.mp4 -o out", 65, "none of the keys applies to its tracks"),
      ("\(Self.given) $V/encrypted-cenc.mp4 -o out", 65, "track 1: its samples are already encrypted"),
      ("\(Self.given) in.mp4 -o in.mp4", 73, ""),
    ] as [(String, Int32, String)] {
      let result = try shell("mp4tool encrypt \(line)")
      #expect(result.exitCode == code, "\(line): \(result)")
      #expect(result.errorText.contains(message), "\(line): \(result.errorText)")
      #expect(!result.errorText.contains(Self.key), "\(line)")
    }
    #expect(shell.folder.names == ["in.mp4"])
  }

  @Test(
    "ffmpeg decodes encrypted output", .enabled(if: Effort.has("ffmpeg"), "needs MP4TOOL_TESTS=all and ffmpeg"),
    arguments: ["cenc", "cbcs"])
  func ffmpeg(scheme: String) throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool encrypt --scheme \(scheme) --segment-duration 1000 \(Self.given) in.mp4 -o enc.mp4
      mp4tool fragment --segment-duration 1000 in.mp4 -o clear.mp4
      ffmpeg -nostdin -v error -decryption_key \(Self.key) -i enc.mp4 -f framemd5 a
      ffmpeg -nostdin -v error -i clear.mp4 -f framemd5 b; cmp a b && echo same
      """)
    #expect(result.text == "same\n" && result.ffmpegMessages.isEmpty, "\(result)")
  }

  @Test("cbcs audio has a senc without entries, and no movie fragment has two track fragments of a track")
  func constantVectors() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool encrypt -q --scheme cbcs --clear-lead 3 --segment-duration 2 \(Self.given) in.mp4 -o enc.mp4
      mp4tool dump -q enc.mp4 | awk '/^\\[moof/ { n++ } /^    \\[/ { box = $1 } n && /track ID =/ { track = $NF; traf[n "," track]++ }
        box == "[saiz]" { saiz[track]++ } box == "[senc]" && /sample info count/ { senc[track] += $NF }
        END { for (t in traf) if (traf[t] > 1) print "two"; print (n > 3), saiz[2] + 0, senc[2] }'
      mp4tool samples -q --tracks 2 enc.mp4 | grep -c .
      mp4tool check -q enc.mp4 | grep -v '^no findings'; mp4tool fragment -q enc.mp4 -o again.mp4
      mp4tool dump -q again.mp4 | awk '/track ID =/ { track = $NF } track == 2 && /sample info count/ { n += $NF } END { print n }'
      mp4tool decrypt -q \(Self.given) again.mp4 -o dec.mp4
      mp4tool diff --samples dec.mp4 in.mp4 > /dev/null 2>&1 && echo same
      """)
    let lines = result.lines
    try #require(lines.count >= 4, "\(result)")
    let count = lines[0].split(separator: " ").last.map(String.init)
    #expect(lines[0].hasPrefix("1 0 ") && count != "0", "\(result)")
    #expect(lines[lines.count - 2] == count ?? "" && lines.last == "same", "\(result)")
  }

  @Test("Whole blocks of cbcs audio are encrypted, whatever its pattern says", arguments: ["0", "1", "10"])
  func patterns(blocks: String) throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool encrypt -q --scheme cbcs \(Self.given) in.mp4 -o enc.mp4
      mp4tool edit -q --set "moov/trak[2]/mdia/minf/stbl/stsd/enca/sinf/schi/tenc/default_crypt_byte_block=\(blocks)" \
        enc.mp4 -o own.mp4
      mp4tool decrypt -q \(Self.given) own.mp4 -o dec.mp4; mp4tool diff --samples dec.mp4 in.mp4 > /dev/null && echo same
      """)
    #expect(result.lines.last == "same", "\(result)")
  }

  /// `MP4TOOL_SHAKA` is the path of the `packager` of shaka-packager.
  ///
  /// It caches a decrypter and its pattern by key ID, so audio and video of one file need different key IDs.
  @Test(
    "shaka-packager decrypts all samples, with and without a clear lead",
    .enabled(
      if: Effort.has("ffmpeg") && environment("MP4TOOL_SHAKA") != nil,
      "needs MP4TOOL_TESTS=all, MP4TOOL_SHAKA and ffmpeg"),
    arguments: ["cenc", "cbcs"], ["", "--clear-lead 4"])
  func shaka(scheme: String, lead: String) throws {
    let shell = try EndToEnd()
    let packager = try #require(environment("MP4TOOL_SHAKA"))
    let (audio, key) = (String(repeating: "a", count: 32), Self.key)
    let result = try shell(
      """
      ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=320x180:r=25:d=10 -f lavfi -i sine=d=10 -c:v libx264 -g 50 \
        -pix_fmt yuv420p -c:a aac m.mp4
      mp4tool encrypt -q --scheme \(scheme) \(lead) --segment-duration 2 --key video=\(Self.given.dropFirst(6)) \
        --key audio=\(audio):\(key) m.mp4 -o enc.mp4
      \(packager) in=enc.mp4,stream=video,out=v.mp4 in=enc.mp4,stream=audio,out=a.mp4 --enable_raw_key_decryption \
        --keys label=v:key_id=\(Self.keyID):key=\(key),label=a:key_id=\(audio):key=\(key) > log 2>&1 || cat log
      packets() { ffmpeg -nostdin -v error -i $1 -map 0:$2 -c copy -f framemd5 - | awk -F, '/^[^#]/ { print $5, $6 }'; }
      for t in v a; do
        packets m.mp4 $t > m.$t; packets $t.mp4 $t > s.$t; cmp m.$t s.$t && echo same
        # ffmpeg 5.1 needs one track and an index.
        ffmpeg -nostdin -v error -i m.mp4 -map 0:$t -c copy one.$t.mp4
        mp4tool encrypt -q --scheme \(scheme) \(lead) --segment-duration 2 --sidx \(Self.given) one.$t.mp4 -o enc.$t.mp4
        ffmpeg -nostdin -v error -decryption_key \(key) -i enc.$t.mp4 -c copy -f framemd5 - |
          awk -F, '/^[^#]/ { print $5, $6 }' | cmp - m.$t && echo same
      done
      """)
    #expect(result.lines == ["same", "same", "same", "same"] && result.ffmpegMessages.isEmpty, "\(result)")
  }

  @Test(
    "A wrong key for video alone is refused without output, although the headers are clear; the right one is proven",
    .enabled(if: Effort.has("ffmpeg"), "needs MP4TOOL_TESTS=all and ffmpeg"),
    arguments: ["cenc", "cens", "cbc1", "cbcs"])
  func wrongKey(scheme: String) throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=320x180:r=25,noise=alls=20:allf=t:all_seed=7 -t 10 \
        -c:v libx264 -preset veryfast -threads 1 video.mp4
      mp4tool encrypt -q --scheme \(scheme) \(Self.given) video.mp4 -o enc.mp4
      mp4tool decrypt -q --strict \(Self.given) enc.mp4 -o out.mp4; echo $?
      mp4tool decrypt -q --key \(Self.keyID):\(Self.key.reversed().map(String.init).joined()) enc.mp4 -o wrong.mp4
      echo $?; test -e wrong.mp4 && echo written
      """)
    #expect(result.lines == ["0", "65"], "\(result)")
  }
}
