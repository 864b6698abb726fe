import ISOBMFF
import MP4
import MP4Bytes

/// What a check reads of the samples of a track: the starts of the NAL units and OBUs of sync samples, which are a few
/// percent of a file, and some frames of audio.
package struct ExaminedSamples: Sendable {
  /// The samples that are read.
  enum Extent: Sendable {
    /// Some of the first ones. Each sync sample of a presentation can be in another file on a server.
    case first
    /// Every sync sample of video, and frames of audio from the whole track.
    case wholeTrack
  }
  /// The samples with the same problem.
  struct Problem<Detail: Sendable>: Sendable {
    let detail: Detail
    let sample: Sample
    fileprivate(set) var count = 1

    /// Such as `sample 51, at byte 12345, and 3 more`.
    func words(in movie: CheckedMovie) -> String {
      let file =
        movie.files.count > 1 && movie.files.indices.contains(sample.sourceIndex)
        ? movie.files[sample.sourceIndex] : nil
      return "sample \(sample.index + 1), at byte \(sample.offset)\(file.map { " of \($0.name)" } ?? "")"
        + (count > 1 ? ", and \(count - 1) more" : "")
    }
  }

  /// The number of samples of which something was read.
  private(set) var count = 0
  /// Sync samples that consist of zeros.
  private(set) var zeros: Problem<Void>?
  /// Sync samples that do not have the format of their codec.
  private(set) var malformed: Problem<SampleMismatch>?
  /// Sync samples that contradict their sample entry.
  private(set) var differing: Problem<SampleMismatch>?
  /// Sync samples that are predicted from other pictures, with the type of their NAL units.
  private(set) var predicted: Problem<Int>?
  /// The first sync sample, if decoders cannot start at it and its leading pictures are presented, with the type of its
  /// NAL units.
  private(set) var unusualStart: Problem<Int>?
  /// Audio samples that are not frames of their codec, with its name and the distance to the frame that belongs there,
  /// if that was found.
  private(set) var noFrames: Problem<(codec: String, shift: Int?)>?

  /// Audio samples that are frames of their codec, but have a different number of channels than it declares.
  private(set) var otherChannels: Problem<Void>?

  /// Reads samples of a track. Samples whose bytes are not in the file are not examined.
  init(_ track: Track, _ extent: Extent) throws(MovieError) {
    var windows = Windows()
    let configurations = track.decoderConfigurations
    let first = track.firstSync()?.sample.index
    let presentsLeadingPictures = first.map { track.presentsLeadingPictures(of: track.samples[$0]) } ?? false
    for index in Self.chosen(track, extent) {
      let sample = track.samples[index]
      guard configurations.indices.contains(sample.descriptionIndex - 1) else { continue }
      let configuration = configurations[sample.descriptionIndex - 1]
      do throws(IOError) {
        if configuration.format != configuration.codedFormat {
          // Encrypted samples have no syntax.
          if index == first, track.handler == "vide" { count += 1 }
        } else if let (codec, lengthSize) = configuration.unitLengths {
          // If the handler is wrong, others are chosen, too.
          guard sample.isSync else { continue }
          let isStart = index == first && presentsLeadingPictures
          try examine(sample, codec, lengthSize, configuration, isStart: isStart, &windows)
        } else if configuration.format == "av01" {
          try examineAV1(sample, configuration, &windows)
        } else if let syntax = AudioFrameSyntax(configuration) {
          try examine(sample, syntax, &windows)
        } else if index == first, track.handler == "vide" {
          count += 1
        }
      } catch { throw .io(error) }
    }
  }
}

extension ExaminedSamples {
  private static let firstSyncLimit = 2
  private static let firstPictureLimit = 16
  private static let firstFrameLimit = 8
  private static let frameLimits = 64...2000
  /// The number of samples that are searched for the second sync sample.
  private static let groupLimit = 10_000
  /// The fraction of the media that is read if all samples are sync samples, and the number of bytes that are always
  /// read.
  private static let (share, minimum) = (25, 4 << 20)
  /// The number of bytes that are usually read of a picture.
  private static let pictureCost = 1024

