import ISOBMFF
import MP4
import MP4Bytes
import Support
import Testing

@Suite("Recovery of files without moov")
struct RecoveryTests {
  private func vector(_ name: String) throws -> [UInt8] { try readFile(vectorPath("files/" + name)) }
  private func memory(_ bytes: [UInt8], _ name: String = "broken") -> MemorySource { MemorySource(bytes, name: name) }

  private func output(_ recovery: Recovery) throws -> [UInt8] {
    let sink = MemorySink()
    try recovery.write(to: sink)
    return sink.bytes
  }

  @Test(
    "All samples of a file are found",
    arguments: ["progressive.mp4", "progressive-moov-last.mp4", "pcm.mov", "progressive.mov"])
  func own(name: String) throws {
    let whole = try vector(name)
    let broken = try #require(try BrokenFile(whole))
    let recovery = try Recovery(of: memory(broken.bytes), like: memory(whole, "good"))
    #expect(recovery.means == .pattern)
    let score = broken.score(recovery)
    #expect(score.share == 1 && score.wrong == 0, "\(score) \(recovery.unknown)")
    let movie = try Movie(reading: [memory(try output(recovery))])
    let original = try Movie(reading: [memory(whole)])
    #expect(movie.diagnostics.allSatisfy { $0.severity == .note })
    #expect(movie.tracks.count == original.tracks.count)
    for (track, other) in zip(movie.tracks, original.tracks) {
      #expect(track.samples.count == other.samples.count && track.codecs == other.codecs)
      #expect(track.timescale == other.timescale && track.handler == other.handler)
      for (sample, expected) in zip(track.samples, other.samples) {
        guard try sample.bytes() == expected.bytes(), sample.isSync == expected.isSync else {
          Issue.record("track \(track.id), sample \(sample.index)")
          break
        }
        // At the end of a truncated stream, the order of a missing picture is unknown.
        let isAtEnd = sample.index + 2 > track.samples.count
        guard sample.decodeTime == expected.decodeTime,
          isAtEnd || sample.compositionOffset == expected.compositionOffset
        else {
          Issue.record("track \(track.id), time of sample \(sample.index)")
          break
        }
      }
    }
  }

