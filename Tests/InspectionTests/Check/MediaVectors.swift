import BoxCatalog
import ISOBMFF
import MP4
import MP4Bytes
import Support

/// Damage in samples.
extension RuleVector {
  static let media: [RuleVector] = [
    video("media-units") { bytes, place in bytes[place + 4] |= 0x80 },
    video("media-start-codes") { bytes, place in bytes.replaceSubrange(place + 40..<place + 44, with: [0, 0, 1, 0x65])
    },
    // The start of a slice is 1 00110 1: first_mb_in_slice, slice_type and pic_parameter_set_id as Golomb codes.
    video("media-parameter-sets") { bytes, place in
      bytes[place + 5] = 0b1_00110_01
      bytes[place + 6] = 0
    },
    video("media-headers") { bytes, place in
      bytes[place + 5] = 0b1_0001011
      bytes[place + 6] |= 0x80
    },
    // The slice becomes an extension of a sequence parameter set.
    video("media-pictures") { bytes, place in bytes[place + 4] = 0x4d },
    video("media-references") { bytes, place in bytes[place + 6] ^= 0x40 },
    RuleVector("media-sync", progressive) {
      try $0.edit("moov/trak/mdia/minf/stbl/stss", SyncSampleBox.self) {
        $0.sampleNumbers = BoxTable(Array($0.sampleNumbers).dropLast())
      }
    },
    sample("media-frames", 1, 20) { bytes, place in bytes[place] ^= 0xc0 },
    RuleVector(
      "media-checksums", { [("good.mp4", try flac())] },
      {
        var bytes = try flac()
        let place = try Movie(reading: [MemorySource(bytes, name: "a.mp4")]).tracks[0].samples[0].offset
        bytes[place + 8] ^= 1
        return [("bad.mp4", bytes)]
      }),
    RuleVector("media-sound", { [("good.mov", try tone())] }) {
      var bytes = try tone()
      let movie = try Movie(reading: [MemorySource(bytes, name: "a.mov")])
      let samples = movie.tracks[1].samples
      for sample in samples[samples.count / 2..<samples.count / 2 + 1000] {
        for place in sample.offset..<sample.offset + sample.size { bytes[place] = 0 }
      }
      return [("bad.mov", bytes)]
    },
    RuleVector(
      "media-text", { [("good.mp4", try timecode(30))] },
      {
        var bytes = try timecode(30)
        let place = try Movie(reading: [MemorySource(bytes, name: "a.mp4")]).tracks[0].samples[0].offset
        bytes[place] = 0x7f
        return [("bad.mp4", bytes)]
      }),
    RuleVector("media-zeros", { [("good.mp4", try noise().bytes)] }) {
      var (bytes, places) = try noise()
      let first = (places[1] + 600) / 512 * 512
      for place in first..<first + 512 { bytes[place] = 0 }
      return [("bad.mp4", bytes)]
    }.with(also: ["media-start-codes"]),
    RuleVector("media-repeats", { [("good.mp4", try noise().bytes)] }) {
      var (bytes, places) = try noise()
      let (first, second) = ((places[0] + 4200) / 4096 * 4096, (places[1] + 4200) / 4096 * 4096)
      for index in 0..<4096 { bytes[second + index] = bytes[first + index] }
      return [("bad.mp4", bytes)]
    },
    RuleVector("media-unused", { [("good.mp4", try EditedFile(progressive).bytes())] }) {
      var bytes = try EditedFile(progressive).bytes()
      let boxes = try [Box](reading: MemorySource(bytes, name: "a.mp4"), registry: .standard)
      guard let header = boxes.first(where: { $0.type == "mdat" })?.header else { return [] }
      let size = header.end - header.offset + 100
      for index in 0..<4 { bytes[header.offset + index] = UInt8(truncatingIfNeeded: size >> (24 - 8 * index)) }
      bytes.insert(contentsOf: [UInt8](repeating: 1, count: 100), at: header.end)
      return [("bad.mp4", bytes)]
    },
    sample("media-coded-data", 0, 0) { bytes, place in for index in 900..<908 { bytes[place + index] ^= 0x55 } },
  ]

