import ISOBMFF
import MP4Bytes
import Support
import Testing

@testable import MP4

/// The data of I slices, as encoders write it.
@Suite("Slice data")
struct SliceDataTests {
  /// The I slices of a stream in byte stream format, and what parsing them gives.
  private struct Parsed {
    var slices: [(unit: ArraySlice<UInt8>, result: SliceData)] = []
    private var avc = AVCSliceHeader([] as [[UInt8]])
    private var hevc = HEVCHeaders([] as [[UInt8]])
    private let isAVC: Bool

    init(_ stream: [UInt8], isAVC: Bool) {
      self.isAVC = isAVC
      for unit in Self.units(stream) {
        if isAVC { avc.note(unit) } else { hevc.note(unit) }
        let result = parse(unit, from: unit.startIndex)
        if result.outcome != .unknown { slices.append((unit, result)) }
      }
    }

    func parse(_ unit: ArraySlice<UInt8>, from start: Int) -> SliceData {
      isAVC ? AVCSliceData.parse(unit, avc, from: start) : HEVCSliceData.parse(unit, hevc, from: start)
    }

    private static func units(_ stream: [UInt8]) -> [ArraySlice<UInt8>] {
      var starts: [Int] = []
      var index = 0
      while index + 2 < stream.count {
        if stream[index] == 0, stream[index + 1] == 0, stream[index + 2] == 1 {
          starts.append(index + 3)
          index += 3
        } else {
          index += 1
        }
      }
      return zip(starts, starts.dropFirst().map { $0 - 3 } + [stream.count]).map { start, end in
        var end = end
        while end > start, stream[end - 1] == 0 { end -= 1 }
        return stream[start..<end]
      }
    }
  }

  private static let avc = [
    "-profile:v baseline", "-profile:v main", "-profile:v high", "-profile:v high -x264-params cabac=0",
    "-x264-params slices=4", "-pix_fmt yuv422p10le", "-pix_fmt yuv422p -x264-params cabac=0", "-pix_fmt gray",
    "-qp 0", "-qp 1", "-crf 45",
  ]
  private static let hevc = [
    "", "wpp=0", "wpp=1", "sao=0", "tskip=1", "slices=4", "ctu=16", "ctu=32:min-cu-size=16", "open-gop=0", "lossless=1",
    "signhide=0", "qp=2", "crf=45", "aq-mode=3", "max-tu-size=8", "limit-tu=0:tu-intra-depth=4",
  ]

  @Test(
    "Every I slice of x264 and x265 ends where its data ends, and no damaged one does",
    .enabled(if: Effort.has("ffmpeg"), "needs MP4TOOL_TESTS=all and ffmpeg"))
  func encoders() throws {
    let folder = try TemporaryFolder()
    var random = SplitMix64(seed: 3)
    let all = Self.avc.map { (true, $0) } + Self.hevc.map { (false, $0) }
    for (isAVC, options) in all {
      let encoder =
        isAVC
        ? "-c:v libx264 -preset fast -g 5 \(options.contains("pix_fmt") ? "" : "-pix_fmt yuv420p") \(options) -f h264"
        : "-c:v libx265 -preset fast -pix_fmt yuv420p10le "
          + "-x265-params log-level=0:keyint=5\(options.isEmpty ? "" : ":" + options) -f hevc"
      _ = try run(
        "bash",
        [
          "-c",
          "ffmpeg -nostdin -y -v error -f lavfi -i testsrc2=s=320x176:r=25:d=0.5,noise=alls=20:allf=t:all_seed=5 "
            + "\(encoder) x",
        ], folder: folder.path)
      let parsed = Parsed(try readFile(folder("x")), isAVC: isAVC)
      #expect(parsed.slices.count >= 2, "\(options)")
      for (unit, result) in parsed.slices {
        #expect(result.outcome == .whole, "\(options)")
        var damaged = Array(unit)
        guard damaged.count > 400 else { continue }
        for index in 300..<damaged.count { damaged[index] = UInt8.random(in: 1...255, using: &random) }
        #expect(parsed.parse(damaged[...], from: 300).outcome == .broken, "\(options)")
      }
    }
  }

  @Test("Arbitrary bytes are parsed without a trap, and data that is not examined gives no evidence")
  func hostile() throws {
    var random = SplitMix64(seed: 9)
    let configurations = try ["files/progressive.mp4", "files/hevc-fragmented.mp4"].map { name in
      let movie = try Movie(reading: [readSource(name)])
      return try #require(movie.tracks.first { $0.handler == "vide" }?.decoderConfigurations.first)
    }
    for configuration in configurations {
      let sets = configuration.parameterSets
      for count in 0..<Effort.count(short: 400, all: 20_000) {
        var unit = random.bytes(1 + count % 300)
        unit[0] = [0x65, 0x26, 0x2a, 0x41][count % 4]
        if unit.count > 1, count % 3 > 0 { unit[1] = count % 2 == 0 ? 1 : 0x88 }
        // Damaged parameter sets too.
        let own = sets.map { set in
          var set = set
          if count % 5 == 0, set.count > 4 { set[4 + count % (set.count - 4)] ^= UInt8(1 << (count % 8)) }
          return set
        }
        let avc = AVCSliceData.parse(unit[...], AVCSliceHeader(own), from: unit.count)
        let hevc = HEVCSliceData.parse(unit[...], HEVCHeaders(own), from: unit.count)
        for result in [avc, hevc] { #expect(result.outcome != .broken && result.evidence == 0) }
        _ = AVCSliceData.parse(unit[...], AVCSliceHeader(own), from: 0)
        _ = HEVCSliceData.parse(unit[...], HEVCHeaders(own), from: 0)
      }
    }
  }

  private func readSource(_ name: String) throws -> any ByteSource {
    MemorySource(try readFile(vectorPath(name)))
  }
}
