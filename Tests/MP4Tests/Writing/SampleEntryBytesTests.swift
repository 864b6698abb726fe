import MP4
import MP4Bytes
import Support
import Testing

@Suite("Sample entries as bytes")
struct SampleEntryBytesTests {
  private func movie(_ names: String...) throws -> Movie {
    try Movie(reading: names.map { MemorySource(try readFile(vectorPath("files/" + $0))) })
  }

  @Test("A track that is made from the bytes of a sample entry has the properties of the first one")
  func tracks() throws {
    var count = 0
    for source in try [
      movie("progressive.mp4"), movie("hevc-fragmented.mp4"), movie("audio/init.mp4", "audio/segment1.m4s"),
    ] {
      for track in source.tracks {
        let entry = try #require(try track.sampleEntries().first)
        let sink = MemorySink()
        let writer = MovieWriter(to: sink)
        let made = try MovieWriter.Track(sampleEntry: entry, handler: track.handler)
        #expect(made.timescale == (track.sampleRate.map(UInt32.init) ?? 90_000))
        let number = try writer.add(made)
        for sample in track.samples.prefix(20) {
          try writer.append(
            sample.bytes(), to: number, presentationTime: sample.compositionTime, decodeTime: sample.decodeTime,
            flags: sample.flags, sampleEntry: 1)
        }
        try writer.finish()
        let copy = try #require(try Movie(reading: [MemorySource(sink.bytes)]).tracks.first)
        #expect(copy.codecs == track.codecs && copy.pictureSize == track.pictureSize && copy.handler == track.handler)
        #expect(copy.channelCount == track.channelCount && copy.sampleRate == track.sampleRate)
        #expect(copy.parameterSets == track.parameterSets && copy.audioSpecificConfig == track.audioSpecificConfig)
        #expect(copy.samples.map(\.isSync) == track.samples.prefix(20).map(\.isSync))
        #expect(try copy.sampleEntries() == [entry])
        count += 1
      }
    }
    #expect(count >= 4)
  }

  @Test("Damaged sample entries are errors, or tracks without the properties that cannot be read")
  func damage() throws {
    for track in try movie("progressive.mp4").tracks {
      let entry = try #require(try track.sampleEntries().first)
      for length in 0..<entry.count {
        #expect(throws: MovieWriterError.self) {
          try MovieWriter.Track(sampleEntry: Array(entry.prefix(length)), handler: track.handler)
        }
        // The size is right, and the contents end early.
        var short = Array(entry.prefix(length))
        guard length >= 8 else { continue }
        short.replaceSubrange(0..<4, with: [0, 0, UInt8(length >> 8), UInt8(length & 255)])
        if length >= 16 { _ = try MovieWriter.Track(sampleEntry: short, handler: track.handler) }
        var changed = entry
        changed[length] ^= 0xff
        _ = try MovieWriter.Track(sampleEntry: changed, handler: track.handler)
      }
    }
  }

  @Test("Handlers of QuickTime are recognized")
  func quickTime() throws {
    #expect(try movie("progressive.mov").tracks.allSatisfy { try $0.hasQuickTimeHandler() })
    #expect(try !movie("progressive.mp4").tracks.contains { try $0.hasQuickTimeHandler() })
  }

  @Test("Sample flags have the dependencies of a sample")
  func flags() throws {
    #expect(SampleFlags(isSync: true).rawValue == 0x200_0000 && SampleFlags(isSync: false).rawValue == 0x101_0000)
    let disposable = SampleFlags(isSync: false, dependsOnOthers: true, isDependedOn: false, hasRedundancy: true)
    #expect(disposable.rawValue == 0x191_0000 && !disposable.isSync)
    #expect(SampleFlags(isSync: true, dependsOnOthers: true, isDependedOn: true).rawValue == 0x140_0000)
  }
}
