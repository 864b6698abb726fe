import Support
import Testing

/// A file for an in-place change, with its expected contents before and after.
struct InPlaceCase: CustomTestStringConvertible, Sendable {
  let testDescription: String
  /// `samples` contains only the samples whose data is present.
  let file: BuiltFile
  /// Whether anything is lost or damaged.
  var isDamaged = false
  /// Whether the damage is only zeros after the last box, which are a warning.
  var endsWithZeros = false

  static let all: [InPlaceCase] = [
    several, unordered, largeMovie, hybrid, openEnd, largeHeader, encrypted, kept, mediaFirst, cutMedia, cutAtSample,
    cutBehindHeader, cutFragment, cutFirstFragments, remainder(1), remainder(7), garbage, zeroTail, openAndCut,
    largeAndCut,
    overreaching(20), overreaching(200),
    indexed,
  ]

  private static func builder(_ count: Int = 3) -> FragmentedFileBuilder {
    var file = FragmentedFileBuilder([
      .video().with(\.edits, [.media(from: 512)]), .audio().with(\.edits, [.empty(20), .media(from: 0)]),
    ])
    file.addFragments(count)
    return file
  }

  private static var several: InPlaceCase {
    var file = FragmentedFileBuilder([.video(), .audio(), .text()])
    file.addFragments(4, samples: 5)
    return InPlaceCase(testDescription: "three tracks", file: file.build())
  }
  private static var unordered: InPlaceCase {
    var file = FragmentedFileBuilder([.video(), .audio()])
    for time in [2, 0, 1] as [UInt64] {
      file.addFragment { fragment in
        fragment.addTraf(1) {
          $0.decodeTime = time * 2048
          $0.addRun(.samples(4), firstSampleFlags: .sync)
        }
        fragment.addTraf(2) {
          $0.decodeTime = time * 4096
          $0.addRun(.samples(4))
        }
      }
    }
    var built = file.build()
    built.samples = built.samples.mapValues { $0.sorted { $0.decodeTime < $1.decodeTime } }
    return InPlaceCase(testDescription: "fragments out of order", file: built)
  }
  private static var largeMovie: InPlaceCase {
    InPlaceCase(
      testDescription: "a movie box of several sectors",
      file: {
        var file = FragmentedFileBuilder([.video(), .audio()])
        file.addFragments(15, samples: 20)
        return file.build()
      }())
  }
  private static var hybrid: InPlaceCase {
    var file = FragmentedFileBuilder([.video(), .audio().with(\.samples, .samples(9))])
    file.addFragments(3)
    return InPlaceCase(testDescription: "samples in the movie box", file: file.build())
  }
  private static var openEnd: InPlaceCase {
    var file = builder()
    file.addFragment {
      $0.addTraf(1, .samples(4))
      $0.mediaDataHeader = .toEnd
    }
    return InPlaceCase(testDescription: "a last mdat of size 0", file: file.build())
  }
  private static var largeHeader: InPlaceCase {
    var built = builder().build()
    let start = number(built.bytes, 0)
    let size = number(built.bytes, start)
    let moov = largeBox("moov", Array(built.bytes[start + 8..<start + size]))
    built.bytes.replaceSubrange(start..<start + size, with: moov)
    return InPlaceCase(testDescription: "a movie box with a size of 64 bits", file: built)
  }
  /// The old size shares its first bytes with the size of the `mdat` that replaces the movie box.
  private static func overreaching(_ rest: Int) -> InPlaceCase {
    var built = builder().build()
    let start = number(built.bytes, 0)
    built.bytes.replaceSubrange(start..<start + 4, with: big(UInt32(built.bytes.count + 8 - start - rest)))
    return InPlaceCase(
      testDescription: "a movie box that reaches over the fragments, but for \(rest) bytes", file: built,
      isDamaged: true)
  }
  private static var encrypted: InPlaceCase {
    var file = FragmentedFileBuilder([.video(), .audio()])
    for round in 0..<3 as Range<UInt8> {
      let vectors = (0..<3 as Range<UInt8>).flatMap { [UInt8](repeating: round * 3 + $0 + 1, count: 8) }
      file.addFragment {
        $0.addTraf(1, .samples(3), boxes: fullBox("senc", big(UInt32(3)), vectors))
        $0.addTraf(2, .samples(2))
      }
    }
    return InPlaceCase(testDescription: "auxiliary information", file: file.build())
  }
  private static var kept: InPlaceCase {
    var file = builder()
    file.boxesBeforeMovie = box("uuid", zeros(16), ascii("before"))
    file.addBoxes(box("uuid", zeros(16), ascii("behind")), fullBox("emsg", zeros(30)))
    file.addFragments(1)
    file.addBoxes(box("udta", ascii("at the end")))
    return InPlaceCase(testDescription: "other boxes", file: file.build())
  }
  private static var mediaFirst: InPlaceCase {
    var file = builder()
    file.addFragment {
      $0.addTraf(1, .samples(4))
      $0.order = .mediaDataFirst
    }
    return InPlaceCase(testDescription: "a last mdat before its moof", file: file.build())
  }
  private static var indexed: InPlaceCase {
    var file = builder()
    file.randomAccess = FragmentedFileBuilder.RandomAccess()
    return InPlaceCase(testDescription: "an index at the end", file: file.build())
  }

