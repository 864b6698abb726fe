public import ISOBMFF
public import MP4Bytes

/// A track of a movie: the properties in its boxes, and its samples.
///
/// Its boxes were read with the movie. Media is read only by throwing functions, and only as needed. Properties that
/// cannot be read because of damage are `nil`, with a diagnostic.
public struct Track: Sendable {
  /// The information in its box about times and fragments.
  private(set) var description: TrackDescription
  /// The other information in its box.
  private(set) var properties: TrackProperties
  /// Its samples in decoding order.
  public internal(set) var samples: Samples
  /// The edits that are written, in the timescale of the written movie, for media that starts at 0.
  var writtenEdits: [EditListBox.Entry]
  let writtenTimescale: UInt32
  /// The presentation time of its first sample in the sources, without empty edits; `nil` without samples.
  public let start: MediaTime?
  /// The presented duration of its samples according to the edit list, without a delay before them and without hidden
  /// samples.
  public let duration: MediaTime
  /// The offset from track times to presentation times in a movie without edit lists; `nil` if its edits say it.
  var presentationShift: Int64?
  /// The timescale of its movie, in which the durations of its `edits` are.
  public let movieTimescale: UInt32

  /// The track with this index.
  init(
    _ description: TrackDescription, _ properties: TrackProperties, _ samples: Samples, _ times: EditPlan.TrackTimes,
    writtenEdits: [EditListBox.Entry], writtenTimescale: UInt32
  ) {
    (self.description, self.properties, self.samples) = (description, properties, samples)
    (self.writtenEdits, self.writtenTimescale) = (writtenEdits, writtenTimescale)
    start = times.firstPresented
    movieTimescale = times.movieTimescale
    duration = samples.storage.presentation.duration
  }

  /// Its track ID in its input. Tracks of different inputs, such as several init segments, can have
  /// the same ID; `Fragmenter` and `Defragmenter` write distinct IDs.
  public var id: UInt32 { description.id }
  /// The media timescale.
  public var timescale: UInt32 { description.timescale }
  /// The handler type, such as `vide` or `soun`.
  public var handler: FourCC { description.handler }
  /// Tracks of one input with the same alternate group are alternatives, of which one is presented; 0 for none.
  public var alternateGroup: Int16 { description.alternateGroup }
  /// The edit list of the file: durations are in `movieTimescale`, media times in `timescale`; empty without one.
  public var edits: [EditListBox.Entry] { description.edits }
  /// The name of the input with its movie box.
  public var inputName: String { properties.inputName }
  /// Whether it is presented by default.
  public var isEnabled: Bool { properties.isEnabled }
  /// Whether the matrix rotates its video by 90 degrees, so that width and height are swapped.
  public var isRotated: Bool { properties.isRotated }
  /// Whether it contains the chapters of another track, and not subtitles; `nil` if unknown because of damage.
  public var isChapters: Bool? { properties.isChapters }

  /// The decoder configurations, by sample description.
  public var decoderConfigurations: [DecoderConfiguration] { properties.configurations }
  /// Its codecs without duplicates, as in RFC 6381 and in the CODECS attribute of playlists.
  public var codecs: [String] {
    var result: [String] = []
    for configuration in decoderConfigurations where !configuration.codecs.isEmpty {
      if !result.contains(configuration.codecs) { result.append(configuration.codecs) }
    }
    return result
  }
  /// The display size of its video: the clean aperture with square pixels, rotated by the matrix; `nil`
  /// without video.
  public var pictureSize: PictureSize? {
    decoderConfigurations.lazy.compactMap(\.pictures).first?.shownSize(isRotated: isRotated)
  }
  private var sound: SoundFormat? { decoderConfigurations.lazy.compactMap(\.sound).first }
  /// The number of audio channels; `nil` without audio, or if unknown.
  public var channelCount: Int? { sound.flatMap { $0.channelCount > 0 ? $0.channelCount : nil } }
  /// The audio sample rate; `nil` without audio, or if unknown.
  public var sampleRate: Int? { sound.flatMap { $0.sampleRate > 0 ? $0.sampleRate : nil } }

