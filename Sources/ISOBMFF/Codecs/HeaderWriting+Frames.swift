/// Headers of AV1, VP9 and ProRes.
extension HeaderWriting {
  /// New bytes for a range.
  package struct Patch {
    /// Indices of what was read; empty to insert bytes.
    package var range: Range<Int>
    /// The new bytes.
    package var bytes: [UInt8]

    /// New bytes for a range.
    package init(_ range: Range<Int>, _ bytes: [UInt8]) { (self.range, self.bytes) = (range, bytes) }
  }

  /// The changes of units of AV1: of the sequence header and of static metadata; `nil` if the header cannot be read, or
  /// if the new colors need another syntax. Missing metadata is inserted only into units with a sequence header, if
  /// `insertsMetadata`.
  package func patches(av1 units: ArraySlice<UInt8>, insertsMetadata: Bool) -> [Patch]? {
    var patches: [Patch] = []
    var (end, missing) = (Int?.none, display)
    for unit in OpenBitstreamUnit.all(in: units, hasTrimming: false) {
      var payload: [UInt8]?
      switch unit.type {
      case 1:
        guard let header = writing(av1Sequence: unit.payload) else { return nil }
        (payload, end) = (header, unit.payload.endIndex)
      case 5:
        guard let type = unit.payload.first, let message = display.first(where: { $0.metadataType == type }) else {
          continue
        }
        missing.removeAll { $0 == message }
        payload = message.metadata
      default: break
      }
      guard let payload, !unit.payload.elementsEqual(payload) else { continue }
      // The size is directly before the payload.
      let sizeCount = unit.hasSize ? Self.leb128(unit.payload.count).count : 0
      let start = unit.payload.startIndex - sizeCount
      guard start >= units.startIndex, !unit.hasSize || units[start...].starts(with: Self.leb128(unit.payload.count))
      else { return nil }
      patches.append(Patch(start..<unit.payload.endIndex, (unit.hasSize ? Self.leb128(payload.count) : []) + payload))
    }
    if insertsMetadata, let end, !missing.isEmpty {
      let added = missing.reduce(into: [UInt8]()) { bytes, message in
        bytes += [5 << 3 | 2] + Self.leb128(message.metadata.count) + message.metadata
      }
      patches.append(Patch(end..<end, added))
    }
    return patches
  }

  /// A number in groups of seven bits, lowest group first.
  private static func leb128(_ number: Int) -> [UInt8] {
    var (rest, bytes) = (number, [UInt8]())
    repeat {
      bytes.append(UInt8(rest & 0x7f) | (rest > 0x7f ? 0x80 : 0))
      rest >>= 7
    } while rest > 0
    return bytes
  }

  /// A sequence header of AV1: 5.5.1.
  private func writing(av1Sequence header: ArraySlice<UInt8>) -> [UInt8]? {
    guard colours != nil || isFullRange != nil || level != nil else { return Array(header) }
    let old = Bits(header)
    var (r, new) = (BitReader(header), Bits())
    var place: Int?
    guard let (profile, _, _) = r.skipToAV1Colour(levelPlace: &place) else { return nil }
    new.append(old[0..<r.position])
    let start = r.position
    if r.flag(), profile == 2 { r.skip(1) }
    let isGrey = profile != 1 && r.flag()
    new.append(old[start..<r.position])
    let hasCodes = r.flag()
    var current = hasCodes ? ColourDescription(&r) : ColourDescription()
    // Only this combination has another syntax: 5.5.2.
    guard !current.isSRGB || isGrey else { return nil }
    current.isFullRange = r.flag()
    let colours = applied(to: current)
    guard !r.isBroken, !colours.isSRGB || isGrey, let end = old.lastOne, r.position <= end else { return nil }
    new.append(hasCodes || self.colours != nil ? 1 : 0, count: 1)
    if hasCodes || self.colours != nil { new.append(colours) }
    new.append(colours.isFullRange ? 1 : 0, count: 1)
    new.append(old[r.position..<end])
    if let level, let place, let code = level.av1 {
      // From level 4.0 on, a tier follows.
      let oldCode = old[place..<place + 5].reduce(0) { $0 << 1 | Int($1) }
      let isReduced = old[4..<5].first == 1
      new.replace(at: place, with: code, count: 5)
      if !isReduced, code > 7, oldCode <= 7 { new.insert(0, at: place + 5) }
      if !isReduced, code <= 7, oldCode > 7 { new.remove(at: place + 5) }
    }
    new.append(1, count: 1)
    return new.bytes
  }

  /// A frame of VP9 with the colors, which are one code there; unchanged if it declares none, and `nil` if it has no
  /// code for the new ones: VP9 bitstream specification, 7.2.2.
  package func writing(vp9 frame: ArraySlice<UInt8>) -> [UInt8]? {
    guard colours != nil || isFullRange != nil else { return Array(frame) }
    guard let header = VP9Header(frame) else { return nil }
    // A frame that is shown again, or a frame with references, has none.
    guard header.isKey else { return Array(frame) }
    guard let format = header.format, !header.isDamaged, format.space != 7 else { return nil }
    var bits = Bits(frame.prefix(32))
    if let colours {
      let codes: [UInt16: Int] = [1: 2, 4: 1, 5: 1, 6: 3, 7: 4, 9: 5]
      guard let code = codes[colours.matrixCoefficients] else { return nil }
      bits.replace(at: format.place, with: code, count: 3)
    }
    bits.replace(at: format.place + 3, with: isFullRange ?? format.isFullRange ? 1 : 0, count: 1)
    return bits.bytes + frame.dropFirst(32)
  }

  /// A frame of ProRes with the colors in its header; `nil` if it has none, and for the full range, which it cannot
  /// declare.
  package func writing(proRes frame: ArraySlice<UInt8>) -> [UInt8]? {
    var bytes = Array(frame)
    guard ProResHeader(frame) != nil, isFullRange != true else { return nil }
    if let colours {
      let codes = [colours.primaries, colours.transferCharacteristics, colours.matrixCoefficients]
      bytes.replaceSubrange(ProResHeader.colours, with: codes.map { UInt8(truncatingIfNeeded: $0) })
    }
    return bytes
  }
}

extension ColourDescription {
  fileprivate var isSRGB: Bool { (primaries, transferCharacteristics, matrixCoefficients) == (1, 13, 0) }
}
