import ISOBMFF
import MP4Bytes

extension MovieEditor {
  /// An editor of the source with changed samples. If samples become longer or shorter, all media after them moves, and
  /// the new editor is one of a planned file, which is read from this one.
  func changing(_ changes: SampleChanges) throws -> MovieEditor {
    guard changes.movesMedia else {
      return try overwriting(try changes.splices.flatMap { try Overwrite.differences($0, in: source) })
    }
    let movie = try Movie(reading: [source])
    var editor = self
    let splices = try checked(changes, movie)
    for (id, growths) in changes.growths.sorted(by: { $0.key < $1.key }) {
      guard let index = movie.tracks.firstIndex(where: { $0.id == id }) else { continue }
      let track = movie.tracks[index]
      if movie.input.tracks[index].hasSamples {
        editor = try editor.resizing(track, growths)
      } else {
        editor = try editor.resizing(track, growths, movie.fragments, index)
      }
    }
    let planned = try PlannedSource(EditedLayout(editor, movie, splices: splices).plan(), name: source.name)
    guard try Movie(reading: [planned]).isSame(as: movie, but: changes) else {
      throw MovieError.impossible(
        file: source.name,
        Obstacle("sizes_not_changed", "samples would not be found after these edits", remedy: .defragment))
    }
    var result = try MovieEditor(planned, registry: registry)
    (result.diagnostics, result.movesMedia) = (diagnostics, true)
    return result
  }

  /// The changes in the order of the file.
  ///
  /// - Throws: `MovieError` if something else refers to bytes whose number changes.
  private func checked(_ changes: SampleChanges, _ movie: Movie) throws(MovieError) -> [SampleChanges.Splice] {
    func refusal(_ text: String) -> MovieError {
      .impossible(file: source.name, Obstacle("shared_samples", text, remedy: .defragment))
    }
    var splices: [SampleChanges.Splice] = []
    for splice in changes.splices.sorted(by: {
      ($0.range.lowerBound, $0.range.count) < ($1.range.lowerBound, $1.range.count)
    }) {
      if let last = splices.last, last.range.upperBound > splice.range.lowerBound || last.range == splice.range {
        throw refusal("samples share the bytes at byte \(splice.range.lowerBound)")
      }
      splices.append(splice)
    }
    let media = items.filter { $0.tree == nil && $0.media == nil && ![nil, "moov", "moof"].contains($0.type) }
    var rest = media.map(\.range).sorted { $0.lowerBound < $1.lowerBound }[...]
    for splice in splices {
      rest = rest.drop { $0.upperBound <= splice.range.lowerBound }
      guard let own = rest.first, own.lowerBound <= splice.range.lowerBound, splice.range.upperBound <= own.upperBound
      else { throw refusal("the sample at byte \(splice.range.lowerBound) is not in media data") }
    }
    // Samples of other tracks would have the wrong size.
    for track in movie.tracks {
      let list = track.samples.storage.list
      let changed = changes.growths[track.id] ?? []
      var expected = changed.reduce(0) { $0 + $1.growth }
      list.forEachRange(of: 0..<list.count) { range, _ in
        var index = splices.partition { $0.range.lowerBound >= range.lowerBound }
        while index < splices.count, splices[index].range.lowerBound < range.upperBound {
          expected -= splices[index].growth
          index += 1
        }
      }
      if expected != 0 { throw refusal("samples of track \(track.id) share bytes with other samples") }
    }
    return splices
  }

  /// Changes the sizes of samples in the tables of a track.
  private func resizing(_ track: Track, _ growths: [(sample: Int, growth: Int)]) throws -> MovieEditor {
    let selection = TrackSelection([.id(track.id)])
    return try editingTracks(selection) { trak in
      try trak.editBoxes(["mdia", "minf", "stbl"]) { stbl in
        guard let place = stbl.boxes.firstIndex(where: { $0.type == "stsz" || $0.type == "stz2" }) else {
          throw resizingRefusal(track)
        }
        var sizes: [UInt32]
        if stbl.boxes[place].type == "stsz" {
          let stsz = try stbl.boxes[place].payload(as: SampleSizeBox.self, from: source).get()
          sizes =
            stsz.sampleSize == 0
            ? stsz.sizes.rows : [UInt32](repeating: stsz.sampleSize, count: Int(stsz.sampleCount))
        } else {
          let stz2 = try stbl.boxes[place].payload(as: CompactSampleSizeBox.self, from: source).get()
          sizes = (0..<Int(stz2.sampleCount)).map { stz2[$0] }
        }
        for (sample, growth) in growths {
          guard sizes.indices.contains(sample), Int(sizes[sample]) == track.samples[sample].size,
            let size = UInt32(exactly: Int(sizes[sample]) + growth)
          else { throw resizingRefusal(track) }
          sizes[sample] = size
        }
        var stsz = SampleSizeBox()
        stsz.sizes = BoxTable(integers: sizes)
        stbl.boxes[place] = Box(stsz)
      }
    }
  }

  private func resizingRefusal(_ track: Track, _ reason: String? = nil) -> MovieError {
    let text =
      "the sizes of the samples of track \(track.id) cannot be changed where they are declared"
      + (reason.map { ": \($0)" } ?? "")
    return .impossible(
      file: source.name, Obstacle("sizes_not_changed", text, ["track": .integer(Int(track.id))], remedy: .defragment))
  }