  /// The language: its BCP 47 tag if it has one (`elng`), else three letters of ISO 639-2; `nil` if
  /// unknown.
  public var language: String? { (try? properties.language.get()) ?? nil }
  /// The encryption scheme, such as `cenc` or `cbcs`; `nil` if it is clear, or unknown because of
  /// damage.
  public var protectionScheme: FourCC? { (try? properties.protectionScheme.get()) ?? nil }
  /// The language, or why its box cannot be read.
  package func readLanguage() throws(MovieError) -> String? { try properties.language.get() }
  /// The scheme, or why its box cannot be read.
  package func readProtectionScheme() throws(MovieError) -> FourCC? { try properties.protectionScheme.get() }

  /// Problems with its boxes, and the properties that are therefore unknown.
  public var diagnostics: [Diagnostic] { properties.diagnostics }

  /// The time span in which it is presented, according to the edit list of the file; `nil` if it never is. The
  /// presentation starts at 0.
  public var presentedTimes: Range<MediaTime>? { samples.storage.presentation.span }
  /// Whether its media is presented at the same times as that of another track, according to their edit lists and
  /// within their precision. Times are relative to the given ones, where the movies start.
  package func isPresented(from start: MediaTime, like other: Track, from otherStart: MediaTime) -> Bool {
    samples.storage.presentation.presents(
      from: start, like: other.samples.storage.presentation, from: otherStart,
      tolerance: MediaTime(1, movieTimescale) + MediaTime(1, other.movieTimescale))
  }
  /// The media time at which the presentation starts; for tracks without an edit list, the difference of media times
  /// and presentation times.
  package var mediaStart: MediaTime { samples.storage.presentation.origin }
  /// The presentation time at which each of its `edits` starts.
  package var editStarts: [MediaTime] { edits.isEmpty ? [] : samples.storage.presentation.starts }
  /// Whether its samples are presented in decoding order.
  package var isInOrder: Bool { list.compositionOffsets.lowerBound == list.compositionOffsets.upperBound }

  /// The smallest and the largest composition offset of its samples.
  package var compositionOffsets: ClosedRange<MediaTime> {
    let offsets = list.compositionOffsets
    return MediaTime(offsets.lowerBound, timescale)...MediaTime(offsets.upperBound, timescale)
  }
  /// The sum of the durations of its samples.
  public var mediaDuration: MediaTime { MediaTime(list.duration, timescale) }

  /// The largest composition end of its samples, relative to the decode time of the first.
  package var compositionEnd: MediaTime { MediaTime(list.compositionEnd, timescale) }

  /// Whether both tracks are in the same input with a movie box.
  public func isOfSameInput(as other: Track) -> Bool { properties.input == other.properties.input }

  var list: SampleList { samples.storage.list }
  var details: SampleAuxiliaryInfo { samples.storage.details }

  /// Sets the timescale, for samples in that timescale.
  mutating func setTimescale(_ timescale: UInt32) { description.timescale = timescale }

  /// The same track with properties from another movie box.
  func with(_ properties: TrackProperties) -> Track {
    var result = self
    result.properties = properties
    return result
  }

  /// The same track with samples that are encrypted by the parameters of their descriptions.
  func with(_ samples: Samples, _ encryption: [TrackEncryption?]) -> Track {
    var result = self
    result.samples = samples
    result.description.encryption = encryption
    result.description.descriptionCount = encryption.count
    return result
  }

  /// The keys of its samples without duplicates, in the order of their first samples; without samples, the default
  /// keys.
  public var keyIDs: [[UInt8]] {
    let all = description.encryption.flatMap { encryption in
      details.orderedKeyIDs(of: 0..<list.count, encryption).compactMap(\.self)
    }
    var known: Set<[UInt8]> = []
    return all.filter { known.insert($0).inserted }
  }

  /// The default keys of its sample entries.
  package var defaultKeyIDs: [[UInt8]] { description.encryption.compactMap { $0?.usedKeyID } }

  /// The written edits if they consist only of a delay, a trimmed start and a trimmed end.
  var simpleEdit: SimpleEdit? {
    SimpleEdit(writtenEdits, list, timescale: timescale, movieTimescale: writtenTimescale)
  }
}

