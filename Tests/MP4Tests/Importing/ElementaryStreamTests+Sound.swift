import ISOBMFF
import MP4
import MP4Bytes
import Support
import Testing

/// Sound.
extension ElementaryStreamTests {
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
  func starts(_ track: Track) -> [Int64] {
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
}
