import ISOBMFF

extension TimedMovie {
  /// The same movie with the brands of ISO files and with their descriptions of MPEG-4 sound: in those of QuickTime the
  /// configuration of the decoder is in a box (`wave`) that players of segments do not know.
  public func withoutQuickTime() throws(MovieError) -> TimedMovie {
    var result = self
    result.isOfISO = true
    for group in presentation.groups.indices {
      let payloads = MoviePayloads(source: presentation.sources[presentation.groups[group].source])
      var moov = presentation.groups[group].movie.box
      for trak in moov.boxes.indices where moov.boxes[trak].type == "trak" {
        guard var stsd = moov.boxes[trak].first("mdia", "minf", "stbl", "stsd") else { continue }
        for entry in stsd.boxes.indices { stsd.boxes[entry] = try Self.ofISO(stsd.boxes[entry], payloads) }
        moov.boxes[trak].edit("mdia") { $0.edit("minf") { $0.edit("stbl") { $0.edit("stsd") { $0 = stsd } } } }
      }
      result.presentation.groups[group].movie.box = moov
    }
    return result
  }

  /// The brands of the source, but for those of QuickTime where they are not wanted.
  func fileType() throws(MovieError) -> FileTypeBox {
    var result = try presentation.fileType()
    guard isOfISO else { return result }
    result.majorBrand = "isom"
    result.compatibleBrands = Table(result.compatibleBrands.filter { $0 != "qt  " })
    return result
  }

  /// An entry for MPEG-4 sound as ISO files have it; any other as it is. ISO/IEC 14496-14:2020, 6.7.2.
  private static func ofISO(_ entry: Box, _ payloads: MoviePayloads) throws(MovieError) -> Box {
    guard entry.type == "mp4a", let wave = entry.first("wave"), let configuration = wave.first("esds") else {
      return entry
    }
    let path = "moov/trak/mdia/minf/stbl/stsd/mp4a"
    let old = try payloads.payload(of: entry, in: path, AudioSampleEntry.self)
    var sound = AudioSampleEntry()
    sound.dataReferenceIndex = old.dataReferenceIndex
    // Version 2 has them elsewhere, and in 32 bits; 0 stands for a rate that has no room.
    if let more = old.version2 {
      sound.channelCount = UInt16(clamping: more.numAudioChannels)
      let rate = Double(bitPattern: more.audioSampleRate)
      sound.sampleRate = rate > 0 && rate < 65_536 ? UInt32(rate) << 16 : 0
    } else {
      (sound.channelCount, sound.sampleRate) = (old.channelCount, old.sampleRate)
    }
    var result = entry
    result.fields = .edited(sound)
    result.boxes = [configuration] + entry.boxes.filter { $0.hasHeader && !["wave", "chan"].contains($0.type) }
    return result
  }
}