extension Track {
  /// The video range, and whether it is declared. It is SDR if nothing is declared and
  /// samples have 8 bits or SDR colors; `nil` if it is unknown.
  ///
  /// It is declared by the sample entry (`colr`, the decoder configuration, that of Dolby Vision) or else by
  /// the first headers in the samples: at most 64 KiB of the first sync sample are read.
  public func videoRange() throws(MovieError) -> (range: VideoRange?, isSignalled: Bool) {
    guard let configuration = decoderConfigurations.first(where: { $0.pictures != nil }) else { return (.sdr, false) }
    if let range = configuration.videoRange { return (range, true) }
    let start = try samples.first(where: \.isSync)?.bytes(1 << 16)
    let sequence = start.flatMap { configuration.sequenceParameters(in: $0[...]) }
    let colour = sequence?.colour ?? start.flatMap { ProResHeader($0[...])?.colour }
    if let range = colour?.videoRange { return (range, true) }
    let isSDR = [configuration.colour, colour].contains { $0?.hasPrimariesOfSDR ?? false }
    let isPlain = configuration.dolbyVision == nil && configuration.bitDepth ?? 8 <= 8
    return (isSDR || isPlain ? .sdr : nil, false)
  }
}

extension ColourDescription {
  /// The color primaries of BT.709, BT.601 and similar standards.
  fileprivate var hasPrimariesOfSDR: Bool { [1, 4, 5, 6, 7].contains(primaries) }
}

/// A sample in composition order.
package struct ShownSample: Sendable {
  /// Its index in the track.
  package let index: Int
  /// Its composition time, relative to the first decode time.
  fileprivate let time: Int64
  /// The time from its composition time to that of the next sample, in units of the media timescale; for the last
  /// sample, its own duration. The decoding duration can differ: with reordering and a variable rate, it is that of
  /// another picture.
  package let duration: Int64
}

extension Track {
  /// Calls `body` for each sample in composition order.
  package func forEachShownSample(_ body: (ShownSample) -> Void) {
    var walk = SampleWalk(list)
    if isInOrder {
      while walk.sample < list.count {
        body(ShownSample(index: walk.sample, time: walk.compositionTime, duration: walk.duration))
        walk.advance()
      }
      return
    }
    var times: [(time: Int64, index: Int)] = []
    times.reserveCapacity(list.count)
    while walk.sample < list.count {
      times.append((walk.compositionTime, walk.sample))
      walk.advance()
    }
    times.sort { ($0.time, $0.index) < ($1.time, $1.index) }
    for place in times.indices {
      let (time, index) = times[place]
      let next = place + 1 < times.count ? times[place + 1].time : time &+ list.duration(index)
      body(ShownSample(index: index, time: time, duration: next &- time))
    }
  }

  /// The times at which a sample is seen, up to the next one: one for each edit that shows at least a part of it.
  package func presentations(of shown: ShownSample) -> [Range<MediaTime>] {
    samples.storage.presentation.presentations(of: shown.time, lasting: shown.duration)
  }
}

/// What a track is for, according to its user data.
extension Track {
  /// A role: a value of a scheme, such as `commentary` of `urn:mpeg:dash:role:2011`. ISO/IEC 14496-12:2022, 8.10.4.
  package struct Role: Hashable, Sendable {
    /// The scheme of the roles of DASH.
    package static let dash = "urn:mpeg:dash:role:2011"
    package var scheme: String
    package var value: String

    package init(scheme: String = Self.dash, value: String) { (self.scheme, self.value) = (scheme, value) }
  }

  /// The most bytes of a name or role that are read.
  private static let mostBytes = 1 << 12

  /// The roles of the track.
  package func readRoles() throws(MovieError) -> [Role] {
    var roles: [Role] = []
    for box in userData("kind") {
      // Version and flags, then two strings that end with zero.
      let parts = try bytes(of: box).dropFirst(4).split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
      guard let scheme = parts.first else { continue }
      let value = parts.dropFirst().first ?? []
      roles.append(Role(scheme: String(decoding: scheme, as: UTF8.self), value: String(decoding: value, as: UTF8.self)))
    }
    return roles
  }

  /// The name that its author gave it in its user data (`name`); `nil` without one. Handler names are not used, because
  /// most are those of writers.
  package func readName() throws(MovieError) -> String? {
    guard let box = userData("name").first else { return nil }
    let name = Self.text(try bytes(of: box))
    return name.isEmpty ? nil : name
  }

  private func userData(_ type: FourCC) -> [Box] {
    properties.box.boxes.filter { $0.type == "udta" }.flatMap(\.boxes).filter { $0.type == type }
  }

