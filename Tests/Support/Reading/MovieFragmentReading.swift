/// A movie fragment as written, field by field.
public struct MovieFragmentReading: Sendable {
  /// A `traf`.
  public struct TrackFragment: Sendable {
    /// track_ID
    public var track: UInt32
    /// The flags of `tfhd`.
    public var flags: Int
    /// The index of the sample entry, if declared.
    public var description: Int?
    /// The version of `tfdt`, and its time.
    public var decodeTime: (version: Int, value: Int)
    /// The version, the flags, the number of samples and the data offset of each `trun`.
    public var runs: [(version: Int, flags: Int, sampleCount: Int, dataOffset: Int)] = []
    /// The types of the child boxes, in order.
    public var boxTypes: [String] = []
    /// The whole `traf`.
    public var bytes: [UInt8] = []
  }
  /// The offset of the `moof` in the file.
  public var offset: Int
  /// The end of the `mdat` that follows.
  public var end: Int
  /// The start of the media data.
  public var media: Int
  /// sequence_number
  public var sequenceNumber: Int
  /// Its track fragments.
  public var trackFragments: [TrackFragment] = []

  /// All movie fragments of a file; each must be directly followed by its `mdat`.
  public static func all(in file: [UInt8]) throws -> [MovieFragmentReading] {
    let boxes = try BoxBytes.all(in: file, 0..<file.count)
    return try boxes.indices.filter { boxes[$0].type == "moof" }.map { index in
      guard index + 1 < boxes.count, boxes[index + 1].type == "mdat" else {
        throw ReadingError("there is no mdat behind the moof at \(boxes[index].start)")
      }
      return try MovieFragmentReading(boxes[index], boxes[index + 1])
    }
  }

  private init(_ moof: BoxBytes, _ mdat: BoxBytes) throws {
    (offset, end, media) = (moof.start, mdat.end, mdat.payload.lowerBound)
    sequenceNumber = try moof.one("mfhd").number(4)
    for traf in try moof.children() where traf.type == "traf" {
      let (header, time) = (try traf.one("tfhd"), try traf.one("tfdt"))
      var fragment = TrackFragment(
        track: UInt32(try header.number(4)), flags: try header.flags,
        decodeTime: (try time.version, try time.number(4, time.version == 1 ? 8 : 4)))
      if fragment.flags & 0x2 != 0 { fragment.description = try header.number(fragment.flags & 0x1 != 0 ? 16 : 8) }
      for box in try traf.children() {
        fragment.boxTypes.append(box.type)
        guard box.type == "trun" else { continue }
        let offset = try box.flags & 0x1 != 0 ? box.signed(8) : 0
        fragment.runs.append((try box.version, try box.flags, try box.number(4), offset))
      }
      fragment.bytes = Array(traf.file[traf.start..<traf.end])
      trackFragments.append(fragment)
    }
  }
}

/// The boxes of a file as a tree, without their contents.
public struct BoxOutline: Sendable {
  /// The four-character type.
  public let type: String
  /// Its range, including the header.
  public let range: Range<Int>
  /// Its fields.
  public let payload: [UInt8]

  /// The top-level boxes of `file`.
  public static func all(in file: [UInt8]) throws -> [BoxOutline] {
    try BoxBytes.all(in: file, 0..<file.count).map(BoxOutline.init)
  }
  private init(_ box: BoxBytes) {
    (type, range, payload) = (box.type, box.start..<box.end, Array(box.file[box.payload]))
  }
  /// The child boxes, after `prefix` bytes of fields.
  public func children(after prefix: Int = 0) throws -> [BoxOutline] {
    try BoxBytes.all(in: payload, prefix..<payload.count).map(BoxOutline.init)
  }
  /// The boxes with this path; if several have a type, all of them are searched.
  public func all(_ path: String...) throws -> [BoxOutline] {
    var found = [self]
    for type in path { found = try found.flatMap { try $0.children().filter { $0.type == type } } }
    return found
  }
}
