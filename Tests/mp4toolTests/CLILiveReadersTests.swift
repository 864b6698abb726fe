import MP4HLS
import Support
import Testing

/// Reads growing presentations with other players.
@Suite("Players of live presentations", .serialized)
struct CLILiveReadersTests {
  /// A shell with the parts of a source: the data before the fragments, and each fragment.
  private func makeShell(_ source: [UInt8]) throws -> EndToEnd {
    let shell = try EndToEnd()
    let fragments = try MovieFragmentReading.all(in: source)
    let starts = fragments.map(\.offset) + [source.count]
    try shell.folder.write("part0", Array(source[..<starts[0]]))
    for index in fragments.indices {
      try shell.folder.write("part\(index + 1)", Array(source[starts[index]..<starts[index + 1]]))
    }
    let result = try shell("cat $(ls part* | sort -V) > live.mp4")
    #expect(result.exitCode == 0)
    return shell
  }
  /// Writes the parts, the last one only when a file `go` exists: until then it is a live stream.
  private static let write = """
    write() {
      local last=$(ls part* | sort -V | tail -n 1)
      for part in $(ls part* | sort -V); do
        if test $part = $last; then until test -e go; do sleep 0.05; done; fi
        cat $part; sleep 0.5
      done
    }
    """

  @Test(
    "ffmpeg reads every packet of the source, while it grows and after its end",
    .enabled(if: Effort.has("ffmpeg"), "needs MP4TOOL_TESTS=all and ffmpeg"))
  func ffmpeg() throws {
    let shell = try makeShell(readFile(vectorPath("files/fragmented.mp4")))
    let result = try shell(
      """
      \(Self.write)
      packets() { ffmpeg -nostdin -v error $@ -map 0 -c copy -f framemd5 - | grep -v '^#' | cut -d, -f 1,6 | sort; }
      write | mp4tool live - -o out --segment-duration 2 --dvr & tool=$!
      until test -e out/segment1.m4s; do sleep 0.05; done
      grep -c ENDLIST out/index.m3u8; touch go
      packets -live_start_index 0 -i out/master.m3u8 > growing; wait $tool; echo $?
      packets -i out/master.m3u8 > complete; packets -i live.mp4 > source
      cmp growing source && cmp complete source && wc -l < source
      """)
    #expect(result.lines.count == 3 && result.lines.starts(with: ["0", "0"]), "\(result)")
    #expect(result.lines.last.flatMap { Int($0) }.map { $0 > 200 } == true, "\(result)")
  }

