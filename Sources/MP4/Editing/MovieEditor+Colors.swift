import ISOBMFF
import MP4Bytes

/// Colors that an editor declares: codes of ISO/IEC 23091-2.
public struct DeclaredColors: Sendable, Hashable {
  /// The code of the primaries.
  public var primaries: UInt8
  /// The code of the transfer characteristics.
  public var transfer: UInt8
  /// The code of the matrix coefficients.
  public var matrix: UInt8

  /// Colors with these codes.
  public init(primaries: UInt8, transfer: UInt8, matrix: UInt8) {
    (self.primaries, self.transfer, self.matrix) = (primaries, transfer, matrix)
  }

  /// Colors by their name, or by the three codes with slashes between them, such as `9/16/9`. Reserved codes, and the
  /// identity matrix, which is for RGB, are refused.
  public init?(_ text: String) {
    if let known = Self.named.first(where: { $0.name == text }) {
      self = known.colors
      return
    }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let codes = parts.compactMap { UInt8($0) }
    guard parts.count == 3, codes.count == 3, !codes.contains(0), !codes.contains(3) else { return nil }
    self.init(primaries: codes[0], transfer: codes[1], matrix: codes[2])
  }

  /// Colors with a common name.
  public static let named: [(name: String, colors: DeclaredColors)] = [
    ("bt709", DeclaredColors(primaries: 1, transfer: 1, matrix: 1)),
    ("bt601-525", DeclaredColors(primaries: 6, transfer: 6, matrix: 6)),
    ("bt601-625", DeclaredColors(primaries: 5, transfer: 6, matrix: 5)),
    ("bt2020", DeclaredColors(primaries: 9, transfer: 14, matrix: 9)),
    ("bt2020-pq", DeclaredColors(primaries: 9, transfer: 16, matrix: 9)),
    ("bt2020-hlg", DeclaredColors(primaries: 9, transfer: 18, matrix: 9)),
    ("p3-d65", DeclaredColors(primaries: 12, transfer: 1, matrix: 1)),
    ("p3-d65-pq", DeclaredColors(primaries: 12, transfer: 16, matrix: 9)),
    ("srgb", DeclaredColors(primaries: 1, transfer: 13, matrix: 1)),
  ]
}

extension MovieEditor {
  /// An editor that declares the colors of video tracks, or their range, everywhere: in the `colr` box, in the
  /// parameter sets of H.264 and H.265 and the headers of AV1, VP9 and ProRes, in sample entries and in samples.
  /// Pictures do not change, and samples keep their sizes.
  ///
  /// - Parameters:
  ///   - tracks: The tracks, which must be video.
  ///   - colors: The colors; `nil` keeps them.
  ///   - isFullRange: Whether values use the full range; `nil` keeps it.
  /// - Throws: `MovieError` also if headers in samples would become longer, or have no code for the colors.
  public func settingColors(
    of tracks: TrackSelection, to colors: DeclaredColors?, isFullRange: Bool? = nil
  ) throws -> MovieEditor {
    let colours = colors.map {
      ColourDescription(
        primaries: UInt16($0.primaries), transferCharacteristics: UInt16($0.transfer),
        matrixCoefficients: UInt16($0.matrix))
    }
    let writing = ColourWriting(colours, isFullRange: isFullRange)
    let payloads = MoviePayloads(source: source)
    let fileType = try fileType()
    var (isQuickTime, conversion) = (false, QuickTimeConversion(source))
    _ = try editingMovie { isQuickTime = try conversion.isQuickTime($0, fileType: fileType) }
    var (ids, notes): ([UInt32], [Diagnostic]) = ([], [])
    let edited = try editingTracks(tracks) { trak in
      let id = try trak.payload(["tkhd"], TrackHeaderBox.self, of: source)?.trackID ?? 0
      guard try trak.payload(["mdia", "hdlr"], HandlerBox.self, of: source)?.handlerType == "vide" else {
        throw MovieError.impossible(
          file: source.name, Obstacle("not_video", "track \(id) is not video, so it has no colors"))
      }
      ids.append(id)
      try trak.editBoxes(["mdia", "minf", "stbl", "stsd"]) { stsd in
        for index in stsd.boxes.indices where stsd.boxes[index].hasHeader {
          notes += try stsd.boxes[index].write(writing, isQuickTime: isQuickTime, track: id, payloads)
        }
      }
    }
    var overwrites: [Overwrite] = []
    for track in try Movie(reading: [source]).tracks where ids.contains(track.id) {
      if track.protectionScheme != nil {
        throw MovieError.impossible(
          file: source.name, Obstacle("encrypted", "track \(track.id) is encrypted; decrypt it first"))
      }
      for configuration in track.decoderConfigurations where ColourSyntax(configuration) == nil {
        let text =
          "track \(track.id): only `colr` is changed; the samples (\(configuration.codedFormat)) may declare other "
          + "colors"
        notes.append(Diagnostic(.warning, source.name, text))
      }
      let changed = try track.headersInSamples(writing)
      overwrites += changed.overwrites
      if changed.count > 0 {
        let text = "track \(track.id): the colors in \(counted(changed.count, "sample")) are changed too"
        notes.append(Diagnostic(.note, source.name, text))
      }
    }
    var editor = try edited.overwriting(overwrites)
    editor.diagnostics += notes
    return editor
  }
}

