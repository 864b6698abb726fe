import Ciphers
import ISOBMFF
public import MP4Bytes

/// Writes the same file with clear samples; see ``Decryption``.
public struct Decrypter: Sendable {
  /// The keys.
  public var keys: ContentKeys
  /// The tracks to decrypt; the others stay encrypted.
  public var tracks = TrackSelection()

  /// Decrypts with these keys.
  public init(_ keys: ContentKeys) { self.keys = keys }

  /// Checks the keys with a few samples, and plans the file.
  ///
  /// - Throws: `MovieError`, also if a key is missing or wrong.
  public func plan(_ inputs: [any ByteSource], onProgress: @escaping (Int) -> Bool) throws(MovieError) -> OutputPlan {
    try Decryption(of: inputs, with: keys, tracks: tracks, onProgress: onProgress).plan()
  }
}

/// Decrypts samples of common encryption (ISO/IEC 23001-7): `cenc`, `cens`, `cbc1`, `cbcs`, and PIFF.
///
/// The resulting sources have the bytes of the inputs with clear samples at the same offsets, and decrypt as they are
/// read. Sample entries have their original types, and encryption boxes are free space. Every operation on a movie can
/// use these sources.
public struct Decryption: Sendable {
  /// The decrypted inputs, in their order.
  public let sources: [any ByteSource]
  /// The number of samples that are decrypted.
  public let sampleCount: Int
  /// Diagnostics of the movie, and of keys that could not be checked.
  public private(set) var diagnostics: [Diagnostic]
  /// The check of the keys, and the samples that need them.
  let check: KeyCheck
  let wanted: [KeyCheck.Samples]
  /// The reason why the movie has no samples, if it has none.
  private let missingSamples: MovieError?

  /// Prepares the decryption of a progressive or fragmented file, or of an init segment and its media segments. Tracks
  /// that are not selected stay encrypted. A few samples are read to check the keys.
  ///
  /// - Throws: `MovieError`, also if a key is missing or wrong.
  public init(
    of sources: [any ByteSource], with keys: ContentKeys, tracks selection: TrackSelection = TrackSelection(),
    onProgress: @escaping (Int) -> Bool = { _ in true }
  ) throws(MovieError) {
    var options = ReadingOptions()
    options.tracks = selection
    let movie = try Movie(reading: sources, options, onProgress: onProgress)
    (diagnostics, missingSamples) = (movie.diagnostics.filter { $0.severity == .error }, movie.missingSamples)
    if movie.diagnostics.contains(where: { if case .otherEncryption = $0.kind { true } else { false } }) {
      let text = "some fragments have their own encryption parameters, which is not supported"
      throw .impossible(file: movie.name, Obstacle("other_encryption_parameters", text))
    }
    var tracks: [Track] = []
    for track in movie.tracks where try track.isProtected(in: movie) { tracks.append(track) }
    var places: [[DecryptedSource.Place]] = sources.map { _ in [] }
    var wanted = WantedKeys()
    for (number, track) in tracks.enumerated() {
      try Self.find(track, number, &places, &wanted, keys, movie)
    }
    if !wanted.missing.isEmpty {
      let text = "there is no key for " + wanted.missing.map(\.text).joined(separator: ", and none for ")
      let ids = wanted.missing.map(\.hex).reduce(into: [String]()) { ids, id in
        if !ids.contains(id) { ids.append(id) }
      }
      throw .impossible(file: movie.name, Obstacle(.noKeys, text, ["key_ids": .list(ids.map { .text($0) })]))
    }
    for index in places.indices { try Self.sort(&places[index], tracks, movie) }
    sampleCount = places.reduce(0) { $0 + $1.count }
    let wrong: NeededKey?
    do throws(IOError) {
      let patches = try ProtectionPatches(movie, tracks, all: selection.items.isEmpty)
      let used = tracks.map { (id: $0.id, samples: $0.samples) }
      let decrypted = sources.indices.map { index in
        DecryptedSource(sources[index], places[index], patches.patches[index], of: used, keys)
      }
      self.sources = decrypted
      check = KeyCheck(tracks, decrypted)
      self.wanted = wanted.first
      var refuted: NeededKey?
      for samples in wanted.first where refuted == nil {
        let evidence = try check.evidence(for: samples)
        if evidence?.isRefutation == true { refuted = samples.key }
        if evidence?.isProof == true { continue }
        let text =
          evidence?.doubt(about: samples.key)
          ?? "the key for \(samples.key.text) could not be verified from the samples"
        diagnostics.append(Diagnostic(.warning, movie.name, text))
      }
      wrong = refuted
    } catch { throw .io(error) }
    if let wrong {
      let text = "the key for \(wrong.text) is wrong: the decrypted samples are not valid"
      throw .impossible(file: movie.name, Obstacle(.wrongKey, text, ["key_ids": .list([.text(wrong.hex)])]))
    }
  }

  /// The keys that samples require.
  private struct WantedKeys {
    /// For each key, the track and the first samples that need it.
    var first: [KeyCheck.Samples] = []
    var missing: [NeededKey] = []
    private var known: [NeededKey: Int] = [:]

    /// The maximum number of samples that are examined.
    private static let limit = 4096

