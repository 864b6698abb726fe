public import Bytes
public import ISOBMFF

/// Something that an operation met and that its user may want to know: values, of which sentences and JSON are made.
public struct Notice: Sendable, Equatable {
  /// How much it matters.
  public enum Severity: Sendable, Comparable {
    /// Nothing of the presentation changed.
    case note
    /// Times were repaired, and nothing was lost.
    case warning
    /// Something was lost or could not be read.
    case loss
  }
  /// A track as an input has it.
  public struct Track: Sendable, Equatable {
    /// Which of the tracks of the report.
    public var index: Int
    /// Its ID in the input.
    public var id: UInt32
    /// Units of a second for its times.
    public var timescale: UInt32

    /// A time of it.
    public func time(_ value: Int64) -> MediaTime { MediaTime(value, timescale) }
  }
  /// A part of the timeline of a track, in its timescale as the input declares it.
  public struct Span: Sendable, Equatable {
    /// Where it starts.
    public var time: Int64
    /// How long it lasts.
    public var duration: Int64
    /// How many samples it is about; 0 where it is not about samples.
    public var samples = 0
    /// Which of the inputs the fragment before it is in.
    public var before: Int?
    /// Which of the inputs the fragment after it is in.
    public var after: Int?
  }
  /// What can be wrong with the times that the fragments of a track declare.
  public enum Timing: Sendable, CaseIterable {
    /// Nothing is presented for so long; the sample before was made longer.
    case gap
    /// A fragment starts within the last sample of the one before, which was shortened.
    case stepBack
    /// Samples are given twice and used once.
    case repeated
    /// Samples were left out for others that a later fragment gives for their times.
    case replaced
    /// The same where that was asked for.
    case replacedAsAsked
    /// Samples were left out for others that an earlier fragment gives for their times, as was asked for.
    case keptAsAsked
    /// The durations in a fragment run past the start of the next; they were scaled.
    case overrun
    /// A fragment declares a time that no recording reaches; its samples follow those before.
    case impossible
  }
  /// What is wrong with the sample descriptions that samples name.
  public enum Description: Sendable {
    /// There are not so many; the last one is taken.
    case unknown
    /// It is 0, where counting starts at 1; it was taken as 1.
    case zero
  }
  /// What it is.
  public enum Kind: Sendable, Equatable {
    /// Times of fragments were repaired.
    case timing(Timing, [Span])
    /// Fragments are not in the order of time; so many of them got another place.
    case reordered(fragments: Int)
    /// Samples were left out whose bytes are not there.
    case missingData([Span])
    /// A file-level box is damaged; what follows was found at a byte, or nothing follows.
    case damagedBox(FourCC, BoxError, next: Int?)
    /// A box of a fragment is damaged. `time` is where the track fragment starts.
    case damagedInFragment(path: String, BoxError, time: Int64?)
    /// Bytes that are no box.
    case notABox(Range<Int>, isLeftOut: Bool)
    /// A track run whose samples cannot be. `time` is where the track fragment starts.
    case impossibleRun(path: String, offset: Int, reason: String, time: Int64?)
    /// A track run without a track fragment header.
    case noTrackHeader(path: String)
    /// A fragment of a track that the movie does not have.
    case unknownTrack(path: String, id: UInt32)
    /// Boxes that have no place in a progressive file.
    case noPlace(FourCC, count: Int)
    /// Boxes beside the fragments that are not carried over into other fragments.
    case leftOut(FourCC, count: Int)
    /// So much of the media of a track, at its start or its end, is presented although an edit list hid it.
    case presented(Int64, isStart: Bool)
    /// An edit list presents several parts or at another speed; the times of segments are those of the media.
    case severalEdits
    /// Segments are longer than asked for, since there is no sync sample at which they could end.
    case longSegments(count: Int, longest: MediaTime)
    /// Boxes of fragments that say of samples what is not carried over.
    case notCarried(FourCC, count: Int)
    /// Boxes of the movie box that say of its samples what is not carried over.
    case notCarriedOfMovie([FourCC])
    /// Fragments of a track are encrypted with other parameters than the track says, which a sample table cannot say.
    case otherEncryption(fragments: Int)
    /// Samples have an initialization vector each, but none is given.
    case undecryptable(samples: Int)
    /// Items of metadata that are not whole in their file.
    case lostItems(Int)
    /// Samples name a sample description that is not there.
    case undescribed(Description, samples: Int)
    /// There are no samples of a track.
    case emptyTrack
    /// Gaps longer than a sample can last, the first at `time`.
    case gapTooLong(count: Int, time: Int64?)
    /// All tracks were moved so that the presentation, which started then, starts at 0, or where that is exact for all.
    case rebased(MediaTime, to: MediaTime = MediaTime(0, 1))
    /// The start of a track could not be expressed exactly.
    case roundedStart
    /// Without its edit list a track is presented at another time.
    case shifted
    /// The tracks of a second movie were put together with those of the first.
    case combined(with: String)
    /// This input has the movie box of another and other samples at the same times; its tracks were put beside those.
    case equalMovie(as: String)
    /// This input has the movie box of another and the same samples, which are used once.
    case copy(of: String)
    /// This segment is not of the init before it, and was left out.
    case misfit(of: String, SegmentMisfit)
    /// Base data offsets of fragments are out of date; they were counted from the start of the fragment. The first one
    /// starts at a byte.
    case staleBases(fragments: Int, first: Int)
    /// A box of a second movie box was left out, since the first has one that differs.
    case otherMovieBox(FourCC, of: String)
    /// A QuickTime movie is written as an ISO file.
    case converted
    /// The samples of a track are described by a name of ISO files instead of that of QuickTime.
    case renamedFormat(FourCC, FourCC)
    /// Samples are coded in a way for which ISO files have no name; their description is kept.
    case quickTimeOnly(FourCC, name: String)
    /// The file is progressive already.
    case progressive
    /// The tables of a movie box contradict each other or are damaged; they are re-created from what they say of samples.
    case rebuilt(TableProblem)
    /// The samples of a track cannot be found, or the track cannot be used; so many samples are left out.
    case lostTrack(MovieError, samples: Int)
    /// Segments were put in the order of time, or where their times overlap in that of their names.
    case segmentsSorted(byName: Bool)
    /// Nothing is presented between another segment and this one.
    case segmentGap(after: String, MediaTime)
    /// This segment starts before another one ends.
    case segmentOverlap(of: String, MediaTime)
    /// This segment has the times of another one, and its size or not.
    case segmentTwice(of: String, isSameSize: Bool)
    /// A live segment lasts longer than the playlist has declared; the target duration that has room for it.
    case overTarget(segment: String, duration: MediaTime, declared: Int, needed: Int)
    /// Something that its sentence says completely.
    case other(Severity, String)
  }
  /// What it is.
  public var kind: Kind
  /// The file that it is about.
  public var file: String
  /// The track that it is about.
  public var track: Track?

