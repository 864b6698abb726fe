import Ciphers
import ISOBMFF
public import MP4Bytes
public import MP4HLS

/// The plaintext of a segment that is encrypted as a whole (METHOD=AES-128). It is decrypted as it is read.
package final class DecryptedSegment: ByteSource {
  package let name: String
  package let byteCount: Int?
  /// Whether its end is missing or damaged; the bytes before that are used.
  package let isCutOff: Bool
  private let base: any ByteSource
  private let cipher: AES128
  private let vector: AES128.Block
  private static let blockSize = AES128.blockSize

  /// The number of bytes before decryption.
  package var storedByteCount: Int? { base.byteCount }

  /// Decrypts `base`, whose first and last bytes are read. Without an initialization section, it is not MP4.
  package init(
    _ base: any ByteSource, _ encryption: SegmentEncryption, _ key: LoadedKey, isMP4: Bool = true
  ) throws(KeyProblem) {
    (self.base, cipher, name) = (base, key.cipher, base.name)
    vector = AES128.Block(high: encryption.vectorStart, low: encryption.vectorEnd)
    let (end, start, last): (Int, [UInt8], [UInt8])
    do throws(IOError) { (end, start, last) = try Self.ends(of: base, cipher, vector) } catch { throw .segment(error) }
    let wholeCount = end / Self.blockSize * Self.blockSize
    let padding = last.last.map { Int($0) } ?? 0
    let isPadded =
      wholeCount == end && (1...Self.blockSize).contains(padding) && last.suffix(padding).allSatisfy { $0 == padding }
    (byteCount, isCutOff) = (isPadded ? wholeCount - padding : wholeCount, !isPadded)
    // With a wrong key, the result does not begin with a box and usually has no valid padding.
    guard
      start.isEmpty || FileBox(startOf: start[...]) != nil
        || isPadded && (!isMP4 || start.startsBox(wholeCount) || start.startsStream)
    else {
      throw .wrong(segment: base.name)
    }
  }

  /// The number of bytes, and the first and the last whole block in plaintext.
  private static func ends(
    of base: any ByteSource, _ cipher: AES128, _ vector: AES128.Block
  ) throws(IOError) -> (Int, [UInt8], [UInt8]) {
    let end: Int
    if let count = base.byteCount {
      end = count
    } else {
      var window = ByteWindow(base, readAhead: 0)
      end = try window.end(from: 0)
    }
    let wholeCount = end / blockSize * blockSize
    let start = try decrypted(base, 0..<min(wholeCount, blockSize), cipher, vector)
    return (end, start, try decrypted(base, max(0, wholeCount - blockSize)..<wholeCount, cipher, vector))
  }

  package func read(at offset: Int, into buffer: inout MutableRawSpan) throws(IOError) -> Int {
    let count = min(buffer.byteCount, max((byteCount ?? 0) - offset, 0))
    if count == 0 { return 0 }
    let start = offset / Self.blockSize * Self.blockSize
    let blockCount = (offset - start + count + Self.blockSize - 1) / Self.blockSize
    let bytes = try Self.decrypted(base, start..<start + blockCount * Self.blockSize, cipher, vector)
    let own = bytes.dropFirst(offset - start).prefix(count)
    buffer.replace(from: 0, with: own)
    return own.count
  }

  /// Whole blocks of the segment; fewer if it has become shorter.
  private static func decrypted(
    _ base: any ByteSource, _ range: Range<Int>, _ cipher: AES128, _ vector: AES128.Block
  ) throws(IOError) -> [UInt8] {
    let before = min(range.lowerBound, blockSize)
    var bytes = try base.bytes(in: range.lowerBound - before..<range.upperBound)
    guard bytes.count > before else { return [] }
    bytes.removeLast(bytes.count % blockSize)
    let end = bytes.count
    var raw = bytes.mutableRaw
    let previous = before > 0 ? AES128.Block(raw, at: 0) : vector
    var part = raw._mutatingExtracting(before..<end)
    cipher.decryptChain(&part, after: previous)
    bytes.removeFirst(before)
    return bytes
  }
}

extension [UInt8] {
  /// Whether the bytes begin with a box of an unknown type, of at most this size.
  fileprivate func startsBox(_ limit: Int) -> Bool {
    guard count >= 8 else { return false }
    let size = self[..<4].reduce(0) { $0 << 8 | Int($1) }
    return (8...limit).contains(size) && self[4..<8].allSatisfy { (0x20...0x7e).contains($0) || $0 == 0xa9 }
  }
}

/// A key that was read. Its description does not reveal it.
package struct LoadedKey: Sendable, CustomStringConvertible, CustomReflectable {
  let cipher: AES128
  /// The 16 bytes of the key.
  package let bytes: [UInt8]

  /// Keys have 16 bytes; a few more are read to detect other files.
  package static let limit = AES128.blockSize + 48

  /// The key in a file with this content, of which at most ``limit`` bytes are needed.
  package init(_ bytes: [UInt8]) throws(KeyProblem) {
    guard let cipher = AES128(key: bytes) else { throw .size(bytes.count) }
    (self.cipher, self.bytes) = (cipher, bytes)
  }

  package var description: String { "a key" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why segments cannot be decrypted with the key in their playlist. It never contains the key.
public enum KeyProblem: Error, Sendable, CustomStringConvertible {
  /// The file of the key cannot be read.
  case io(IOError)
  /// The key cannot be fetched.
  case fetch(FetchError)
  /// Its size is not 16 bytes; larger ones are not read to the end.
  case size(Int)
  /// The decrypted bytes are not a segment.
  case wrong(segment: String)
  /// The segment cannot be read.
  case segment(IOError)

  /// The problem, and how to fix it.
  public var description: String {
    let advice =
      "if you have the key, save its 16 bytes as a file beside the playlist, and use that file as the URI of EXT-X-KEY"
    switch self {
    case .io(let error): return "the key of the segments cannot be read: \(error); \(advice)"
    case .fetch(let error): return "the key of the segments cannot be fetched: \(error); \(advice)"
    case .size(let count):
      let text = count == 32 || count == 33 ? ", not 32 hexadecimal digits" : ""
      let size = count >= LoadedKey.limit ? "\(LoadedKey.limit) or more bytes" : counted(count, "byte")
      return "the key of the segments has \(size); it must have 16\(text)"
    case .wrong(let segment):
      return
        "the key does not decrypt \(segment): the key or IV of EXT-X-KEY is wrong, or the segment is not encrypted "
        + "or not MP4"
    case .segment(let error): return "\(error)"
    }
  }
}

extension [UInt8] {
  /// Whether these are the first bytes of a transport stream, or of packed audio.
  fileprivate var startsStream: Bool { first == 0x47 || starts(with: "ID3".utf8) }
}
