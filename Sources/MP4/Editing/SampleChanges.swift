import ISOBMFF
import MP4Bytes

/// How headers of a codec are in samples.
enum HeaderSyntax {
  /// There are none.
  case none
  case av1, vp9, proRes
  /// As NAL units of H.264 or H.265.
  case units(NALUnits.Codec, lengthSize: Int)

  /// `nil` for a codec whose headers are not known here.
  init?(_ configuration: DecoderConfiguration) {
    switch configuration.codedFormat {
    case "av01": self = .av1
    case "vp09": self = .vp9
    case "apch", "apcn", "apcs", "apco", "ap4h", "ap4x": self = .proRes
    case _ where configuration.isUncompressedVideo: self = .none
    default:
      guard let (codec, lengthSize) = configuration.nalUnits else { return nil }
      self = .units(codec, lengthSize: lengthSize)
    }
  }
}

/// Changes of headers in samples.
struct SampleChanges {
  /// New bytes for a range of the file, which need not be as many.
  struct Splice {
    var range: Range<Int>
    var bytes: [UInt8]
    var growth: Int { bytes.count - range.count }
  }
  /// In the order of tracks and samples.
  private(set) var splices: [Splice] = []
  /// By track ID: samples whose sizes change, and by how much.
  private(set) var growths: [UInt32: [(sample: Int, growth: Int)]] = [:]
  var movesMedia: Bool { !growths.isEmpty }

  /// Adds the changes of a track; returns the number of changed samples.
  mutating func add(_ track: Track, _ writing: HeaderWriting) throws(MovieError) -> Int {
    let configurations = track.decoderConfigurations
    var headers = configurations.map { SampleHeaders($0, writing, track.id) }
    var count = 0
    for sample in track.samples {
      guard headers.indices.contains(sample.descriptionIndex - 1) else { continue }
      var (isChanged, growth) = (false, 0)
      for patch in try headers[sample.descriptionIndex - 1].patches(of: sample) {
        let range = sample.offset + patch.range.lowerBound..<sample.offset + patch.range.upperBound
        let splice = Splice(range: range, bytes: patch.bytes)
        isChanged = true
        growth += splice.growth
        splices.append(splice)
      }
      if isChanged { count += 1 }
      if growth != 0 { growths[track.id, default: []].append((sample.index, growth)) }
    }
    return count
  }
}

/// Finds the headers in the samples of one description, and writes them.
private struct SampleHeaders {
  typealias Patch = HeaderWriting.Patch
  private let configuration: DecoderConfiguration
  private let syntax: HeaderSyntax?
  private let writing: HeaderWriting
  private let track: UInt32
  private var window: ByteWindow?
  /// The latest sequence parameter set.
  private var sequence: SequenceParameters?
  /// The messages in the configuration.
  private let messages: [ArraySlice<UInt8>]
  /// The parameter sets, which are needed for slices only.
  private let slices: AVCSliceHeader
  /// Larger units are not parameter sets or messages with properties of pictures.
  private static let unitLimit = 1 << 20

  init(_ configuration: DecoderConfiguration, _ writing: HeaderWriting, _ track: UInt32) {
    (self.configuration, self.writing, self.track) = (configuration, writing, track)
    syntax = HeaderSyntax(configuration)
    sequence = configuration.sequenceParameters
    let arrays = configuration.box(HEVCConfigurationBox.self)?.arrays ?? []
    messages = arrays.filter { $0.nalUnitType == 39 }.flatMap { $0.nalUnits.map { $0.bytes[...] } }
    slices = AVCSliceHeader(configuration.parameterSets)
  }

  /// The changes of a sample, in order; their ranges are in the sample.
  mutating func patches(of sample: Sample) throws(MovieError) -> [Patch] {
    guard sample.size > 0 else { return [] }
    let writing = writing
    switch syntax {
    case .av1:
      guard sample.isSync else { return [] }
      let units = try start(of: sample, 4096)
      guard let patches = writing.patches(av1: units, insertsMetadata: !hasMetadata) else {
        throw refusal(sample, "its headers have no code for these values")
      }
      return patches.map { patch in
        let start = patch.range.lowerBound - units.startIndex
        return Patch(start..<start + patch.range.count, patch.bytes)
      }
    case .vp9: return try frame(sample, 32) { writing.writing(vp9: $0) }
    case .proRes:
      guard sample.size >= ProResHeader.byteCount else { return [] }
      let own = ProResHeader(try start(of: sample, ProResHeader.byteCount))?.fieldOrder
      if let order = writing.fieldOrder, let own, own != order {
        throw refusal(sample, "its header has the order '\(own.rawValue)'")
      }
      return try frame(sample, ProResHeader.byteCount) { writing.writing(proRes: $0) }
    case .units(let codec, let lengthSize): return try units(of: sample, codec, lengthSize)
    case .some(.none), nil: return []
    }
  }

