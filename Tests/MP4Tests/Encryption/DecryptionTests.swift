import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Decryption and encryption")
struct DecryptionTests {
  private let keyID: [UInt8] = [
    1, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 1, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
  ]
  private let key: [UInt8] = (0...15).map { $0 * 17 }

  private func keys() -> ContentKeys {
    var keys = ContentKeys()
    try? keys.set(key, forKeyID: keyID)
    return keys
  }
  private func encrypted(
    _ name: String, _ scheme: Encryption.Scheme, _ change: (inout Encryption) -> Void = { _ in }
  ) throws -> [UInt8] {
    let source = MemorySource(try readFile(vectorPath("files/\(name)")), name: name)
    let own = try Encryption.Key(key, keyID: keyID, tracks: TrackSelection())
    var encryption = Encryption(scheme, keys: [own])
    change(&encryption)
    let plan = try Fragmenter().plan(encryption.encrypted(Movie(reading: [source])))
    let sink = MemorySink()
    try plan.write(to: sink)
    return sink.bytes
  }

  @Test("Any range of a decrypted source is the same as in the whole", arguments: Encryption.Scheme.allCases)
  func parts(scheme: Encryption.Scheme) throws {
    let bytes = try encrypted("fragmented.mp4", scheme)
    let source = try #require(Decryption(of: [MemorySource(bytes)], with: keys()).sources.first)
    let whole = try source.bytes(in: 0..<bytes.count)
    #expect(whole.count == bytes.count && whole != bytes)
    var random = SplitMix64(seed: 7)
    for _ in 0..<400 {
      let start = Int.random(in: 0..<bytes.count, using: &random)
      let range = start..<min(bytes.count, start + Int.random(in: 1...3000, using: &random))
      #expect(try source.bytes(in: range) == Array(whole[range]), "\(range)")
    }
  }

  @Test("A large sample is read once, although encryption is chained", arguments: [Encryption.Scheme.cbc1, .cbcs])
  func largeSample(scheme: Encryption.Scheme) throws {
    var file = FragmentedFileBuilder([.audio()])
    let size = 8 << 20
    file.addFragment { $0.addTraf(2) { $0.addRun(.samples(1, size: UInt32(size))) } }
    let bytes = file.build().bytes
    let source = CountingSource(bytes)
    let own = try Encryption.Key(key, keyID: keyID, tracks: TrackSelection())
    let plan = try Fragmenter().plan(Encryption(scheme, keys: [own]).encrypted(Movie(reading: [source])))
    let before = source.byteTotal
    let sink = MemorySink()
    try plan.write(to: sink)
    // With a margin for the blocks that two steps share.
    #expect(source.byteTotal - before < size + size / 8)
    let decrypted = try Movie(reading: Decryption(of: [MemorySource(sink.bytes)], with: keys()).sources)
    let original = try Movie(reading: [MemorySource(bytes)])
    #expect(try decrypted.tracks[0].samples[0].bytes() == original.tracks[0].samples[0].bytes())
  }

