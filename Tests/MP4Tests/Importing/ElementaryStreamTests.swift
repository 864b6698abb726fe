import ISOBMFF
import MP4
import MP4Bytes
import Support
import Testing

@Suite("Elementary streams as movies")
struct ElementaryStreamTests {
  private func movie(
    _ bytes: [UInt8], rate: FrameRate? = nil, isQuickTime: Bool = false
  ) throws -> (movie: Movie, diagnostics: [Diagnostic]) {
    var options = ElementaryStream.Options()
    (options.frameRate, options.isQuickTime) = (rate, isQuickTime)
    let stream = try #require(try ElementaryStream(MemorySource(bytes, name: "in"), options))
    return (try Movie(reading: [stream.movie]), stream.diagnostics)
  }

  private func obstacle(_ bytes: [UInt8]) throws -> Obstacle? {
    do throws(MovieError) {
      _ = try ElementaryStream(MemorySource(bytes, name: "in"))
      return nil
    } catch { return error.obstacle }
  }

  private struct Row: Equatable {
    var bytes: [UInt8]
    var time: MediaTime
    var duration: MediaTime
    var isSync: Bool
  }
  private func rows(_ track: Track) throws -> [Row] {
    let start = track.samples.first?.decodeTime ?? MediaTime(0, 1)
    return try track.samples.map {
      Row(bytes: try $0.bytes(), time: $0.compositionTime - start, duration: $0.duration, isSync: $0.isSync)
    }
  }

  // MARK: What this library extracts