  /// A change to a sample, whose offset is passed, of a track of a progressive file.
  private static func sample(
    _ rule: String, _ track: Int, _ index: Int, also: Set<String> = [],
    _ change: @escaping @Sendable (inout [UInt8], Int) throws -> Void
  ) -> RuleVector {
    RuleVector(rule, also: also, { [("good.mp4", try EditedFile(progressive).bytes())] }) {
      var bytes = try EditedFile(progressive).bytes()
      let movie = try Movie(reading: [MemorySource(bytes, name: "a.mp4")])
      try change(&bytes, movie.tracks[track].samples[index].offset)
      return [("bad.mp4", bytes)]
    }
  }
  /// A change to the first predicted picture.
  private static func video(
    _ rule: String, _ change: @escaping @Sendable (inout [UInt8], Int) throws -> Void
  ) -> RuleVector { sample(rule, 0, 1, change) }

  /// The same vector, which breaks other rules, too.
  private func with(also: Set<String>) -> RuleVector { RuleVector(rule, also: also, base, files) }

  /// H.264 with slices that contain noise, and the offsets of the samples.
  private static func noise() throws -> (bytes: [UInt8], places: [Int]) {
    let movie = try Movie(reading: [MemorySource(readFile(vectorPath("files/progressive.mp4")), name: "a.mp4")])
    let track = movie.tracks[0]
    let sink = MemorySink()
    let writer = MovieWriter(fragmentsTo: sink)
    let written = try writer.add(MovieWriter.Track(like: track))
    var random = SplitMix64(seed: 1)
    for sample in track.samples.prefix(2) {
      var bytes = try sample.bytes()
      // The last unit is the slice.
      var start = 0
      while true {
        let length = bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
        if start + 4 + length >= bytes.count { break }
        start += 4 + length
      }
      for _ in 0..<12_000 { bytes.append(UInt8(truncatingIfNeeded: random.next()) | 1) }
      let length = bytes.count - start - 4
      for index in 0..<4 { bytes[start + index] = UInt8(truncatingIfNeeded: length >> (24 - 8 * index)) }
      try writer.append(bytes, to: written, duration: MediaTime(1, 25), isSync: sample.isSync)
    }
    try writer.finish()
    let result = try Movie(reading: [MemorySource(sink.bytes, name: "a.mp4")])
    return (sink.bytes, result.tracks[0].samples.map(\.offset))
  }

  /// A frame of FLAC: 16 samples of silence, coded as a constant.
  private static func flac() throws -> [UInt8] {
    let sink = MemorySink()
    let writer = MovieWriter(fragmentsTo: sink)
    var info = [UInt8](repeating: 0, count: 34)
    info[1] = 16
    info[3] = 16
    info[10...13] = [0x0a, 0xc4, 0x40, 0xf0][...]
    let entry = AudioSampleEntry().with {
      ($0.channelCount, $0.sampleSize, $0.sampleRate) = (1, 16, 44_100 << 16)
      $0.dataReferenceIndex = 1
    }
    let box = Box("dfLa", bytes: [0, 0, 0, 0, 0x80, 0, 0, 34] + info)
    let track = try writer.add(
      MovieWriter.Track(Box(entry, type: "fLaC", boxes: [box]), timescale: 44_100, handler: "soun"))
    // A block of 16 samples at 44.1 kHz, mono, 16 bits, the frame 0, and a constant of 0x1234.
    var frame: [UInt8] = [0xff, 0xf8, 0x69, 0x08, 0, 15]
    frame.append(crc(frame, 8, 0x07))
    frame += [0, 0x12, 0x34]
    let sum = crc16(frame)
    frame += [UInt8(sum >> 8), UInt8(sum & 0xff)]
    try writer.append(frame, to: track, duration: MediaTime(16, 44_100))
    try writer.finish()
    return sink.bytes
  }

  private static func crc(_ bytes: [UInt8], _ bits: Int, _ polynomial: UInt8) -> UInt8 {
    bytes.reduce(0) { sum, byte in
      (0..<8).reduce(sum ^ byte) { value, _ in value & 0x80 != 0 ? value << 1 ^ polynomial : value << 1 }
    }
  }
  private static func crc16(_ bytes: [UInt8]) -> UInt16 {
    bytes.reduce(0) { sum, byte in
      (0..<8).reduce(sum ^ UInt16(byte) << 8) { value, _ in value & 0x8000 != 0 ? value << 1 ^ 0x8005 : value << 1 }
    }
  }

  /// The file with uncompressed audio, whose samples are loud.
  private static func tone() throws -> [UInt8] {
    var bytes = try readFile(vectorPath("files/pcm.mov"))
    let movie = try Movie(reading: [MemorySource(bytes, name: "a.mov")])
    for sample in movie.tracks[1].samples {
      for index in 0..<sample.size { bytes[sample.offset + index] = index & 1 == 0 ? 0x30 : 0x31 }
    }
    return bytes
  }
}
