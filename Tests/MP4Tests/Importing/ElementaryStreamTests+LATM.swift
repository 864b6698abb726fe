import ISOBMFF
import MP4
import MP4Bytes
import Support
import Testing

/// AAC in LATM.
extension ElementaryStreamTests {
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
}
