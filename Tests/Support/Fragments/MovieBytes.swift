extension FragmentedFileBuilder {
  /// The bytes of `moov`; their number is independent of the chunk offsets, which are by track.
  func movieBytes(_ tables: [UInt32: [SampleRecord]], _ chunkOffsets: [UInt32: [Int]]) -> [UInt8] {
    let wide = movieDuration > UInt64(UInt32.max)
    let times =
      wide
      ? zeros(16) + big(movieTimescale) + big(movieDuration)
      : zeros(8) + big(movieTimescale) + big(UInt32(movieDuration))
    let nextTrack = (tracks.map(\.id).max() ?? 0) &+ 1
    let header = fullBox(
      "mvhd", version: wide ? 1 : 0, times, big(UInt32(0x1_0000)), big(UInt16(0x100)), zeros(10), unityMatrix,
      zeros(24), big(nextTrack))
    let extends = tracks.flatMap { track -> [UInt8] in
      guard let trex = track.trex else { return [] }
      return fullBox(
        "trex", big(track.id), big(trex.description), big(trex.duration), big(trex.size), big(trex.flags))
    }
    let duration = fragmentDuration.map { fullBox("mehd", version: 1, big($0)) } ?? []
    let traks = tracks.flatMap { $0.bytes(tables[$0.id] ?? [], chunkOffsets[$0.id] ?? []) }
    return box("moov", header, traks, box("mvex", duration, extends), movieBoxes)
  }
}

/// No rotation and no scaling.
let unityMatrix =
  big(UInt32(0x1_0000)) + zeros(12) + big(UInt32(0x1_0000)) + zeros(12) + big(UInt32(0x4000_0000))

extension TrackSpec {
  func bytes(_ samples: [SampleRecord], _ chunkOffsets: [Int]) -> [UInt8] {
    box("trak", headerBytes, editBytes, mediaBytes(samples, chunkOffsets), boxes["trak"] ?? [])
  }

  private var headerBytes: [UInt8] {
    let wide = trackDuration > UInt64(UInt32.max)
    let times =
      wide
      ? zeros(16) + big(id) + zeros(4) + big(trackDuration)
      : zeros(8) + big(id) + zeros(4) + big(UInt32(trackDuration))
    let size = kind == .video ? big(UInt32(160 << 16)) + big(UInt32(90 << 16)) : zeros(8)
    return fullBox(
      "tkhd", version: wide ? 1 : 0, flags: 3, times, zeros(12), big(UInt16(kind == .audio ? 0x100 : 0)), zeros(2),
      unityMatrix, size)
  }

  private var editBytes: [UInt8] {
    guard let edits else { return [] }
    let entries = edits.flatMap { edit in
      let times =
        editListVersion == 0
        ? big(UInt32(edit.duration)) + big(Int32(edit.mediaTime)) : big(edit.duration) + big(edit.mediaTime)
      return times + big(UInt32(0x1_0000))
    }
    return box("edts", fullBox("elst", version: editListVersion, big(UInt32(edits.count)), entries))
  }

  private func mediaBytes(_ samples: [SampleRecord], _ chunkOffsets: [Int]) -> [UInt8] {
    let wide = mediaDuration > UInt64(UInt32.max)
    let times =
      wide
      ? zeros(16) + big(timescale) + big(mediaDuration) : zeros(8) + big(timescale) + big(UInt32(mediaDuration))
    let packed = language.utf8.reduce(UInt16(0)) { $0 << 5 | UInt16($1 & 0x1f) }
    let header = fullBox("mdhd", version: wide ? 1 : 0, times, big(packed), zeros(2))
    let (handler, mediaHeader): (String, [UInt8]) =
      switch kind {
      case .video: ("vide", fullBox("vmhd", flags: 1, zeros(8)))
      case .audio: ("soun", fullBox("smhd", zeros(4)))
      case .text: ("text", fullBox("nmhd"))
      }
    let references = box("dinf", fullBox("dref", big(UInt32(1)), fullBox("url ", flags: 1)))
    let information = box(
      "minf", mediaHeader, references, tableBytes(samples, chunkOffsets), boxes["minf"] ?? [])
    let name = fullBox("hdlr", zeros(4), ascii(self.handler ?? handler), zeros(12), ascii("Support"), [0])
    return box("mdia", header, name, information, boxes["mdia"] ?? [])
  }
}
