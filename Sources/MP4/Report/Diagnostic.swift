public import ISOBMFF
public import MP4Bytes

/// A diagnostic of an operation: values, from which messages and JSON are created.
public struct Diagnostic: Sendable, Equatable {
  /// The severity of a diagnostic.
  public enum Severity: Sendable, Comparable {
    /// Information; the presentation did not change.
    case note
    /// Something was repaired, or players may fail; nothing was lost.
    case warning
    /// Something was lost or could not be read.
    case error
  }
  /// A track of an input.
  public struct Track: Sendable, Equatable {
    /// Its index in the tracks of the report.
    public var index: Int
    /// Its ID in the input.
    public var id: UInt32
    /// The media timescale.
    public var timescale: UInt32
    /// The media time at which the presentation starts.
    public var mediaStart = MediaTime(0, 1)

    /// A time or a duration in its timescale.
    public func time(_ value: Int64) -> MediaTime { MediaTime(value, timescale) }
    /// A media time, relative to the start of the presentation.
    public func presentationTime(_ value: Int64) -> MediaTime { time(value) - mediaStart }
  }
  /// A part of the timeline of a track, in its timescale.
  public struct Span: Sendable, Equatable {
    /// Its start.
    public var time: Int64
    /// Its duration.
    public var duration: Int64
    /// The number of samples; 0 if it is not about samples.
    public var samples = 0
    /// The index of the input with the fragment before it.
    public var before: Int?
    /// The index of the input with the fragment after it.
    public var after: Int?
  }
  /// The problems with the times that the fragments of a track declare.
  public enum Timing: Sendable, CaseIterable {
    /// A gap; the previous sample was extended.
    case gap
    /// A fragment starts within the last sample of the previous one, which was shortened.
    case stepBack
    /// Samples are repeated and used once.
    case repeated
    /// Samples were omitted because a later fragment has different ones at the same times.
    case replaced
    /// The same, as requested.
    case replacedAsAsked
    /// Samples were omitted because an earlier fragment has different ones at the same times, as requested.
    case keptAsAsked
    /// The sample durations in a fragment extend past the start of the next one; they were scaled.
    case overrun
    /// A fragment declares an impossibly large time; its samples follow the previous ones.
    case impossible
  }
  /// Problems with the sample description numbers of samples.
  public enum Description: Sendable {
    /// There is no such description; the last one is used.
    case unknown
    /// The number is 0, but numbers start at 1; 1 is used.
    case zero
  }
  /// What happened where samples of a track follow others that do not precede them in the source.
  public enum JointChange: Sendable, CaseIterable {
    /// A CRA picture (H.265) became a BLA picture.
    case brokenLink
    /// An end of sequence was inserted before a CRA picture (H.266).
    case endOfSequence
    /// Hidden samples that are repeated after a joint were omitted.
    case repeated
    /// A hidden sync sample before a joint is no longer marked as one.
    case hiddenSync
    /// Decoding continues at an H.264 picture that is not an IDR picture, and outputs the pictures in their order.
    case continued
    /// The same, but pictures are output in another order.
    case disordered
    /// The sample cannot be read, for example because it is encrypted.
    case unknown
  }
  /// The kinds of diagnostics.
  public enum Kind: Sendable, Equatable {
    /// Times of fragments were repaired.
    case timing(Timing, [Span])
    /// Fragments are not in time order; this number of them was moved.
    case reordered(fragments: Int)
    /// Samples without data were omitted.
    case missingData([Span])
    /// A top-level box is damaged; the next box was found at an offset, or nothing follows.
    case damagedBox(FourCC, BoxError, next: Int?)
    /// Media data at the end of a file is shorter than its size declares, but has all samples.
    case excessiveSize(FourCC, BoxError)
    /// A box of a fragment is damaged. `time` is the start of the track fragment.
    case damagedInFragment(path: String, BoxError, time: Int64?)
    /// Bytes that are not a box.
    case notABox(Range<Int>, isOmitted: Bool)
    /// Zeros after the last box of a file.
    case zeros(Range<Int>)
    /// A fragmented file ends inside the header of a box, of which it has these bytes.
    case cutHeader(Range<Int>)
    /// A track run with impossible samples. `time` is the start of the track fragment.
    case impossibleRun(path: String, offset: Int, reason: String, time: Int64?)
    /// A track run without a track fragment header.
    case noTrackHeader(path: String)
    /// A fragment of a track that the movie does not declare.
    case unknownTrack(path: String, id: UInt32)
    /// Boxes that have no place in a progressive file.
    case noPlace(FourCC, count: Int)
    /// Boxes between the fragments that are not carried over to other fragments.
    case omitted(FourCC, count: Int)
    /// Media at the start or end of a track, of this duration, is presented although an edit list hid it.
    case presented(Int64, isStart: Bool)
    /// An edit list has several parts or another speed; the times of segments are those of the media.
    case severalEdits
    /// Segments are longer than requested, because there is no sync sample at which they could end.
    case longSegments(count: Int, longest: MediaTime)
    /// Composition offsets as low as this amount below 0, which some players present later by this amount.
    case negativeOffsets(Int64)
    /// Boxes of fragments whose sample information is not carried over.
    case notCarried(FourCC, count: Int)
    /// Boxes of the movie box whose sample information is not carried over.
    case notCarriedOfMovie([FourCC])
    /// Fragments are encrypted with different parameters from those of the track, which sample tables cannot express.
    case otherEncryption(fragments: Int)
    /// Samples need an initialization vector, but have none.
    case undecryptable(samples: Int)
    /// Metadata items that are incomplete in their file.
    case lostItems(Int)
    /// Samples refer to a sample description that does not exist.
    case undescribed(Description, samples: Int)
    /// A track has no samples.
    case emptyTrack
    /// Gaps longer than a sample can last, the first at `time`.
    case gapTooLong(count: Int, time: Int64?)
    /// All tracks were moved so that the presentation starts at 0, or at the nearest time that is exact for all tracks.
    case rebased(MediaTime, to: MediaTime = MediaTime(0, 1))
    /// The presentation starts with its first picture, at this media time; the audio before it is hidden.
    case hiddenPriming(MediaTime)
    /// The start of a track could not be expressed exactly.
    case roundedStart
    /// Without its edit list, a track is presented at another time.
    case shifted
    /// The tracks of a second movie were merged with those of the first.
    case combined(with: String)
    /// This input has the same movie box as another, but different samples at the same times; its tracks were added
    /// beside those.
    case equalMovie(as: String)
    /// This input has the same movie box and samples as another; they are used once.
    case copy(of: String)
    /// This segment does not match the preceding init segment, and was omitted.
    case misfit(of: String, SegmentMisfit)
    /// Base data offsets of fragments are out of date; the start of the fragment was used instead. The first one
    /// is at an offset.
    case staleBases(fragments: Int, first: Int)
    /// A box of a second movie box was omitted, because the first has a different one.
    case otherMovieBox(FourCC, of: String)
    /// A QuickTime movie was converted to an ISO file.
    case converted
    /// The QuickTime sample format of a track was replaced by that of ISO files.
    case renamedFormat(FourCC, FourCC)
    /// The format of samples is defined only for QuickTime; their description is kept.
    case quickTimeOnly(FourCC, name: String)
    /// The file is already progressive.
    case progressive
    /// The tables of a movie box contradict each other or are damaged; they are re-created from the samples.
    case rebuilt(TableProblem)
    /// The samples of a track cannot be found, or the track cannot be used; this number of samples is omitted.
    case lostTrack(MovieError, samples: Int)
    /// Segments were sorted by time, or by name if their times overlap.
    case segmentsSorted(byName: Bool)
    /// There is a gap between another segment and this one.
    case segmentGap(after: String, MediaTime)
    /// This segment starts before another one ends.
    case segmentOverlap(of: String, MediaTime)
    /// This segment has the same times as another one, and the same size or not.
    case segmentTwice(of: String, isSameSize: Bool)
    /// A live segment is longer than the declared target duration; `needed` would be sufficient.
    case overTarget(segment: String, duration: MediaTime, declared: Int, needed: Int)
    /// The first samples of this number of joints of a track that do not start with an IDR picture.
    case joints(JointChange, count: Int)
    /// A diagnostic that consists only of its message.
    case other(Severity, String)
  }
  /// The kind of diagnostic.
  public var kind: Kind
  /// The file.
  public var file: String
  /// The track, if it is about one.
  public var track: Track?

