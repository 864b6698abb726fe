public import ISOBMFF

extension FragmentPlan {
  /// The number of bytes that `writeInitialization` writes.
  public var initializationByteCount: Int { initialization.byteCount }

  /// The number of bytes that `write` writes.
  public var byteCount: Int {
    segments.reduce(initialization.byteCount + (options.hasIndex ? indexSize : 0)) { $0 + $1.byteCount }
      + (options.hasRandomAccess ? randomAccessSize : 0)
  }

  /// The number of bytes that `writeSegment` writes.
  public func byteCount(ofSegment index: Int) -> Int {
    segmentFront(index).count + segments[index].byteCount
  }

  /// Where a segment starts in the file that `write` makes.
  public func offset(ofSegment index: Int) -> Int { segments[index].offset }

  /// Writes one file: the init segment, an index where one is wanted, all segments, and the table of random access points
  /// where one is wanted.
  public func write(to sink: any ByteSink) throws(MovieError) {
    try writeInitialization(to: sink)
    if options.hasIndex { try write(index(of: segments), to: sink) }
    for index in segments.indices { try writeFragments(of: index, to: sink) }
    if options.hasRandomAccess { try write([randomAccess], to: sink) }
  }

  /// Writes the init segment.
  public func writeInitialization(to sink: any ByteSink) throws(MovieError) {
    do throws(IOError) { try initialization.write(to: sink) } catch { throw .io(error) }
  }

  /// Writes the segment at `index`, as a file of its own.
  public func writeSegment(_ index: Int, to sink: any ByteSink) throws(MovieError) {
    do throws(IOError) { try sink.write(segmentFront(index)) } catch { throw .io(error) }
    try writeFragments(of: index, to: sink)
  }

  /// Writes the bytes `range` of what `write` writes, without looking at segments that have none of them.
  package func write(_ range: Range<Int>, to sink: any ByteSink) throws(MovieError) {
    let window = RangeSink(sink, range)
    if range.lowerBound < initialization.byteCount {
      try writeInitialization(to: window)
    } else {
      window.skip(initialization.byteCount)
    }
    if options.hasIndex { try write(index(of: segments), to: window) }
    for (index, segment) in segments.enumerated() {
      if range.overlaps(segment.offset..<segment.offset + segment.byteCount) {
        try writeFragments(of: index, to: window)
      } else {
        window.skip(segment.byteCount)
      }
    }
    if options.hasRandomAccess, range.upperBound > window.position { try write([randomAccess], to: window) }
  }

  private func writeFragments(of index: Int, to sink: any ByteSink) throws(MovieError) {
    for fragment in try fragments(of: index, firstFragment: segments[index].firstFragment) {
      do throws(IOError) { try fragment.write(to: sink, from: sources) } catch { throw .io(error) }
    }
  }

  private func write(_ boxes: [Box], to sink: any ByteSink) throws(MovieError) {
    let boxes = try movie.presentation.serializer(boxes)
    do throws(IOError) { try boxes.write(to: sink, from: []) } catch { throw .io(error) }
  }

  private func size(_ boxes: [Box]) -> Int {
    // These boxes have no text that could be impossible to encode.
    (try? BoxSerializer(boxes).size) ?? 0
  }

  // MARK: What stands before a segment

  /// `styp`, and an index of the fragments where one is wanted.
  private func segmentFront(_ index: Int) -> [UInt8] {
    var type = FileTypeBox()
    type.majorBrand = "msdh"
    type.compatibleBrands = Table(["msdh"] + (options.hasIndex ? ["msix"] : []) + (cmafBrands.isEmpty ? [] : ["cmfs"]))
    let boxes = [Box(type, type: "styp")] + (options.hasIndex ? self.index(of: [segments[index]]) : [])
    return boxes.flatMap { Self.bytes($0) }
  }

  private static func bytes(_ box: Box) -> [UInt8] {
    guard case .edited(let payload, _) = box.fields, let bytes = try? payload.encoded() else { return [] }
    var writer = ByteWriter()
    writer.integer(UInt32(bytes.count + 8))
    writer.integer(box.type.rawValue)
    return writer.bytes + bytes
  }

  // MARK: Indexes

  /// A `sidx` of these segments, whose first follows it: ISO/IEC 14496-12:2022, 8.16.3.
  private func index(of segments: [MediaSegment]) -> [Box] {
    var sidx = SegmentIndexBox()
    sidx.header.version = 1
    sidx.referenceID = trackIDs[reference]
    sidx.timescale = tracks[reference].timescale
    let first = segments.first?.tracks.first { $0.index == reference }?.earliestPresentationTime
    sidx.earliestPresentationTime = UInt64(clamping: first ?? segments.first?.start.value ?? 0)
    var references: [SegmentIndexBox.Reference] = []
    for segment in segments {
      var reference = SegmentIndexBox.Reference()
      reference.referencedSize = UInt32(clamping: segment.byteCount)
      reference.subsegmentDuration = UInt32(clamping: segment.duration.value)
      reference.startsWithSAP = segment.accessPoint != .none
      reference.sapType = segment.accessPoint == .unknown ? 0 : segment.accessPoint.rawValue
      references.append(reference)
    }
    sidx.references = Table(references)
    return [Box(sidx)]
  }
  var indexSize: Int { size(index(of: segments)) }

  /// The `mfra` with the place of every fragment of the reference track at which decoding can start.
  private var randomAccess: Box {
    var tfra = TrackFragmentRandomAccessBox()
    tfra.header.version = 1
    tfra.trackID = trackIDs[reference]
    var entries: [TrackFragmentRandomAccessBox.Entry] = []
    for (index, segment) in segments.enumerated() where segment.accessPoint != .none {
      var entry = TrackFragmentRandomAccessBox.Entry()
      entry.time = UInt64(clamping: mediaTime(ofSegment: index))
      entry.moofOffset = UInt64(segment.offset)
      entry.trafNumber = UInt32(segment.referenceTrackFragment + 1)
      entries.append(entry)
    }
    tfra.entries = Table(entries, shape: tfra.entryShape)
    var mfro = MovieFragmentRandomAccessOffsetBox()
    mfro.parentSize = UInt32(clamping: size([Box("mfra", boxes: [Box(tfra), Box(mfro)])]))
    return Box("mfra", boxes: [Box(tfra), Box(mfro)])
  }
  private var randomAccessSize: Int { size([randomAccess]) }

  /// The composition time of the first sample of the reference track in a segment, as the file has it.
  private func mediaTime(ofSegment index: Int) -> Int64 {
    let track = writer.tracks[reference]
    let first = writer.cuts.positions[reference][writer.cuts.segments[index].lowerBound]
    return first.time &+ track.placement.start &+ track.list.compositionOffset(first.sample)
      &- track.placement.offsetShift
  }
}
