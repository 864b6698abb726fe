import Ciphers
public import ISOBMFF
public import MP4Bytes

/// Encrypts samples with common encryption (ISO/IEC 23001-7). Samples keep their sizes and are encrypted as they are
/// read.
public struct Encryption: Sendable {
  /// An encryption scheme.
  public enum Scheme: String, Sendable, CaseIterable {
    /// Counter mode: all protected bytes.
    case cenc
    /// Counter mode with a pattern: 1 of 10 blocks of video.
    case cens
    /// Cipher block chaining: all whole blocks of protected bytes.
    case cbc1
    /// Cipher block chaining with a pattern: 1 of 10 blocks of video.
    case cbcs

    /// The scheme type in `schm`.
    package var type: FourCC { FourCC(rawValue: rawValue.utf8.reduce(0) { $0 << 8 | UInt32($1) }) }
    var hasPattern: Bool { self == .cens || self == .cbcs }
    /// The number of bytes of the initialization vector of each sample; 0 if all samples share one.
    var vectorSize: Int {
      switch self {
      case .cenc, .cens: 8
      case .cbc1: 16
      case .cbcs: 0
      }
    }
    /// The required size of `Encryption.vector` in bytes.
    public var givenVectorSize: Int { self == .cbcs ? 16 : vectorSize }
  }

  /// A key and the tracks that it encrypts.
  public struct Key: Sendable, CustomReflectable {
    /// The tracks.
    public var tracks: TrackSelection
    /// The key ID.
    public var keyID: [UInt8]
    let cipher: AES128
    /// The 16 bytes of the key.
    package let bytes: [UInt8]

    /// A key for tracks, video and audio by default. The key and the key ID have 16 bytes.
    public init(
      _ key: [UInt8], keyID: [UInt8], tracks: TrackSelection = TrackSelection([.handlers(["vide", "soun"])])
    ) throws(ContentKeyError) {
      guard keyID.count == 16 else { throw .keyIDSize(keyID.count) }
      let cipher = try AES128(contentKey: key)
      (self.tracks, self.keyID, self.cipher, bytes) = (tracks, keyID, cipher, key)
    }
    /// The key ID only, so that descriptions do not reveal the key.
    public var customMirror: Mirror { Mirror(self, children: ["keyID": keyID]) }
  }

  /// The scheme.
  public var scheme: Scheme
  /// The keys. A track uses the first one that selects it; without one, it stays clear.
  public var keys: [Key]
  /// The first or the only initialization vector; random if empty. Its size is `Scheme.givenVectorSize`.
  public var vector: [UInt8] = []
  /// Samples that are presented before this stay clear, and those that precede one of them in decoding order, up to the
  /// next sync sample of each track.
  public var clearLead = MediaTime(0, 1)
  /// The systems for which a `pssh` box is generated.
  public var systems: [ProtectionSystem] = []
  /// Additional `pssh` boxes for the movie box.
  public var headers: [ProtectionSystemSpecificHeaderBox] = []
  /// How the output is fragmented. By default, times are those of the input, and its fragments are kept.
  public var fragments: Fragmenter.Options

  /// A key, and the first sample of a track that is encrypted with it; earlier samples have the key of the period
  /// before, or are clear.
  package struct KeyPeriod: Sendable {
    package var firstSample: Int
    package var key: Key

    package init(firstSample: Int, key: Key) { (self.firstSample, self.key) = (firstSample, key) }
  }
  /// The periods of the tracks at these indices, in order, instead of `keys` and `clearLead`.
  package var periods: [Int: [KeyPeriod]] = [:]
  /// Whether samples of later periods are in groups (`seig`); otherwise, each period needs its own init segment.
  package var writesGroups = true

  /// Encrypts with this scheme and these keys.
  public init(_ scheme: Scheme = .cbcs, keys: [Key]) {
    (self.scheme, self.keys) = (scheme, keys)
    fragments = Fragmenter.Options()
    fragments.profile = .source
  }

