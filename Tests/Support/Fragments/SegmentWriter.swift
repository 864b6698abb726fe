/// A sample with its offset in the whole file.
struct PlacedSample {
  var track: UInt32
  var record: SampleRecord
  var place: Range<Int>
  var movieFragmentEnd: Int
}

/// A `moof` for the index at the end.
private struct AccessPoint {
  var track: UInt32
  var time: Int
  var movieFragment: Int
  var traf: Int
  var run: Int
}

/// Writes parts from an offset on, of the whole file or of a segment file.
struct SegmentWriter {
  let layout: FragmentedLayout
  let start: Int
  /// Whether this is the whole file, in which only the last box can be an `mdat` of size 0.
  let isWhole: Bool
  var bytes: [UInt8] = []
  var samples: [PlacedSample] = []
  private var points: [AccessPoint] = []

  init(layout: FragmentedLayout, start: Int, isWhole: Bool) {
    self.layout = layout
    self.start = start
    self.isWhole = isWhole
  }

  mutating func append(_ index: Int, segmentEnd: Int) {
    switch layout.builder.parts[index] {
    case .fragment(let fragment): append(fragment, layout.fragments[index], isLast: isLast(index, segmentEnd))
    case .boxes(let boxes): bytes += boxes
    case .index(let track): bytes += indexBytes(track, index + 1..<segmentEnd)
    case .initialization: bytes += layout.repeatedInitialization
    case .segmentStart: break
    }
  }

  private func isLast(_ index: Int, _ segmentEnd: Int) -> Bool {
    let end = isWhole ? layout.builder.parts.count : segmentEnd
    return index + 1 == end && (end < layout.builder.parts.count || layout.builder.randomAccess == nil)
  }

  private mutating func append(_ fragment: FragmentSpec, _ resolved: ResolvedFragment, isLast: Bool) {
    let (payload, offsets) = fragment.mediaData(resolved)
    let unplaced = FragmentPlaces(movieFragment: 0, runs: offsets)
    let size = fragment.bytes(resolved, unplaced, checked: false).count
    let media = fragment.mediaDataBox(payload, isLast: isLast)
    let here = start + bytes.count
    let dataFirst = fragment.order == .mediaDataFirst
    let movieFragment = here + (dataFirst ? media.count + fragment.boxesBetween.count : 0)
    let data = here + (dataFirst ? 0 : size + fragment.boxesBetween.count) + media.count - payload.count

    let places = FragmentPlaces(movieFragment: movieFragment, runs: offsets.map { $0.map { $0 + data } })
    let header = fragment.bytes(resolved, places, checked: true)
    bytes += dataFirst ? media + fragment.boxesBetween + header : header + fragment.boxesBetween + media
    note(resolved, places, movieFragmentEnd: movieFragment + size)
  }

  private mutating func note(_ resolved: ResolvedFragment, _ places: FragmentPlaces, movieFragmentEnd: Int) {
    for (index, traf) in resolved.trafs.enumerated() {
      for (number, records) in traf.runs.enumerated() {
        var place = places.runs[index][number]
        for record in records {
          let range = place..<place + record.payload.count
          samples.append(
            PlacedSample(track: traf.track, record: record, place: range, movieFragmentEnd: movieFragmentEnd))
          place = range.upperBound
        }
      }
      guard let run = traf.runs.firstIndex(where: { $0.first?.isSync == true }) else { continue }
      points.append(
        AccessPoint(
          track: traf.track, time: traf.runs[run][0].compositionTime, movieFragment: places.movieFragment,
          traf: index + 1, run: run + 1))
    }
  }

  /// `sidx` with one reference to the parts in `range`.
  private func indexBytes(_ track: UInt32, _ range: Range<Int>) -> [UInt8] {
    // The sizes of the following parts are independent of their offsets.
    var following = SegmentWriter(layout: layout, start: 0, isWhole: isWhole)
    for index in range { following.append(index, segmentEnd: range.upperBound) }
    let own = following.samples.filter { $0.track == track }.map(\.record)
    let timescale = layout.builder.tracks.first { $0.id == track }?.timescale ?? 1
    let duration = own.reduce(0) { $0 + $1.duration }
    return fullBox(
      "sidx", version: 1, big(track), big(timescale), big(UInt64(own.map(\.compositionTime).min() ?? 0)), zeros(8),
      zeros(2), big(UInt16(1)), big(UInt32(following.bytes.count)), big(UInt32(duration)), big(UInt32(0x9000_0000)))
  }

  /// `mfra` with the `moof` boxes of this file, if requested.
  mutating func appendRandomAccess() {
    guard let form = layout.builder.randomAccess else { return }
    func number(_ value: Int, _ length: Int) -> [UInt8] { big(UInt32(value)).suffix(length) }
    let lengths = (form.lengths.traf - 1) << 4 | (form.lengths.run - 1) << 2 | (form.lengths.sample - 1)
    let tables = layout.builder.tracks.flatMap { track -> [UInt8] in
      let own = points.filter { $0.track == track.id }
      let rows = own.flatMap { point in
        (form.version == 0
          ? big(UInt32(max(0, point.time))) + big(UInt32(point.movieFragment))
          : big(UInt64(max(0, point.time))) + big(UInt64(point.movieFragment)))
          + number(point.traf, form.lengths.traf) + number(point.run, form.lengths.run)
          + number(1, form.lengths.sample)
      }
      return fullBox(
        "tfra", version: form.version, big(track.id), big(UInt32(lengths)), big(UInt32(own.count)), rows)
    }
    bytes += box("mfra", tables, fullBox("mfro", big(UInt32(tables.count + 24))))
  }
}

extension FragmentSpec {
  /// The payload of `mdat`, and the start of each run in it.
  func mediaData(_ resolved: ResolvedFragment) -> ([UInt8], [[Int]]) {
    var payload: [UInt8] = []
    var offsets = trafs.map { $0.runs.map { _ in 0 } }
    let declared = trafs.indices.flatMap { traf in trafs[traf].runs.indices.map { (traf: traf, run: $0) } }
    let order = dataOrder.isEmpty ? declared : dataOrder
    precondition(order.count == declared.count, "the data order names \(order.count) of \(declared.count) runs")
    for (traf, run) in order {
      payload += Array(repeating: 0xee, count: trafs[traf].runs[run].unusedBytesBefore)
      offsets[traf][run] = payload.count
      for record in resolved.trafs[traf].runs[run] { payload += record.payload }
    }
    return (payload, offsets)
  }

  /// `mdat` with the specified header.
  func mediaDataBox(_ payload: [UInt8], isLast: Bool) -> [UInt8] {
    switch mediaDataHeader {
    case .compact: box("mdat", payload)
    case .large: largeBox("mdat", payload)
    case .toEnd: isLast ? zeros(4) + ascii("mdat") + payload : box("mdat", payload)
    }
  }
}
