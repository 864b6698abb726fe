import ISOBMFF
public import MP4Bytes

extension FragmentPlan {
  /// The size of the init segment.
  public var initializationByteCount: Int { initialization.byteCount }

  /// The size of the file.
  public var byteCount: Int {
    segments.reduce(initialization.byteCount + (hasIndex ? indexSize : 0)) { $0 + $1.byteCount }
      + (hasRandomAccess ? randomAccessSize : 0)
  }

  /// The size of a media segment as a separate file.
  public func byteCount(ofSegment index: Int) -> Int {
    segmentFront(index).count + segments[index].byteCount
  }

  /// The offset of a segment in the file.
  public func offset(ofSegment index: Int) -> Int { segments[index].offset }

  /// The name of the init segment as a file.
  public var initializationName: Pathname { options.names.initialization }
  /// The name of a segment as a file.
  public func name(ofSegment index: Int) -> Pathname { options.names.media[index + 1] }

  /// Writes one file: the init segment, the optional index, all segments, and the optional table of random access
  /// points.
  public func write(to sink: any ByteSink) throws(MovieError) {
    try writeInitialization(to: sink)
    if hasIndex { try write(index, to: sink) }
    for index in segments.indices { try writeFragments(of: index, to: sink) }
    if hasRandomAccess { try write([randomAccess], to: sink) }
  }

  /// Writes the init segment.
  public func writeInitialization(to sink: any ByteSink) throws(MovieError) {
    try io(initialization.write(to: sink))
  }

  /// Writes the segment at `index`, which must be valid, as a separate file.
  public func writeSegment(_ index: Int, to sink: any ByteSink) throws(MovieError) {
    precondition(segments.indices.contains(index), "there are \(counted(segments.count, "segment"))")
    try io(sink.write(segmentFront(index)))
    try writeFragments(of: index, to: sink)
  }

  /// The init segment in memory.
  public func initializationBytes() throws(MovieError) -> [UInt8] {
    let sink = MemorySink()
    try writeInitialization(to: sink)
    return sink.bytes
  }

  /// The segment at `index`, which must be valid, as a separate file in memory.
  public func segmentBytes(_ index: Int) throws(MovieError) -> [UInt8] {
    let sink = MemorySink()
    try writeSegment(index, to: sink)
    return sink.bytes
  }

  /// Writes the bytes `range` of the output of `write`, without reading segments outside it.
  package func write(_ range: Range<Int>, to sink: any ByteSink) throws(MovieError) {
    let window = RangeSink(sink, range)
    if range.lowerBound < initialization.byteCount {
      try writeInitialization(to: window)
    } else {
      window.skip(initialization.byteCount)
    }
    if hasIndex { try write(index, to: window) }
    for (index, segment) in segments.enumerated() {
      if range.overlaps(segment.offset..<segment.offset + segment.byteCount) {
        try writeFragments(of: index, to: window)
      } else {
        window.skip(segment.byteCount)
      }
    }
    if hasRandomAccess, range.upperBound > window.position { try write([randomAccess], to: window) }
  }

  private func writeFragments(of index: Int, to sink: any ByteSink) throws(MovieError) {
    if let source {
      return try io(source.copies[index].write(to: sink, from: sources))
    }
    if segments[index].eventByteCount > 0 {
      try io(events[index].write(to: sink, from: []))
    }
    for fragment in fragments[index] {
      try io(fragment.write(to: sink, from: sources))
    }
  }

  private func write(_ boxes: [Box], to sink: any ByteSink) throws(MovieError) {
    let boxes = try movie.input.serializer(boxes)
    try io(boxes.write(to: sink, from: []))
  }

  func size(_ boxes: [Box]) -> Int {
    // These boxes contain no text that could fail to encode.
    (try? BoxSerializer(boxes).size) ?? 0
  }

  // MARK: Boxes before a segment

  /// `styp`, and an index of the fragments if requested.
  private func segmentFront(_ index: Int) -> [UInt8] {
    var type = FileTypeBox()
    type.majorBrand = "msdh"
    type.compatibleBrands = BoxTable(
      ["msdh"] + (options.hasIndex ? ["msix"] : []) + (cmafBrands.isEmpty ? [] : ["cmfs"]))
    let boxes = [Box(type, type: "styp")] + (options.hasIndex ? self.index(ofSegment: index) : [])
    return boxes.flatMap { Self.bytes($0) }
  }

  private static func bytes(_ box: Box) -> [UInt8] {
    guard case .edited(let payload, _) = box.fields, let bytes = try? payload.encoded() else { return [] }
    var writer = ByteWriter()
    writer.integer(UInt32(bytes.count + 8))
    writer.integer(box.type.rawValue)
    return writer.bytes + bytes
  }
}
