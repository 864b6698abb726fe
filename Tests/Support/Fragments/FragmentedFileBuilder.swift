/// Builds fragmented files of any structure, with the samples that a correct reader finds in them.
///
///     var file = FragmentedFileBuilder([.video(), .audio()])
///     file.addFragment {
///       $0.addTraf(1, .samples(3), firstSampleFlags: .sync)
///       $0.addTraf(2, .samples(5))
///     }
///     let built = file.build()
///
/// `built.bytes` is the file and `built.samples[1]` are the expected samples of track 1. The expected samples are
/// derived from the declarations, never from the written bytes.
public struct FragmentedFileBuilder: Sendable {
  /// The parts after the initialization, in order.
  public enum Part: Sendable {
    /// A moof and its mdat.
    case fragment(FragmentSpec)
    /// Whole boxes: styp, emsg, prft, free …
    case boxes([UInt8])
    /// A `sidx` for one track, with one reference to everything that follows in the segment.
    case index(track: UInt32)
    /// The start of the next segment file.
    case segmentStart
    /// `ftyp` and `moov` again.
    case initialization
  }

  /// A `tfra` for each track at the end of the file.
  public struct RandomAccess: Sendable {
    /// 0 or 1.
    public var version: UInt8
    /// The bytes of traf_number, trun_number and sample_number, each 1 to 4.
    public var lengths: (traf: Int, run: Int, sample: Int)

    /// An index with numbers of these sizes.
    public init(version: UInt8 = 1, lengths: (traf: Int, run: Int, sample: Int) = (1, 1, 1)) {
      self.version = version
      self.lengths = lengths
    }
  }

  /// The tracks, in the order of the file.
  public var tracks: [TrackSpec]
  /// The timescale of the movie.
  public var movieTimescale: UInt32 = 1000
  /// The duration in `mvhd`.
  public var movieDuration: UInt64 = 0
  /// The duration in `mehd`; `nil` omits the box.
  public var fragmentDuration: UInt64?
  /// The first box; omitted if empty.
  public var fileType = box("ftyp", ascii("iso6"), zeros(4), ascii("iso6mp41dash"))
  /// Whole boxes at the end of `moov`.
  public var movieBoxes: [UInt8] = []
  /// Whole boxes between `ftyp` and `moov`.
  public var boxesBeforeMovie: [UInt8] = []
  /// The parts after the initialization.
  public var parts: [Part] = []
  /// The index at the end; `nil` omits it.
  public var randomAccess: RandomAccess?
  /// The seed of the payloads.
  public var seed: UInt64

  /// A file without fragments.
  public init(_ tracks: [TrackSpec], seed: UInt64 = 1) {
    self.tracks = tracks
    self.seed = seed
  }

  /// Appends a fragment.
  public mutating func addFragment(_ fill: (inout FragmentSpec) -> Void) {
    var fragment = FragmentSpec()
    fill(&fragment)
    parts.append(.fragment(fragment))
  }

  /// Appends fragments with `samples` samples of every track; the first sample of each video track is a sync sample.
  public mutating func addFragments(_ count: Int, samples: Int = 4) {
    for _ in 0..<count {
      addFragment { [tracks] fragment in
        for track in tracks {
          let first: UInt32? = track.kind == .video ? .sync : nil
          fragment.addTraf(track.id, .samples(samples), firstSampleFlags: first)
        }
      }
    }
  }

  /// Appends whole boxes.
  public mutating func addBoxes(_ boxes: [UInt8]...) { parts.append(.boxes(boxes.flatMap { $0 })) }

  /// Starts the next segment file. Without this, each fragment is a segment, with the boxes before it.
  public mutating func startSegment() { parts.append(.segmentStart) }

  /// The file, its parts, and the expected samples.
  public func build() -> BuiltFile {
    var resolver = SampleResolver(tracks: tracks, seed: seed)
    let tables = tracks.map { ($0.id, resolver.tableSamples(of: $0)) }
    let resolved = parts.map { part in
      if case .fragment(let fragment) = part { resolver.resolve(fragment) } else { ResolvedFragment() }
    }
    let layout = FragmentedLayout(builder: self, tables: Dictionary(uniqueKeysWithValues: tables), fragments: resolved)
    return layout.build()
  }
}
