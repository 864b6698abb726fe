import Bytes

/// Checks whether decrypted samples have valid syntax of their codec. With a wrong key, they are random bytes.
///
/// Only bytes that were encrypted are evaluated, because clear bytes are valid in any case.
package struct SampleSyntax: Sendable {
  private let configuration: DecoderConfiguration
  private let nalUnits: (codec: NALUnits.Codec, lengthSize: Int)?
  private let config: AudioSpecificConfig?
  private let objectType: UInt8?
  private let pictureSets: Set<Int>
  private var sliceHeaders: AVCSliceHeader
  /// The numbers of samples with valid and with invalid syntax. Random bytes are rarely valid; inconclusive samples are
  /// not counted.
  package private(set) var hits = 0
  package private(set) var misses = 0
  /// The number of byte sequences that cannot occur in media, and their expected number in random bytes.
  package private(set) var violations = 0
  package private(set) var expectedViolations = 0.0
  /// The number of Opus packets by their first byte.
  private var packetKinds: [UInt8: Int] = [:]

  /// A check of samples with this configuration.
  package init(_ configuration: DecoderConfiguration) {
    self.configuration = configuration
    nalUnits = configuration.nalUnits
    config = configuration.audioSpecificConfig
    objectType = configuration.box(ESDescriptorBox.self)?.decoderConfig?.objectTypeIndication
    sliceHeaders = AVCSliceHeader(nalUnits?.codec == .avc ? configuration.parameterSets : [])
    var sets: [Int] = []
    for unit in configuration.parameterSets {
      guard let codec = nalUnits?.codec, codec.type(unit[...]) == codec.pictureParameterSet else { continue }
      var r = BitReader(nalUnit: unit.prefix(16), headerSize: codec == .avc ? 1 : 2)
      sets.append(r.golomb())
    }
    pictureSets = ["avc1", "hvc1", "dvh1", "dva1"].contains(configuration.codedFormat) ? Set(sets) : []
  }

  /// Whether samples of this configuration can be checked.
  package var canJudge: Bool {
    nalUnits != nil
      || ["mp4a", "ac-3", "ec-3", "fLaC", "Opus", "vp09", "av01", "stpp", "wvtt"].contains(configuration.codedFormat)
  }
  /// Whether the evidence is sufficient.
  package var isConclusive: Bool { hits + misses >= 4 || violations + Int(expectedViolations) >= 6 }
  /// Whether random bytes would have been detected.
  package var isConvincing: Bool { hits > 0 || expectedViolations >= 3 || packetKinds.values.reduce(0, +) >= 16 }
  /// Whether the samples are most likely random bytes.
  package var isWrong: Bool {
    let packetCount = packetKinds.values.reduce(0, +)
    // An encoder uses few of the 64 kinds.
    if packetCount >= 16, packetKinds.count * 2 > min(packetCount, 48) { return true }
    if misses > hits { return true }
    // Many more than expected in random bytes are characteristic of an encoder.
    let (found, expected) = (Double(violations), expectedViolations)
    return hits == 0 && violations > 0 && expected > 0.02 && found * 4 >= expected && found <= expected * 4 + 3
  }

  /// Checks a sample: all of its bytes or only the first ones, and the same bytes before decryption.
  package mutating func add(_ clear: [UInt8], encrypted: [UInt8], isWhole: Bool) {
    guard clear.count == encrypted.count, clear != encrypted else { return }
    if nalUnits != nil { return addPicture(clear, encrypted, isWhole) }
    // Whether enough of the start was encrypted to be conclusive.
    func isEncrypted(_ count: Int) -> Bool { clear.count >= count && clear.prefix(count) != encrypted.prefix(count) }
    switch configuration.codedFormat {
    case "ac-3", "ec-3": if isEncrypted(2) { note(clear.starts(with: [0x0b, 0x77])) }
    case "fLaC": if isEncrypted(2) { note(clear[0] == 0xff && clear[1] & 0xfe == 0xf8) }
    case "av01": addUnits(clear, encrypted, isWhole)
    case "vp09": if isEncrypted(1) { note(clear[0] >> 6 == 2) }
    case "Opus": if isEncrypted(1) { packetKinds[clear[0] & 0xfc, default: 0] += 1 }
    case "stpp": if isEncrypted(4) { note([0x3c, 0xef, 0xff, 0xfe, 0x20, 0x0a].contains(clear[0])) }
    case "wvtt":
      if isEncrypted(8) { note(["vttc", "vtte", "vtta"].map { Array($0.utf8) }.contains(Array(clear[4..<8]))) }
    case "mp4a" where [0x69, 0x6b].contains(objectType):
      if isEncrypted(2) { note(clear[0] == 0xff && clear[1] & 0xe0 == 0xe0) }
    case "mp4a": if isEncrypted(2) { addSound(clear) }
    default: break
    }
  }

  private mutating func note(_ isRight: Bool) { if isRight { hits += 1 } else { misses += 1 } }

  /// AAC starts with an element for one or two channels: ISO/IEC 14496-3, 4.4.2.1. Other elements can precede it.
  private mutating func addSound(_ bytes: [UInt8]) {
    guard let config, 1...4 ~= config.audioObjectType else { return }
    let wanted: UInt8
    switch config.channelConfiguration {
    case 2: wanted = 1
    case 1, 3...7: wanted = 0
    default: return
    }
    // The element, its number, and the reserved bit of the window description, which two channels share.
    let (element, number) = (bytes[0] >> 5, bytes[0] >> 1 & 15)
    if element == wanted {
      note(number == 0 && (wanted == 0 || bytes[0] & 1 == 0 || bytes[1] & 0x80 == 0))
    } else if !(4...6).contains(element) {
      note(false)
    }
  }

  // MARK: Pictures

  /// Checks the open bitstream units (OBUs) of an AV1 sample, of which usually only tiles are encrypted: AV1, 5.3.
  private mutating func addUnits(_ clear: [UInt8], _ encrypted: [UInt8], _ isWhole: Bool) {
    var at = 0
    while at < clear.count {
      let header = clear[at]
      let (hasSize, headerSize) = (header & 2 != 0, header & 4 != 0 ? 2 : 1)
      var r = BitReader(clear.dropFirst(at + headerSize).prefix(8))
      let length = hasSize ? r.leb128() : clear.count - at - headerSize
      let start = at + headerSize + r.position / 8
      let (isHeader, fits) = (header & 0x81 == 0 && !r.isBroken, length >= 0 && length <= clear.count - start)
      if clear[at] != encrypted[at] { note(isHeader && (fits || !isWhole)) }
      guard isHeader, fits else { return }
      let range = start..<start + length
      // A frame, or a group of its tiles.
      if [4, 6].contains(header >> 3), hits == 0 { addEnd(clear[range], encrypted[range]) }
      at = range.upperBound
    }
  }

  private mutating func addPicture(_ clear: [UInt8], _ encrypted: [UInt8], _ isWhole: Bool) {
    guard let (codec, lengthSize) = nalUnits else { return }
    var (at, isFirst) = (0, true)
    while at + lengthSize < clear.count {
      let length = clear[at..<at + lengthSize].reduce(0) { $0 << 8 | Int($1) }
      let isLengthEncrypted = clear[at..<at + lengthSize] != encrypted[at..<at + lengthSize]
      at += lengthSize
      if length > clear.count - at, isLengthEncrypted || isWhole {
        if isLengthEncrypted, isWhole { note(false) }
        return
      }
      if isLengthEncrypted { note(length > 0 && clear[at] & 0x80 == 0) }
      let range = at..<min(at + length, clear.count)
      at += length
      guard range.count > 16 else { continue }
      addUnit(clear[range], encrypted[range], codec, &isFirst, isWhole: at <= clear.count)
    }
  }

  private mutating func addUnit(
    _ clear: ArraySlice<UInt8>, _ encrypted: ArraySlice<UInt8>, _ codec: NALUnits.Codec, _ isFirst: inout Bool,
    isWhole: Bool
  ) {
    guard let type = codec.type(clear) else { return }
    guard codec.isSlice(type) else {
      if codec == .avc, clear == encrypted { sliceHeaders.note(clear) }
      return
    }
    if let isRight = isHeaderRight(clear, encrypted, codec, type, isFirst: isFirst) {
      note(isRight)
    } else if codec == .avc {
      addDataStart(clear, encrypted)
    }
    isFirst = false
    guard hits == 0 else { return }
    if isWhole { addEnd(clear, encrypted) }
    addViolations(clear, encrypted)
  }

  /// CABAC data after a clear slice header cannot start with the 9-bit values 510 or 511: ISO/IEC 14496-10, 9.3.1.2.
  private mutating func addDataStart(_ clear: ArraySlice<UInt8>, _ encrypted: ArraySlice<UInt8>) {
    guard let header = sliceHeaders.header(of: clear.prefix(512)), header.hasCABAC, header.size < clear.count,
      clear.prefix(header.size) == encrypted.prefix(header.size)
    else { return }
    let (first, before) = (clear[clear.startIndex + header.size], encrypted[encrypted.startIndex + header.size])
    guard first != before else { return }
    expectedViolations += 1.0 / 256
    if first == 0xff { violations += 1 }
  }

  /// Neither a slice nor a group of AV1 tiles can end with 00.
  private mutating func addEnd(_ clear: ArraySlice<UInt8>, _ encrypted: ArraySlice<UInt8>) {
    guard let last = clear.last, last != encrypted.last else { return }
    expectedViolations += 1.0 / 256
    if last == 0 { violations += 1 }
  }

  /// Counts sequences that a slice cannot contain: 00 00 before 00, 01 or 02, and 00 00 03 before more than 03.
  private mutating func addViolations(_ clear: ArraySlice<UInt8>, _ encrypted: ArraySlice<UInt8>) {
    // Zeros at the end are counted once.
    let end = clear.lastIndex { $0 != 0 } ?? clear.startIndex
    var (zeroCount, changed, isEscaped, count) = (0, 0, false, 0)
    for index in clear.startIndex..<end {
      let byte = clear[index]
      // Random bytes rarely equal the original ones.
      if byte != encrypted[index] { changed = 4 } else if changed > 0 { changed -= 1 }
      if changed > 0 {
        count += 1
        if zeroCount >= 2 && byte < 3 || isEscaped && byte > 3 { violations += 1 }
      }
      isEscaped = zeroCount >= 2 && byte == 3
      zeroCount = byte == 0 ? zeroCount + 1 : 0
    }
    expectedViolations += Double(count) * 4 / Double(1 << 24)
  }

  /// Whether the header of a slice is plausible; `nil` if it was not encrypted.
  private func isHeaderRight(
    _ clear: ArraySlice<UInt8>, _ encrypted: ArraySlice<UInt8>, _ codec: NALUnits.Codec, _ type: Int, isFirst: Bool
  ) -> Bool? {
    let headerSize = codec == .avc ? 1 : 2
    // The first numbers take one or two bytes, unless there are many slices.
    guard clear.dropFirst(headerSize).prefix(1) != encrypted.dropFirst(headerSize).prefix(1) else { return nil }
    var r = BitReader(nalUnit: clear.prefix(64), headerSize: headerSize)
    func isSet(_ number: Int) -> Bool { pictureSets.isEmpty ? number < 256 : pictureSets.contains(number) }
    guard codec == .avc else {
      guard r.flag() == isFirst else { return false }
      if 16...23 ~= type { r.skip(1) }
      return isSet(r.golomb()) && !r.isBroken
    }
    let (address, kind) = (r.golomb(), r.golomb())
    guard (address == 0) == isFirst, kind < 10, type != 5 || kind % 5 == 2 || kind % 5 == 4 else { return false }
    return isSet(r.golomb()) && !r.isBroken
  }
}