  package init(_ kind: Kind, _ file: String, _ track: Track? = nil) {
    self.kind = kind
    self.file = file
    self.track = track
  }
  /// Something that its sentence says completely.
  package init(_ severity: Severity, _ file: String, _ text: String) { self.init(.other(severity, text), file) }
}

extension Notice {
  /// How much it matters.
  public var severity: Severity {
    switch kind {
    case .timing(.replaced, _), .missingData, .damagedBox, .impossibleRun, .noTrackHeader,
      .unknownTrack, .notCarried, .notCarriedOfMovie, .otherEncryption, .lostItems, .undescribed(.unknown, _),
      .gapTooLong, .lostTrack, .misfit:
      .loss
    case .timing(.replacedAsAsked, _), .timing(.keptAsAsked, _): .note
    case .timing, .undescribed(.zero, _), .undecryptable, .roundedStart, .shifted, .presented, .rebuilt,
      .severalEdits, .segmentsSorted(byName: true), .segmentGap, .equalMovie, .copy, .staleBases,
      .segmentOverlap, .segmentTwice, .quickTimeOnly, .overTarget:
      .warning
    // Fewer bytes than a header can hold nothing.
    case .notABox(let range, _): range.count < 8 ? .note : .loss
    case .reordered, .noPlace, .leftOut, .longSegments, .emptyTrack, .rebased, .combined, .otherMovieBox, .progressive,
      .segmentsSorted(byName: false), .converted, .renamedFormat:
      .note
    case .damagedInFragment(let path, _, _): path.hasSuffix("mfhd") ? .warning : .loss
    case .other(let severity, _): severity
    }
  }
}

extension [TrackDescription] {
  /// What notices call the track at `index`.
  func reference(_ index: Int) -> Notice.Track {
    Notice.Track(index: index, id: self[index].id, timescale: self[index].timescale)
  }
}

extension [Track] {
  /// What notices call the track at `index`.
  func reference(_ index: Int) -> Notice.Track {
    Notice.Track(index: index, id: self[index].id, timescale: self[index].timescale)
  }
}