  @Test("Pictures are found among sound that the reference file does not have")
  func unknownSound() throws {
    let whole = try vector("progressive-moov-last.mp4")
    let broken = try #require(try BrokenFile(whole))
    var options = Defragmenter.Options()
    options.reading.tracks = TrackSelection([.handlers(["vide"])])
    let sink = MemorySink()
    try Defragmenter(options).plan([memory(whole, "whole")]).write(to: sink)
    let recovery = try Recovery(of: memory(broken.bytes), like: memory(sink.bytes, "good"))
    let (movie, original) = (try Movie(reading: [memory(try output(recovery))]), try Movie(reading: [memory(whole)]))
    let (found, expected) = (try #require(movie.tracks.first), try #require(original.tracks.first))
    #expect(found.handler == "vide" && expected.handler == "vide" && movie.tracks.count == 1)
    #expect(try found.samples.map { try $0.bytes() } == expected.samples.map { try $0.bytes() })
    #expect(found.samples.map(\.decodeTime) == expected.samples.map(\.decodeTime))
    #expect(recovery.unknownByteCount == original.tracks[1].samples.byteCount)
    #expect(recovery.diagnostics.contains { $0.severity == .error })
  }

  @Test("Tracks whose samples look alike are named, unless they alternate regularly", arguments: [false, true])
  func alikeTracks(isRegular: Bool) throws {
    let whole = try Movie(reading: [memory(try vector("progressive-moov-last.mp4"))])
    let (pictures, sound) = (whole.tracks[0], whole.tracks[1])
    let sink = MemorySink()
    let writer = MovieWriter(to: sink)
    for track in [pictures, sound, sound] { _ = try writer.add(MovieWriter.Track(like: track)) }
    var next = [0, 0, 0]
    for round in 0... {
      let isOver = next[0] >= pictures.samples.count && next[1] >= sound.samples.count
      if isOver { break }
      for (number, track) in [pictures, sound, sound].enumerated() {
        let count = number == 0 || isRegular ? 2 : 1 + (round + number) % 3
        let end = min(next[number] + count, track.samples.count)
        for index in next[number]..<end { try writer.append(track.samples[index], to: number) }
        next[number] = end
        try writer.cut()
      }
    }
    try writer.finish()
    let broken = try #require(try BrokenFile(sink.bytes))
    let recovery = try Recovery(of: memory(broken.bytes), like: memory(sink.bytes, "good"))
    let text = "the samples of tracks 2 and 3 look alike"
    let isNamed = recovery.diagnostics.contains { $0.severity == .warning && $0.text.hasPrefix(text) }
    #expect(isNamed != isRegular)
  }

  @Test("Pictures after a lost one are presented at their time", arguments: [false, true])
  func lostPicture(isRemoved: Bool) throws {
    let whole = try vector("progressive-moov-last.mp4")
    let original = try #require(try Movie(reading: [memory(whole)]).tracks.first)
    var broken = try #require(try BrokenFile(whole)).bytes
    // A reference picture, whose loss the frame numbers show.
    let lost = try #require(
      try original.samples.first { try $0.index > original.samples.count / 2 && $0.bytes()[4] & 0x60 != 0 })
    if isRemoved {
      broken.removeSubrange(lost.offset..<lost.offset + lost.size)
    } else {
      for offset in lost.offset..<lost.offset + lost.size { broken[offset] = 0 }
    }
    let recovery = try Recovery(of: memory(broken), like: memory(whole, "good"))
    let movie = try Movie(reading: [memory(try output(recovery))])
    let found = try #require(movie.tracks.first)
    let expected = original.samples.filter { $0.index != lost.index }
    #expect(try found.samples.map { try $0.bytes() } == expected.map { try $0.bytes() })
    #expect(found.samples.map(\.presentationTime) == expected.map(\.presentationTime))
    #expect(found.samples.map(\.decodeTime) == expected.map(\.decodeTime))
    #expect(recovery.diagnostics.contains { $0.severity == .warning })
  }

  @Test("A moov after garbage, after a wrong size or at the end is used, and no reference file is needed")
  func foundMovie() throws {
    let whole = try vector("progressive-moov-last.mp4")
    let original = try Movie(reading: [memory(whole)])
    let moov = try #require(whole.indices.dropFirst(4).first { whole[$0...].starts(with: Array("moov".utf8)) }) - 4
    let mdat = try #require(whole.indices.dropFirst(4).first { whole[$0...].starts(with: Array("mdat".utf8)) }) - 4
    var zero = whole
    zero.replaceSubrange(mdat..<mdat + 4, with: [0, 0, 0, 0])
    var wrong = whole
    wrong.replaceSubrange(mdat..<mdat + 4, with: [0, 0, 1, 3])
    let garbage =
      Array(whole[..<moov]) + (0..<999).map { UInt8(truncatingIfNeeded: $0 &* 37 | 1) } + Array(whole[moov...])
    for bytes in [zero, wrong, garbage, garbage + [1, 2, 3]] {
      let recovery = try Recovery(of: memory(bytes), like: nil)
      let movie = try Movie(reading: [memory(try output(recovery))])
      #expect(movie.tracks.map(\.samples.count) == original.tracks.map(\.samples.count), "\(recovery.means)")
    }
    #expect(throws: MovieError.self) { try Recovery(of: memory(Array(whole[..<moov])), like: nil) }
  }

  @Test("Bytes before the file do not move its samples")
  func shifted() throws {
    for name in ["progressive-moov-last.mp4", "progressive.mp4"] {
      let original = try Movie(reading: [memory(vector(name))])
      let bytes = Array("GARBAGE!".utf8) + [1, 2, 3] + (try vector(name))
      let movie = try Movie(reading: [memory(try output(Recovery(of: memory(bytes), like: nil)))])
      for (track, expected) in zip(movie.tracks, original.tracks) {
        #expect(track.samples.count == expected.samples.count)
        for (sample, other) in zip(track.samples, expected.samples) where try sample.bytes() != other.bytes() {
          Issue.record("\(name): track \(track.id), sample \(sample.index)")
          break
        }
      }
    }
  }

