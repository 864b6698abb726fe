import Ciphers
import MP4Bytes

/// A source with clear samples at the offsets of the encrypted ones. Encryption boxes become free space, so that no
/// data moves.
final class DecryptedSource: ByteSource {
  /// The location of a sample.
  struct Place: Sendable {
    var range: Range<Int>
    /// The index of its track among the encrypted tracks.
    var track: Int32
    var sample: Int32
  }
  /// Bytes that differ from those of the source.
  struct Patch: Sendable {
    var offset: Int
    var bytes: [UInt8]
    var end: Int { offset + bytes.count }
  }

  let name: String
  let base: any ByteSource
  var byteCount: Int? { base.byteCount }
  private let places: [Place]
  private let patches: [Patch]
  private let samples: [Samples]
  private let trackIDs: [UInt32]
  private let keys: ContentKeys
  /// Whether to encrypt samples instead.
  private let encrypts: Bool

  /// Places and patches must be in ascending order and must not overlap.
  init(
    _ base: any ByteSource, _ places: [Place], _ patches: [Patch], of tracks: [(id: UInt32, samples: Samples)],
    _ keys: ContentKeys, encrypts: Bool = false
  ) {
    (self.base, self.places, self.patches, self.keys) = (base, places, patches, keys)
    self.encrypts = encrypts
    name = base.name
    samples = tracks.map(\.samples)
    trackIDs = tracks.map(\.id)
  }

  private init(_ other: DecryptedSource, _ keys: ContentKeys) {
    (base, name, places, patches) = (other.base, other.name, other.places, other.patches)
    (samples, trackIDs, encrypts, self.keys) = (other.samples, other.trackIDs, other.encrypts, keys)
  }

  /// The same with other keys.
  func with(_ keys: ContentKeys) -> DecryptedSource { DecryptedSource(self, keys) }

  /// The blocks of a sample that were encrypted so far.
  private struct Progress {
    var place: Int
    var chain: SampleCipher.Chain
  }
  /// The number of bytes that are copied at a time.
  private static let step = 1 << 20

  func read(at offset: Int, into buffer: inout MutableRawSpan) throws(IOError) -> Int {
    var progress: Progress?
    return try read(at: offset, into: &buffer, &progress)
  }

  /// Appends a range to a sink. In a chain, a block depends on all blocks of its sample before it, so encryption
  /// continues where the previous step ended.
  func copy(_ range: Range<Int>, to sink: any ByteSink) throws(IOError) {
    guard encrypts else { return try sink.copy(range, of: self) }
    var progress: Progress?
    var offset = range.lowerBound
    while offset < range.upperBound {
      let wanted = min(range.upperBound - offset, Self.step)
      var bytes = [UInt8](repeating: 0, count: wanted)
      var buffer = bytes.mutableRaw
      let count = try read(at: offset, into: &buffer, &progress)
      offset += count
      if count < wanted {
        try sink.write(Array(bytes.prefix(count)))
        throw IOError(endOf: self, at: offset, copying: range)
      }
      try sink.write(bytes)
    }
  }

  private func read(
    at offset: Int, into buffer: inout MutableRawSpan, _ progress: inout Progress?
  ) throws(IOError) -> Int {
    let wanted = offset..<offset + min(buffer.byteCount, Int.max - offset)
    let first = places.partition { $0.range.upperBound > wanted.lowerBound }
    guard first < places.count, places[first].range.lowerBound < wanted.upperBound else {
      let count = try base.readOn(at: offset, into: &buffer)
      patch(&buffer, from: offset, count)
      return count
    }
    var ciphers: [(place: Int, range: Range<Int>, cipher: SampleCipher, chain: SampleCipher.Chain)] = []
    var needed = wanted
    for index in first..<places.count {
      let place = places[index]
      guard place.range.lowerBound < wanted.upperBound else { break }
      let start = place.range.lowerBound
      let own = wanted.clamped(to: place.range)
      let range = own.lowerBound - start..<own.upperBound - start
      guard !range.isEmpty, let cipher = try cipher(for: place) else { continue }
      let chain = progress.flatMap { $0.place == index ? $0.chain : nil } ?? SampleCipher.Chain()
      ciphers.append((index, range, cipher, chain))
      let other = encrypts ? cipher.neededToEncrypt(range, after: chain) : cipher.needed(for: range)
      needed = min(needed.lowerBound, start + other.lowerBound)..<max(needed.upperBound, start + other.upperBound)
    }
    var bytes = try base.bytes(in: needed)
    for (index, range, cipher, chain) in ciphers {
      let start = places[index].range.lowerBound - needed.lowerBound
      if encrypts {
        progress = Progress(place: index, chain: cipher.encrypt(range, in: &bytes, from: start, after: chain))
      } else {
        cipher.decrypt(range, in: &bytes, from: start)
      }
    }
    let own = bytes.dropFirst(wanted.lowerBound - needed.lowerBound).prefix(wanted.count)
    buffer.replace(from: 0, with: own)
    patch(&buffer, from: offset, own.count)
    return own.count
  }

  private func cipher(for place: Place) throws(IOError) -> SampleCipher? {
    let sample = samples[Int(place.track)][Int(place.sample)]
    let encryption: SampleEncryption?
    do throws(MovieError) { encryption = try sample.encryption() } catch {
      if case .io(let error) = error { throw error }
      throw IOError(.read, file: name, offset: place.range.lowerBound, reason: error.description)
    }
    guard let encryption, let mode = encryption.mode,
      let cipher = keys.cipher(encryption.keyID, track: trackIDs[Int(place.track)])
    else { return nil }
    return SampleCipher(encryption, mode, cipher, size: place.range.count)
  }

  private func patch(_ buffer: inout MutableRawSpan, from offset: Int, _ count: Int) {
    var index = patches.partition { $0.end > offset }
    while index < patches.count, patches[index].offset < offset + count {
      let patch = patches[index]
      let range = max(patch.offset, offset)..<min(patch.end, offset + count)
      let bytes = patch.bytes[range.lowerBound - patch.offset..<range.upperBound - patch.offset]
      buffer.replace(from: range.lowerBound - offset, with: bytes)
      index += 1
    }
  }
}
