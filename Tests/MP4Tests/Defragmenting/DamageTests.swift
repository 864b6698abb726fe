import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

/// Rows 29 and 30, and files that are mostly or entirely unusable.
@Suite("All data that is present in damaged files is kept")
struct DamageTests {
  private func defragment(_ sources: [any ByteSource]) -> Result<OutputPlan, MovieError> {
    Result { () throws(MovieError) in try Defragmenter().plan(sources) }
  }
  private func file() -> BuiltFile {
    var file = FragmentedFileBuilder([.video(), .audio()])
    file.addFragments(3)
    return file.build()
  }

  @Test("Row 29: samples of an incomplete mdat are kept if their data is present; the others are reported as lost")
  func cutMediaData() throws {
    let built = file()
    let last = try #require(built.places[1]?[10])
    let result = try Output.defragmenting(built.truncated(to: last.upperBound + 3).bytes)
    let kept = built.truncated(to: last.upperBound + 3)
    #expect(kept.samples.mapValues(\.count) == [1: 11, 2: 8])
    check(result, kept)
    let losses = result.texts(.error)
    #expect(losses.contains("init.mp4: track 1: no data for 1 sample from 0.440 s to 0.480 s; omitted"))
    #expect(losses.contains("init.mp4: track 2: no data for 4 samples from 0.170 s to 0.256 s; omitted"))
  }

  @Test("Rows 29 and 30: a file cut at any byte keeps all complete samples, or reports why there are none")
  func cutAnywhere() throws {
    let built = file()
    for count in stride(from: built.bytes.count - 1, through: 0, by: -7) {
      let kept = built.truncated(to: count)
      switch defragment([MemorySource(kept.bytes, name: "cut.mp4")]) {
      case .success(let plan):
        let result = try Output(plan)
        // A truncated moof contributes nothing, or samples of the complete file.
        let whole = kept.samples.mapValues { $0.rebased().withSyncOnly() }
        for (track, samples) in whole {
          let read = try #require(result[track]?.samples).withSyncOnly()
          #expect(difference(samples, Array(read.prefix(samples.count))) == nil, "\(count) bytes")
          let all = try #require(built.samples[track]?.rebased()).withSyncOnly()
          #expect(difference(Array(all.prefix(read.count)), read) == nil, "\(count) bytes")
        }
      case .failure(let error):
        #expect(kept.samples.values.joined().isEmpty, "\(count) bytes: \(error)")
        #expect(error.description.hasPrefix("cut.mp4: "))
      }
    }
  }

  @Test("Row 30: an incomplete moof does not affect anything before it")
  func cutMovieFragment() throws {
    let built = file()
    let start = try #require(built.places[2]?[7].upperBound)
    let kept = built.truncated(to: start + 60)
    #expect(kept.samples.mapValues(\.count) == [1: 8, 2: 8])
    let result = try Output.defragmenting(kept.bytes)
    check(result, kept)
    #expect(result.diagnostics.map(\.severity).contains(.error))
  }