  // MARK: Damage

  private static func cut(_ what: String, at place: (BuiltFile) -> Int) -> InPlaceCase {
    let built = builder().build()
    return InPlaceCase(testDescription: what, file: built.truncated(to: place(built)), isDamaged: true)
  }
  private static var cutMedia: InPlaceCase {
    cut("cut in the last mdat") { ($0.places[1]?[10].upperBound ?? 0) + 3 }
  }
  private static var cutAtSample: InPlaceCase { cut("cut where a track begins") { $0.places[2]?[8].lowerBound ?? 0 } }
  private static var cutBehindHeader: InPlaceCase {
    cut("cut behind the header of the last mdat") { $0.places[1]?[8].lowerBound ?? 0 }
  }
  private static var cutFragment: InPlaceCase {
    cut("cut in the last moof") { ($0.places[2]?[7].upperBound ?? 0) + 90 }
  }
  private static var cutFirstFragments: InPlaceCase {
    cut("cut between moof and mdat") { ($0.places[1]?[8].lowerBound ?? 0) - 8 }
  }
  private static func tail(_ what: String, _ bytes: [UInt8]) -> InPlaceCase {
    var built = builder().build()
    built.bytes += bytes
    return InPlaceCase(
      testDescription: what, file: built, isDamaged: true, endsWithZeros: bytes.allSatisfy { $0 == 0 })
  }
  private static func remainder(_ count: Int) -> InPlaceCase {
    tail("\(count) bytes that are no box", Array("\u{0}\u{0}\u{0}\u{20}moo".utf8.prefix(count)))
  }
  private static var garbage: InPlaceCase {
    tail("garbage at the end", SplitMix64.bytes(100, seed: 3).map { $0 | 0x80 })
  }
  private static var zeroTail: InPlaceCase { tail("zeros at the end", zeros(700)) }
  private static var largeAndCut: InPlaceCase {
    var file = builder()
    file.addFragment {
      $0.addTraf(1, .samples(4))
      $0.mediaDataHeader = .large
    }
    let built = file.build()
    let last = built.places[1]?.last?.lowerBound ?? 0
    return InPlaceCase(
      testDescription: "cut in an mdat with a size of 64 bits", file: built.truncated(to: last + 1), isDamaged: true)
  }
  private static var openAndCut: InPlaceCase {
    let built = openEnd.file
    let last = built.places[1]?.last?.lowerBound ?? 0
    return InPlaceCase(
      testDescription: "cut in an mdat of size 0", file: built.truncated(to: last + 2), isDamaged: true)
  }
}

extension SplitMix64 {
  fileprivate static func bytes(_ count: Int, seed: UInt64) -> [UInt8] {
    var random = SplitMix64(seed: seed)
    return random.bytes(count)
  }
}
