import ISOBMFF
import MP4Bytes

/// The samples of one track in one movie fragment.
///
/// There can be one for every sample, so it is small: rarely used values take no memory unless they are present.
struct TrackFragment: Sendable {
  /// The index of its source.
  var source: Int { Int(sourceNumber) }
  private let sourceNumber: UInt32
  /// The index of its movie fragment among those of all sources, in file order.
  var fragment: Int {
    get { Int(fragmentNumber) }
    set { fragmentNumber = UInt32(clamping: newValue) }
  }
  private var fragmentNumber: UInt32
  /// The index of its track.
  var track: Int { Int(trackNumber) }
  private let trackNumber: UInt32
  /// The number of its sample description, from 1.
  var descriptionIndex: UInt32
  /// The decode time that it declares, if any.
  var declaredTime: UInt64? {
    get { hasDeclaredTime ? time : nil }
    set { (hasDeclaredTime, time) = (newValue != nil, newValue ?? 0) }
  }
  private var time: UInt64 = 0
  /// The index of its first sample among the samples of the track.
  var firstSample: Int
  /// The number of samples, limited to 32 bits, which no real track exceeds.
  var sampleCount: Int {
    get { Int(count) }
    set { count = UInt32(clamping: newValue) }
  }
  private var count: UInt32
  private var hasDeclaredTime = false
  /// Whether the declared time has 32 bits and may have wrapped.
  var isNarrowTime = false
  /// The indexes of its samples among the samples of the track.
  var samples: Range<Int> { firstSample..<(firstSample + sampleCount) }
  /// The sum of the durations.
  var duration: UInt64 = 0
  /// Other information about its samples.
  var information: FragmentAuxiliaryInfo {
    get { moreInformation.first ?? FragmentAuxiliaryInfo() }
    set { moreInformation = newValue.isEmpty ? [] : [newValue] }
  }
  /// Empty if there is no other information.
  private var moreInformation: [FragmentAuxiliaryInfo] = []
  /// Whether only some of its samples have data.
  var isCut: Bool { sampleCount > 0 && information.emptyDuration > 0 }
  var hasInformation: Bool { !moreInformation.isEmpty }

  init(
    source: Int, fragment: Int, track: Int, declaredTime: UInt64? = nil, isNarrowTime: Bool = false,
    descriptionIndex: UInt32, firstSample: Int, sampleCount: Int = 0, duration: UInt64 = 0
  ) {
    sourceNumber = UInt32(clamping: source)
    fragmentNumber = UInt32(clamping: fragment)
    trackNumber = UInt32(clamping: track)
    (hasDeclaredTime, time) = (declaredTime != nil, declaredTime ?? 0)
    self.isNarrowTime = isNarrowTime
    self.descriptionIndex = descriptionIndex
    self.firstSample = firstSample
    count = UInt32(clamping: sampleCount)
    self.duration = duration
  }
}

extension TrackFragment {
  /// The keys of its encrypted samples, given its track and the sample groups of that track.
  func keyIDs(_ track: TrackDescription, _ groups: SampleGroups) -> Set<[UInt8]> {
    guard track.encryption.contains(where: { $0 != nil }) else { return [] }
    let number = Int(descriptionIndex) - 1
    let own = track.encryption.indices.contains(number) ? track.encryption[number]?.usedKeyID : nil
    var result: Set<[UInt8]> = []
    var covered = 0
    let entries = groups.descriptions["seig"]?.entries ?? []
    for runs in information.groups where groups.kinds[runs.kind].type == "seig" {
      for run in runs.runs {
        covered += Int(run.count)
        let number = Int(run.index) - 1
        let keyID = entries.indices.contains(number) ? TrackEncryption.keyID(ofGroup: entries[number].description) : own
        if let keyID { result.insert(keyID) }
      }
    }
    if let own, covered < sampleCount { result.insert(own) }
    return result
  }
}

/// A movie fragment as a whole.
struct FragmentHeader: Sendable {
  var source: Int { Int(sourceNumber) }
  private let sourceNumber: UInt32
  var sequenceNumber: UInt32 = 0
  /// Where the box starts.
  let offset: Int
  /// The end of the box of a movie fragment.
  var end: Int {
    get { size == .max ? .max : offset + Int(size) }
    set { size = UInt32(clamping: newValue - offset) }
  }
  /// The size of the box; the largest number if it is a movie box or its size is unknown.
  private var size = UInt32.max
  /// Whether nothing in it is damaged.
  var isWhole = true
  /// Whether all its data offsets are relative to its start, so that it can be read without the rest of the file.
  var countsFromStart = true
  /// Whether none of its offsets has to be corrected if it and all bytes after it move together.
  var refersOnlyAhead = true

  /// The header of a movie fragment, or of a movie box, whose end is not needed.
  init(source: Int, offset: Int, end: Int = .max) {
    (sourceNumber, self.offset) = (UInt32(clamping: source), offset)
    self.end = end
  }
}