  @Test("A fragment of a track that the movie does not declare is omitted and reported")
  func unknownTrack() throws {
    let built = file()
    var bytes = built.bytes
    // The audio tfhd of the second fragment, found by its track_ID after version and flags.
    let letters = ascii("tfhd")
    let places = bytes.indices.dropLast(8).filter { Array(bytes[$0..<$0 + 4]) == letters }
    bytes[places[3] + 11] = 9
    let result = try Output.defragmenting(bytes)
    let sound = try #require(built.samples[2])
    check(result, [1: built.samples[1] ?? [], 2: Array(sound[..<4] + sound[8...])], built.presentationStart)
    #expect(
      result.texts(.error) == [
        "init.mp4: moof[2]/traf[2]/tfhd: track 9 is not declared in moov; its fragments are omitted"
      ])
  }

  @Test("A file without any sample data is refused; if one track has some, the others stay empty")
  func nothingLeft() throws {
    let built = file()
    let first = try #require(built.places[1]?[0])
    guard case .failure(let error) = defragment([MemorySource(built.truncated(to: first.lowerBound + 3).bytes)]) else {
      return #expect(Bool(false), "an empty movie is no use")
    }
    #expect(
      error.description
        == "memory: the data of all its 8 samples is missing (track 1: 4, track 2: 4); copy or download it again")
    #expect(error.obstacle?.code == "nothing_left")
    let result = try Output.defragmenting(built.truncated(to: first.upperBound).bytes)
    #expect(result.movie.samples.mapValues(\.count) == [1: 1, 2: 0])
    #expect(
      result.texts(.error).dropFirst() == [
        "init.mp4: track 1: no data for 3 samples from 0.040 s to 0.160 s; omitted",
        "init.mp4: track 2: no data for 4 samples from 0.000 s to 0.085 s; omitted",
      ])
  }

  @Test("Files that cannot be defragmented are refused with the reason")
  func refusals() throws {
    let built = file()
    func refusal(_ sources: [UInt8]...) -> MovieError? {
      guard case .failure(let error) = defragment(named(sources)) else { return nil }
      return error
    }
    #expect(refusal([]) == .empty(file: "init.mp4"))
    #expect(refusal(ascii("not a file at all")) == .text(file: "init.mp4"))
    #expect(refusal(built.segments[0], built.segments[1]) == .segmentFirst(file: "init.mp4"))
    #expect(
      refusal(built.initialization, built.segments[0], box("free"))
        == .impossible(file: "segment2.m4s", Obstacle("not_a_segment", "")))
    #expect(refusal(built.initialization) == .impossible(file: "init.mp4", Obstacle("no_segments", "")))
    #expect(refusal(box("ftyp", zeros(8)) + box("moov"))?.description.contains("moov/mvhd") == true)
  }

  @Test("Too few bytes for a box at the end are an incomplete box after fragments, but not after their index")
  func fewBytes() throws {
    let built = file()
    let index = box("mfra", fullBox("mfro", big(UInt32(24))))
    func diagnostics(_ bytes: [UInt8]) throws -> [String] {
      var reader = LiveReader("init.mp4")
      reader.append(bytes[...])
      reader.endFile()
      var live: [String] = []
      while let event = try reader.next() {
        if case .diagnostic(let diagnostic) = event { live.append(diagnostic.text) }
      }
      let read = try Output.defragmenting(bytes).diagnostics.map { "\($0.severity) \($0.text)" }
      #expect(live.count == 1 && live.allSatisfy { text in read.contains { $0.hasSuffix(text) } }, "\(live) \(read)")
      return read
    }
    let end = built.bytes.count
    let cut = "error the file is cut off inside the box header at byte \(end)"
    #expect(try diagnostics(built.bytes + [0, 0, 2]).contains(cut))
    let text = "note 1 byte from byte \(end + index.count) on is not a box; omitted"
    #expect(try diagnostics(built.bytes + index + [10]).contains(text))
  }

  @Test("A progressive file that is cut off in moov before its sample tables is refused with that reason")
  func cutInMovie() throws {
    let bytes = try readFile(vectorPath("files/progressive-moov-last.mp4"))
    let moov = try #require([Box](reading: MemorySource(bytes)).first { $0.type == "moov" }?.header)
    let stsz = try #require(bytes.indices[moov.offset...].first { bytes[$0...].starts(with: ascii("stsz")) })
    for end in stride(from: moov.offset + 1, to: stsz, by: 23) {
      let sources = named([Array(bytes[..<end])])
      let errors = [
        #expect(throws: MovieError.self) { try Defragmenter().plan(sources) },
        #expect(throws: MovieError.self) { try Defragmenter().planInPlace(sources[0]) },
        #expect(throws: MovieError.self) { try Fragmenter().plan(Movie(reading: sources)) },
      ]
      let expected =
        end < moov.offset + 8 ? MovieError.cutOff(file: "init.mp4") : .cutOffInMovie(file: "init.mp4")
      for error in errors { #expect(error == expected, "\(end)") }
    }
  }

  @Test(
    "Samples of the movie box outside of the file are refused", arguments: [0x7fff_ffff_ffff_fff0, 1 << 40])
  func hybridOutside(offset: UInt64) throws {
    var file = FragmentedFileBuilder([.audio().with(\.samples, .samples(4))])
    file.addFragments(1)
    let bytes = file.build().bytes
    // Replaces the offset table by a co64 with one different entry.
    let at = try #require(bytes.indices.dropLast(4).first { Array(bytes[$0..<$0 + 4]) == ascii("stco") })
    #expect(number(bytes, at - 4) == 20)
    var broken = bytes
    broken.replaceSubrange(at - 4..<at + 16, with: box("free", zeros(12)))
    let co64 = fullBox("co64", big(UInt32(1)), big(offset))
    broken.insert(contentsOf: co64, at: at - 4)
    for type in ["moov", "trak", "mdia", "minf", "stbl"] {
      let start = try #require(broken.indices.dropLast(4).first { Array(broken[$0..<$0 + 4]) == ascii(type) }) - 4
      broken.replaceSubrange(start..<start + 4, with: big(UInt32(number(broken, start) + co64.count)))
    }
    // The file is refused, or those samples are omitted.
    switch defragment([MemorySource(broken, name: "hybrid.mp4")]) {
    case .success(let plan):
      let result = try Output(plan)
      #expect(result.texts(.error).count == 1)
      #expect(result[2]?.samples.count == 4)
    case .failure(let error):
      #expect(error.description.hasPrefix("hybrid.mp4: "))
    }
  }

  @Test("A movie box after the fragments is found")
  func movieLast() throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    file.addFragments(2, samples: 3)
    let built = file.build()
    let bytes = built.segments.flatMap { $0 } + built.initialization
    let result = try Output.defragmenting(bytes)
    check(result, built)
    #expect(result.diagnostics.isEmpty)
  }

  @Test("After media data that ends early, later data is not used for the missing samples")
  func mediaDataTooShort() throws {
    var file = FragmentedFileBuilder([.video(), .audio()])
    file.addFragments(3, samples: 4)
    let built = file.build()
    // The second segment is truncated, as by an interrupted download, and the third one follows.
    let cut = Array(built.segments[1].dropLast(90))
    let joined = try Output.joining(named([built.initialization, built.segments[0], cut, built.segments[2]]))
    let result = try Output.defragmenting(joined.bytes)
    #expect(result.diagnostics.filter { $0.severity == .error }.allSatisfy { $0.text.contains("no data for") })
    let whole = Set(built.samples.values.joined().map(\.payload))
    for (track, samples) in result.movie.samples {
      #expect(samples.count < built.samples[track]?.count ?? 0)
      #expect(samples.allSatisfy { whole.contains($0.payload) })
      #expect(samples.suffix(4).map(\.payload) == built.samples[track]?.suffix(4).map(\.payload))
    }
  }

  @Test("An incomplete copy of a segment does not affect the complete one, in either order, and is no loss")
  func cutCopy() throws {
    var file = FragmentedFileBuilder([.video()])
    file.addFragments(2, samples: 10)
    let built = file.build()
    let (first, last) = (built.segments[0], built.segments[1])
    let cut = Array(last.dropLast(last.count / 4))
    for segments in [[first, last, cut], [first, cut, last]] {
      let result = try Output.defragmenting(named([built.initialization] + segments))
      check(result, built.samples, built.presentationStart)
      #expect(result.texts(.error).isEmpty)
      let notes = result.texts(.note).filter { $0.contains("no data for") }
      #expect(notes.count == 1 && notes.allSatisfy { $0.hasSuffix("; another fragment has samples for this time") })
    }
    let alone = try Output.defragmenting(named([built.initialization, first, cut]))
    #expect(alone.texts(.error).contains { $0.contains("no data for") })
    // Data that no other fragment has is lost.
    var long = FragmentedFileBuilder([.video()])
    long.addFragments(3, samples: 10)
    let other = long.build()
    let half = Array(other.segments[1].dropLast(other.segments[1].count / 2))
    for segments in [[other.segments[0], half, other.segments[2]], [half, other.segments[0], other.segments[2]]] {
      let result = try Output.defragmenting(named([other.initialization] + segments))
      #expect(result.texts(.error).contains { $0.contains("no data for") })
    }
  }
}