  @Test("Samples are not encrypted again, even if their scheme is unknown", arguments: ["", "schm", "seig"])
  func again(damage: String) throws {
    let group = fullBox(
      "sgpd", version: 1, ascii("seig"), big(UInt32(20)), big(UInt32(1)), [0, 0, 1, 8], [UInt8](1...16))
    var file = FragmentedFileBuilder([.audio()])
    file.addFragment { fragment in
      fragment.addTraf(2) {
        $0.addRun(.samples(3))
        $0.boxes = group + fullBox("sbgp", ascii("seig"), big(UInt32(1)), big(UInt32(3)), big(UInt32(0x1_0001)))
      }
    }
    var bytes = damage == "seig" ? file.build().bytes : try encrypted("fragmented.mp4", .cenc)
    for start in bytes.indices where damage == "schm" && bytes[start...].starts(with: ascii(damage)) {
      bytes[start + 3] = UInt8(ascii: "#")
    }
    let own = try Encryption.Key(key, keyID: keyID, tracks: TrackSelection())
    let movie = try Movie(reading: [MemorySource(bytes)])
    #expect {
      try Encryption(.cbcs, keys: [own]).encrypted(movie)
    } throws: {
      ($0 as? MovieError)?.obstacle?.code == "already_encrypted"
    }
  }

  @Test(
    "Samples presented before the end of a clear lead are clear",
    arguments: Encryption.Scheme.allCases, [true, false])
  func clearLead(scheme: Encryption.Scheme, isCut: Bool) throws {
    var source = try readFile(vectorPath("files/fragmented.mp4"))
    if isCut {
      // Hides pictures before the first one.
      let sink = MemorySink()
      let cutter = try MovieCutter(reading: [MemorySource(source)])
      try cutter.plan([MediaTime(13, 5)..<MediaTime(9, 1)]).write(to: sink)
      source = sink.bytes
    }
    let old = try Movie(reading: [MemorySource(source)])
    let own = try Encryption.Key(key, keyID: keyID, tracks: TrackSelection())
    var encryption = Encryption(scheme, keys: [own])
    encryption.clearLead = MediaTime(3, 1)
    let sink = MemorySink()
    try Fragmenter().plan(encryption.encrypted(old)).write(to: sink)
    let movie = try Movie(reading: [MemorySource(sink.bytes)])
    for (track, other) in zip(movie.tracks, old.tracks) {
      let clearCount = try track.samples.firstIndex { try $0.encryption() != nil } ?? track.samples.count
      for (sample, clear) in zip(track.samples, other.samples) {
        #expect(try (sample.encryption() == nil) == (sample.index < clearCount))
        if sample.index < clearCount { #expect(try sample.bytes() == clear.bytes()) }
        if let time = clear.presentationTime, time < MediaTime(3, 1) { #expect(sample.index < clearCount) }
      }
      // No more than the samples before the next sync sample.
      let first = other.samples[clearCount]
      let time = try #require(first.presentationTime)
      #expect(first.isSync && time >= MediaTime(3, 1))
      let earlier = other.samples.prefix(clearCount).filter { sample in
        sample.isSync && sample.presentationTime.map { $0 >= MediaTime(3, 1) } == true
      }
      #expect(earlier.isEmpty)
    }
  }

  @Test("A clear lead ends where a GOP starts, which a note reports if that is later")
  func clearGroups() throws {
    let old = try Movie(reading: [MemorySource(readFile(vectorPath("files/fragmented.mp4")), name: "a")])
    let video = try #require(old.tracks.first { $0.handler == "vide" })
    let own = try Encryption.Key(key, keyID: keyID, tracks: TrackSelection([.handlers(["vide"])]))
    var encryption = Encryption(.cenc, keys: [own])
    let groups = video.samples.filter { $0.isSync && $0.index > 0 }
    try #require(groups.count > 1)
    for group in groups {
      let start = try #require(group.presentationTime)
      let least = video.samples.dropFirst(group.index).compactMap(\.presentationTime).min()
      for distance in [MediaTime(0, 1), MediaTime(1, 100), MediaTime(1, 2)]
      where distance > MediaTime(0, 1) || start == least {
        encryption.clearLead = start - distance
        let movie = try encryption.encrypted(old)
        let track = try #require(movie.tracks.first { $0.id == video.id })
        #expect(try track.samples.firstIndex { try $0.encryption() != nil } == group.index)
        let notes = movie.diagnostics.map { "\($0)" }.filter { $0.contains("clear lead") }
        let note = "a: track \(video.id): the clear lead ends at \(start), where the next GOP starts"
        #expect(notes == (distance > MediaTime(0, 1) ? [note] : []))
      }
    }
    encryption.clearLead = try #require(groups.last?.presentationTime) + MediaTime(1, 100)
    #expect {
      try encryption.encrypted(old)
    } throws: {
      ($0 as? MovieError)?.obstacle == Obstacle("clear_lead_too_long", "", ["track": .integer(Int(video.id))])
    }
  }

  @Test("Descriptions do not contain keys")
  func descriptions() throws {
    let own = try Encryption.Key(key, keyID: keyID, tracks: TrackSelection())
    var text = ""
    dump(keys(), to: &text)
    dump(own, to: &text)
    #expect(!text.contains("170") && !"\(keys())".contains("17"))
  }

  @Test("Subsamples that are larger than their sample are an error; all missing keys are listed")
  func damaged() throws {
    var bytes = try encrypted("fragmented.mp4", .cenc)
    let values: [String: Obstacle.Value] = ["key_ids": .list([.text("0123456789abcdef0123456789abcdef")])]
    #expect(throws: MovieError.impossible(file: "a", Obstacle(.noKeys, "", values))) {
      try Decryption(of: [MemorySource(bytes, name: "a")], with: ContentKeys())
    }
    var wrong = ContentKeys()
    try wrong.setForAll(keyID)
    #expect(throws: MovieError.impossible(file: "a", Obstacle(.wrongKey, "", values))) {
      try Decryption(of: [MemorySource(bytes, name: "a")], with: wrong)
    }
    let senc = try #require(bytes.indices.first { Array(bytes[$0...].prefix(4)) == Array("senc".utf8) })
    // The encrypted part of the first sample.
    bytes[senc + 4 + 4 + 4 + 8 + 2 + 2] = 1
    do {
      _ = try Decryption(of: [MemorySource(bytes, name: "a")], with: keys())
      Issue.record("it is decrypted")
    } catch {
      #expect(error.obstacle == Obstacle("subsamples_too_large", "", ["track": .integer(1)]))
    }
  }

  @Test("The PIFF scheme is cenc")
  func piff() throws {
    let bytes = try encrypted("fragmented.mp4", .cenc)
    var renamed = bytes
    let schm = try #require(bytes.indices.first { Array(bytes[$0...].prefix(4)) == Array("schm".utf8) })
    renamed.replaceSubrange(schm + 8..<schm + 12, with: Array("piff".utf8))
    let (clear, other) = (
      try Decryption(of: [MemorySource(bytes)], with: keys()), try Decryption(of: [MemorySource(renamed)], with: keys())
    )
    let (movie, second) = (try Movie(reading: clear.sources), try Movie(reading: other.sources))
    for (a, b) in zip(movie.tracks[0].samples, second.tracks[0].samples) { #expect(try a.bytes() == b.bytes()) }
  }

  @Test("Every truncation of an encrypted file is decrypted or refused")
  func truncated() throws {
    let bytes = try encrypted("fragmented.mp4", .cbcs)
    for count in stride(from: 8, to: bytes.count, by: 997) {
      guard let decryption = try? Decryption(of: [MemorySource(Array(bytes[..<count]))], with: keys()) else { continue }
      #expect(try decryption.sources[0].bytes(in: 0..<count).count == count)
    }
  }
}