  package init(_ kind: Kind, _ file: String, _ track: Track? = nil) {
    self.kind = kind
    self.file = file
    self.track = track
  }
  /// A diagnostic that consists only of its message.
  package init(_ severity: Severity, _ file: String, _ text: String) { self.init(.other(severity, text), file) }
}

extension Diagnostic.Kind {
  /// Bytes of a file that are not a box. Too few bytes for a header at the end of a fragmented file are the start of a
  /// box that was cut off.
  static func remainder(_ range: Range<Int>, isOmitted: Bool, endsFragments: Bool) -> Self {
    endsFragments && range.count < 8 ? .cutHeader(range) : .notABox(range, isOmitted: isOmitted)
  }
}

extension Diagnostic {
  /// The severity.
  public var severity: Severity {
    switch kind {
    case .timing(.replaced, _), .missingData, .damagedBox, .cutHeader, .impossibleRun, .noTrackHeader,
      .unknownTrack, .notCarried, .notCarriedOfMovie, .otherEncryption, .lostItems, .undescribed(.unknown, _),
      .gapTooLong, .lostTrack, .misfit:
      .error
    case .timing(.replacedAsAsked, _), .timing(.keptAsAsked, _): .note
    case .timing, .undescribed(.zero, _), .undecryptable, .roundedStart, .shifted, .presented, .rebuilt,
      .severalEdits, .segmentsSorted(byName: true), .segmentGap, .equalMovie, .copy, .staleBases,
      .segmentOverlap, .segmentTwice, .quickTimeOnly, .overTarget, .excessiveSize, .zeros, .joints(.continued, _),
      .joints(.disordered, _), .joints(.unknown, _):
      .warning
    // Fewer bytes than a box header contain no data.
    case .notABox(let range, _): range.count < 8 ? .note : .error
    case .reordered, .noPlace, .omitted, .longSegments, .negativeOffsets, .emptyTrack, .rebased, .hiddenPriming,
      .combined, .otherMovieBox, .progressive, .segmentsSorted(byName: false), .converted, .renamedFormat, .joints:
      .note
    case .damagedInFragment(let path, _, _): path.hasSuffix("mfhd") ? .warning : .error
    case .other(let severity, _): severity
    }
  }

  /// Whether it only reports that the media starts at another time than 0, which is normal for the segments of a
  /// playlist.
  public var isMediaStart: Bool {
    switch kind {
    case .rebased(_, let new): new.value == 0
    case .hiddenPriming: true
    default: false
    }
  }
}

extension [Diagnostic] {
  /// The same diagnostics, whose messages have times relative to the start of the presentation.
  func relative(to origin: PresentationOrigin) -> [Diagnostic] {
    map { diagnostic in
      var result = diagnostic
      result.track?.mediaStart = origin.start
      return result
    }
  }
}

extension [TrackDescription] {
  /// The track at `index`, as diagnostics name it.
  func reference(_ index: Int) -> Diagnostic.Track {
    Diagnostic.Track(index: index, id: self[index].id, timescale: self[index].timescale)
  }
}

extension [Track] {
  /// The track at `index`, as diagnostics name it.
  func reference(_ index: Int) -> Diagnostic.Track {
    Diagnostic.Track(index: index, id: self[index].id, timescale: self[index].timescale)
  }
}