  @Test("Tracks after the end of a truncated moov are found by comparison")
  func cutMovie() throws {
    let whole = try vector("progressive-moov-last.mp4")
    let original = try Movie(reading: [memory(whole)])
    let second = try #require(
      whole.indices.dropLast(4).last { whole[$0...].starts(with: Array("trak".utf8)) })
    let recovery = try Recovery(of: memory(Array(whole[..<(second + 100)])), like: memory(whole, "good"))
    #expect(recovery.means == .pattern)
    #expect(recovery.tracks.map(\.sampleCount) == original.tracks.map(\.samples.count))
  }

  @Test("The report counts the samples of the output, including those of a truncated fragment")
  func counts() throws {
    let whole = try vector("fragmented.mp4")
    for end in stride(from: whole.count / 2, to: whole.count, by: 997) {
      let recovery = try Recovery(of: memory(Array(whole[..<end])), like: nil)
      let movie = try Movie(reading: [memory(try output(recovery))])
      #expect(recovery.tracks.map(\.sampleCount) == movie.tracks.map(\.samples.count), "\(end)")
    }
  }

  @Test("The output contains its samples, regardless of the dref in the reference file")
  func references() throws {
    let whole = try vector("progressive-moov-last.mp4")
    let broken = try #require(try BrokenFile(whole))
    let original = try Movie(reading: [memory(whole)])
    let dref = try #require(whole.indices.dropLast(4).first { whole[$0...].starts(with: Array("dref".utf8)) })
    let avc1 = try #require(
      whole.indices.dropLast(4).first { whole[$0...].starts(with: Array("avc1".utf8)) && $0 > dref })
    // Without `dinf`; with a `dinf` without `dref`; with entries of other types.
    let changes = [(dref - 8, UInt8(0x78)), (dref, 0x78), (avc1 + 11, 2), (avc1 + 11, 0), (avc1 + 10, 9)]
    for (number, change) in changes.enumerated() {
      var good = whole
      good[change.0] = change.1
      let bytes = try output(try Recovery(of: memory(broken.bytes), like: memory(good, "good")))
      #expect(try Movie(reading: [memory(bytes)]).tracks.map(\.samples.count) == original.tracks.map(\.samples.count))
      let boxes = try [Box](reading: memory(bytes))
      let minf = try #require(boxes.first { $0.type == "moov" }?.first("trak", "mdia", "minf"))
      let entries = minf.first("dinf", "dref")?.boxes ?? []
      #expect(entries.count == (number == 2 ? 2 : 1) && entries.allSatisfy { $0.type == "url " }, "\(change)")
      for entry in entries {
        #expect(try entry.payload(as: DataEntryURLBox.self, from: memory(bytes)).get() == DataEntryURLBox())
      }
    }
    var elsewhere = whole
    elsewhere[dref + 23] = 0
    #expect(throws: MovieError.self) { try Recovery(of: memory(broken.bytes), like: memory(elsewhere, "good")) }
  }

  @Test("Samples outside the file are missing, even if another description of the track refers to other files")
  func unusedReference() throws {
    let whole = try vector("progressive-moov-last.mp4")
    let original = try Movie(reading: [memory(whole)])
    var moov = try #require(try [Box](reading: memory(whole)).first { $0.type == "moov" })
    moov.edit("trak") { trak in
      trak.edit("mdia") { mdia in
        mdia.edit("minf") { minf in
          // A second `dref` entry for another file, and a second description that uses it.
          var (dref, url, stsd) = (DataReferenceBox(), DataEntryURLBox(), SampleDescriptionBox())
          url.header.flags = 0
          dref.entryCount = 2
          stsd.entryCount = 2
          var other = VisualSampleEntry()
          other.dataReferenceIndex = 2
          minf.edit("dinf") { $0 = Box("dinf", boxes: [Box(dref, boxes: [Box(DataEntryURLBox()), Box(url)])]) }
          minf.edit("stbl") { stbl in
            stbl.edit("stsd") { $0 = Box(stsd, boxes: $0.boxes + [Box(other, type: "avc1")]) }
          }
        }
      }
    }
    let sink = MemorySink()
    try BoxSerializer([moov]).write(to: sink, from: memory(whole))
    let mdat = try #require(whole.indices.dropFirst(4).first { whole[$0...].starts(with: Array("mdat".utf8)) }) - 4
    let length = 20_000
    let header: [UInt8] = [0, 0, UInt8(length >> 8), UInt8(length & 255)]
    let cut = Array(whole[..<mdat]) + header + Array(whole[mdat + 4..<mdat + length]) + sink.bytes
    let recovery = try Recovery(of: memory(cut), like: nil)
    let movie = try Movie(reading: [memory(try output(recovery))])
    for (track, expected) in zip(movie.tracks, original.tracks) {
      #expect(!track.samples.isEmpty && track.samples.count < expected.samples.count)
      #expect(try track.samples.last?.bytes() == expected.samples[track.samples.count - 1].bytes())
    }
    // Without the data, nothing is left.
    #expect((try? Defragmenter().plan([memory(Array(whole[..<mdat]) + sink.bytes)])) == nil)
  }

  @Test("Damaged or truncated parts are omitted and counted, and the rest is found")
  func damage() throws {
    let whole = try vector("progressive.mp4")
    let broken = try #require(try BrokenFile(whole))
    var bytes = broken.bytes
    let middle = bytes.count / 2
    for index in middle..<middle + 3000 { bytes[index] = UInt8(truncatingIfNeeded: index &* 7919 >> 3) }
    let recovery = try Recovery(of: memory(bytes), like: memory(whole, "good"))
    #expect(recovery.diagnostics.contains { $0.severity == .error })
    #expect(recovery.unknownByteCount > 0 && recovery.unknownByteCount < bytes.count / 2, "\(recovery.unknown)")
    #expect(broken.score(recovery).share > 0.5)
    let cut = try Recovery(of: memory(Array(broken.bytes.dropLast(1234))), like: memory(whole, "good"))
    #expect(cut.unknownByteCount > 0 && cut.unknownByteCount < 20_000)
    #expect(try Movie(reading: [memory(try output(cut))]).tracks.count == 2)
    let zeros = try Recovery(
      of: memory(broken.bytes + [UInt8](repeating: 0, count: 100_000)), like: memory(whole, "good"))
    #expect(zeros.unknown.isEmpty && zeros.paddingByteCount >= 100_000)
  }

  @Test("A fragmented file keeps its complete fragments, also with the moov of the reference file")
  func fragments() throws {
    let whole = try vector("fragmented.mp4")
    let recovery = try Recovery(of: memory(Array(whole.dropLast(2000))), like: nil)
    guard case .fragments = recovery.means else {
      Issue.record("\(recovery.means)")
      return
    }
    let first = try #require(whole.indices.dropFirst(4).first { whole[$0...].starts(with: Array("moof".utf8)) }) - 4
    let fragments = try Recovery(of: memory(Array(whole[first...])), like: memory(whole, "good"))
    #expect(fragments.means == .fragmentsLikePattern)
    let original = try Movie(reading: [memory(whole)])
    #expect(fragments.tracks.map(\.sampleCount) == original.tracks.map(\.samples.count))
  }

  @Test("No contents of the files cause a trap")
  func anything() throws {
    let whole = try vector("progressive.mp4")
    let broken = try #require(try BrokenFile(whole))
    var random = SplitMix64(seed: 17)
    for round in 0..<(Effort.all ? 200 : 12) {
      var (bad, good) = (broken.bytes, whole)
      for _ in 0..<50 { bad[Int(random.next() % UInt64(bad.count))] = UInt8(truncatingIfNeeded: random.next()) }
      if round % 3 == 0 { bad = (0..<20_000).map { _ in UInt8(truncatingIfNeeded: random.next() & random.next()) } }
      if round % 3 == 1 { bad = Array(bad.prefix(Int(random.next() % UInt64(bad.count)))) }
      for _ in 0..<round % 7 {
        good[Int(random.next() % UInt64(good.count))] = UInt8(truncatingIfNeeded: random.next())
      }
      do {
        let recovery = try Recovery(of: memory(bad), like: memory(good, "good"))
        _ = try output(recovery)
      } catch is MovieError {}
    }
  }
}