  private func bytes(of box: Box) throws(MovieError) -> [UInt8] {
    let sources = samples.storage.sources
    guard let payload = box.header?.payload, sources.indices.contains(box.source) else { return [] }
    var window = ByteWindow(sources[box.source])
    do throws(IOError) {
      return Array(try window.slice(at: payload.lowerBound, count: min(payload.count, Self.mostBytes)))
    } catch { throw .io(error) }
  }

  /// Text up to a zero, on one line and without quotation marks.
  private static func text(_ bytes: [UInt8]) -> String {
    let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    let clean = text.unicodeScalars.map { scalar in
      scalar == "\"" ? "'" : scalar.value < 0x20 || scalar.value == 0x7f ? " " : scalar
    }
    var result = String(String.UnicodeScalarView(clean))[...]
    while result.last == " " { result.removeLast() }
    while result.first == " " { result.removeFirst() }
    return String(result)
  }
}

/// A sample with its presentation time.
package struct TimedSample: Sendable {
  /// When it appears, relative to the start of the presentation.
  package let start: MediaTime
  /// When it disappears.
  package let end: MediaTime
  /// Its data.
  package let bytes: [UInt8]
}

/// The samples of a subtitle or text track, which are small and few.
extension Track {
  /// Calls `body` for the presented samples, in decoding order, until it returns false.
  ///
  /// - Returns: The number of samples that were skipped because they are larger than `limit` bytes or incomplete in the
  ///   file.
  @discardableResult package func forEachTimedSample(
    limit: Int = 1 << 20, _ body: (TimedSample) -> Bool
  ) throws(MovieError) -> Int {
    guard simpleEdit != nil || edits.isEmpty else { return try forEachPresentation(limit: limit, body) }
    let sources = samples.storage.sources
    let (shift, end) = presentation
    var (source, window) = (-1, ByteWindow(sources[0]))
    var walk = SampleWalk(list)
    var skipped = 0
    while walk.sample < list.count {
      defer { walk.advance() }
      let (size, start) = (walk.size, walk.compositionTime &+ shift)
      let times = max(0, start)..<max(0, start, min(start &+ walk.duration, end))
      guard !times.isEmpty else { continue }
      guard size <= limit else {
        skipped += 1
        continue
      }
      let (own, offset) = (list.source(of: walk.sample), list.columns.offset(walk.sample))
      if source != own { (source, window) = (own, ByteWindow(sources[own])) }
      let bytes: [UInt8]
      do throws(IOError) { bytes = Array(try window.slice(at: offset, count: size)) } catch { throw .io(error) }
      guard bytes.count == size else {
        skipped += 1
        continue
      }
      let sample = TimedSample(
        start: MediaTime(times.lowerBound, timescale), end: MediaTime(times.upperBound, timescale), bytes: bytes)
      guard body(sample) else { break }
    }
    return skipped
  }

  /// The same for an edit list that can present a sample several times, or in part.
  private func forEachPresentation(limit: Int, _ body: (TimedSample) -> Bool) throws(MovieError) -> Int {
    var skipped = 0
    for sample in samples {
      let presentations = sample.presentations
      if presentations.isEmpty { continue }
      let bytes = sample.size <= limit ? try sample.bytes(sample.size) : []
      guard bytes.count == sample.size else {
        skipped += 1
        continue
      }
      for times in presentations {
        func time(_ time: MediaTime) -> MediaTime { MediaTime(time.converted(to: timescale).value, timescale) }
        let own = TimedSample(start: time(times.lowerBound), end: time(times.upperBound), bytes: bytes)
        guard body(own) else { return skipped }
      }
    }
    return skipped
  }

  /// The end of its presentation in the written movie, which starts at 0.
  package var end: MediaTime { MediaTime(presentation.end, timescale) }

  /// The offset from the times of the media to presentation times, if the edit list is simple.
  package var timeShift: MediaTime {
    MediaTime(presentation.shift, timescale) - MediaTime(samples.storage.start, timescale)
  }

  /// The offset from track times to presentation times, and the end of the presentation.
  private var presentation: (shift: Int64, end: Int64) {
    let edit = simpleEdit ?? SimpleEdit()
    let shift = edit.delay &- edit.mediaTime
    return (shift, list.compositionEnd &+ shift &- edit.cutAtEnd)
  }
}