  /// The indices of the samples to examine, in order.
  private static func chosen(_ track: Track, _ extent: Extent) -> [Int] {
    let samples = track.samples
    guard !samples.isEmpty else { return [] }
    let budget = max(minimum, samples.byteCount / share)
    if track.handler == "soun" {
      let cost = max(1, samples.byteCount / samples.count)
      let limit = min(frameLimits.upperBound, max(frameLimits.lowerBound, budget / cost))
      if extent == .first { return Array(0..<min(samples.count, firstFrameLimit)) }
      // Wrong offsets concern whole chunks, of which the first samples are examined.
      let starts = runStarts(samples)
      let others = starts.count < frameLimits.lowerBound ? spread(0..<samples.count, frameLimits.lowerBound) : []
      return Set(spread(starts, limit) + others + (0..<min(samples.count, firstFrameLimit))).sorted()
    }
    if samples.areAllSync {
      let first = Array(0..<min(samples.count, firstPictureLimit))
      return extent == .first ? first : Set(spread(0..<samples.count, budget / pictureCost) + first).sorted()
    }
    let sync = samples.lazy.filter(\.isSync).map(\.index)
    guard extent == .first, let first = sync.first else { return Array(sync) }
    let second = samples[first...].prefix(groupLimit).lazy.filter(\.isSync).map(\.index).prefix(firstSyncLimit)
    return Array(second)
  }

  /// At most `count` members of a collection, evenly distributed, with the first and the last one.
  private static func spread(_ indices: some RandomAccessCollection<Int>, _ count: Int) -> [Int] {
    guard indices.count > count, count > 1 else { return Array(indices) }
    return (0..<count).map { number in
      indices[indices.index(indices.startIndex, offsetBy: number * (indices.count - 1) / (count - 1))]
    }
  }

  /// The samples that do not follow the previous one in the file.
  private static func runStarts(_ samples: Samples) -> [Int] {
    var starts: [Int] = []
    var end: Int?
    for sample in samples {
      if sample.offset != end { starts.append(sample.index) }
      end = sample.offset + sample.size
    }
    return starts
  }

  /// Windows of the sources of samples.
  private struct Windows {
    private var current: (source: Int, window: ByteWindow)?

    mutating func bytes(at offset: Int, _ count: Int, of sample: Sample) throws(IOError) -> ArraySlice<UInt8> {
      var window: ByteWindow
      if let current, current.source == sample.sourceIndex {
        window = current.window
      } else {
        window = ByteWindow(sample.source, readAhead: 512)
      }
      current = nil
      defer { current = (sample.sourceIndex, window) }
      return try window.slice(at: offset, count: count)
    }
  }
}

extension ExaminedSamples {
  // MARK: Pictures

  private static let (unitLimit, headSize, setLimit) = (1 << 14, 64, 4096)

  private mutating func examine(
    _ sample: Sample, _ codec: NALUnits.Codec, _ lengthSize: Int, _ configuration: DecoderConfiguration,
    isStart: Bool, _ windows: inout Windows
  ) throws(IOError) {
    guard sample.size > 0 else { return }
    let units: [ArraySlice<UInt8>]
    switch try Self.units(of: sample, codec, lengthSize, &windows) {
    case .missing: return
    case .malformed:
      count += 1
      return try addMalformed(sample, .notNALUnits(lengthSize: lengthSize), &windows)
    case .parts(let found): units = found
    }
    count += 1
    switch configuration.fit(ofSyncUnits: units) {
    case .malformed(let mismatch): return Self.add(&malformed, mismatch, sample)
    case .differs(let mismatch): Self.add(&differing, mismatch, sample)
    case .fits, .unknown: break
    }
    let slices = units.lazy.compactMap { unit -> NALUnits.Unit? in
      guard let first = unit.first, let second = unit.dropFirst().first, codec.isBase(first, second),
        let type = codec.type(unit), codec.isSlice(type)
      else { return nil }
      return NALUnits.Unit(type: type, bytes: unit, isWhole: false)
    }
    guard let slice = slices.first else { return }
    // An AVC picture with only I slices can be a sync sample of an open GOP.
    if codec.isPredicted(slice) {
      Self.add(&predicted, slice.type, sample)
    } else if isStart, codec == .avc, slice.type != 5 {
      Self.add(&unusualStart, slice.type, sample)
    }
  }

  /// The parts of a sample.
  private enum Parts {
    case parts([ArraySlice<UInt8>])
    /// It does not consist of such parts.
    case malformed
    /// Its bytes are not in the source.
    case missing
  }

  /// The starts of the NAL units of a sample, and whole parameter sets.
  private static func units(
    of sample: Sample, _ codec: NALUnits.Codec, _ lengthSize: Int, _ windows: inout Windows
  ) throws(IOError) -> Parts {
    var units: [ArraySlice<UInt8>] = []
    var (at, end) = (sample.offset, sample.offset + sample.size)
    while at < end, units.count < unitLimit {
      let head = try windows.bytes(at: at, min(lengthSize + headSize, end - at), of: sample)
      guard head.count >= min(lengthSize + 1, end - at) else { return .missing }
      let length = head.prefix(lengthSize).reduce(0) { $0 << 8 | Int($1) }
      guard end - at >= lengthSize, length <= end - at - lengthSize else {
        // Zeros at the end are harmless.
        return !units.isEmpty && head.allSatisfy { $0 == 0 } ? .parts(units) : .malformed
      }
      at += lengthSize
      if length > 0 {
        var unit = head.dropFirst(lengthSize).prefix(length)
        if let type = codec.type(unit), codec.isParameterSet(type), unit.count < length {
          unit = try windows.bytes(at: at, min(length, setLimit), of: sample)
        }
        units.append(unit)
      } else if units.isEmpty || head.count < end - at + lengthSize {
        // Padding can be long.
        guard !units.isEmpty else { return .malformed }
        end = min(end, at + (1 << 16))
      }
      at += length
    }
    return units.isEmpty ? .malformed : .parts(units)
  }

