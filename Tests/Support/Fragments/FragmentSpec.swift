/// A moof with its mdat.
public struct FragmentSpec: Sendable {
  /// The form of the header of `mdat`.
  public enum MediaDataHeader: Sendable {
    /// A 32-bit size.
    case compact
    /// A 64-bit size.
    case large
    /// A size of 0, which means to the end of the file. Only for the last fragment.
    case toEnd
  }

  /// The order of moof and mdat.
  public enum Order: Sendable {
    /// The usual order.
    case movieFragmentFirst
    /// With negative data offsets.
    case mediaDataFirst
  }

  /// The number in `mfhd`; `nil` means one more than in the previous fragment.
  public var sequenceNumber: UInt32?
  /// The track fragments; a track can occur twice.
  public var trafs: [TrackFragmentSpec] = []
  /// The order of moof and mdat.
  public var order = Order.movieFragmentFirst
  /// The form of the header of `mdat`.
  public var mediaDataHeader = MediaDataHeader.compact
  /// The order of the data of the runs, as indices of traf and run in `trafs`; if empty, as declared.
  public var dataOrder: [(traf: Int, run: Int)] = []
  /// Whole boxes in the moof, after `mfhd`.
  public var boxes: [UInt8] = []
  /// Whole boxes between moof and mdat.
  public var boxesBetween: [UInt8] = []

  /// An empty fragment.
  public init() {}

  /// Appends a traf.
  public mutating func addTraf(_ track: UInt32, _ fill: (inout TrackFragmentSpec) -> Void) {
    var traf = TrackFragmentSpec(track)
    fill(&traf)
    trafs.append(traf)
  }

  /// Appends a traf with one run and `boxes`.
  public mutating func addTraf(
    _ track: UInt32, _ samples: [SampleSpec], firstSampleFlags: UInt32? = nil, boxes: [UInt8] = []
  ) {
    var traf = TrackFragmentSpec(track, [RunSpec(samples, firstSampleFlags: firstSampleFlags)])
    traf.boxes = boxes
    trafs.append(traf)
  }
}