  /// The encryption for an output with this name: `.mp4` makes an ISO file of a QuickTime movie.
  public func writing(to name: String) -> Encryption {
    var result = self
    result.fragments.reading = fragments.reading.writing(to: name)
    return result
  }

  /// Reads the inputs, a file or an init segment and its media segments, and plans the encrypted fragments.
  ///
  /// - Throws: `MovieError`, also if a track cannot be encrypted.
  public func plan(_ inputs: [any ByteSource], onProgress: @escaping (Int) -> Bool) throws(MovieError) -> FragmentPlan {
    let movie = try Movie(reading: inputs, fragments.reading, onProgress: onProgress)
    var plan = try Fragmenter(fragments).plan(encrypted(movie))
    if movie.fragmentCount == 0 {
      plan.diagnostics.insert(Diagnostic(.note, movie.name, "it is progressive; the output is fragmented"), at: 0)
    }
    return plan
  }

  /// The movie with encrypted samples, for a `Fragmenter`. NAL unit headers of video are read.
  ///
  /// - Throws: `MovieError`, also if a track cannot be encrypted.
  public func encrypted(_ movie: Movie, onProgress: (Int) -> Bool = { _ in true }) throws(MovieError) -> Movie {
    for key in keys {
      // A file may lack a kind of tracks, such as audio, but a track that is selected by its ID must exist.
      let ids = key.tracks.items.filter { if case .id = $0 { true } else { false } }
      try TrackSelection(ids).check(movie.tracks.map(\.description), dropped: [], file: movie.name)
    }
    var notes: [Diagnostic] = []
    var tracks: [(index: Int, track: Track, periods: [KeyPeriod])] = []
    for (index, track) in movie.tracks.enumerated() {
      if let own = periods[index] {
        if !own.isEmpty { tracks.append((index, track, own)) }
      } else if let key = keys.first(where: { $0.tracks.contains(track.description) }) {
        let clearCount = try clearCount(track, of: movie.name)
        if let note = noteClearLead(track, index, clearCount, movie.name) { notes.append(note) }
        tracks.append((index, track, [KeyPeriod(firstSample: clearCount, key: key)]))
      }
    }
    guard !tracks.isEmpty else {
      throw .impossible(
        file: movie.name, Obstacle("no_keys_for_tracks", "none of the keys applies to its tracks"))
    }
    var counter = AES128.Block(vector.isEmpty ? Self.randomVector(scheme.givenVectorSize) : vector)
    var places: [[DecryptedSource.Place]] = movie.sources.map { _ in [] }
    var encrypted: [Track] = []
    var contentKeys = ContentKeys()
    for (number, (_, track, periods)) in tracks.enumerated() {
      if try track.readProtectionScheme() != nil {
        throw .impossible(file: movie.name, Obstacle.alreadyEncrypted.inTrack(track.id))
      }
      if let first = periods.first, periods.count == 1 { contentKeys.set(first.key.cipher, forTrack: UInt32(number)) }
      for period in periods { contentKeys.set(period.key.cipher, forKeyID: period.key.keyID) }
      encrypted.append(try encrypt(track, number, periods, &counter, &places, movie))
    }
    if clearLead > MediaTime(0, 1), places.allSatisfy(\.isEmpty) {
      let text = "the clear lead covers the whole file, so nothing would be encrypted"
      throw .impossible(file: movie.name, Obstacle("clear_lead_too_long", text))
    }
    let used = encrypted.enumerated().map { (id: UInt32($0.offset), samples: $0.element.samples) }
    var sources: [any ByteSource] = []
    for index in movie.sources.indices {
      places[index].sort { $0.range.lowerBound < $1.range.lowerBound }
      for (place, next) in zip(places[index], places[index].dropFirst())
      where place.range.upperBound > next.range.lowerBound {
        let track = encrypted[Int(next.track)].id
        throw .impossible(file: movie.name, .sharedBytes(track: track, sample: Int(next.sample)))
      }
      sources.append(
        DecryptedSource(movie.sources[index], places[index], [], of: used, contentKeys, encrypts: true))
    }
    var result = try movie.encrypted(
      zip(tracks, encrypted).map { (index: $0.index, track: $1, keyIDs: $0.periods.map(\.key.keyID)) }, sources, self)
    result.diagnostics += notes
    for (index, track) in movie.tracks.enumerated() where ["vide", "soun"].contains(track.handler) {
      if periods[index] != nil || tracks.contains(where: { $0.index == index }) { continue }
      let reference = Diagnostic.Track(index: index, id: track.id, timescale: track.timescale)
      result.diagnostics.append(
        Diagnostic(.other(.note, "no key applies to it; it stays clear"), movie.name, reference))
    }
    return result
  }

