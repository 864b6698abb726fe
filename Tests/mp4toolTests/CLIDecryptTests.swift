import Support
import Testing

@Suite("decrypt, end to end")
struct CLIDecryptTests {
  private static let keyID = "0123456789abcdef0123456789abcdef"
  private static let key = "00112233445566778899aabbccddeeff"
  /// The option with the key of the vectors.
  private static let given = "--key \(keyID):\(key)"
  private static let vectors = [
    (encrypted: "encrypted-cenc.mp4", clear: "progressive-moov-last.mp4"), ("encrypted-cbcs.mp4", "fragmented.mp4"),
  ]

  @Test("The samples are those of the clear file, and nothing declares them as encrypted", arguments: vectors)
  func samples(vector: (encrypted: String, clear: String)) throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool decrypt \(Self.given) $V/\(vector.encrypted) -o out.mp4
      mp4tool diff --samples out.mp4 $V/\(vector.clear)
      mp4tool info --format json out.mp4 > info.json
      mp4tool dump out.mp4 > boxes.txt; mp4tool check out.mp4 > /dev/null || echo found
      """)
    #expect(result.errorText.isEmpty, "\(result)")
    #expect(result.lines == ["track 1: 152 samples, the same", "track 2: 131 samples, the same"])
    let text = try String(decoding: shell.bytes("info.json") + shell.bytes("boxes.txt"), as: UTF8.self)
    for word in ["cenc", "cbcs", "encv", "enca", "sinf", "tenc", "senc", "saiz", "saio", Self.keyID] {
      #expect(!text.contains(word), "\(word)")
    }
  }

  @Test("Keys are given by key ID, by track, in files, and to defrag and hls")
  func keys() throws {
    let shell = try EndToEnd()
    try shell.folder.write(
      "keys", Array("# the key of the film\r\n\n 01234567-89ab-cdef-0123-456789ABCDEF:\(Self.key)\r\n".utf8))
    let result = try shell(
      """
      E=$V/encrypted-cbcs.mp4
      mp4tool decrypt \(Self.given) $E -o a; mp4tool decrypt --key-file keys $E -o b; cmp a b && echo same
      mp4tool decrypt --key 1:\(Self.key) --key 2:\(Self.key) $E -o b; cmp a b && echo same
      cat $E | mp4tool decrypt --key-file keys - -o - | cmp - a && echo same
      mp4tool defrag \(Self.given) $E -o c; mp4tool diff -q --samples c $V/fragmented.mp4 && echo same
      mp4tool defrag --tracks audio \(Self.given) $E -o d; mp4tool defrag --tracks audio c -o e
      mp4tool diff --samples d e > /dev/null && echo same
      mp4tool hls -q --key-file keys $E -o hls; ! grep -q EXT-X-KEY hls/*/*.m3u8 && echo clear
      mp4tool decrypt --tracks audio --key 2:\(Self.key) $E -o part
      mp4tool info part | grep -c cbcs
      """)
    #expect(result.lines.prefix(3) == ["same", "same", "same"], "\(result)")
    #expect(result.lines.dropFirst(3).filter { $0 == "same" || $0 == "clear" }.count == 3, "\(result)")
    #expect(
      result.lines.last == "1"
        && result.errorLines.allSatisfy { $0.contains("could not be verified from the samples") },
      "\(result)")
  }

  @Test("Two different keys for one ID are an error that shows neither; a repeated key is accepted")
  func differentKeys() throws {
    let shell = try EndToEnd()
    let other = String(repeating: "5a", count: 16)
    try shell.folder.write("one", ascii("\(Self.keyID):\(Self.key)\n2:\(Self.key)\n"))
    try shell.folder.write("two", ascii("# keys\n\(Self.keyID.uppercased()):\(other)\n"))
    try shell.folder.write("track", ascii("2:\(Self.key)\n\n2:\(other)\n"))
    for (options, code, message) in [
      ("--key \(Self.keyID):\(other)", 64, "option '--key' specifies two different keys for KID \(Self.keyID)"),
      ("--key-file two", 65, "two: line 2 has a key for KID \(Self.keyID) that differs from the one specified before"),
      (
        "--key-file one --key-file two", 65,
        "two: line 2 has a key for KID \(Self.keyID) that differs from the one specified before"
      ),
      ("--key-file track", 65, "track: line 3 has a key for track 2 that differs from the one specified before"),
    ] as [(String, Int32, String)] {
      for command in ["decrypt", "defrag", "hls", "extract --tracks 1"] {
        let result = try shell("mp4tool \(command) \(Self.given) \(options) $V/encrypted-cenc.mp4 -o out")
        #expect(result.exitCode == code && result.errorText.contains(message), "\(result)")
        #expect(!result.errorText.contains(Self.key) && !result.errorText.contains(other))
      }
      let line = options.hasPrefix("--key ") ? "\(Self.given) \(options)" : "\(Self.given) --key-file two"
      let result = try shell("mp4tool encrypt \(line) in.mp4 -o out")
      #expect((64...65).contains(result.exitCode) && result.errorText.contains("for KID \(Self.keyID)"), "\(result)")
      #expect(!result.errorText.contains(Self.key) && !result.errorText.contains(other))
    }
    #expect(shell.folder.names == ["in.mp4", "one", "track", "two"])
    let same = try shell("mp4tool decrypt \(Self.given) \(Self.given) --key-file one $V/encrypted-cenc.mp4 -o out")
    #expect(same.exitCode == 0 && same.errorText == "", "\(same)")
  }

  @Test("Key files of editors, without keys and on standard input are read; no output replaces one")
  func keyFiles() throws {
    let shell = try EndToEnd()
    try shell.folder.write("bom", [0xef, 0xbb, 0xbf] + ascii("\(Self.keyID):\(Self.key)\r\n"))
    try shell.folder.write("none", ascii("# \(Self.keyID):\(Self.key)\n\n"))
    try shell.folder.write("empty", [])
    let result = try shell(
      """
      E=$V/encrypted-cenc.mp4; ln -s bom link
      mp4tool decrypt --key-file bom $E -o a && cat bom | mp4tool decrypt --key-file - $E -o b && cmp a b && echo same
      for file in none empty; do
        for line in "decrypt $E" "defrag $E" "hls $E" "encrypt in.mp4"; do mp4tool $line --key-file $file -o out; echo $?; done
      done
      mp4tool decrypt --key-file - - -o out < bom; echo $?
      mp4tool encrypt --key-file - - -o out < bom; echo $?
      for line in "decrypt $E" "defrag $E" "encrypt in.mp4"; do mp4tool $line -q --key-file link -o bom; echo $?; done
      mp4tool decrypt --key-file bom --no-clobber $E -o a; echo $?
      mp4tool decrypt --key-file bom -o out; echo $?
      """)
    #expect(
      result.lines.map(String.init) == ["same"] + Array(repeating: "65", count: 8) + ["64", "64"]
        + Array(repeating: "73", count: 4) + ["64"], "\(result)")
    #expect(result.errorLines.contains("mp4tool: empty: the file contains no keys; write lines of the form ID:KEY"))
    #expect(
      result.errorLines.contains(
        "mp4tool decrypt: option '--key-file' and another input cannot both be standard input"), "\(result)")
    #expect(try shell.bytes("bom").count == 3 + 67 && !shell.folder.names.contains("out"))
    #expect(!result.errorText.contains(Self.key))
  }

  @Test("An encrypted file without the IVs of its samples is an error")
  func noVectors() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool edit -q --remove //senc --remove //saiz --remove //saio $V/encrypted-cenc.mp4 -o in.mp4; echo $?
      mp4tool decrypt \(Self.given) in.mp4 -o out; echo $?
      """)
    #expect(result.lines == ["0", "65"], "\(result)")
    #expect(result.errorLines.count == 1 && !shell.folder.names.contains("out"), "\(result)")
  }

  @Test("Missing and wrong keys are errors that name the key ID, but never a key, and nothing is written")
  func wrong() throws {
    let shell = try EndToEnd()
    let other = "00112233445566778899aabbccddee00"
    for (line, code, message) in [
      ("$V/encrypted-cenc.mp4 -o out", 64, "option '--key' is missing: add '--key ID:KEY' or '--key-file FILE'"),
      ("--key \(Self.key) $V/encrypted-cenc.mp4 -o out", 64, "option '--key' takes ID:KEY"),
      ("--key 0:\(Self.key) $V/encrypted-cenc.mp4 -o out", 64, "option '--key' takes ID:KEY"),
      ("--key \(Self.keyID):\(Self.key)00 $V/encrypted-cenc.mp4 -o out", 64, "option '--key' takes ID:KEY"),
      ("--key-file none $V/encrypted-cenc.mp4 -o out", 66, "none"),
      ("--key-file in.mp4 $V/encrypted-cenc.mp4 -o out", 65, "in.mp4: line 1 is not a key; a key is written as ID:KEY"),
      ("\(Self.given) in.mp4 -o out", 65, "in.mp4: no sample is encrypted"),
      ("\(Self.given) $V/encrypted-cenc.mp4 -o in.mp4/out", 73, ""),
      (
        "--key 1:\(Self.key) $V/encrypted-cenc.mp4 -o out", 65,
        "encrypted-cenc.mp4: there is no key for KID \(Self.keyID) of track 2 (soun)"
      ),
      (
        "--key \(Self.keyID):\(other) $V/encrypted-cenc.mp4 -o out", 65,
        "the key for KID \(Self.keyID) of track 1 (vide) is wrong: the decrypted samples are not valid"
      ),
      (
        "--key 1:\(Self.key) --key 2:\(other) $V/encrypted-cenc.mp4 -o out", 65,
        "the key for KID \(Self.keyID) of track 2 (soun) is wrong"
      ),
      (
        "--key \(Self.keyID):\(other) $V/encrypted-cbcs.mp4 -o out", 65,
        "the key for KID \(Self.keyID) of track 1 (vide) is wrong"
      ),
    ] as [(String, Int32, String)] {
      let result = try shell("mp4tool decrypt \(line)")
      #expect(result.exitCode == code, "\(line): \(result)")
      #expect(result.errorText.contains(message), "\(line): \(result.errorText)")
      #expect(!result.errorText.contains(Self.key) && !result.errorText.contains(other), "\(line)")
    }
    #expect(shell.folder.names == ["in.mp4"])
  }

  @Test("A truncated file is decrypted as far as possible, with exit code 1")
  func cut() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      head -c 30000 $V/encrypted-cbcs.mp4 > cut.mp4; mp4tool decrypt \(Self.given) cut.mp4 -o out.mp4; echo $?
      mp4tool defrag -q out.mp4 -o a.mp4; head -c 30000 $V/encrypted-cbcs.mp4 > cut.mp4
      mp4tool defrag -q \(Self.given) cut.mp4 -o b.mp4; mp4tool diff -q --samples a.mp4 b.mp4 && echo same
      """)
    #expect(result.lines.first == "1" && result.errorText.contains("cut off"), "\(result)")
    #expect(result.lines.last == "same", "\(result)")
  }

  @Test(
    "ffmpeg decodes the same video and audio from the output as from the input with the key",
    .enabled(if: Effort.has("ffmpeg"), "needs MP4TOOL_TESTS=all and ffmpeg"))
  func ffmpeg() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool decrypt \(Self.given) $V/encrypted-cenc.mp4 -o out.mp4
      ffmpeg -nostdin -v error -i out.mp4 -f framemd5 a
      ffmpeg -nostdin -v error -decryption_key \(Self.key) -i $V/encrypted-cenc.mp4 -f framemd5 b; cmp a b && echo same
      """)
    #expect(result.text == "same\n" && result.ffmpegMessages.isEmpty, "\(result)")
  }
}
