public import Bytes
public import ISOBMFF

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
  package var keyIDs: [[UInt8]] {
    let all = description.encryption.flatMap { encryption in
      details.orderedKeyIDs(of: 0..<list.count, encryption).compactMap(\.self)
    }
    var known: Set<[UInt8]> = []
    return all.filter { known.insert($0).inserted }
  }

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
  /// the first parameter sets in the samples: at most 64 KiB of the first sync sample are read.
  public func videoRange() throws(MovieError) -> (range: VideoRange?, isSignalled: Bool) {
    guard let configuration = decoderConfigurations.first(where: { $0.pictures != nil }) else { return (.sdr, false) }
    if let range = configuration.videoRange { return (range, true) }
    let start = try samples.first(where: \.isSync)?.bytes(1 << 16)
    let sequence = start.flatMap { configuration.sequenceParameters(in: $0[...]) }
    if let range = sequence?.colour?.videoRange { return (range, true) }
    let isSDR = [configuration.colour, sequence?.colour].contains { $0?.hasPrimariesOfSDR ?? false }
    let isPlain = configuration.dolbyVision == nil && configuration.bitDepth ?? 8 <= 8
    return (isSDR || isPlain ? .sdr : nil, false)
  }
}

extension ColourDescription {
  /// The color primaries of BT.709, BT.601 and similar standards.
  fileprivate var hasPrimariesOfSDR: Bool { [1, 4, 5, 6, 7].contains(primaries) }
}