  @Test(
    "ffmpeg decodes every sound of a stream with two of them, of any structure",
    .enabled(if: Effort.has("ffmpeg"), "needs MP4TOOL_TESTS=all and ffmpeg"))
  func sounds() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      sine() { echo "-f lavfi -i sine=$1:duration=12"; }
      ffmpeg -v error -f lavfi -i testsrc2=size=160x90:rate=25:duration=12 $(sine 300) $(sine 500) -map 0 -map 1 -map 2 \
        -c:v libx264 -preset ultrafast -g 25 -bf 2 -c:a aac -metadata:s:a:0 language=eng -metadata:s:a:1 language=fra \
        source.mp4
      decoded() { ffmpeg -nostdin -v error -i $1 -map 0:$2 -f md5 -; }
      for flags in frag_keyframe+default_base_moof frag_keyframe+separate_moof frag_keyframe+omit_tfhd_offset; do
        ffmpeg -v error -i source.mp4 -map 0 -c copy -movflags empty_moov+$flags $flags.mp4
        mp4tool live -q - -o $flags --segment-duration 2 --dvr < $flags.mp4; echo $?
        for stream in v:0 a:0 a:1; do
          test $(decoded $flags.mp4 $stream) = $(decoded $flags/master.m3u8 $stream) && echo same
        done
      done
      """)
    #expect(result.lines == Array(repeating: ["0", "same", "same", "same"], count: 3).flatMap { $0 }, "\(result)")
  }

  @Test(
    "GStreamer reads the bytes of the segments over HTTP, while they arrive",
    .enabled(if: isGStreamerThere, "needs MP4TOOL_TESTS=all and gst-launch-1.0 with hlsdemux and souphttpsrc"))
  func gstreamer() throws {
    let shell = try makeShell(readFile(vectorPath("files/fragmented.mp4")))
    let result = try shell(
      """
      \(Self.write)
      write | mp4tool live - -o out --segment-duration 2 --dvr --serve --port 0 > log & tool=$!
      until test -e out/segment1.m4s; do sleep 0.05; done; touch go
      gst-launch-1.0 -q souphttpsrc location=$(head -n 1 log)index.m3u8 ! hlsdemux ! filesink location=got; echo $?
      kill -TERM $tool; wait $tool; echo $?; cat out/init.mp4 $(grep '^segment' out/index.m3u8 | sed 's,^,out/,') > want
      """)
    #expect(result.lines == ["0", "0"], "\(result)")
    let (got, want) = (try shell.bytes("got"), try shell.bytes("want"))
    // A player of a live stream begins near its end.
    let samples = try SampleReader.read(got).samples[1] ?? []
    let all = try SampleReader.read(want).samples[1] ?? []
    #expect(!samples.isEmpty && samples == all.suffix(samples.count), "\(samples.count) of \(all.count)")
  }

  @Test("A playlist lists a fragment as soon as its last byte has arrived")
  func latency() throws {
    let shell = try makeShell(CLILiveTests.source(12).bytes)
    // When the tool waits for more input, it has processed everything so far.
    let result = try shell(
      """
      mkfifo pipe; mp4tool live pipe -o out --segment-duration 1 --dvr & tool=$!
      exec 5> pipe
      count() { until_waiting $tool; grep -c EXTINF out/index.m3u8 2> /dev/null || test -e out/index.m3u8 || echo 0; }
      for number in $(seq 0 12); do
        head -c -1 part$number >&5; before=$(count); tail -c 1 part$number >&5
        # The first ones wait to see how the next one begins, and the last one is not known to be the last.
        if test $number -gt 3 -a $number -lt 12; then echo $(($(count) - before)); fi
      done
      exec 5>&-; wait $tool; echo $?
      """)
    #expect(result.lines == Array(repeating: "1", count: 8) + ["0"], "\(result)")
  }

  @Test(
    "Memory use is independent of the amount of media", .enabled(if: fileExists("/proc/self/status"), "needs /proc"))
  func memory() throws {
    let shell = try EndToEnd()
    let rounds = Effort.count(short: 1, all: 6)
    let built = CLILiveTests.source(600)
    try shell.folder.write("init", built.initialization)
    try shell.folder.write("minutes", built.segments.flatMap { $0 })
    // The same ten minutes repeatedly: times go back, which is a discontinuity.
    let result = try shell(
      """
      mkfifo pipe
      mp4tool live -q pipe -o out --segment-duration 6 & tool=$!
      exec 5> pipe
      memory() { until test $(grep MEDIA-SEQUENCE out/index.m3u8 | tr -dc 0-9)0 -gt ${1}0; do sleep 0.05; done; grep VmRSS /proc/$tool/status | tr -dc 0-9; echo; }
      cat init minutes >&5; memory 80
      for part in $(seq \(rounds)); do cat minutes >&5; done; memory $((100 * \(rounds) + 80))
      exec 5>&-; wait $tool; echo $?
      """)
    let numbers = result.lines.compactMap { Int($0) }
    #expect(numbers.count == 3 && numbers.last == 0, "\(result)")
    // Less than 300 bytes per second of media.
    #expect(numbers[1] < numbers[0] + 1000, "\(numbers) kB")
  }
}

/// Whether GStreamer can play live presentations on this machine.
private let isGStreamerThere =
  Effort.has("gst-launch-1.0", "gst-inspect-1.0")
  && ["hlsdemux", "souphttpsrc"].allSatisfy {
    (try? run("gst-inspect-1.0", ["--exists", $0]).exitCode) == 0
  }