  private static func randomVector(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }

  /// The encryption parameters for the sample entries of a track.
  private func parameters(_ track: Track, _ key: Key, _ vector: [UInt8]) -> TrackEncryption {
    var result = TrackEncryption(ivSize: UInt8(scheme.vectorSize), keyID: key.keyID)
    if scheme == .cbcs { result.constantIV = vector }
    if scheme.hasPattern, track.handler == "vide" { (result.cryptByteBlock, result.skipByteBlock) = (1, 9) }
    result.scheme = scheme.type
    return result
  }

  /// The number of samples in the clear lead of a track. It ends at a sync sample, so that no GOP is partly encrypted.
  private func clearCount(_ track: Track, of file: String) throws(MovieError) -> Int {
    guard clearLead > MediaTime(0, 1) else { return 0 }
    let samples = track.samples
    let last = samples.lastIndex { sample in sample.presentationTime.map { $0 < clearLead } ?? false }
    let rest = samples[(last.map { samples.index(after: $0) } ?? samples.startIndex)...]
    let sync = rest.firstIndex(where: \.isSync)
    guard sync != nil || rest.isEmpty || !samples.contains(where: \.isSync) else {
      let text = "the clear lead ends in its last GOP, so none of its samples would be encrypted"
      throw .impossible(file: file, Obstacle("clear_lead_too_long", text).inTrack(track.id))
    }
    return samples.distance(from: samples.startIndex, to: sync ?? rest.startIndex)
  }

  /// A note if the clear lead of a track ends later than requested.
  private func noteClearLead(_ track: Track, _ index: Int, _ count: Int, _ file: String) -> Diagnostic? {
    guard count > 0, count < track.samples.count, !track.samples.allSatisfy(\.isSync) else { return nil }
    let end = track.samples[count].presentationTime ?? clearLead
    guard end > clearLead else { return nil }
    let text = "the clear lead ends at \(end), where the next GOP starts"
    return Diagnostic(
      .other(.note, text), file, Diagnostic.Track(index: index, id: track.id, timescale: track.timescale))
  }