  @Test(
    "An extracted track is the same track again",
    arguments: [
      ("progressive.mp4", 1, 1), ("progressive.mp4", 2, 2), ("fragmented.mp4", 1, 1), ("hevc-fragmented.mp4", 1, 1),
      ("pcm.mov", 1, 1),
    ])
  func roundTrip(name: String, id: UInt32, _: Int) throws {
    let source = MemorySource(try readFile(vectorPath("files/" + name)))
    let track = try #require(try Movie(reading: [source]).tracks.first { $0.id == id })
    let sink = MemorySink()
    try TrackExtraction(of: TrackSelection([.id(id)]), in: [source]).write(to: sink)
    let rate = track.isVideo ? track.frameRate : nil
    let result = try movie(sink.bytes, rate: rate)
    let copy = try #require(result.movie.tracks.first)
    #expect(result.diagnostics.isEmpty && result.movie.tracks.count == 1)
    let (old, new) = (try rows(track), try rows(copy))
    #expect(old.count == new.count && old.count > 10)
    // The last duration of a stream is not known, and its clock can be another.
    for (old, new) in zip(old.dropLast(), new) { #expect(old == new) }
    #expect(copy.decoderConfigurations[0].codecs == track.decoderConfigurations[0].codecs)
  }

  // MARK: Byte streams

  /// Parameter sets of 16 x 16 pixels, 25 frames per second, with picture order counts of 8 bits.
  private static let sps: [UInt8] = [
    0x67, 0x42, 0x00, 0x0a, 0xf2, 0x1d, 0x80, 0x88, 0x00, 0x00, 0x03, 0x00, 0x08, 0x00, 0x00, 0x03, 0x01, 0x90, 0x40,
  ]

  private struct Bits {
    private(set) var bits: [UInt8] = []
    mutating func put(_ value: Int, _ count: Int) {
      for bit in (0..<count).reversed() { bits.append(UInt8(value >> bit & 1)) }
    }
    mutating func golomb(_ value: Int) {
      let count = Int.bitWidth - (value + 1).leadingZeroBitCount
      put(0, count - 1)
      put(value + 1, count)
    }
    /// The bytes with a stop bit and emulation prevention.
    func unit(_ header: [UInt8]) -> [UInt8] {
      let all = bits + [1] + Array(repeating: 0, count: (7 - bits.count % 8 + 8) % 8)
      var (result, zeros) = (header, 0)
      for at in stride(from: 0, to: all.count, by: 8) {
        let byte = all[at..<at + 8].reduce(0) { $0 << 1 | $1 }
        if zeros == 2, byte < 4 {
          result.append(3)
          zeros = 0
        }
        zeros = byte == 0 ? zeros + 1 : 0
        result.append(byte)
      }
      return result
    }
  }

  /// A sequence parameter set of the Main profile: 32 x 32, with or without a frame rate.
  private func sequence(ticks: (units: Int, scale: Int)? = (1, 50), width: Int = 2) -> [UInt8] {
    var bits = Bits()
    bits.put(77, 8)
    bits.put(0, 8)
    bits.put(10, 8)
    for value in [0, 0, 0, 4, 2] { bits.golomb(value) }
    bits.put(0, 1)
    bits.golomb(width - 1)
    bits.golomb(1)
    // Only frames, direct inference, no cropping.
    bits.put(0b110, 3)
    bits.put(ticks == nil ? 0 : 1, 1)
    if let ticks {
      // Neither aspect ratio, overscan, colors nor chroma location; but timing.
      bits.put(0b00001, 5)
      bits.put(ticks.units, 32)
      bits.put(ticks.scale, 32)
      bits.put(1, 1)
      // No decoder parameters, no picture structure, no restrictions.
      bits.put(0, 4)
    }
    return bits.unit([0x67])
  }
  private let pictureSet: [UInt8] = {
    var bits = Bits()
    for value in [0, 0] { bits.golomb(value) }
    bits.put(0, 2)
    for value in [0, 0, 0] { bits.golomb(value) }
    bits.put(0, 3)
    for value in [0, 0, 0] { bits.golomb(value) }
    bits.put(0, 3)
    return bits.unit([0x68])
  }()
  /// A slice with the low bits of its picture order count.
  private func slice(
    _ order: Int, number: Int = 0, isIDR: Bool = false, isReference: Bool = true, restarts: Bool = false
  ) -> [UInt8] {
    var bits = Bits()
    bits.golomb(0)
    bits.golomb(isIDR ? 7 : 5)
    bits.golomb(0)
    bits.put(number & 15, 4)
    if isIDR { bits.golomb(0) }
    bits.put(order & 255, 8)
    if isIDR {
      bits.put(0, 2)
    } else {
      // No other number of references, no other order.
      bits.put(0, 2)
      if isReference { bits.put(restarts ? 1 : 0, 1) }
      if restarts { for operation in [5, 0] { bits.golomb(operation) } }
    }
    // Data.
    bits.put(0x123456, 24)
    return bits.unit([isIDR ? 0x65 : isReference ? 0x41 : 0x01])
  }
  private func stream(_ units: [[UInt8]], code: [UInt8] = [0, 0, 0, 1]) -> [UInt8] { units.flatMap { code + $0 } }
  private func sample(_ units: [UInt8]...) -> [UInt8] { units.flatMap { big(UInt32($0.count)) + $0 } }

  @Test("Pictures are presented in the order of their counts, and decoded no later")
  func order() throws {
    // I P B B, then another period.
    let slices = [
      slice(0, isIDR: true), slice(6, number: 1), slice(2, number: 2, isReference: false),
      slice(4, number: 2, isReference: false), slice(0, isIDR: true), slice(2, number: 1),
    ]
    let (movie, diagnostics) = try movie(stream([sequence(), pictureSet] + slices))
    let track = movie.tracks[0]
    #expect(diagnostics.isEmpty && track.samples.count == 6)
    #expect(try track.samples.map { try $0.bytes() } == slices.map { sample($0) })
    let unit = MediaTime(1, 25)
    #expect(track.samples.map(\.decodeTime) == (0..<6).map { MediaTime($0, 25) })
    #expect(
      track.samples.map { $0.compositionTime - unit } == [0, 3, 1, 2, 4, 5].map { MediaTime($0, 25) })
    #expect(track.samples.map(\.isSync) == [true, false, false, false, true, false])
    #expect(track.samples.first?.presentationTime == MediaTime(0, 1))
  }

