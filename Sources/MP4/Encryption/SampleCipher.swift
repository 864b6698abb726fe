import Ciphers
import MP4Bytes

/// Which bytes of a sample are encrypted, and how (ISO/IEC 23001-7:2023, 9 and 10). Positions are relative to its
/// start.
struct SampleCipher {
  /// A protected range.
  private struct Region {
    var range: Range<Int>
    /// The number of encrypted bytes before it.
    var before: Int
    /// The start of the previous encrypted block, if this region is chained to it.
    var previous: Int?
  }
  private let cipher: AES128
  private let mode: SampleEncryption.Mode
  private let vector: AES128.Block
  /// The number of encrypted bytes in the pattern, and its length; `nil` without a pattern.
  private let pattern: (encrypted: Int, all: Int)?
  private var regions: [Region] = []

  private static let blockSize = AES128.blockSize

  /// A cipher for a sample; `nil` if its subsamples are larger than the sample.
  init?(_ encryption: SampleEncryption, _ mode: SampleEncryption.Mode, _ cipher: AES128, size: Int) {
    self.cipher = cipher
    self.mode = mode
    vector = AES128.Block(encryption.initializationVector)
    let (crypt, skip) = (encryption.cryptByteBlock * Self.blockSize, encryption.skipByteBlock * Self.blockSize)
    let hasPattern = ["cens", "cbcs"].contains(encryption.scheme)
    pattern = hasPattern && skip > 0 ? (crypt, crypt + skip) : nil
    var (at, before, previous): (Int, Int, Int?) = (0, 0, nil)
    func add(_ count: Int) -> Region {
      let region = Region(range: at..<at + count, before: before, previous: previous)
      before += encryptedCount(count)
      if mode == .chaining, encryption.scheme != "cbcs" {
        previous = lastBlock(in: region.range) ?? previous
      }
      at += count
      return region
    }
    if encryption.subsamples.isEmpty { regions.append(add(size)) }
    for part in encryption.subsamples {
      guard part.clearByteCount <= size - at, part.protectedByteCount <= size - at - part.clearByteCount else {
        return nil
      }
      at += part.clearByteCount
      if part.protectedByteCount > 0 { regions.append(add(part.protectedByteCount)) }
    }
  }

  /// The number of repetitions of the pattern that encrypt anything.
  private func runCount(_ count: Int, _ pattern: (encrypted: Int, all: Int)) -> Int {
    pattern.encrypted > 0 && count >= pattern.encrypted ? (count - pattern.encrypted) / pattern.all + 1 : 0
  }

  /// The number of encrypted bytes in a protected range of `count` bytes.
  private func encryptedCount(_ count: Int) -> Int {
    if let pattern { return runCount(count, pattern) * pattern.encrypted }
    return mode == .counter ? count : count / Self.blockSize * Self.blockSize
  }

  private func lastBlock(in range: Range<Int>) -> Int? {
    if let pattern {
      let runs = runCount(range.count, pattern)
      return runs > 0 ? range.lowerBound + (runs - 1) * pattern.all + pattern.encrypted - Self.blockSize : nil
    }
    return range.count >= Self.blockSize ? range.lowerBound + encryptedCount(range.count) - Self.blockSize : nil
  }

  /// Adjacent encrypted bytes.
  private struct Run {
    var range: Range<Int>
    /// The number of encrypted bytes before it.
    var before: Int
    /// The start of the previous encrypted block; `nil` if the run starts with the vector.
    var previous: Int?
  }

  private func forEachRun(in wanted: Range<Int>, _ body: (Run) -> Void) {
    for region in regions where region.range.overlaps(wanted) {
      let start = region.range.lowerBound
      guard let pattern else {
        let range = start..<start + encryptedCount(region.range.count)
        if range.overlaps(wanted) { body(Run(range: range, before: region.before, previous: region.previous)) }
        continue
      }
      let count = runCount(region.range.count, pattern)
      var run = max(0, wanted.lowerBound - start) / pattern.all
      while run < count, start + run * pattern.all < wanted.upperBound {
        let own = start + run * pattern.all
        let range = own..<own + pattern.encrypted
        if range.overlaps(wanted) {
          let previous = own - pattern.all + pattern.encrypted - Self.blockSize
          body(
            Run(
              range: range, before: region.before + run * pattern.encrypted,
              previous: run > 0 ? previous : region.previous))
        }
        run += 1
      }
    }
  }

