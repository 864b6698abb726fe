import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Track properties in boxes")
struct TrackTests {
  private func track(_ spec: TrackSpec, change: (inout [UInt8]) -> Void = { _ in }) throws -> Track {
    var file = FragmentedFileBuilder([spec])
    file.addFragments(3)
    var bytes = file.build().bytes
    change(&bytes)
    return try #require(try Movie(reading: [MemorySource(bytes, name: "in.mp4")]).tracks.first)
  }

  @Test("Video")
  func pictures() throws {
    let track = try track(.video(id: 7).with(\.language, "ger"))
    #expect(track.id == 7 && track.handler == "vide" && track.timescale == 12_800 && track.inputName == "in.mp4")
    #expect(track.codecs == ["avc1.64000B"] && track.decoderConfigurations.count == 1)
    #expect(track.pictureSize == PictureSize(width: 160, height: 90))
    #expect(track.channelCount == nil && track.sampleRate == nil)
    #expect(track.language == "deu" || track.language == "ger")
    #expect(track.frameRate == FrameRate(25, 1))
    #expect(track.isEnabled && !track.isRotated && track.isChapters == false)
    #expect(track.edits.isEmpty && track.alternateGroup == 0 && track.protectionScheme == nil)
    #expect(track.mediaDuration == MediaTime(12 * 512, 12_800) && track.duration == track.mediaDuration)
    #expect(track.start == MediaTime(0, 1) && track.movieTimescale == 1000 && track.diagnostics.isEmpty)
  }

  @Test("Tracks of two languages can have the same samples; those of two timescales, or without samples, cannot")
  func sameSamples() throws {
    let track = try track(.audio())
    #expect(try track.hasSameSamples(as: self.track(.audio().with(\.language, "fra"))))
    #expect(try !track.hasSameSamples(as: self.track(.audio().with(\.timescale, 44_100))))
    let empty = try #require(
      try Movie(reading: [MemorySource(FragmentedFileBuilder([.audio()]).build().bytes)]).tracks.first)
    #expect(try empty.samples.isEmpty && !empty.hasSameSamples(as: empty))
  }

  @Test("Audio and text have no picture size")
  func sound() throws {
    let sound = try track(.audio().with(\.boxes, ["mdia": fullBox("elng", ascii("de-CH") + [0])]))
    #expect(sound.codecs == ["mp4a.40.2"] && sound.channelCount == 1 && sound.sampleRate == 48_000)
    #expect(sound.pictureSize == nil && sound.frameRate == nil && sound.language == "de-CH")
    #expect(sound.samples.areAllSync && sound.samples.byteCount == sound.samples.reduce(0) { $0 + $1.size })
    let text = try track(.text())
    #expect(text.codecs == ["wvtt"] && text.language == nil && text.sampleRate == nil)
  }

  @Test("Rotated, cropped and anamorphic pictures have their display size")
  func size() throws {
    let aperture = box("clap", [150, 1, 80, 1, 0, 1, 0, 1].flatMap { big(UInt32($0)) })
    let boxes = box("pasp", big(UInt32(4)) + big(UInt32(3))) + aperture
    let spec = TrackSpec.video().with(\.sampleEntries, [EntryBytes.avc1(boxes: boxes)])
    #expect(try track(spec).pictureSize == PictureSize(width: 200, height: 80))
    let turned = try track(spec) { bytes in
      let tkhd = first("tkhd", in: bytes)
      bytes.replaceSubrange(
        tkhd + 44..<(tkhd + 80), with: zeros(4) + big(UInt32(0x1_0000)) + zeros(4) + big(Int32(-0x1_0000)) + zeros(20))
    }
    #expect(turned.isRotated && turned.pictureSize == PictureSize(width: 80, height: 200))
    let disabled = try track(spec) { bytes in bytes[first("tkhd", in: bytes) + 7] = 6 }
    #expect(!disabled.isEnabled)
  }

  @Test("Values that are unknown because of a damaged box are nil and have a diagnostic")
  func damage() throws {
    let track = try track(.audio().with(\.boxes, ["mdia": box("elng", [0, 0])]))
    #expect(track.language == nil && track.samples.count == 12)
    #expect(track.diagnostics.map(\.severity) == [.warning])
    #expect(track.diagnostics.first?.description.contains("elng") == true)
    #expect(throws: MovieError.self) { try track.readLanguage() }
    let scheme = fullBox("schm", ascii("cbcs") + big(UInt32(0x1_0000)))
    let protection = box("sinf", box("frma", ascii("mp4a")), scheme)
    let encrypted = TrackSpec.audio().with(
      \.sampleEntries, [EntryBytes.audio("enca", channels: 2, rate: 48_000, protection)])
    #expect(try self.track(encrypted).protectionScheme == "cbcs")
    let unknown = try self.track(encrypted) { bytes in
      // A box shorter than its fields.
      let schm = first("schm", in: bytes)
      bytes.replaceSubrange(schm - 4..<(schm + 16), with: box("free", zeros(0)) + box("schm", zeros(4)))
    }
    #expect(unknown.protectionScheme == nil && unknown.diagnostics.count == 1)
    #expect(throws: MovieError.self) { try unknown.readProtectionScheme() }
  }

  @Test("A track that another track references as chapters is a chapter track")
  func chapters() throws {
    var file = FragmentedFileBuilder([
      .video().with(\.boxes, ["trak": box("tref", box("chap", big(UInt32(3))))]), .audio(), .text(),
    ])
    file.addFragments(1)
    let movie = try Movie(reading: [MemorySource(file.build().bytes)])
    #expect(movie.tracks.map(\.isChapters) == [false, false, true])
    #expect(movie.tracks[0].isOfSameInput(as: movie.tracks[2]))
    #expect(movie.keeping(tracks: [1]).tracks.map(\.id) == [2])
    #expect(throws: MovieError.impossible(file: movie.name, Obstacle("no_tracks", ""))) {
      try Fragmenter().plan(movie.keeping(tracks: [9]))
    }
  }

  /// The offset of the type of the first box with this type.
  private func first(_ type: String, in bytes: [UInt8]) -> Int {
    bytes.indices.first { bytes[$0...].starts(with: ascii(type)) } ?? 0
  }
}