extension Box {
  /// Writes the colors into a sample entry. Returns notes about what is removed.
  fileprivate mutating func write(
    _ writing: ColourWriting, isQuickTime: Bool, track: UInt32, _ payloads: MoviePayloads
  ) throws(MovieError) -> [Diagnostic] {
    let path = "moov/trak/mdia/minf/stbl/stsd/\(type)/"
    func refusal(_ what: String) -> MovieError {
      .impossible(
        file: payloads.source.name,
        Obstacle("colors_not_written", "the colors in \(what) of track \(track) cannot be changed: \(Self.reason)"))
    }
    var declared: ColourDescription?
    if let box = first("avcC") {
      var avcC = try payloads.payload(of: box, in: path + "avcC", AVCConfigurationBox.self)
      for index in avcC.sequenceParameterSets.indices {
        let unit = avcC.sequenceParameterSets[index].nalUnit[...]
        guard let new = writing.writing(avc: unit) else { throw refusal("avcC") }
        declared = declared ?? SequenceParameters(avc: unit)?.colour
        avcC.sequenceParameterSets[index] = AVCConfigurationBox.ParameterSet(nalUnit: new)
      }
      edit("avcC") { $0.fields = .edited(avcC) }
    }
    if let box = first("hvcC") {
      var hvcC = try payloads.payload(of: box, in: path + "hvcC", HEVCConfigurationBox.self)
      for array in hvcC.arrays.indices where hvcC.arrays[array].nalUnitType == 33 {
        for index in hvcC.arrays[array].nalUnits.indices {
          let unit = hvcC.arrays[array].nalUnits[index].bytes[...]
          guard let new = writing.writing(hevc: unit) else { throw refusal("hvcC") }
          declared = declared ?? SequenceParameters(hevc: unit)?.colour
          hvcC.arrays[array].nalUnits[index] = HEVCConfigurationBox.NALUnit(bytes: new)
        }
      }
      edit("hvcC") { $0.fields = .edited(hvcC) }
    }
    if first("vvcC") != nil { throw refusal("H.266") }
    if let box = first("av1C") {
      var av1C = try payloads.payload(of: box, in: path + "av1C", AV1CodecConfigurationBox.self)
      if !av1C.configOBUs.isEmpty {
        guard let new = writing.writing(av1: av1C.configOBUs[...]) else { throw refusal("av1C") }
        declared = SequenceParameters(av1: av1C.configOBUs[...])?.colour
        av1C.configOBUs = new
      }
      edit("av1C") { $0.fields = .edited(av1C) }
    }
    if let box = first("vpcC") {
      var vpcC = try payloads.payload(of: box, in: path + "vpcC", VPCodecConfigurationBox.self)
      declared = ColourDescription(
        primaries: UInt16(vpcC.colourPrimaries), transferCharacteristics: UInt16(vpcC.transferCharacteristics),
        matrixCoefficients: UInt16(vpcC.matrixCoefficients), isFullRange: vpcC.videoFullRangeFlag)
      let new = writing.applied(to: declared)
      vpcC.colourPrimaries = UInt8(truncatingIfNeeded: new.primaries)
      vpcC.transferCharacteristics = UInt8(truncatingIfNeeded: new.transferCharacteristics)
      vpcC.matrixCoefficients = UInt8(truncatingIfNeeded: new.matrixCoefficients)
      vpcC.videoFullRangeFlag = new.isFullRange
      edit("vpcC") { $0.fields = .edited(vpcC) }
    }
    // An ICC profile would contradict the codes.
    var colr = ColourInformationBox()
    colr.colourType = isQuickTime ? "nclc" : "nclx"
    var notes: [Diagnostic] = []
    for box in boxes where box.type == "colr" {
      let old = try payloads.payload(of: box, in: path + "colr", ColourInformationBox.self)
      guard ["nclc", "nclx"].contains(old.colourType) else {
        let text = "track \(track): an ICC profile, which the colors contradict, is removed"
        notes.append(Diagnostic(.note, payloads.source.name, text))
        continue
      }
      colr.colourType = old.colourType
      declared = ColourDescription(
        primaries: old.colourPrimaries, transferCharacteristics: old.transferCharacteristics,
        matrixCoefficients: old.matrixCoefficients,
        isFullRange: old.colourType == "nclx" ? old.fullRangeFlag : declared?.isFullRange ?? false)
    }
    let new = writing.applied(to: declared)
    (colr.colourPrimaries, colr.transferCharacteristics) = (new.primaries, new.transferCharacteristics)
    (colr.matrixCoefficients, colr.fullRangeFlag) = (new.matrixCoefficients, new.isFullRange)
    // Only `nclx` says that values use the full range.
    if new.isFullRange { colr.colourType = "nclx" }
    boxes.removeAll { $0.type == "colr" }
    // Bytes that are not a box can end a sample entry of QuickTime.
    boxes.insert(Box(colr), at: boxes.lastIndex(where: \.hasHeader).map { $0 + 1 } ?? 0)
    return notes
  }