  /// Changes the sizes of samples in the movie fragments of a track.
  private func resizing(
    _ track: Track, _ growths: [(sample: Int, growth: Int)], _ fragments: SourceFragments, _ index: Int
  ) throws -> MovieEditor {
    let starts = fragments.tracks[index].starts
    switch fragments.tracks[index].problem {
    case nil, .durations, .noDecodeTime, .restart: break
    case let problem?: throw resizingRefusal(track, problem.rawValue)
    }
    let defaults = try defaultSize(of: track.id)
    var editor = self
    let places = Dictionary(
      items.indices.filter { items[$0].type == "moof" }.map { (items[$0].range.lowerBound, $0) }
    ) { first, _ in first }
    var rest = growths[...]
    for (number, start) in starts.enumerated() where !rest.isEmpty {
      let end = number + 1 < starts.count ? starts[number + 1].sample : track.samples.count
      let own = rest.prefix { $0.sample < end }
      guard !own.isEmpty else { continue }
      rest = rest.dropFirst(own.count)
      guard let place = places[fragments.fragments[start.fragment].offset] else { throw resizingRefusal(track) }
      var box = if let tree = items[place].tree { editor.trees[tree] } else { try tree(of: items[place]) }
      var sizes = (start.sample..<end).map { track.samples[$0].size }
      let old = sizes
      for (sample, growth) in own { sizes[sample - start.sample] += growth }
      guard try box.resize(trackID: track.id, from: old, to: sizes, defaults, of: source) else {
        throw resizingRefusal(track)
      }
      if let tree = editor.items[place].tree {
        editor.trees[tree] = box
      } else {
        editor.items[place].tree = editor.trees.count
        editor.trees.append(box)
      }
    }
    return editor
  }

  /// The default size of the samples of a track (`trex`).
  private func defaultSize(of id: UInt32) throws -> UInt32 {
    var size: UInt32 = 0
    _ = try editingMovie { moov in
      for box in moov.first("mvex")?.boxes ?? [] where box.type == "trex" {
        let trex = try box.payload(as: TrackExtendsBox.self, from: source).get()
        if trex.trackID == id { size = trex.defaultSampleSize }
      }
    }
    return size
  }
}

extension Movie {
  /// Whether the samples are those of another movie with these changes: their sizes, and the ends of the changed ones
  /// and of the last one.
  fileprivate func isSame(as other: Movie, but changes: SampleChanges) throws -> Bool {
    guard tracks.count == other.tracks.count else { return false }
    for (new, old) in zip(tracks, other.tracks) {
      guard new.samples.count == old.samples.count else { return false }
      var growths = (changes.growths[old.id] ?? [])[...]
      for index in 0..<old.samples.count {
        var growth = 0
        if let next = growths.first, next.sample == index {
          growth = next.growth
          growths.removeFirst()
        }
        guard new.samples.storage.list.size(index) == old.samples.storage.list.size(index) + growth else {
          return false
        }
        guard growth != 0 || index == old.samples.count - 1 else { continue }
        guard try new.samples[index].lastBytes() == old.samples[index].lastBytes() else { return false }
      }
    }
    return true
  }
}

extension Sample {
  /// The last bytes, which are coded pictures.
  fileprivate func lastBytes() throws(MovieError) -> [UInt8] {
    do throws(IOError) { return try source.bytes(in: offset + size - min(size, 16)..<offset + size) } catch {
      throw .io(error)
    }
  }
}

extension Box {
  /// Changes the sizes of the samples of a track in this `moof`; returns whether they were those of `old`.
  fileprivate mutating func resize(
    trackID: UInt32, from old: [Int], to new: [Int], _ trexSize: UInt32, of source: any ByteSource
  ) throws -> Bool {
    var done = 0
    for index in boxes.indices where boxes[index].type == "traf" {
      guard let tfhd = try boxes[index].payload(["tfhd"], TrackFragmentHeaderBox.self, of: source),
        tfhd.trackID == trackID
      else { continue }
      let common = tfhd.defaultSampleSize ?? trexSize
      for place in boxes[index].boxes.indices where boxes[index].boxes[place].type == "trun" {
        var isSame = true
        try boxes[index].boxes[place].edit(TrackRunBox.self, of: source) { trun in
          guard trun.samples.count <= old.count - done else { return isSame = false }
          var rows = Array(trun.samples)
          let isChanged = old[done..<done + rows.count] != new[done..<done + rows.count]
          for row in rows.indices {
            isSame = isSame && Int(rows[row].size ?? common) == old[done + row]
            rows[row].size = UInt32(clamping: new[done + row])
          }
          done += rows.count
          guard isChanged else { return }
          trun.header[0x200] = true
          trun.samples = BoxTable(rows)
        }
        guard isSame else { return false }
      }
    }
    return done == old.count
  }
}

extension MovieEditor.Overwrite {
  /// The bytes that a change of the same length really changes.
  fileprivate static func differences(
    _ splice: SampleChanges.Splice, in source: any ByteSource
  ) throws(MovieError) -> [Self] {
    do throws(IOError) {
      return differences(try source.bytes(in: splice.range), splice.bytes, at: splice.range.lowerBound)
    } catch { throw .io(error) }
  }
}
