import ISOBMFF
import MP4
import MP4Bytes
import Support
import Testing

/// Byte streams of pictures.
extension ElementaryStreamTests {
  /// Parameter sets of 16 x 16 pixels, 25 frames per second, with picture order counts of 8 bits.
  private static let sps: [UInt8] = [
    0x67, 0x42, 0x00, 0x0a, 0xf2, 0x1d, 0x80, 0x88, 0x00, 0x00, 0x03, 0x00, 0x08, 0x00, 0x00, 0x03, 0x01, 0x90, 0x40,
  ]

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
  private static let pictureSet: [UInt8] = {
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
    let (movie, diagnostics) = try movie(stream([sequence(), Self.pictureSet] + slices))
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
    let track = try movie(stream([sequence(), Self.pictureSet] + slices)).movie.tracks[0]
    #expect(
      track.samples.map { $0.compositionTime - MediaTime(1, 25) } == [0, 2, 1, 3, 5, 4].map { MediaTime($0, 25) })
  }

  @Test("High bits of picture order counts continue, also for non-reference pictures")
  func wrappedOrder() throws {
    let orders = [0, 100, 200, 300, 250, 400]
    let slices = orders.enumerated().map { slice($1, number: $0, isIDR: $0 == 0, isReference: $1 != 250) }
    let track = try movie(stream([sequence(), Self.pictureSet] + slices)).movie.tracks[0]
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
    let units = [delimiter, sequence(), Self.pictureSet, message, first, filler, delimiter, second, [11]]
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
    let movie = try movie(stream([sequence(), Self.pictureSet, first, other, Self.pictureSet, second])).movie
    #expect(movie.tracks[0].decoderConfigurations[0].codecs.hasPrefix("avc3."))
    #expect(
      try movie.tracks[0].samples.map { try $0.bytes() }
        == [sample(sequence(), Self.pictureSet, first), sample(other, Self.pictureSet, second)])
  }

  @Test("A unit may lie anywhere in the windows in which a stream is read", arguments: -6...6)
  func windows(shift: Int) throws {
    let start = stream([sequence(), Self.pictureSet, slice(0, isIDR: true)])
    let padding = (1 << 18) + shift - start.count
    let bytes = start + Array(repeating: 7, count: padding) + stream([slice(2, number: 1), slice(4, number: 2)])
    let samples = try movie(bytes).movie.tracks[0].samples
    #expect(samples.count == 3 && samples[0].size == slice(0, isIDR: true).count + padding + 4)
    #expect(try samples[1].bytes() == sample(slice(2, number: 1)))
  }

  @Test("Without a frame rate there is an error with a remedy, unless one is given")
  func noRate() throws {
    let bytes = stream([sequence(ticks: nil), Self.pictureSet, slice(0, isIDR: true), slice(2, number: 1)])
    #expect(try obstacle(bytes)?.remedy == .setFrameRate)
    let track = try movie(bytes, rate: FrameRate(30_000, 1001)).movie.tracks[0]
    #expect(track.samples.map(\.duration) == [MediaTime(1001, 30_000), MediaTime(1001, 30_000)])
  }

  @Test("Units that belong to no picture are omitted with an error, and the rest is kept")
  func damagedUnits() throws {
    // It refers to an unknown parameter set.
    let lost: [UInt8] = [0x41, 0xc0, 0x80, 0x80]
    let bytes = stream([
      sequence(), Self.pictureSet, slice(0, isIDR: true), [9, 0xf0], lost, [9, 0xf0], slice(2, number: 1),
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

  @Test("Missing pictures of H.265 are reported, because the order of the others has gaps")
  func missingPictures() throws {
    let sink = MemorySink()
    let source = MemorySource(try readFile(vectorPath("files/hevc-fragmented.mp4")))
    try TrackExtraction(of: TrackSelection([.id(1)]), in: [source]).write(to: sink)
    let bytes = sink.bytes
    let starts = bytes.indices.filter { bytes[$0...].starts(with: [0, 0, 0, 1]) }
    // The last slice before the tenth picture.
    let slices = starts.indices.filter { bytes[starts[$0] + 4] >> 1 < 10 }
    let lost = try #require(slices.dropFirst(9).first)
    let cut = Array(bytes[..<starts[lost]] + bytes[starts[lost + 1]...])
    let whole = try movie(bytes, rate: FrameRate(25, 1))
    let result = try movie(cut, rate: FrameRate(25, 1))
    #expect(whole.diagnostics.isEmpty && result.diagnostics.map(\.severity) == [.error])
    #expect(result.diagnostics.first?.text.hasPrefix("pictures are missing at 1 place, the first before") == true)
    #expect(result.movie.tracks[0].samples.count == whole.movie.tracks[0].samples.count - 1)
  }
}
