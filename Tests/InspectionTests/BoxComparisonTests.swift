import BoxCatalog
import ISOBMFF
import MP4Bytes
import MP4FileIO
import MP4Inspection
import Support
import Testing

@Suite("Comparing the boxes of two files")
struct BoxComparisonTests {
  private static func vector(_ file: String) throws -> [UInt8] { try readFile(vectorPath("files/" + file)) }

  private func differences(_ a: [UInt8], _ b: [UInt8], ignoring: String? = nil) throws -> [BoxDifference] {
    let exclusions = try ignoring.map { try #require(BoxExclusions($0)) } ?? BoxExclusions()
    return try BoxComparison(
      MemorySource(a, name: "a.mp4"), MemorySource(b, name: "b.mp4"), ignoring: exclusions
    ).differences()
  }
  private func texts(_ a: [UInt8], _ b: [UInt8], ignoring: String? = nil) throws -> [String] {
    try differences(a, b, ignoring: ignoring).map(\.description)
  }
  /// The file with changed boxes; nothing else is adjusted to the change.
  private func edited(_ bytes: [UInt8], _ change: (inout [Box], MemorySource) throws -> Void) throws -> [UInt8] {
    let source = MemorySource(bytes)
    var boxes = try [Box](reading: source)
    try change(&boxes, source)
    let sink = MemorySink()
    try BoxSerializer(boxes).write(to: sink, from: source)
    return sink.bytes
  }

  @Test("Fields are compared by name, and their values are those of dumps")
  func fields() throws {
    let bytes = try Self.vector("progressive.mp4")
    let changed = try edited(bytes) { boxes, source in
      let movie = try #require(boxes.firstIndex { $0.type == "moov" })
      let track = try #require(boxes[movie].boxes.firstIndex { $0.type == "trak" })
      try boxes[movie].boxes[track].boxes[0].set("layer", to: -1, of: source, registry: .standard)
      boxes[movie].boxes[track].edit("mdia") { media in
        try? media.boxes[0].set("language", to: "deu", of: source, registry: .standard)
      }
    }
    #expect(
      try texts(bytes, changed) == [
        "moov/trak/tkhd: -layer 0 +layer -1", "moov/trak/mdia/mdhd: -language und +language deu",
      ])
    #expect(
      try texts(bytes, changed, ignoring: "//tkhd/layer") == ["moov/trak/mdia/mdhd: -language und +language deu"])
    #expect(try texts(bytes, changed, ignoring: "//mdhd,moov/trak[1]/tkhd").isEmpty)
    #expect(try texts(bytes, changed, ignoring: "//mdhd,moov/trak[2]/tkhd").count == 1)
    #expect(try texts(bytes, changed, ignoring: "//*/language,//*/layer").isEmpty)
  }

  @Test("Table rows: changed rows, rows in one file only, and constant differences in all rows")
  func rows() throws {
    let bytes = try Self.vector("progressive.mp4")
    func table(_ path: FourCC..., change: (inout Box, MemorySource) throws -> Void) throws -> [String] {
      let changed = try edited(bytes) { boxes, source in
        func edit(_ box: inout Box, _ rest: ArraySlice<FourCC>) throws {
          guard let next = rest.first else { return try change(&box, source) }
          let place = try #require(box.boxes.firstIndex { $0.type == next })
          try edit(&box.boxes[place], rest.dropFirst())
        }
        let movie = try #require(boxes.firstIndex { $0.type == "moov" })
        try edit(&boxes[movie], ["trak", "mdia", "minf", "stbl"] + path)
      }
      return try texts(bytes, changed)
    }
    #expect(
      try table("stsz") { box, source in
        try box.edit(SampleSizeBox.self, of: source) { $0.sizes[4] += 7 }
      }.map { $0.prefix(46) } == ["moov/trak/mdia/minf/stbl/stsz: -entry_size[5] "])
    let shifted = try table("stco") { box, source in
      try box.edit(ChunkOffsetBox.self, of: source) { table in
        for row in 0..<table.offsets.count { table.offsets[row] += 1234 }
      }
    }
    #expect(shifted.count == 1 && shifted[0].contains("chunk_offset is 1234 larger in all "), "\(shifted)")
    let more = try table("stts") { box, source in
      try box.edit(TimeToSampleBox.self, of: source) { $0.entries.append($0.entries[0]) }
    }
    #expect(more.count == 3 && more[1].hasSuffix("stts: +entries[2].sample_count 600"), "\(more)")
    let many = try table("stsz") { box, source in
      try box.edit(SampleSizeBox.self, of: source) { table in
        for row in 100..<120 { table.sizes[row] += UInt32(row) }
      }
    }
    #expect(many.count == 11 && many[10].hasSuffix("stsz: entry_size: 10 more rows differ"), "\(many)")
  }

  @Test("Added, removed and moved boxes")
  func boxes() throws {
    let bytes = try Self.vector("progressive.mp4")
    let last = try edited(bytes) { boxes, _ in
      let movie = try #require(boxes.firstIndex { $0.type == "moov" })
      boxes.append(boxes.remove(at: movie))
    }
    let moved = try texts(bytes, last)
    #expect(moved.count == 1 && moved[0].hasPrefix("moov: moved: after "), "\(moved)")
    let added = try edited(bytes) { boxes, _ in boxes.insert(Box("free", bytes: [1, 2, 3]), at: 1) }
    let free = try #require(try differences(bytes, added).first)
    #expect(free.description == "+\(try #require(free.otherPath)): 11 bytes")
    #expect(try differences(bytes, added).count == 1 && differences(bytes, added, ignoring: "free").isEmpty)
    let track = try edited(bytes) { boxes, _ in boxes.removeAll { $0.type == "moov" } }
    #expect(try texts(bytes, track).count == 1)
    #expect(try texts(track, bytes).allSatisfy { $0.hasPrefix("+moov: ") })
  }

  @Test("An inserted fragment does not affect the others")
  func fragments() throws {
    var file = FragmentedFileBuilder([.audio()])
    file.addFragments(6)
    let all = file.build().bytes
    // Removes the third fragment, and renumbers those after it.
    let some = try edited(all) { boxes, source in
      for type: FourCC in ["moof", "mdat"] {
        let places = boxes.indices.filter { boxes[$0].type == type }
        if type == "moof" {
          for (number, place) in places.enumerated().dropFirst(3) {
            try boxes[place].boxes[0].set("sequence_number", to: .unsigned(UInt64(number)), of: source, registry: .core)
          }
        }
        boxes.remove(at: places[2])
      }
    }
    let differences = try differences(some, all)
    let added = differences.filter { if case .added = $0.change { true } else { false } }
    #expect(added.compactMap { $0.otherPath?.description }.sorted() == ["mdat[3]", "moof[3]"])
    let others = differences.filter { if case .added = $0.change { false } else { true } }
    #expect(
      others.map(\.description) == [
        "moof[3]/mfhd: -sequence_number 3 +sequence_number 4", "moof[4]/mfhd: -sequence_number 4 +sequence_number 5",
        "moof[5]/mfhd: -sequence_number 5 +sequence_number 6",
      ])
  }

  @Test("Tracks are matched by their IDs")
  func tracks() throws {
    let bytes = try Self.vector("progressive.mp4")
    let swapped = try edited(bytes) { boxes, _ in
      let movie = try #require(boxes.firstIndex { $0.type == "moov" })
      let tracks = boxes[movie].boxes.indices.filter { boxes[movie].boxes[$0].type == "trak" }
      boxes[movie].boxes.swapAt(tracks[0], tracks[1])
    }
    let found = try differences(bytes, swapped)
    #expect(found.count == 1)
    guard case .moved? = found.first?.change else { Issue.record("\(found)"); return }
  }

  @Test("Boxes that cannot be decoded, and media data, are compared as bytes")
  func bytes() throws {
    var bytes = try Self.vector("progressive.mp4")
    let original = bytes
    let media = try #require(try [Box](reading: MemorySource(bytes)).first { $0.type == "mdat" }?.header?.payload)
    bytes[media.lowerBound + 1000] ^= 1
    #expect(try texts(original, bytes) == ["mdat: differs at byte 1000 of the payload"])
    let unknown = box("abcd", [1, 2, 3])
    #expect(
      try texts(unknown, box("abcd", [1, 2, 4, 5])) == [
        "abcd: -11 bytes +12 bytes  differs at byte 2 of the payload"
      ])
  }

  @Test("The same difference in many boxes is printed ten times and counted")
  func manyBoxes() throws {
    func file(_ offset: UInt64) throws -> [UInt8] {
      var file = FragmentedFileBuilder([.audio()])
      for number in 0..<25 {
        file.addFragment { fragment in
          fragment.addTraf(2) {
            $0.decodeTime = UInt64(number) * 1024 + offset
            $0.addRun(.samples(1))
          }
        }
      }
      return file.build().bytes
    }
    let (source, other) = (MemorySource(try file(0), name: "a.mp4"), MemorySource(try file(7), name: "b.mp4"))
    let sink = MemorySink()
    #expect(try BoxComparison(source, other).writeText(to: sink) == 25)
    let lines = String(decoding: sink.bytes, as: UTF8.self).split(separator: "\n")
    #expect(lines.count == 2 + 10 * 3 + 1)
    #expect(lines[2] == "moof/traf/tfdt" && lines[5] == "moof[2]/traf/tfdt")
    #expect(lines.last == " 15 more differences: baseMediaDecodeTime of moof/traf/tfdt")
  }

  @Test("An added box is shown with its first fields and child boxes")
  func contents() throws {
    let bytes = try Self.vector("progressive.mp4")
    let inner = box("name", Array("Main".utf8))
    let changed = try edited(bytes) { boxes, source in
      let movie = try #require(boxes.firstIndex { $0.type == "moov" })
      let track = try #require(boxes[movie].boxes.firstIndex { $0.type == "trak" })
      boxes[movie].boxes[track].boxes.append(Box("udta", bytes: inner))
    }
    let added = try #require(try differences(bytes, changed).first)
    #expect(added.description == "+moov/trak/udta: 20 bytes")
    #expect(added.contents == ["name: 12 bytes", "  text Main"], "\(added.contents)")
    let removed = try #require(try differences(changed, bytes).first)
    #expect(removed.contents == added.contents)
    let sink = MemorySink()
    _ = try BoxComparison(MemorySource(bytes, name: "a.mp4"), MemorySource(changed, name: "b.mp4")).writeText(to: sink)
    #expect(
      String(decoding: sink.bytes, as: UTF8.self).hasSuffix(
        "+moov/trak/udta: 20 bytes\n+  name: 12 bytes\n+    text Main\n"))
    var file = FragmentedFileBuilder([.audio()])
    file.addFragment { fragment in fragment.addTraf(2) { $0.addRun(.samples(40)) } }
    let whole = file.build().bytes
    let start = try edited(whole) { boxes, _ in boxes.removeAll { $0.type == "moof" || $0.type == "mdat" } }
    let fragment = try #require(try differences(start, whole).first { $0.otherPath?.description == "moof" })
    #expect(fragment.contents.count == 21 && fragment.contents.last == "...")
    #expect(fragment.contents[..<2] == ["mfhd: 16 bytes", "  version 0"])
  }

  @Test("Movie fragments with different boundaries are matched at common boundaries")
  func recut() throws {
    func file(_ duration: Int) throws -> [UInt8] {
      var file = FragmentedFileBuilder([.audio()])
      for start in stride(from: 0, to: 24, by: duration) {
        file.addFragment { fragment in
          fragment.addTraf(2) {
            $0.decodeTime = UInt64(start) * 1024
            $0.addRun(.samples(duration))
          }
        }
      }
      return file.build().bytes
    }
    let differences = try differences(file(2), file(3))
    func paths(_ path: (BoxDifference) -> BoxPath?) -> [String] { differences.compactMap { path($0)?.description } }
    let removed = paths { if case .removed = $0.change { $0.path } else { nil } }
    let added = paths { if case .added = $0.change { $0.otherPath } else { nil } }
    func all(_ numbers: [Int]) -> [String] { numbers.flatMap { ["moof[\($0)]", "mdat[\($0)]"] } }
    #expect(removed.sorted() == all([2, 3, 5, 6, 8, 9, 11, 12]).sorted())
    #expect(added.sorted() == all([2, 4, 6, 8]).sorted())
    let pairs = differences.filter { $0.path?.description == "moof[4]/mfhd" }
    #expect(pairs.map(\.description) == ["moof[4]/mfhd: -sequence_number 4 +sequence_number 3"])
  }

  @Test("Exclusions that match nothing are found, even in equal boxes")
  func unused() throws {
    let bytes = try Self.vector("progressive.mp4")
    func unused(_ text: String) throws -> [String] {
      let exclusions = try #require(BoxExclusions(text))
      return try BoxComparison(MemorySource(bytes), MemorySource(bytes), ignoring: exclusions).unusedExclusions()
    }
    #expect(try unused("//tkhd/modification_time,moov,//stts/entries.sample_delta,//*/creation_time") == [])
    #expect(
      try unused("//tkhd/modified,moof,//stts/entries.delta,//mdhd/language") == [
        "//tkhd/modified", "moof", "//stts/entries.delta",
      ])
  }

  @Test("Invalid exclusions")
  func exclusions() {
    for text in ["", "/", "a/", "modification_time", "moov//", "moov/trak[0]", "//tkhd/some time", "moov,"] {
      #expect(BoxExclusions(text) == nil, "\(text)")
    }
  }
}
