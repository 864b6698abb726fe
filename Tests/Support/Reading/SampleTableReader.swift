/// Reads the tables of `stbl`.
struct SampleTableReader {
  let table: BoxBytes

  init(_ table: BoxBytes) { self.table = table }

  func read(into track: inout TrackReading) throws {
    let sizes = try sizes()
    let durations = try expanded(table.first("stts"))
    let offsets = try expanded(table.first("ctts")).map { Int(Int32(truncatingIfNeeded: $0)) }
    let syncSamples = try table.first("stss").map { Set(try $0.rows(1).map { $0[0] }) }
    let dependencies = try table.first("sdtp")
    let priorities = try table.first("stdp")
    let paddings = try table.first("padb")
    let information = try SampleInformationReader(table)
    let places = try places(sizes, &track)
    guard durations.count == sizes.count else {
      throw ReadingError("track \(track.id): \(durations.count) durations for \(sizes.count) samples")
    }
    guard offsets.isEmpty || offsets.count == sizes.count else {
      throw ReadingError("track \(track.id): \(offsets.count) composition offsets for \(sizes.count) samples")
    }
    if let last = syncSamples?.max(), last > sizes.count {
      throw ReadingError("track \(track.id): sync sample \(last) of \(sizes.count)")
    }
    var time = 0
    for (index, (place, description)) in places.enumerated() {
      guard place.upperBound <= table.file.count else {
        throw ReadingError("track \(track.id): sample \(index) lies at \(place) in \(table.file.count) bytes")
      }
      var flags: UInt32 = syncSamples.map { $0.contains(index + 1) } ?? true ? 0 : .nonSync
      // A byte of `sdtp` is bits 20 to 27 of `sample_flags`.
      if let dependencies { flags |= UInt32(try dependencies.number(4 + index, 1)) << 20 }
      if let priorities { flags |= UInt32(try priorities.number(4 + index * 2, 2)) }
      // Two samples per byte, three bits each.
      if let paddings {
        flags |= UInt32(try paddings.number(8 + index / 2, 1) >> (index.isMultiple(of: 2) ? 4 : 0) & 7) << 17
      }
      track.samples.append(
        SampleRecord(
          decodeTime: time, compositionOffset: offsets.isEmpty ? 0 : offsets[index], duration: durations[index],
          flags: flags, descriptionIndex: description, payload: Array(table.file[place]),
          groups: information.groups(of: index), auxiliary: information.auxiliary(of: index)))
      track.places.append(place)
      time += durations[index]
    }
  }

  private func sizes() throws -> [Int] {
    if let box = try table.first("stsz") {
      let (size, count) = (try box.number(4), try box.number(8))
      return size > 0 ? Array(repeating: size, count: count) : try box.rows(1, countAt: 8).map { $0[0] }
    }
    let box = try table.one("stz2")
    return try (0..<box.number(8)).map { index in
      switch try box.number(7, 1) {
      case 4: try box.number(12 + index / 2, 1) >> (index.isMultiple(of: 2) ? 4 : 0) & 15
      case 8: try box.number(12 + index, 1)
      case 16: try box.number(12 + index * 2, 2)
      case let other: throw ReadingError("stz2 has a field_size of \(other)")
      }
    }
  }

  /// A value for each sample from rows of count and value.
  private func expanded(_ box: BoxBytes?) throws -> [Int] {
    try box?.rows(2).flatMap { Array(repeating: $0[1], count: $0[0]) } ?? []
  }

  /// The location of each sample, and its sample description index.
  private func places(_ sizes: [Int], _ track: inout TrackReading) throws -> [(Range<Int>, Int)] {
    var chunks = try table.first("stco")?.rows(1).map { $0[0] }
    if let box = try table.first("co64") {
      guard chunks == nil else { throw ReadingError("track \(track.id) has stco and co64") }
      chunks = try (0..<box.number(4)).map { try box.number(8 + $0 * 8, 8) }
    }
    guard let chunks else { throw ReadingError("track \(track.id) has no chunk offsets") }
    track.chunkCount = chunks.count
    let runs = try table.one("stsc").rows(3)
    var places: [(Range<Int>, Int)] = []
    for (index, chunk) in chunks.enumerated() {
      guard let run = runs.last(where: { $0[0] <= index + 1 }) else {
        throw ReadingError("track \(track.id): no row of stsc is about chunk \(index + 1)")
      }
      var place = chunk
      for _ in 0..<run[1] {
        guard places.count < sizes.count else {
          throw ReadingError("track \(track.id): the chunks hold more than \(sizes.count) samples")
        }
        let end = place + sizes[places.count]
        places.append((place..<end, run[2]))
        place = end
      }
    }
    guard places.count == sizes.count else {
      throw ReadingError("track \(track.id): the chunks hold \(places.count) of \(sizes.count) samples")
    }
    return places
  }
}