  /// Whether the configuration of AV1 has all static metadata.
  private var hasMetadata: Bool {
    guard let units = configuration.box(AV1CodecConfigurationBox.self)?.configOBUs else { return false }
    return writing.hasMetadata(av1: units[...])
  }

  private func refusal(_ sample: Sample, _ reason: String) -> MovieError {
    let place = "sample \(sample.index + 1) of track \(track) at byte \(sample.offset)"
    return .impossible(
      file: sample.source.name, Obstacle("properties_not_written", "\(place) cannot be changed: \(reason)"))
  }

  /// A header of fixed size.
  private mutating func frame(
    _ sample: Sample, _ count: Int, _ write: (ArraySlice<UInt8>) -> [UInt8]?
  ) throws(MovieError) -> [Patch] {
    let old = try start(of: sample, count)
    guard let new = write(old) else { throw refusal(sample, "its header has no code for these values") }
    return old.elementsEqual(new) ? [] : [Patch(0..<old.count, new)]
  }

  private mutating func start(of sample: Sample, _ count: Int) throws(MovieError) -> ArraySlice<UInt8> {
    try bytes(of: sample, at: 0, min(count, sample.size))
  }
  private mutating func bytes(of sample: Sample, at place: Int, _ count: Int) throws(MovieError) -> ArraySlice<UInt8> {
    if window == nil { window = ByteWindow(sample.source, readAhead: 512) }
    do throws(IOError) { return try window?.slice(at: sample.offset + place, count: count) ?? [] } catch {
      throw .io(error)
    }
  }

  /// Parameter sets and messages come before the first slice.
  private mutating func units(
    of sample: Sample, _ codec: NALUnits.Codec, _ lengthSize: Int
  ) throws(MovieError) -> [Patch] {
    var (patches, place, found) = ([Patch](), 0, messages)
    while place + lengthSize < sample.size {
      let head = Array(try bytes(of: sample, at: place, min(lengthSize + 2, sample.size - place)))
      let length = head.prefix(lengthSize).reduce(0) { $0 << 8 | Int($1) }
      guard head.count > lengthSize, length > 0, length <= sample.size - place - lengthSize,
        let type = codec.type(head[lengthSize...])
      else { break }
      if codec.isSlice(type) {
        try checkFields(of: sample, codec, at: place + lengthSize, length)
        if sample.isSync, let unit = writing.missingMetadata(in: found, codec) {
          // At the start of a sample, the new bytes must belong to it and not to the one before.
          let first = head[..<lengthSize]
          patches.append(Patch(place..<place + lengthSize, try prefixed(unit, lengthSize, sample) + first))
        }
        break
      }
      let range = place..<place + lengthSize + length
      place = range.upperBound
      let isHeader = codec.isParameterSet(type) || codec.isMessage(type)
      guard isHeader, length <= Self.unitLimit else { continue }
      let old = try bytes(of: sample, at: range.lowerBound + lengthSize, length)
      if codec.isMessage(type) { found.append(ArraySlice(Array(old))) }
      if type == codec.sequenceParameterSet {
        sequence = codec == .avc ? SequenceParameters(avc: old) : SequenceParameters(hevc: old)
      }
      let bits = sequence?.timingBits
      let new = codec == .avc ? writing.writing(avcUnit: old, bits) : writing.writing(hevcUnit: old, bits)
      guard let new else {
        let reason = codec.isMessage(type) ? "its picture timing contradicts the new values" : "it cannot be read"
        throw refusal(sample, "NAL unit of type \(type): \(reason)")
      }
      if !old.elementsEqual(new) {
        patches.append(Patch(range, new.isEmpty ? [] : try prefixed(new, lengthSize, sample)))
      }
    }
    return patches
  }

  /// A unit after its length.
  private func prefixed(_ unit: [UInt8], _ lengthSize: Int, _ sample: Sample) throws(MovieError) -> [UInt8] {
    guard unit.count < 1 << (8 * lengthSize) else { throw refusal(sample, "its units would be too long") }
    return (0..<lengthSize).reversed().map { UInt8(unit.count >> (8 * $0) & 0xff) } + unit
  }

  /// Throws if a slice has another order of fields than the new one.
  private mutating func checkFields(
    of sample: Sample, _ codec: NALUnits.Codec, at place: Int, _ length: Int
  ) throws(MovieError) {
    guard let order = writing.fieldOrder, sample.isSync else { return }
    if codec == .hevc {
      if sequence?.areFields == true { throw refusal(sample, "each picture is a field") }
      return
    }
    guard sequence?.hasFields == true else {
      if order != .progressive { throw refusal(sample, "its pictures have no fields") }
      return
    }
    let slice = Array(try bytes(of: sample, at: place, min(length, 64)))
    let coded = slices.fields(of: [slice[...]])?.order
    if let coded, coded != order { throw refusal(sample, "its slices have the order '\(coded.rawValue)'") }
  }
}