    mutating func add(_ key: NeededKey, track: Int, sample: Int, isMissing: Bool) {
      if let index = known[key] {
        if first[index].indices.count < Self.limit { first[index].indices.append(sample) }
      } else {
        known[key] = first.count
        first.append(KeyCheck.Samples(key: key, track: track, indices: [sample]))
        if isMissing { missing.append(key) }
      }
    }
  }

  private static func find(
    _ track: Track, _ number: Int, _ places: inout [[DecryptedSource.Place]], _ wanted: inout WantedKeys,
    _ keys: ContentKeys, _ movie: Movie
  ) throws(MovieError) {
    func refusal(_ obstacle: Obstacle) -> MovieError { .impossible(file: movie.name, obstacle.inTrack(track.id)) }
    let entries = track.box.first("mdia", "minf", "stbl", "stsd")?.boxes ?? []
    let isUnknown = zip(entries, track.description.encryption).map { $0.first("sinf") != nil && $1 == nil }
    for sample in track.samples where sample.size > 0 {
      guard let encryption = try sample.encryption() else {
        let entry = sample.descriptionIndex - 1
        if isUnknown.indices.contains(entry), isUnknown[entry],
          try !sample.groups().contains(where: { $0.type == "seig" })
        {
          throw refusal(
            Obstacle("no_encryption_parameters", "it has no tenc, so the keys of its samples are unknown"))
        }
        continue
      }
      guard let mode = encryption.mode else { throw refusal(.scheme(encryption.scheme)) }
      let key = NeededKey(track: track.id, handler: track.handler, keyID: encryption.keyID)
      let cipher = keys.cipher(encryption.keyID, track: track.id)
      wanted.add(key, track: number, sample: sample.index, isMissing: cipher == nil)
      guard let cipher else { continue }
      guard SampleCipher(encryption, mode, cipher, size: sample.size) != nil else {
        let text = "the subsamples of sample \(sample.index + 1) have more bytes than the sample"
        throw refusal(Obstacle("subsamples_too_large", text))
      }
      places[sample.sourceIndex].append(
        DecryptedSource.Place(
          range: sample.offset..<sample.offset + sample.size, track: Int32(truncatingIfNeeded: number),
          sample: Int32(truncatingIfNeeded: sample.index)))
    }
  }

  private static func sort(_ places: inout [DecryptedSource.Place], _ tracks: [Track], _ movie: Movie)
    throws(MovieError)
  {
    func isSorted() -> Bool {
      zip(places, places.dropFirst()).allSatisfy { $0.range.upperBound <= $1.range.lowerBound }
    }
    if isSorted() { return }
    places.sort { $0.range.lowerBound < $1.range.lowerBound }
    for (place, next) in zip(places, places.dropFirst()) where place.range.upperBound > next.range.lowerBound {
      let track = tracks[Int(next.track)].id
      throw .impossible(file: movie.name, .sharedBytes(track: track, sample: Int(next.sample)))
    }
  }

  /// Plans one file with all inputs, the init segment first.
  ///
  /// - Throws: `MovieError`, also if no sample is encrypted.
  public func plan() throws(MovieError) -> OutputPlan {
    guard sampleCount > 0 else {
      throw missingSamples
        ?? .impossible(file: sources.first?.name ?? "", Obstacle("nothing_encrypted", "no sample is encrypted"))
    }
    var plan = OutputPlan(sources: sources, diagnostics: diagnostics)
    for (index, source) in sources.enumerated() {
      do throws(IOError) {
        if let count = source.byteCount {
          plan.copy(0..<count, of: index)
        } else {
          var window = ByteWindow(source)
          plan.copy(0..<(try window.end(from: 0)), of: index)
        }
      } catch { throw .io(error) }
    }
    return plan
  }
}

/// A key that samples of a track need.
struct NeededKey: Hashable {
  var track: UInt32
  var handler: FourCC
  var keyID: [UInt8]

  /// The key ID in hexadecimal digits.
  var hex: String {
    let digits = Array("0123456789abcdef")
    return String(keyID.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }
  /// Such as `KID 00112233445566778899aabbccddeeff of track 1 (vide)`. It never contains a key.
  var text: String { "KID \(hex) of track \(track) (\(handler))" }
}

extension Obstacle {
  /// The encryption scheme is not supported, or not declared.
  fileprivate static func scheme(_ scheme: FourCC?) -> Obstacle {
    Obstacle(
      "unsupported_scheme",
      scheme.map { "the encryption scheme \($0) is not supported" } ?? "it does not declare its encryption scheme")
  }
  static func sharedBytes(track: UInt32, sample: Int) -> Obstacle {
    Obstacle("shared_bytes", "sample \(sample + 1) shares bytes with another sample").inTrack(track)
  }
}

extension Track {
  /// Whether a sample entry is encrypted with a supported scheme. Other schemes are an error.
  fileprivate func isProtected(in movie: Movie) throws(MovieError) -> Bool {
    let entries = box.first("mdia", "minf", "stbl", "stsd")?.boxes ?? []
    guard entries.contains(where: { $0.first("sinf") != nil }) else { return false }
    let scheme = try readProtectionScheme()
    let isKnown = scheme.map { SampleEncryption.Mode($0, algorithm: nil) != nil } ?? false
    guard isKnown || description.encryption.contains(where: { $0 != nil }) else {
      throw .impossible(file: movie.name, Obstacle.scheme(scheme).inTrack(id))
    }
    return true
  }
}
