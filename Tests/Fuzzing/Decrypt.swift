import ISOBMFF
import MP4
// The libFuzzer target of `Tests/Fuzzing/run --target decrypt`.
import MP4Bytes
import MP4FileIO

private let key = [UInt8](repeating: 7, count: 16)
private let keyID = [UInt8](1...16)

private func written(_ plan: FragmentPlan) -> [UInt8]? {
  guard plan.byteCount < 8 << 20 else { return nil }
  let sink = MemorySink()
  guard (try? plan.write(to: sink)) != nil else { fatalError("the fragmented file cannot be written") }
  return sink.bytes
}

/// Decrypts with a key for every track. Any range of the output is the same read separately as read as a part of the
/// whole.
private func checkDecryption(_ sources: [any ByteSource], _ bytes: [UInt8]) {
  guard let movie = try? Movie(reading: sources) else { return }
  var keys = ContentKeys()
  for track in movie.tracks { try? keys.set(key, forTrack: track.id) }
  guard let decryption = try? Decryption(of: sources, with: keys) else { return }
  for (source, other) in zip(decryption.sources, sources) {
    guard let count = source.byteCount, count == other.byteCount, let whole = try? source.bytes(in: 0..<count),
      whole.count == count
    else { fatalError("the decrypted source cannot be read") }
    for seed in bytes.suffix(9).dropLast() {
      let start = count * Int(seed) / 256
      let range = start..<min(count, start + 1 + Int(seed) * 3)
      guard (try? source.bytes(in: range)) == Array(whole[range]) else {
        fatalError("bytes \(range) are not those of the whole")
      }
    }
  }
}

/// Encrypts, decrypts the result, and compares the samples.
private func checkEncryption(_ sources: [any ByteSource], _ scheme: Encryption.Scheme) {
  guard let movie = try? Movie(reading: sources),
    let key = try? Encryption.Key(key, keyID: keyID, tracks: TrackSelection()),
    let encrypted = try? Encryption(scheme, keys: [key]).encrypted(movie),
    let plan = try? Fragmenter().plan(encrypted), let bytes = written(plan),
    let clear = try? Fragmenter().plan(movie), let wanted = written(clear)
  else { return }
  var keys = ContentKeys()
  try? keys.set(Array(repeating: 7, count: 16), forKeyID: keyID)
  do {
    let decryption = try Decryption(of: [MemorySource(bytes)], with: keys)
    let (again, before) = (try Movie(reading: decryption.sources), try Movie(reading: [MemorySource(wanted)]))
    for (track, other) in zip(again.tracks, before.tracks) {
      guard track.samples.count == other.samples.count else { fatalError("samples were lost") }
      for (sample, old) in zip(track.samples, other.samples) where try sample.bytes() != old.bytes() {
        fatalError("sample \(sample.index) of track \(track.id) differs")
      }
    }
  } catch MovieError.impossible {
    // Samples that were invalid for their codec before are taken for the result of a wrong key.
  } catch {
    fatalError("the encrypted file cannot be decrypted: \(error)")
  }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  switch bytes.choice(of: 6) {
  case 0: checkDecryption([MemorySource(bytes)], bytes)
  case 1: checkDecryption(sources(bytes), bytes)
  case 2: checkEncryption(sources(bytes), .cenc)
  case 3: checkEncryption(sources(bytes), .cens)
  case 4: checkEncryption(sources(bytes), .cbc1)
  default: checkEncryption(sources(bytes), .cbcs)
  }
  return 0
}