  /// The blocks of a run that overlap a range.
  private func blocks(of run: Range<Int>, in wanted: Range<Int>) -> Range<Int> {
    let own = run.clamped(to: wanted)
    if mode == .counter { return own }
    let first = (own.lowerBound - run.lowerBound) / Self.blockSize * Self.blockSize
    let end = (own.upperBound - run.lowerBound + Self.blockSize - 1) / Self.blockSize * Self.blockSize
    return run.lowerBound + first..<run.lowerBound + end
  }

  /// The bytes that are needed to decrypt a range.
  func needed(for wanted: Range<Int>) -> Range<Int> {
    if mode == .counter { return wanted }
    var (result, isFirst) = (wanted, true)
    forEachRun(in: wanted) { run in
      let blocks = blocks(of: run.range, in: wanted)
      var start = min(result.lowerBound, blocks.lowerBound)
      if isFirst {
        let isInside = blocks.lowerBound > run.range.lowerBound
        start = min(start, isInside ? blocks.lowerBound - Self.blockSize : run.previous ?? start)
      }
      isFirst = false
      result = start..<max(result.upperBound, blocks.upperBound)
    }
    return result
  }

  /// The state of chained encryption after some blocks of a sample.
  struct Chain {
    /// The end of the last block; 0 at the start of the sample.
    fileprivate var end = 0
    /// The last block; `nil` at the start of the sample.
    fileprivate var last: AES128.Block?
  }

  /// The bytes that are needed to encrypt a range: with chaining, all bytes after the last encrypted block.
  func neededToEncrypt(_ wanted: Range<Int>, after chain: Chain) -> Range<Int> {
    mode == .counter ? wanted : min(chain.end, wanted.lowerBound)..<needed(for: wanted).upperBound
  }

  /// Decrypts a range. `bytes` contains the needed bytes; the sample starts at the index `start`, which can be
  /// negative. Missing bytes at the end are left unchanged.
  func decrypt(_ wanted: Range<Int>, in bytes: inout [UInt8], from start: Int) {
    let available = -start..<bytes.count - start
    var last: AES128.Block?
    forEachRun(in: wanted) { run in
      var blocks = blocks(of: run.range, in: wanted).clamped(to: available)
      var raw = bytes.mutableRaw
      guard mode == .chaining else {
        var part = raw._mutatingExtracting(start + blocks.lowerBound..<start + blocks.upperBound)
        let skipped = run.before + blocks.lowerBound - run.range.lowerBound
        return cipher.applyKeystream(to: &part, counter: vector, skipping: skipped)
      }
      blocks = blocks.lowerBound..<blocks.upperBound - blocks.count % Self.blockSize
      if last == nil {
        let isInside = blocks.lowerBound > run.range.lowerBound
        let before = isInside ? blocks.lowerBound - Self.blockSize : run.previous
        last = before.map { AES128.Block(raw, at: start + $0) } ?? vector
      } else if run.previous == nil {
        last = vector
      }
      var part = raw._mutatingExtracting(start + blocks.lowerBound..<start + blocks.upperBound)
      last = cipher.decryptChain(&part, after: last ?? vector)
    }
  }

  /// Encrypts a sample up to the end of a range, after the blocks of `chain`. `bytes` contains the needed bytes; the
  /// sample starts at the index `start`, which can be negative. Returns the chain up to the last block that ends in the
  /// range, because the rest of a block is part of the next range.
  func encrypt(_ wanted: Range<Int>, in bytes: inout [UInt8], from start: Int, after chain: Chain) -> Chain {
    guard mode == .chaining else {
      decrypt(wanted, in: &bytes, from: start)
      return chain
    }
    let available = -start..<bytes.count - start
    var result = chain
    let left = chain.end..<max(chain.end, wanted.upperBound)
    forEachRun(in: left) { run in
      var own = blocks(of: run.range, in: left).clamped(to: available)
      own = own.lowerBound..<own.upperBound - own.count % Self.blockSize
      if run.range.lowerBound >= chain.end, run.previous == nil { result.last = nil }
      let isDivided = !own.isEmpty && own.upperBound > wanted.upperBound
      let end = own.upperBound - (isDivided ? Self.blockSize : 0)
      var raw = bytes.mutableRaw
      var whole = raw._mutatingExtracting(start + own.lowerBound..<start + end)
      result = Chain(end: end, last: cipher.encryptChain(&whole, after: result.last ?? vector))
      guard isDivided else { return }
      var part = raw._mutatingExtracting(start + end..<start + own.upperBound)
      _ = cipher.encryptChain(&part, after: result.last ?? vector)
    }
    return result
  }
}
