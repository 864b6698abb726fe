public import Bytes
public import ISOBMFF

/// One track of a movie: what its boxes say of it, and its samples.
///
/// Its boxes were read with the movie; of the media only what functions that throw ask for is read. What a damaged box
/// leaves unknown is `nil`, and a notice.
public struct Track: Sendable {
  /// What its box says of times and fragments.
  let description: TrackDescription
  /// What its box says besides.
  private(set) var properties: TrackProperties
  /// Its samples in decoding order.
  public internal(set) var samples: Samples
  /// The edits with which it is written, in the timescale of the movie that is written, for media that starts at 0.
  var writtenEdits: [EditListBox.Entry]
  let writtenTimescale: UInt32
  /// When its first sample is presented by the times of the sources, apart from empty edits; `nil` without samples.
  public let start: MediaTime?
  /// How long its samples are presented by the edit list of the file: without a delay before them, and without what is
  /// hidden.
  public let duration: MediaTime
  /// The timescale of the movie that it is in, in which the durations of its `edits` are.
  public let movieTimescale: UInt32

  /// The track of a movie with this number.
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

  /// The ID that fragments of its input name it by. Tracks of other inputs, such as those of several init segments, can have
  /// the same one; in what `Fragmenter` and `Defragmenter` write, each track has one of its own.
  public var id: UInt32 { description.id }
  /// Units of a second for its media.
  public var timescale: UInt32 { description.timescale }
  /// The kind of media, such as `vide` or `soun`.
  public var handler: FourCC { description.handler }
  /// Tracks of one input with the same number here are alternatives of each other, of which one is presented; 0 for none.
  public var alternateGroup: Int16 { description.alternateGroup }
  /// The edit list of the file: durations are in `movieTimescale`, media times in `timescale`; empty without one.
  public var edits: [EditListBox.Entry] { description.edits }
  /// The name of the input that has its movie box.
  public var inputName: String { properties.inputName }
  /// Whether it is presented unless someone chooses otherwise.
  public var isEnabled: Bool { properties.isEnabled }
  /// Whether the matrix turns its pictures by a quarter, so that width and height change places.
  public var isTurned: Bool { properties.isTurned }
  /// Whether it is the chapters of another track, and not subtitles; `nil` where a damaged box leaves that unknown.
  public var isChapters: Bool? { properties.isChapters }

  /// How its samples are coded, by sample description.
  public var decoderConfigurations: [DecoderConfiguration] { properties.configurations }
  /// How its samples are coded, each codec once, as RFC 6381 has it and the attribute CODECS of playlists.
  public var codecs: [String] {
    var result: [String] = []
    for configuration in decoderConfigurations where !configuration.codecs.isEmpty {
      if !result.contains(configuration.codecs) { result.append(configuration.codecs) }
    }
    return result
  }
  /// The size at which its pictures are shown: the clean aperture with square pixels, turned as the matrix turns it; `nil`
  /// without pictures.
  public var pictureSize: PictureSize? {
    decoderConfigurations.lazy.compactMap(\.pictures).first?.shownSize(isTurned: isTurned)
  }
  private var sound: SoundFormat? { decoderConfigurations.lazy.compactMap(\.sound).first }
  /// The number of channels of its sound; `nil` without sound, and where it is not known.
  public var channelCount: Int? { sound.flatMap { $0.channelCount > 0 ? $0.channelCount : nil } }
  /// How many samples a second its sound has; `nil` without sound, and where it is not known.
  public var sampleRate: Int? { sound.flatMap { $0.sampleRate > 0 ? $0.sampleRate : nil } }

  /// The language: its tag by BCP 47 where it has one (`elng`), else three letters of ISO 639-2; `nil` where it is not
  /// known.
  public var language: String? { (try? properties.language.get()) ?? nil }
  /// The scheme by which samples are encrypted, such as `cenc` or `cbcs`; `nil` where they are not, and where a damaged box
  /// leaves it unknown.
  public var protectionScheme: FourCC? { (try? properties.protectionScheme.get()) ?? nil }
  /// The language, or why the box that says it cannot be read.
  package func readLanguage() throws(MovieError) -> String? { try properties.language.get() }
  /// The scheme, or why the box that says it cannot be read.
  package func readProtectionScheme() throws(MovieError) -> FourCC? { try properties.protectionScheme.get() }

  /// What of its boxes cannot be read, and what is not known therefore.
  public var notices: [Notice] { properties.notices }

  /// The sum of the durations of its samples.
  public var mediaDuration: MediaTime { MediaTime(list.duration, timescale) }

  /// Whether it is in one input with a movie box with another track.
  public func isOfSameInput(as other: Track) -> Bool { properties.input == other.properties.input }

  var list: SampleList { samples.storage.list }
  var details: SampleDetails { samples.storage.details }

  /// The same with what a movie box says that was changed.
  func with(_ properties: TrackProperties) -> Track {
    var result = self
    result.properties = properties
    return result
  }

  /// The edits that are written where they are not more than a delay, a cut at the start and one at the end.
  var simpleEdit: SimpleEdit? {
    SimpleEdit(writtenEdits, list, timescale: timescale, movieTimescale: writtenTimescale)
  }
}