  private mutating func addMalformed(
    _ sample: Sample, _ mismatch: SampleMismatch, _ windows: inout Windows
  ) throws(IOError) {
    let bytes = try windows.bytes(at: sample.offset, min(sample.size, 1 << 16), of: sample)
    if sample.size >= 16, bytes.allSatisfy({ $0 == 0 }) {
      Self.add(&zeros, (), sample)
    } else {
      Self.add(&malformed, mismatch, sample)
    }
  }

  private static func add<Detail>(_ problem: inout Problem<Detail>?, _ detail: Detail, _ sample: Sample) {
    if problem == nil { problem = Problem(detail: detail, sample: sample) } else { problem?.count += 1 }
  }

  /// Examines a temporal unit: AV1 Bitstream & Decoding Process Specification, 5.3.
  private mutating func examineAV1(
    _ sample: Sample, _ configuration: DecoderConfiguration, _ windows: inout Windows
  ) throws(IOError) {
    guard sample.size > 0 else { return }
    let start = try windows.bytes(at: sample.offset, min(sample.size, Self.setLimit), of: sample)
    guard start.count == min(sample.size, Self.setLimit) else { return }
    count += 1
    if case .differs(let mismatch) = configuration.fit(of: [start], size: sample.size) {
      Self.add(&differing, mismatch, sample)
    }
    var (at, units) = (sample.offset, 0)
    let end = sample.offset + sample.size
    while at < end, units < Self.unitLimit {
      let head = try windows.bytes(at: at, min(10, end - at), of: sample)
      guard let header = head.first else { return }
      at += header & 4 != 0 ? 2 : 1
      var length = end - at
      if header & 2 != 0 {
        var (value, used) = (0, 0)
        for byte in head.dropFirst(header & 4 != 0 ? 2 : 1).prefix(8) {
          value |= Int(byte & 0x7f) << (7 * used)
          used += 1
          if byte & 0x80 == 0 { break }
        }
        at += used
        length = value
      }
      guard header & 0x80 == 0, length >= 0, length <= end - at else {
        return try addMalformed(sample, .notOpenBitstreamUnits, &windows)
      }
      at += length
      units += 1
    }
  }

  // MARK: Audio

  private static let (frameSizeLimit, shiftLimit) = (1 << 16, 16)

  private mutating func examine(
    _ sample: Sample, _ syntax: AudioFrameSyntax, _ windows: inout Windows
  ) throws(IOError) {
    guard sample.size > 0, sample.size <= Self.frameSizeLimit else { return }
    let bytes = try windows.bytes(at: sample.offset, sample.size, of: sample)
    guard bytes.count == sample.size, let isFrame = syntax.accepts(bytes) else { return }
    count += 1
    guard !isFrame else { return }
    guard !syntax.acceptsWithOtherChannels(bytes) else { return Self.add(&otherChannels, (), sample) }
    var shift: Int?
    if noFrames == nil {
      let start = max(0, sample.offset - Self.shiftLimit)
      let around = try windows.bytes(at: start, sample.offset - start + sample.size + Self.shiftLimit, of: sample)
      let places = (1...Self.shiftLimit).flatMap { [$0, -$0] }
      shift = places.first { shift in
        let first = around.startIndex + (sample.offset - start) + shift
        guard first >= around.startIndex, first + sample.size <= around.endIndex else { return false }
        return syntax.accepts(around[first..<first + sample.size]) ?? false
      }
    }
    Self.add(&noFrames, (syntax.name, shift), sample)
  }
}

extension Track {
  /// The maximum number of pictures that are decoded after a picture and presented before it.
  private static let leadingLimit = 32

  /// Whether pictures are presented before a sync sample that are decoded after it. Cuts at an open GOP hide them.
  fileprivate func presentsLeadingPictures(of sample: Sample) -> Bool {
    samples[(sample.index + 1)...].prefix(Self.leadingLimit).contains {
      $0.compositionTime < sample.compositionTime && $0.presentationTime != nil
    }
  }
}
