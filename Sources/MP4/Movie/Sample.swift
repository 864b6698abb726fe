import ISOBMFF
public import MP4Bytes

/// One sample of a track: its times, and the location of its bytes.
public struct Sample: Sendable {
  /// Its index in the track.
  public let index: Int
  let storage: Samples.Storage
  /// Its decode time, relative to the first sample.
  private let time: Int64
  /// The offset of its bytes in `source`.
  public let offset: Int

  /// The sample after a cursor that is not at the end.
  init(at cursor: SampleCursor, offset: Int, of storage: Samples.Storage) {
    (index, time) = (cursor.sample, cursor.time)
    (self.offset, self.storage) = (offset, storage)
  }

  /// Its decode time, as declared by tables and fragments: that of the first sample is not always 0.
  public var decodeTime: MediaTime { MediaTime(storage.start &+ time, storage.timescale) }
  /// Its composition offset; may be negative.
  public var compositionOffset: MediaTime {
    MediaTime(storage.list.compositionOffset(index), storage.timescale)
  }
  /// Its composition time, which is its presentation time unless the file has an edit list.
  public var compositionTime: MediaTime { MediaTime(composition, storage.timescale) }
  private var composition: Int64 { storage.start &+ ownComposition }
  /// Its composition time, relative to the first decode time.
  private var ownComposition: Int64 { time &+ storage.list.compositionOffset(index) }
  /// Its duration; it does not include a gap before the next sample.
  public var duration: MediaTime { MediaTime(storage.list.duration(index), storage.timescale) }

  /// Its first presentation time, according to the edit list of the file; `nil` if no edit shows it. The presentation
  /// starts at 0, which is `Movie.mediaStart` in the media.
  public var presentationTime: MediaTime? {
    storage.presentation.firstPresentation(of: ownComposition, lasting: storage.list.duration(index))?.lowerBound
  }
  /// Its presentation times, according to the edit list of the file: one for each edit that shows at least a part of
  /// it.
  public var presentations: [Range<MediaTime>] {
    storage.presentation.presentations(of: ownComposition, lasting: storage.list.duration(index))
  }
  /// The first presentation time of one of `count` parts of equal duration; `nil` if no edit shows it.
  func presentationTime(ofPart part: Int, of count: Int) -> MediaTime? {
    let duration = storage.list.duration(index)
    if part == 0, count == 1 { return presentationTime }
    let (product, overflow) = duration.multipliedReportingOverflow(by: Int64(part))
    guard !overflow else { return nil }
    let (units, rest) = product.quotientAndRemainder(dividingBy: Int64(count))
    let start = storage.presentation.firstPresentation(of: ownComposition &+ units, lasting: 1)?.lowerBound
    // The fraction of a unit.
    guard rest > 0, let scale = UInt32(exactly: UInt64(storage.timescale) * UInt64(count)) else { return start }
    return start.map { $0 + MediaTime(rest, scale) }
  }

  /// Its decode time, relative to the start of the presentation; edit lists are not applied. A sample before it has a
  /// negative time.
  public var relativeDecodeTime: MediaTime { decodeTime - storage.presentation.origin }

  /// Its size in bytes.
  public var size: Int { storage.list.size(index) }
  /// The index of the source of its bytes in its movie.
  package var sourceIndex: Int { storage.list.source(of: index) }
  /// The source of its bytes.
  public var source: any ByteSource { storage.sources[sourceIndex] }

  /// Whether decoding can start with it.
  public var isSync: Bool { storage.list.isSync(index) }
  /// The 32-bit sample flags of fragments, or the equivalent for tables.
  public var flags: SampleFlags { storage.list.flags(index) }
  /// Its declared dependencies.
  public var dependencies: Dependencies { Dependencies(flags.dependency) }
  /// The number of its sample description, starting at 1.
  public var descriptionIndex: Int { Int(storage.list.descriptionIndex(of: index)) }
}

extension Sample {
  /// The information of `sdtp` and of sample flags: ISO/IEC 14496-12:2022, 8.6.4.
  public struct Dependencies: Hashable, Sendable {
    /// Whether a sample is presented before the sync sample that precedes it in decoding order.
    public enum Leading: UInt8, Sendable {
      /// Unknown.
      case unknown
      /// It is, and cannot be decoded if decoding starts with that sync sample.
      case undecodable
      /// It is not.
      case no
      /// It is, and can be decoded.
      case decodable
    }
    /// Whether it is a leading sample.
    public let leading: Leading
    /// Whether it depends on other samples; `nil` if unknown.
    public let dependsOnOthers: Bool?
    /// Whether other samples depend on it; `nil` if unknown.
    public let isDependedOn: Bool?
    /// Whether it has redundant coding; `nil` if unknown.
    public let hasRedundancy: Bool?

    init(_ bits: UInt8) {
      func isSo(_ shift: UInt8) -> Bool? {
        switch bits >> shift & 3 {
        case 1: true
        case 2: false
        default: nil
        }
      }
      leading = Leading(rawValue: bits >> 6) ?? .unknown
      (dependsOnOthers, isDependedOn, hasRedundancy) = (isSo(4), isSo(2), isSo(0))
    }
  }

  /// Its bytes; memory is allocated only for bytes that the source has.
  ///
  /// - Throws: `MovieError.io`, also if the source ends before the sample does.
  public func bytes() throws(MovieError) -> [UInt8] {
    var window = ByteWindow(source, readAhead: 0)
    return try bytes(in: &window)
  }

