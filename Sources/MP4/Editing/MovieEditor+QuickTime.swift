import ISOBMFF
import MP4Bytes

extension MovieEditor {
  /// An editor that converts a QuickTime movie to MP4 (ISO/IEC 14496-12): brands, handlers, sample descriptions, media
  /// headers, languages and metadata. Samples do not change, except text that has another form in 3GPP timed text. In
  /// other movies, audio descriptions in QuickTime form are converted.
  ///
  /// - Throws: `MovieError` also if a track has a codec that MP4 does not support.
  public func convertingToMP4() throws -> MovieEditor {
    var conversion = QuickTimeConversion(source)
    let fileType = try fileType()
    var isQuickTime = false
    var hasFragments = false
    var text: [UInt8] = []
    var editor = try editingMovie { moov in
      guard moov.first("trak") != nil else { throw MovieError.noTracks(file: source.name) }
      isQuickTime = try conversion.isQuickTime(moov, fileType: fileType)
      hasFragments = moov.first("mvex") != nil
      var tracks: [Diagnostic.Track] = []
      for trak in moov.boxes where trak.type == "trak" {
        let id = try conversion.fields(of: trak.first("tkhd"), TrackHeaderBox.self)?.trackID ?? 0
        let timescale = try conversion.fields(of: trak.first("mdia", "mdhd"), MediaHeaderBox.self)?.timescale ?? 1
        tracks.append(Diagnostic.Track(index: tracks.count, id: id, timescale: max(1, timescale)))
      }
      if isQuickTime, !hasFragments { text = try convertText(in: &moov, tracks, &conversion) }
      try conversion.convert(&moov, isQuickTime: isQuickTime) { tracks[$0] }
      if isQuickTime { try refuseQuickTimeOnly(in: moov, tracks, conversion) }
    }
    guard isQuickTime else {
      let text = conversion.hasConvertedSound ? "only audio descriptions were converted" : "nothing to convert"
      editor.diagnostics.append(Diagnostic(.note, source.name, "already an MP4 file; \(text)"))
      return editor
    }
    func brands(_ old: FileTypeBox) -> FileTypeBox {
      Brands.converted(old, hasNegativeOffsets: conversion.hasNegativeOffsets, hasFragments: hasFragments)
    }
    if fileType != nil {
      editor = try editor.editing("ftyp[1]", FileTypeBox.self) { $0 = brands($0) }
    } else {
      var old = FileTypeBox()
      old.majorBrand = "qt  "
      editor = editor.insertFirst(Box(brands(old)))
    }
    if !text.isEmpty { editor = editor.appendMedia(text) }
    editor.diagnostics.append(Diagnostic(.converted, source.name))
    editor.diagnostics += conversion.diagnostics
    return editor
  }

  /// Throws if a converted movie has a track that players of MP4 files cannot decode.
  private func refuseQuickTimeOnly(
    in moov: Box, _ tracks: [Diagnostic.Track], _ conversion: QuickTimeConversion
  ) throws(MovieError) {
    for diagnostic in conversion.diagnostics {
      // Text is kept, with a warning.
      if case .quickTimeOnly(let type, let name) = diagnostic.kind, type != "text", let track = diagnostic.track {
        let text = "\(type) (\(name)) is defined only for QuickTime; transcode it, or keep the .mov"
        throw .impossible(
          file: source.name, Obstacle("quicktime_only", text, ["type": .text("\(type)")]).inTrack(track.id))
      }
    }
    for (trak, track) in zip(moov.boxes.filter { $0.type == "trak" }, tracks) {
      guard try conversion.fields(of: trak.first("mdia", "hdlr"), HandlerBox.self)?.handlerType == "soun" else {
        continue
      }
      for entry in trak.first("mdia", "minf", "stbl", "stsd")?.boxes ?? [] where entry.hasHeader {
        let sound = try conversion.fields(of: entry, AudioSampleEntry.self)
        if sound?.version1 != nil || sound?.version2 != nil || entry.first("wave") != nil {
          let text =
            "the description of \(entry.type) lacks the decoder configuration that MP4 files need; transcode it, or "
            + "keep the .mov"
          throw .impossible(
            file: source.name, Obstacle("no_configuration", text, ["type": .text("\(entry.type)")]).inTrack(track.id))
        }
      }
    }
  }

  /// Converts tracks of QuickTime text to 3GPP timed text, and returns the samples of those in which a sample changes.
  /// Chapters stay as they are, as readers of MP4 files accept them, and so do tracks with damaged samples.
  private func convertText(
    in moov: inout Box, _ tracks: [Diagnostic.Track], _ conversion: inout QuickTimeConversion
  ) throws -> [UInt8] {
    let chapters = try conversion.chapterTracks(of: moov)
    var movie: Movie?
    var (media, number) = ([UInt8](), 0)
    for index in moov.boxes.indices where moov.boxes[index].type == "trak" {
      defer { number += 1 }
      let (trak, track) = (moov.boxes[index], tracks[number])
      guard var table = trak.first("mdia", "minf", "stbl"), let stsd = table.first("stsd"), !stsd.boxes.isEmpty,
        stsd.boxes.allSatisfy({ $0.type == "text" }), !chapters.contains(track.id)
      else { continue }
      let descriptions = try stsd.boxes.compactMap { entry in
        try conversion.fields(of: entry, QuickTimeTextSampleEntry.self).map {
          QuickTimeText.description($0, boxes: entry.boxes.filter(\.hasHeader))
        }
      }
      if movie == nil { movie = try Movie(reading: [source]) }
      let count = Int(try conversion.fields(of: table.first("stsz"), SampleSizeBox.self)?.sampleCount ?? 0)
      guard descriptions.count == stsd.boxes.count,
        let samples = movie?.tracks.first(where: { $0.id == track.id })?.samples, samples.count == count,
        let text = try QuickTimeText.samples(samples, limit: Self.textLimit - media.count)
      else { continue }
      table.edit("stsd") { $0.boxes = descriptions }
      if text.isChanged {
        table.boxes.removeAll { ["stsc", "stsz", "stz2", "stco", "co64"].contains($0.type) }
        table.boxes += TrackBoxes.chunks(text.runs, at: mediaEnd + 8 + media.count)
        media += text.bytes
      }
      moov.boxes[index].edit("mdia", "minf", "stbl") { $0 = table }
      moov.boxes[index].edit("mdia", "minf", "gmhd") { $0 = Box(NullMediaHeaderBox()) }
      conversion.note(.renamedFormat("text", "tx3g"), track)
    }
    return media
  }

  /// The most bytes of text that are converted, which are in memory. Damaged tables could declare far more.
  private static let textLimit = 1 << 26
}