  @Test("A picture that removes all references starts the order again")
  func restart() throws {
    let slices = [
      slice(0, isIDR: true), slice(20, number: 1), slice(10, number: 2, isReference: false),
      slice(22, number: 2, restarts: true), slice(6, number: 1), slice(2, number: 2, isReference: false),
    ]
    let track = try movie(stream([sequence(), pictureSet] + slices)).movie.tracks[0]
    #expect(
      track.samples.map { $0.compositionTime - MediaTime(1, 25) } == [0, 2, 1, 3, 5, 4].map { MediaTime($0, 25) })
  }

  @Test("High bits of picture order counts continue, also for non-reference pictures")
  func wrappedOrder() throws {
    let orders = [0, 100, 200, 300, 250, 400]
    let slices = orders.enumerated().map { slice($1, number: $0, isIDR: $0 == 0, isReference: $1 != 250) }
    let track = try movie(stream([sequence(), pictureSet] + slices)).movie.tracks[0]
    let ranks = track.samples.map { $0.compositionTime }.map { time in
      track.samples.count { $0.compositionTime < time }
    }
    #expect(ranks == [0, 1, 2, 4, 3, 5])
  }

  @Test(
    "Start codes of three and four bytes, zeros around units and filler do not change samples",
    arguments: [[0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0, 0, 0, 1]] as [[UInt8]])
  func codes(code: [UInt8]) throws {
    let (first, second) = (slice(0, isIDR: true), slice(2, number: 1))
    let (delimiter, message, filler): ([UInt8], [UInt8], [UInt8]) = (
      [9, 0xf0], [6, 5, 1, 9, 0x80], [12, 255, 255, 0x80]
    )
    let units = [delimiter, sequence(), pictureSet, message, first, filler, delimiter, second, [11]]
    let (movie, diagnostics) = try movie(stream(units, code: code) + [0, 0, 0])
    #expect(diagnostics.isEmpty)
    #expect(
      try movie.tracks[0].samples.map { try $0.bytes() }
        == [sample(delimiter, message, first), sample(delimiter, second, [11])])
    #expect(movie.tracks[0].decoderConfigurations[0].codecs.hasPrefix("avc1.4D00"))
  }

  @Test("Parameter sets that change stay in the samples")
  func changedSets() throws {
    let (first, second) = (slice(0, isIDR: true), slice(0, isIDR: true))
    let other = sequence(width: 3)
    let movie = try movie(stream([sequence(), pictureSet, first, other, pictureSet, second])).movie
    #expect(movie.tracks[0].decoderConfigurations[0].codecs.hasPrefix("avc3."))
    #expect(
      try movie.tracks[0].samples.map { try $0.bytes() }
        == [sample(sequence(), pictureSet, first), sample(other, pictureSet, second)])
  }

  @Test("A unit may lie anywhere in the windows in which a stream is read", arguments: -6...6)
  func windows(shift: Int) throws {
    let start = stream([sequence(), pictureSet, slice(0, isIDR: true)])
    let padding = (1 << 18) + shift - start.count
    let bytes = start + Array(repeating: 7, count: padding) + stream([slice(2, number: 1), slice(4, number: 2)])
    let samples = try movie(bytes).movie.tracks[0].samples
    #expect(samples.count == 3 && samples[0].size == slice(0, isIDR: true).count + padding + 4)
    #expect(try samples[1].bytes() == sample(slice(2, number: 1)))
  }

  @Test("Without a frame rate there is an error with a remedy, unless one is given")
  func noRate() throws {
    let bytes = stream([sequence(ticks: nil), pictureSet, slice(0, isIDR: true), slice(2, number: 1)])
    #expect(try obstacle(bytes)?.remedy == .setFrameRate)
    let track = try movie(bytes, rate: FrameRate(30_000, 1001)).movie.tracks[0]
    #expect(track.samples.map(\.duration) == [MediaTime(1001, 30_000), MediaTime(1001, 30_000)])
  }

  @Test("Units that belong to no picture are omitted with an error, and the rest is kept")
  func damagedUnits() throws {
    // It refers to an unknown parameter set.
    let lost: [UInt8] = [0x41, 0xc0, 0x80, 0x80]
    let bytes = stream([
      sequence(), pictureSet, slice(0, isIDR: true), [9, 0xf0], lost, [9, 0xf0], slice(2, number: 1),
    ])
    let (movie, diagnostics) = try movie(bytes)
    #expect(movie.tracks[0].samples.count == 2)
    #expect(diagnostics.map(\.severity) == [.error] && diagnostics[0].text.contains("belong to no picture"))
  }

  /// Nine gray pictures of 64 x 64 pixels, written by VVenC.
  private static let gray: [UInt8] = {
    let digits =
      "0000000100a18800000001007900ab021080000080820411a801cdffeb084d958c10209c00ca0c5842183110819220d487a3d5a92f24"
      + "9a92c9116a22f1126a22452444992224d4659210b5085e10bd5a92f25ea19418b100c5880810810102a102020690810102c408081104"
      + "040b2080812101064081108102c8408122041a081241070832045a104908710d09723950cc119c500000030010000003019188000000"
      + "01008100004102088907d04000000001007900ab021080000080820411a801cdffeb084d958c10209c00ca0c5842183110819220d487"
      + "a3d5a92f249a92c9116a22f1126a22452444992224d4659210b5085e10bd5a92f25ea19418b100c5880810810102a102020690810102"
      + "c408081104040b2080812101064081108102c8408122041a081241070832045a104908710d09723950cc119c50000003001000000301"
      + "918800000001008100004102088907d040000000010039c41d0df8dfcfebcc100000000100a428000000010014940dd110880692f0d3"
      + "c00000000100a5280000000100159405d1a10d0821e213c0d7400000000100a6280000000100169401d1c84908208084f0dcc0000000"
      + "0100a628000000010016940991e8e21820213cdcc00000000100a528000000010015941591a90d0961e213c0d7400000000100a62800"
      + "0000010016941191e8e4208084f0dcc00000000100a628000000010016941991eae5608084f0dcc00000000100a62800000001000e94"
      + "21d16b020213c0dcc0"
    let values = digits.utf8.map { $0 < 0x3a ? $0 - 0x30 : $0 - 0x57 }
    return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
  }()

  @Test("H.266 has the times and the configuration that its encoder declares, and needs a frame rate")
  func vvc() throws {
    #expect(try obstacle(Self.gray)?.remedy == .setFrameRate)
    let (movie, diagnostics) = try movie(Self.gray, rate: FrameRate(25, 1))
    let track = movie.tracks[0]
    #expect(diagnostics.isEmpty && track.decoderConfigurations[0].codecs == "vvc1.1.L16.CQA")
    let times = track.samples.map { $0.compositionTime - track.samples[3].compositionTime }
    #expect(times == [7, 3, 1, 0, 2, 5, 4, 6, 8].map { MediaTime($0, 25) })
    #expect(track.samples.map(\.isSync) == [true] + Array(repeating: false, count: 8))
    // An access unit delimiter and a slice.
    #expect(track.samples.map(\.size) == [22, 23, 25, 25, 24, 25, 24, 24, 23])
    let sink = MemorySink()
    let source = try #require(try ElementaryStream(MemorySource(Self.gray), rate(25))?.movie)
    try TrackExtraction(of: TrackSelection([.id(1)]), in: [source]).write(to: sink)
    let copy = try self.movie(sink.bytes, rate: FrameRate(25, 1)).movie.tracks[0]
    #expect(try rows(copy) == rows(track))
    // A picture parameter set that changes.
    let changed = try self.movie(Self.gray + [0, 0, 1, 0, 0x81, 2, 0x10, 3], rate: FrameRate(25, 1)).movie.tracks[0]
    #expect(changed.decoderConfigurations[0].codecs.hasPrefix("vvi1"))
  }
  private func rate(_ rate: Int64) -> ElementaryStream.Options {
    var options = ElementaryStream.Options()
    options.frameRate = FrameRate(rate, 1)
    return options
  }

  // MARK: Audio

  private func adts(_ payload: [UInt8], channels: UInt8 = 2) -> [UInt8] {
    let size = payload.count + 7
    return [
      0xff, 0xf1, 0x40 | 3 << 2 | channels >> 2, (channels & 3) << 6 | UInt8(size >> 11), UInt8(size >> 3 & 255),
      UInt8(size & 7) << 5 | 0x1f, 0xfc,
    ] + payload
  }

  @Test("AAC after an ID3 tag, with garbage between frames, keeps its frames")
  func garbage() throws {
    let payloads = (0..<5).map { Array(repeating: UInt8($0 + 1), count: 20 + $0) }
    let tag: [UInt8] = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 3, 1, 2, 3]
    let frames = payloads.map { adts($0) }
    let bytes = tag + frames[0] + frames[1] + [0xff, 0xf1, 9, 9, 9] + frames[2] + frames[3] + frames[4]
    let (movie, diagnostics) = try movie(bytes)
    #expect(try movie.tracks[0].samples.map { try $0.bytes() } == payloads)
    #expect(movie.tracks[0].samples.map(\.duration) == Array(repeating: MediaTime(1024, 48_000), count: 5))
    #expect(diagnostics.map(\.severity) == [.error] && diagnostics[0].text.contains("5 bytes, the first at byte 68"))
    let cut = Array(bytes.dropLast(3))
    #expect(try self.movie(cut).movie.tracks[0].samples.count == 4)
    #expect(try self.movie(cut).diagnostics.count == 1)
    #expect(try obstacle(adts([1, 2, 3], channels: 0) + adts([1, 2, 3], channels: 0))?.code == "unsupported_format")
  }

  /// A frame of AC-3 at 48 kHz with 32 kbit/s, or 40, whose payload is a byte.
  private func ac3(_ value: UInt8, isLonger: Bool = false) -> [UInt8] {
    [0x0b, 0x77, 0, 0, isLonger ? 2 : 0, 8 << 3, 2 << 5, 0] + Array(repeating: value, count: isLonger ? 152 : 120)
  }
  private func starts(_ track: Track) -> [Int64] {
    track.samples.map { $0.decodeTime.value * 48_000 / Int64($0.decodeTime.timescale) }
  }

  @Test("Damaged frames leave a gap of their duration, exactly if all frames have the same size")
  func gaps() throws {
    var frames = (1..<11).map { ac3(UInt8($0)) }
    for number in [3, 4, 7] { frames[number][0] = 0 }
    let (movie, diagnostics) = try movie(frames.flatMap(\.self))
    #expect(try movie.tracks[0].samples.map { try $0.bytes() } == frames.filter { $0[0] != 0 })
    #expect(starts(movie.tracks[0]) == [0, 1, 2, 5, 6, 8, 9].map { $0 * 1536 })
    #expect(diagnostics.map(\.severity) == [.error])
    let text = diagnostics[0].text
    #expect(
      text.contains("384 bytes, the first at byte 384, are no frames of AC-3 and are omitted; sound is missing: "))
    #expect(
      text.contains("0.064 s at 0.096 s, 0.032 s at 0.224 s (all frames have the same size); the sound after it keeps"))
  }

  @Test("A gap of frames of several sizes is estimated, and bytes that are less than half a frame are none")
  func estimates() throws {
    var frames = (0..<40).map { adts(Array(repeating: 7, count: 60 + $0 * 7 % 13)) }
    frames[20][0] = 0
    var result = try movie(frames.flatMap(\.self))
    #expect(starts(result.movie.tracks[0]) == (0..<40).filter { $0 != 20 }.map { Int64($0) * 1024 })
    #expect(result.diagnostics[0].text.contains("0.021 s at 0.426 s (estimated from the size of the frames around)"))
    frames[20][0] = 0xff
    result = try movie(Array((frames[..<20] + [[1, 2, 3]] + frames[20...]).joined()))
    #expect(starts(result.movie.tracks[0]) == (0..<40).map { $0 * 1024 })
    #expect(result.diagnostics[0].text.contains("by their size, no whole frame is missing. If the file lost bytes"))
  }

  @Test("A frame with a wrong size, or of which a part is missing, does not take the ones after it away")
  func wrongSize() throws {
    let frames = (0..<30).map { adts(Array(repeating: UInt8($0), count: 60 + $0 * 7 % 13)) }
    var damaged = frames
    damaged[10][4] += 20
    var result = try movie(damaged.flatMap(\.self))
    #expect(starts(result.movie.tracks[0]) == (0..<30).filter { $0 != 10 }.map { Int64($0) * 1024 })
    #expect(
      try result.movie.tracks[0].samples.map { try $0.bytes()[0] } == (0..<30).filter { $0 != 10 }.map { UInt8($0) })
    damaged = frames
    damaged[10].removeLast(20)
    result = try movie(damaged.flatMap(\.self))
    #expect(starts(result.movie.tracks[0]) == (0..<30).filter { $0 != 10 }.map { Int64($0) * 1024 })
    // At the end, nothing follows.
    result = try movie(Array(frames.flatMap(\.self).dropLast(50)))
    #expect(result.movie.tracks[0].samples.count == 29)
    #expect(result.diagnostics[0].text.hasSuffix("sound is missing: 0.021 s at the end"))
  }

  @Test("Bytes before the first frame are omitted with a warning, if many frames follow or all bytes are frames")
  func leadingBytes() throws {
    let frames = (0..<20).map { adts(Array(repeating: UInt8($0), count: 60)) }
    let tag: [UInt8] = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 3, 1, 2, 3]
    for start in [[1, 2, 3], Array(repeating: 0, count: 3000), tag + [0, 0, 0], Array(frames[0].dropFirst(9))] {
      let (movie, diagnostics) = try movie(start + frames.flatMap(\.self))
      #expect(movie.tracks[0].samples.count == 20 && starts(movie.tracks[0])[1] == 1024)
      #expect(diagnostics.map(\.severity) == [.warning])
      let count = start.count - (start.starts(with: tag) ? tag.count : 0)
      #expect(diagnostics[0].text.hasPrefix("the \(count) bytes before the first frame of AAC (ADTS) are omitted"))
    }
    let containers: [[UInt8]] = [
      Array("RIFF0000AVI ".utf8), [0x1a, 0x45, 0xdf, 0xa3, 1], [0, 0, 0, 24] + Array("ftypisom".utf8),
      [0, 0, 7, 0] + Array("uuid".utf8),
    ]
    for start in containers { #expect(try ElementaryStream(MemorySource(start + frames.flatMap(\.self))) == nil) }
    let few = Array("some text".utf8) + frames[0] + frames[1] + Array("more text".utf8)
    #expect(try ElementaryStream(MemorySource(few)) == nil)
  }

  private func wave(
    _ audio: [UInt8], bits: UInt16 = 16, tag: UInt16 = 1, size: UInt32? = nil, name: String = "RIFF", more: [UInt8] = []
  ) -> [UInt8] {
    let format =
      little(tag) + little(UInt16(2)) + little(UInt32(48_000)) + little(UInt32(48_000) * UInt32(bits) / 4)
      + little(bits / 4) + little(bits)
    return Array(name.utf8) + little(UInt32(0)) + Array("WAVE".utf8) + more + Array("fmt ".utf8) + little(UInt32(16))
      + format + Array("data".utf8) + little(size ?? UInt32(audio.count)) + audio
  }
  private func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  @Test("WAV in all its sizes: cut off, open, with 64 bits, with a part of a frame")
  func waves() throws {
    let audio = (0..<4000).map { UInt8($0 & 255) }
    func media(_ bytes: [UInt8]) throws -> (bytes: [UInt8], severities: [Diagnostic.Severity]) {
      let (movie, diagnostics) = try movie(bytes)
      return (try movie.tracks[0].samples.flatMap { try $0.bytes() }, diagnostics.map(\.severity))
    }
    #expect(try media(wave(audio)) == (audio, []))
    #expect(try media(wave(audio, size: 5000)) == (audio, [.error]))
    #expect(try media(wave(audio, size: 0)) == (audio, []))
    #expect(try media(wave(audio, size: .max)) == (audio, []))
    #expect(try media(wave(audio + [1, 2])) == (audio, [.warning]))
    let sizes =
      Array("ds64".utf8) + little(UInt32(28)) + little(UInt64(0)) + little(UInt64(4000))
      + Array(repeating: 0, count: 12)
    for name in ["RF64", "BW64"] {
      let bytes = wave(audio, size: .max, name: name, more: sizes)
      #expect(try media(bytes) == (audio, []))
    }
    let note = wave(audio, more: Array("bext".utf8) + little(UInt32(4)) + [1, 2, 3, 4])
    #expect(try media(note) == (audio, [.note]))
    #expect(try obstacle(wave(audio, tag: 2))?.code == "unsupported_format")
    #expect(try obstacle(wave([]))?.code == "no_samples")
  }

  @Test("PCM of all kinds becomes a track of a QuickTime movie; MP4 has no 8 bits, A-law and μ-law")
  func quickTimeSound() throws {
    let audio = (0..<4800).map { UInt8(truncatingIfNeeded: $0 * 7) }
    for (bits, tag, format, isISO) in [
      (8, 1, "raw ", false), (16, 1, "sowt", true), (24, 1, "lpcm", true), (32, 3, "lpcm", true), (8, 6, "alaw", false),
      (8, 7, "ulaw", false),
    ] as [(UInt16, UInt16, FourCC, Bool)] {
      let bytes = wave(audio, bits: bits, tag: tag)
      let track = try movie(bytes, isQuickTime: true).movie.tracks[0]
      #expect(track.decoderConfigurations[0].codedFormat == format && track.timescale == 48_000)
      #expect(try track.samples.flatMap { try $0.bytes() } == audio)
      #expect(track.samples.count == 4800 / Int(bits / 4))
      #expect(try obstacle(bytes)?.code == (isISO ? nil : "quicktime_only"))
      // The same audio again.
      let sink = MemorySink()
      let source = try #require(
        try ElementaryStream(MemorySource(bytes, name: "in"), quickTime)?.movie)
      try TrackExtraction(of: TrackSelection([.id(1)]), in: [source]).write(to: sink)
      #expect(sink.bytes.suffix(audio.count).elementsEqual(audio))
    }
  }
  private var quickTime: ElementaryStream.Options {
    var options = ElementaryStream.Options()
    options.isQuickTime = true
    return options
  }

  @Test("Wave64 has 64-bit sizes and aligned chunks, and bext declares the time of the recording")
  func wave64() throws {
    let ending: [UInt8] = [0xf3, 0xac, 0xd3, 0x11, 0x8c, 0xd1, 0, 0xc0, 0x4f, 0x8e, 0xdb, 0x8a]
    func chunk(_ name: String, _ payload: [UInt8]) -> [UInt8] {
      Array(name.utf8) + ending + little(UInt64(payload.count + 24)) + payload
        + Array(repeating: 0, count: (8 - payload.count % 8) % 8)
    }
    let audio = (0..<4004).map { UInt8(truncatingIfNeeded: $0) }
    let plain = wave(audio)
    let riff: [UInt8] = [0x2e, 0x91, 0xcf, 0x11, 0xa5, 0xd6, 0x28, 0xdb, 4, 0xc1, 0, 0]
    var start = Array("riff".utf8) + riff
    start += little(UInt64(0)) + Array("wave".utf8) + ending
    let bytes = start + chunk("fmt ", Array(plain[20..<36])) + chunk("junk", [1, 2, 3]) + chunk("data", audio)
    let result = try movie(bytes)
    #expect(try result.movie.tracks[0].samples.flatMap { try $0.bytes() } == audio && result.diagnostics.isEmpty)
    #expect(try movie(Array(bytes.dropLast(8))).diagnostics.map(\.severity) == [.error])

    var broadcast = Array("A scene".utf8)
    broadcast += Array(repeating: 0, count: 338 - broadcast.count)
    broadcast += little(UInt64(48_000 * 3_661 + 24_000)) + Array(repeating: 0, count: 256)
    let note = try movie(wave(audio, more: Array("bext".utf8) + little(UInt32(broadcast.count)) + broadcast))
      .diagnostics
    #expect(
      note.map(\.text) == [
        "its other chunks are omitted: bext; the description is 'A scene'; the recording starts 01:01:01.500 after "
          + "midnight (175752000 samples)"
      ])
  }

  // MARK: LATM

  /// LOAS frames with an AudioMuxElement each.
  private struct LATM {
    /// The AudioSpecificConfig: AAC LC, 48 kHz, stereo.
    var sound = (value: 0x1190, bitCount: 16)
    var version = 0
    var payloadsPerElement = 1
    var fixedSize: Int?
    var programs = 1

    func configuration(_ bits: inout Bits) {
      bits.put(version, 1)
      if version == 1 {
        bits.put(0, 1)
        bits.put(0, 2)
        bits.put(255, 8)
      }
      bits.put(1, 1)
      bits.put(payloadsPerElement - 1, 6)
      bits.put(programs - 1, 4)
      bits.put(0, 3)
      if version == 1 {
        // A length of the configuration with five bits of filling.
        bits.put(0, 2)
        bits.put(sound.bitCount + 5, 8)
      }
      bits.put(sound.value, sound.bitCount)
      if version == 1 { bits.put(0, 5) }
      if let fixedSize {
        bits.put(1, 3)
        bits.put(fixedSize - 20, 9)
      } else {
        bits.put(0, 3)
        bits.put(255, 8)
      }
      // No other data, but a checksum.
      bits.put(1, 2)
      bits.put(0x55, 8)
    }

    func frame(_ payloads: [[UInt8]], hasConfiguration: Bool = true) -> [UInt8] {
      var bits = Bits()
      bits.put(hasConfiguration ? 0 : 1, 1)
      if hasConfiguration { configuration(&bits) }
      for payload in payloads {
        if fixedSize == nil {
          for _ in 0..<payload.count / 255 { bits.put(255, 8) }
          bits.put(payload.count % 255, 8)
        }
        for byte in payload { bits.put(Int(byte), 8) }
      }
      while bits.bits.count % 8 != 0 { bits.put(0, 1) }
      let bytes = stride(from: 0, to: bits.bits.count, by: 8).map { bits.bits[$0..<$0 + 8].reduce(0) { $0 << 1 | $1 } }
      return [0x56, 0xe0 | UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + bytes
    }
  }

  private func payload(_ number: Int) -> [UInt8] {
    (0..<200 + number * 37 % 200).map { UInt8(truncatingIfNeeded: number &* 31 &+ $0) }
  }

  @Test("LATM of both versions has the payloads of its frames, which start within bytes", arguments: [0, 1])
  func latm(version: Int) throws {
    let payloads = (0..<12).map { payload($0) }
    for count in [1, 3] {
      let format = LATM(version: version, payloadsPerElement: count)
      let frames = stride(from: 0, to: 12, by: count).map {
        format.frame(Array(payloads[$0..<$0 + count]), hasConfiguration: $0 % 6 == 0)
      }
      let (movie, diagnostics) = try movie(frames.flatMap(\.self))
      let track = movie.tracks[0]
      #expect(try track.samples.map { try $0.bytes() } == payloads && diagnostics.isEmpty)
      #expect(starts(track) == (0..<12).map { $0 * 1024 })
      #expect(track.decoderConfigurations[0].codecs == "mp4a.40.2")
    }
    let fixed = LATM(version: version, fixedSize: 100)
    let same = (0..<5).map { Array(payload($0).prefix(100)) }
    let (movie, _) = try movie(same.flatMap { fixed.frame([$0]) })
    #expect(try movie.tracks[0].samples.map { try $0.bytes() } == same)
  }

  @Test("LATM without a configuration, with another one, or of several programs")
  func otherLATM() throws {
    let payloads = (0..<8).map { payload($0) }
    let format = LATM()
    // The first two frames cannot be decoded.
    let late = payloads.enumerated().map { format.frame([$1], hasConfiguration: $0 == 2) }
    var result = try movie(late.flatMap(\.self))
    #expect(try result.movie.tracks[0].samples.map { try $0.bytes() } == Array(payloads[2...]))
    #expect(result.diagnostics.map(\.severity) == [.warning])
    // A mono frame in the middle.
    var frames = payloads.map { format.frame([$0]) }
    frames[4] = LATM(sound: (0x1188, 16)).frame([payloads[4]])
    result = try movie(frames.flatMap(\.self))
    #expect(result.movie.tracks[0].samples.count == 7 && starts(result.movie.tracks[0])[4] == 5 * 1024)
    #expect(result.diagnostics.map(\.severity) == [.error])
    let several = LATM(programs: 2)
    #expect(try obstacle(payloads.flatMap { several.frame([$0]) })?.code == "unsupported_format")
    // HE-AAC at half the sampling rate of the output.
    let extended = LATM(sound: (0b00101_0110_0010_0011_00010_000, 25))
    let track = try movie(payloads.flatMap { extended.frame([$0]) }).movie.tracks[0]
    #expect(starts(track) == (0..<8).map { $0 * 2048 } && track.timescale == 48_000)
    #expect(track.decoderConfigurations[0].codecs == "mp4a.40.5")
  }

  @Test("Files of other formats are no elementary streams")
  func others() throws {
    for bytes in [[], [0], Array("WEBVTT".utf8), try readFile(vectorPath("files/progressive.mp4"))] as [[UInt8]] {
      #expect(try ElementaryStream(MemorySource(bytes)) == nil)
    }
  }
}

private func == (a: (bytes: [UInt8], severities: [Diagnostic.Severity]), b: ([UInt8], [Diagnostic.Severity])) -> Bool {
  a.bytes == b.0 && a.severities == b.1
}