  private static let reason = "they cannot be read, would become longer, or this codec is not supported"
}

extension Track {
  /// The parts of samples that declare colors, with other ones.
  fileprivate func headersInSamples(
    _ writing: ColourWriting
  ) throws(MovieError) -> (overwrites: [MovieEditor.Overwrite], count: Int) {
    var (overwrites, count) = ([MovieEditor.Overwrite](), 0)
    let configurations = decoderConfigurations
    for sample in samples {
      guard configurations.indices.contains(sample.descriptionIndex - 1),
        case let configuration = configurations[sample.descriptionIndex - 1]
      else { continue }
      var changed = false
      for (range, write) in try sample.colourHeaders(of: configuration, writing) {
        let old = try sample.bytes(in: range)
        guard let new = write(old[...]) else {
          throw refusal(sample, "they have no code for these colors, or declare none and would become longer")
        }
        guard new.count == old.count else { throw refusal(sample, "the parameter sets there would become longer") }
        let differences = MovieEditor.Overwrite.differences(old, new, at: sample.offset + range.lowerBound)
        overwrites += differences
        changed = changed || !differences.isEmpty
      }
      if changed { count += 1 }
    }
    return (overwrites, count)
  }

  private func refusal(_ sample: Sample, _ reason: String) -> MovieError {
    let place = "sample \(sample.index + 1) of track \(id) at byte \(sample.offset)"
    return .impossible(
      file: sample.source.name,
      Obstacle("colors_not_written", "the colors in \(place) cannot be changed without changing its size: \(reason)"))
  }
}

/// How samples declare colors.
private enum ColourSyntax {
  /// They do not.
  case none
  case av1, vp9, proRes
  /// In parameter sets of H.264 or H.265.
  case units(NALUnits.Codec, lengthSize: Int)

  /// `nil` for a codec whose headers are not known here.
  init?(_ configuration: DecoderConfiguration) {
    switch configuration.codedFormat {
    case "av01": self = .av1
    case "vp09": self = .vp9
    case "apch", "apcn", "apcs", "apco", "ap4h", "ap4x": self = .proRes
    case _ where configuration.isUncompressedVideo: self = .none
    default:
      guard let (codec, lengthSize) = configuration.nalUnits, codec != .vvc else { return nil }
      self = .units(codec, lengthSize: lengthSize)
    }
  }
}

extension Sample {
  fileprivate typealias Header = (range: Range<Int>, write: (ArraySlice<UInt8>) -> [UInt8]?)

  /// The headers that declare colors, as ranges of the sample.
  fileprivate func colourHeaders(
    of configuration: DecoderConfiguration, _ writing: ColourWriting
  ) throws(MovieError) -> [Header] {
    switch ColourSyntax(configuration) {
    case .av1:
      guard isSync, size > 0 else { return [] }
      return [(0..<min(size, 4096), { SequenceParameters(av1: $0) == nil ? Array($0) : writing.writing(av1: $0) })]
    case .vp9: return size > 0 ? [(0..<min(size, 32), { writing.writing(vp9: $0) })] : []
    case .proRes:
      let count = ProResHeader.byteCount
      return size >= count ? [(0..<count, { writing.writing(proRes: $0) })] : []
    case .units(let codec, let lengthSize): return try parameterSets(codec, lengthSize, writing)
    case .some(.none), nil: return []
    }
  }

  /// The sequence parameter sets, which come before the first slice.
  private func parameterSets(
    _ codec: NALUnits.Codec, _ lengthSize: Int, _ writing: ColourWriting
  ) throws(MovieError) -> [Header] {
    var (window, place, found) = (ByteWindow(source, readAhead: 0), 0, [Header]())
    while place + lengthSize < size {
      let head: ArraySlice<UInt8>
      do throws(IOError) { head = try window.slice(at: offset + place, count: lengthSize + 1) } catch {
        throw .io(error)
      }
      let length = head.prefix(lengthSize).reduce(0) { $0 << 8 | Int($1) }
      guard head.count > lengthSize, length > 0, length <= size - place - lengthSize,
        let type = codec.type(head.dropFirst(lengthSize))
      else { break }
      place += lengthSize
      if type == codec.sequenceParameterSet {
        let range = place..<place + length
        let header: Header = (range, { codec == .avc ? writing.writing(avc: $0) : writing.writing(hevc: $0) })
        found.append(header)
      }
      if codec == .avc ? (1...5).contains(type) : type < 32 { break }
      place += length
    }
    return found
  }

  fileprivate func bytes(in range: Range<Int>) throws(MovieError) -> [UInt8] {
    do throws(IOError) { return try source.bytes(in: offset + range.lowerBound..<offset + range.upperBound) } catch {
      throw .io(error)
    }
  }
}