  /// The first `count` bytes, or fewer if it or the source ends earlier; no other bytes are read.
  public func bytes(_ count: Int) throws(MovieError) -> [UInt8] {
    precondition(count >= 0, "a sample has no \(count) bytes")
    var window = ByteWindow(source, readAhead: 0)
    do throws(IOError) { return Array(try window.slice(at: offset, count: min(size, count))) } catch {
      throw .io(error)
    }
  }

  /// Reads its bytes through a window that it shares with its neighbours.
  func bytes(in window: inout ByteWindow) throws(MovieError) -> [UInt8] {
    let bytes = try io(window.slice(at: offset, count: size))
    guard bytes.count == size else {
      throw .io(IOError(endOf: source, at: offset + bytes.count, copying: offset..<(offset + size)))
    }
    return Array(bytes)
  }

  /// A sample group: ISO/IEC 14496-12:2022, 8.9.
  public struct Group: Hashable, Sendable {
    /// The grouping type, such as `roll` or `seig`.
    public let type: FourCC
    /// The grouping type parameter, if there is one.
    public let parameter: UInt32?
    /// The number of its description among those of this type in the whole movie, starting at 1.
    public let descriptionIndex: Int
    /// The description.
    public let description: [UInt8]
  }

  /// Its sample groups.
  public func groups() throws(MovieError) -> [Group] { storage.details.groups(of: index) }
}

/// The encryption of a sample: ISO/IEC 23001-7.
public struct SampleEncryption: Hashable, Sendable {
  /// Clear bytes followed by encrypted ones.
  public struct Subsample: Hashable, Sendable {
    /// The number of clear bytes.
    public var clearByteCount: Int
    /// The number of encrypted bytes after them.
    public var protectedByteCount: Int
  }
  /// How blocks are combined.
  public enum Mode: Hashable, Sendable {
    /// Counter mode (CTR).
    case counter
    /// Cipher block chaining (CBC).
    case chaining
  }
  /// The scheme, such as `cenc` or `cbcs`; `nil` if not declared.
  public var scheme: FourCC?
  /// The mode of the scheme; `nil` if the scheme is not one of common encryption.
  public var mode: Mode?
  /// The key ID (KID), 16 bytes.
  public var keyID: [UInt8]
  /// The initialization vector of the sample, or the constant one.
  public var initializationVector: [UInt8]
  /// The number of encrypted 16-byte blocks in the pattern; 0 without a pattern.
  public var cryptByteBlock: Int
  /// The number of clear 16-byte blocks in the pattern.
  public var skipByteBlock: Int
  /// The subsamples; empty if the whole sample is encrypted.
  public var subsamples: [Subsample]
}

extension Sample {
  /// Its encryption, according to its group (`seig`) or else to its sample description; `nil` if it is
  /// clear.
  ///
  /// - Throws: `MovieError` if the information in the file cannot be interpreted.
  public func encryption() throws(MovieError) -> SampleEncryption? {
    guard let own = try encryptionParameters(), own.algorithm != 0 else { return nil }
    let information = storage.details.auxiliary(of: index..<(index + 1)).bytes
    let entry =
      storage.encryption.indices.contains(descriptionIndex - 1) ? storage.encryption[descriptionIndex - 1] : nil
    let scheme = own.scheme ?? entry?.scheme ?? storage.scheme
    var result = SampleEncryption(
      scheme: scheme, mode: SampleEncryption.Mode(scheme, algorithm: own.algorithm ?? entry?.algorithm),
      keyID: own.keyID, initializationVector: own.constantIV,
      cryptByteBlock: Int(own.cryptByteBlock), skipByteBlock: Int(own.skipByteBlock), subsamples: [])
    var rest = information
    if own.ivSize > 0 {
      guard rest.count >= Int(own.ivSize) else {
        throw obstacle("no_initialization_vector", "it has no initialization vector")
      }
      result.initializationVector = Array(rest.prefix(Int(own.ivSize)))
      rest = rest.dropFirst(Int(own.ivSize))
    }
    guard !rest.isEmpty else { return result }
    func number(_ count: Int) -> Int {
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
    }
    let count = number(2)
    guard rest.count == 6 * count else {
      throw obstacle("wrong_subsamples", "its subsamples do not have the declared size")
    }
    for _ in 0..<count {
      result.subsamples.append(
        SampleEncryption.Subsample(clearByteCount: number(2), protectedByteCount: number(4)))
    }
    return result
  }

  /// The encryption of the sample's group or, without a group, of its description.
  private func encryptionParameters() throws(MovieError) -> TrackEncryption? {
    guard let group = try groups().first(where: { $0.type == "seig" }) else {
      let number = descriptionIndex - 1
      return storage.encryption.indices.contains(number) ? storage.encryption[number] : nil
    }
    guard let own = TrackEncryption(ofGroup: group.description) else {
      throw obstacle("damaged_group", "the description of its group (seig) is damaged")
    }
    return own
  }

  private func obstacle(_ code: Obstacle.Code, _ problem: String) -> MovieError {
    .impossible(file: source.name, Obstacle(code, "sample \(index) at byte \(offset): \(problem)"))
  }
}

extension SampleEncryption.Mode {
  /// The mode of a scheme. Boxes from before schemes existed have an algorithm number instead.
  init?(_ scheme: FourCC?, algorithm: UInt32?) {
    switch (algorithm, scheme) {
    case (1, _): self = .counter
    case (2, _): self = .chaining
    case (_, "cenc"), (_, "cens"), (_, "piff"): self = .counter
    case (_, "cbc1"), (_, "cbcs"): self = .chaining
    default: return nil
    }
  }
}