  /// The track with information about its encryption; samples do not change.
  private func encrypt(
    _ track: Track, _ number: Int, _ periods: [KeyPeriod], _ counter: inout AES128.Block,
    _ places: inout [[DecryptedSource.Place]], _ movie: Movie
  ) throws(MovieError) -> Track {
    let clearCount = periods.first?.firstSample ?? track.samples.count
    func refusal(_ obstacle: Obstacle) -> MovieError { .impossible(file: movie.name, obstacle.inTrack(track.id)) }
    let isVideo = track.handler == "vide" || track.handler == "auxv"
    // The type of an encrypted entry, `encv` or `enca`, determines how it is parsed; there is none for other handlers.
    guard isVideo || track.handler == "soun" else {
      throw refusal(
        Obstacle("handler_not_encryptable", "only audio and video can be encrypted, not \(track.handler) tracks"))
    }
    let entries = track.box.first("mdia", "minf", "stbl", "stsd")?.boxes ?? []
    // This also finds an entry without a scheme.
    if entries.contains(where: { $0.first("sinf") != nil }) || track.samples.storage.details.hasEncryptionGroups {
      throw refusal(.alreadyEncrypted)
    }
    let entryCount = entries.count(where: \.hasHeader)
    guard entryCount == max(1, track.decoderConfigurations.count) else { throw refusal(.sampleEntries) }
    var plans: [SubsamplePlan?] = []
    for configuration in track.decoderConfigurations {
      let plan = SubsamplePlan(configuration, isAligned: scheme != .cbcs, vectorSize: scheme.vectorSize)
      if isVideo, plan == nil {
        throw refusal(Obstacle("codec_not_encryptable", "encryption of \(configuration.codecs) video is not supported"))
      }
      plans.append(isVideo ? plan : nil)
    }
    let constant = counter.bytes
    var (sizes, bytes): ([UInt8], [UInt8]) = ([], [])
    var windows = movie.sources.map { ByteWindow($0, readAhead: 512) }
    for sample in track.samples {
      if sample.index < clearCount {
        sizes.append(0)
        continue
      }
      let start = bytes.count
      if scheme.vectorSize > 0 {
        bytes += scheme.vectorSize == 8 ? counter.bytes.prefix(8) : counter.bytes[...]
        counter.advance(scheme.vectorSize)
      }
      let range = sample.offset..<sample.offset + sample.size
      let description = sample.descriptionIndex - 1
      guard description < entryCount else { throw refusal(.sampleEntries) }
      if plans.indices.contains(description), plans[description] != nil {
        let parts = try io(plans[description]?.subsamples(of: range, in: &windows[sample.sourceIndex]))
        guard let parts else {
          throw refusal(
            Obstacle(
              "too_many_nal_units", "sample \(sample.index + 1) has too many NAL units for senc, or is damaged"))
        }
        bytes += [UInt8(truncatingIfNeeded: parts.count >> 8), UInt8(truncatingIfNeeded: parts.count)]
        for part in parts {
          let numbers =
            [part.clearByteCount >> 8, part.clearByteCount] + [24, 16, 8, 0].map { part.protectedByteCount >> $0 }
          bytes += numbers.map { UInt8(truncatingIfNeeded: $0) }
        }
      }
      sizes.append(UInt8(truncatingIfNeeded: bytes.count - start))
      if !range.isEmpty {
        places[sample.sourceIndex].append(
          DecryptedSource.Place(
            range: range, track: Int32(truncatingIfNeeded: number), sample: Int32(truncatingIfNeeded: sample.index)))
      }
    }
    return track.encrypted(
      periods.map { (parameters(track, $0.key, constant), $0.firstSample) }, writesGroups, sizes: sizes, bytes: bytes)
  }
}

extension AES128.Block {
  fileprivate var bytes: [UInt8] {
    [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) } }
  }
  /// Advances the vector to the next sample.
  fileprivate mutating func advance(_ size: Int) {
    if size == 8 { high &+= 1 } else { low &+= 1 }
  }
}

extension Track {
  /// The track with auxiliary information for its samples. Those before the first period use clear copies of the sample
  /// entries; those of later periods are in groups.
  fileprivate func encrypted(
    _ periods: [(parameters: TrackEncryption, firstSample: Int)], _ writesGroups: Bool, sizes: [UInt8], bytes: [UInt8]
  ) -> Track {
    guard let first = periods.first else { return self }
    let (parameters, clearCount) = first
    var details = details
    details.setAuxiliary(sizes: sizes, bytes: bytes)
    if periods.count > 1 {
      details.setEncryptionGroups(
        periods.map { ($0.firstSample, $0.parameters.groupDescription) }, sampleCount: samples.count,
        areWritten: writesGroups)
    }
    var list = list
    let entryCount = max(1, decoderConfigurations.count)
    if clearCount > 0 { list.useDescriptions(after: UInt32(clamping: entryCount), before: clearCount) }
    let encryption =
      Array(repeating: Optional(parameters), count: entryCount)
      + Array(repeating: nil, count: clearCount > 0 ? entryCount : 0)
    return with(samples.encrypted(list, details, encryption), encryption)
  }
}
