import Support
import Testing

/// ffmpeg decrypts only one fragment of a file, because it applies the encryption of the first fragment to all. So the
/// tests use a file of one fragment, and each media segment after its init segment.
@Suite(
  "Encrypted fragments and segments can be decrypted",
  .enabled(if: Effort.has("ffmpeg"), "needs MP4TOOL_TESTS=all and ffmpeg"))
struct CLIEncryptedTests {
  private static let vectors = [
    (encrypted: "encrypted-cenc.mp4", clear: "progressive-moov-last.mp4"), ("encrypted-cbcs.mp4", "fragmented.mp4"),
  ]

  @Test(
    "Each sample equals that of the clear source, with the schemes cenc and cbcs", arguments: vectors,
    ["0:v", "0:a"])
  func decrypted(vector: (encrypted: String, clear: String), stream: String) throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      samples() { ffmpeg -nostdin -v error -ignore_editlist 1 -decryption_key 00112233445566778899aabbccddeeff \\
        -i $1 -map \(stream) -c copy -f data -; }
      each() { for file in $1/segment*.m4s; do cat $1/init.mp4 $file > one; samples one; done; }
      samples "$V"/\(vector.clear) > clear; wc -c < clear
      input="$V/\(vector.encrypted)"
      mp4tool fragment --segment-duration 1000 "$input" -o muxed.mp4; samples muxed.mp4 | cmp - clear && echo muxed
      tracks="--tracks video"; case \(stream) in *a) tracks="--tracks audio";; esac
      mp4tool fragment --segment-duration 1000 $tracks "$input" -o alone.mp4
      samples alone.mp4 | cmp - clear && echo alone
      mp4tool fragment --segment-duration 4 "$input" --segments cut; each cut | cmp - clear && echo cut
      mp4tool hls -q --segment-duration 4 --key-uri skd://key "$input" -o hls
      case \(stream) in *v) each hls/video-90;; *) each hls/audio*;; esac | cmp - clear && echo hls
      """)
    #expect(result.lines.dropFirst() == ["muxed", "alone", "cut", "hls"], "\(result)")
    #expect(result.lines.first.flatMap { Int($0) }.map { $0 > 10_000 } == true)
  }

  @Test(
    "ffmpeg decodes progressive output, but not fragments, to the source, with every scheme",
    arguments: ["cenc", "cens", "cbc1", "cbcs"], ["progressive.mp4", "hevc-fragmented.mp4", "fragmented.mp4"])
  func encrypted(scheme: String, name: String) throws {
    let shell = try EndToEnd()
    let key = "00112233445566778899aabbccddeeff"
    let result = try shell(
      """
      frames() { ffmpeg -nostdin -v error "$@" -f framehash -hash md5 - | grep -v '^#' | awk '{ print $1, $NF }'; }
      mp4tool defrag -q "$V"/\(name) -o clear.mp4
      mp4tool encrypt -q --scheme \(scheme) --key 0123456789abcdef0123456789abcdef:\(key) "$V"/\(name) -o fragments.mp4
      mp4tool defrag -q fragments.mp4 -o flat.mp4
      frames -i clear.mp4 > clear; frames -decryption_key \(key) -i flat.mp4 > flat; frames -i flat.mp4 > wrong 2> /dev/null
      wc -l < clear; cmp clear flat && echo same; cmp -s clear wrong || echo encrypted
      """)
    #expect(result.lines.dropFirst() == ["same", "encrypted"] && result.errorText == "", "\(result)")
    #expect(result.lines.first.flatMap { Int($0) }.map { $0 > 20 } == true, "\(result)")
  }
}
