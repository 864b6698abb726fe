import ISOBMFF
import MP4Bytes

extension MovieEditor {
  /// An editor that declares properties of video tracks everywhere: in the boxes of sample entries, in the parameter
  /// sets and SEI messages of H.264 and H.265, and in the headers of AV1, VP9 and ProRes, in sample entries and in
  /// samples. Pictures do not change. If headers in samples become longer or shorter, the media moves, and the change
  /// is not possible in place.
  ///
  /// - Parameters:
  ///   - tracks: The tracks, which must be video.
  ///   - properties: The properties.
  /// - Throws: `MovieError` also if headers cannot express the properties, or contradict them.
  public func settingVideoProperties(
    of tracks: TrackSelection, to properties: VideoProperties
  ) throws -> MovieEditor {
    let writing = properties.writing
    let payloads = MoviePayloads(source: source)
    let fileType = try fileType()
    var (isQuickTime, conversion) = (false, QuickTimeConversion(source))
    _ = try editingMovie { isQuickTime = try conversion.isQuickTime($0, fileType: fileType) }
    var (ids, notes): ([UInt32], [Diagnostic]) = ([], [])
    let edited = try editingTracks(tracks) { trak in
      let id = try trak.payload(["tkhd"], TrackHeaderBox.self, of: source)?.trackID ?? 0
      guard try trak.payload(["mdia", "hdlr"], HandlerBox.self, of: source)?.handlerType == "vide" else {
        throw MovieError.impossible(
          file: source.name, Obstacle("not_video", "track \(id) is not video, so it has no pictures"))
      }
      ids.append(id)
      let entries = VideoEntryWriting(
        writing: writing, properties: properties, isQuickTime: isQuickTime, track: id, payloads: payloads)
      try trak.editBoxes(["mdia", "minf", "stbl", "stsd"]) { stsd in
        for index in stsd.boxes.indices where stsd.boxes[index].hasHeader {
          notes += try entries.write(to: &stsd.boxes[index])
        }
      }
      if let aspect = properties.sampleAspect { try trak.show(with: aspect, of: source) }
    }
    var changes = SampleChanges()
    for track in try Movie(reading: [source]).tracks where ids.contains(track.id) {
      if track.protectionScheme != nil {
        throw MovieError.impossible(
          file: source.name, Obstacle("encrypted", "track \(track.id) is encrypted; decrypt it first"))
      }
      for configuration in track.decoderConfigurations
      where HeaderSyntax(configuration) == nil && properties.changesBoxes {
        let text =
          "track \(track.id): only boxes are changed; the samples (\(configuration.codedFormat)) may declare other "
          + "values"
        notes.append(Diagnostic(.warning, source.name, text))
      }
      let count = try changes.add(track, writing)
      if count > 0 {
        let text = "track \(track.id): headers in \(counted(count, "sample")) are changed too"
        notes.append(Diagnostic(.note, source.name, text))
      }
    }
    var editor = try edited.changing(changes)
    editor.diagnostics += notes
    return editor
  }
}

extension MovieEditor {
  /// An editor that declares properties of video tracks: those of later selections replace those of earlier ones.
  public func settingVideoProperties(
    _ changes: [(tracks: TrackSelection, properties: VideoProperties)]
  ) throws -> MovieEditor {
    var merged: [(id: UInt32, properties: VideoProperties)] = []
    for change in changes {
      _ = try editingTracks(change.tracks) { trak in
        let id = try trak.payload(["tkhd"], TrackHeaderBox.self, of: source)?.trackID ?? 0
        if let index = merged.firstIndex(where: { $0.id == id }) {
          merged[index].properties.merge(change.properties)
        } else {
          merged.append((id, change.properties))
        }
      }
    }
    var editor = self
    for (id, properties) in merged {
      editor = try editor.settingVideoProperties(of: TrackSelection([.id(id)]), to: properties)
    }
    return editor
  }

  /// An editor without what encoders say about themselves: the tag, the name in sample entries, and messages in H.264
  /// and H.265. A note lists the tracks in whose samples nothing is looked for.
  func strippingEncoder() throws -> MovieEditor {
    var editor = try settingTag(.encoder, to: [])
    var (hasVideo, others) = (false, [String]())
    for track in try Movie(reading: [source]).tracks {
      hasVideo = hasVideo || track.handler == "vide"
      let codecs = track.decoderConfigurations.filter { $0.nalUnits == nil && $0.codedFormat != "tmcd" }
      if let codec = codecs.first?.codedFormat, track.handler == "vide" || track.handler == "soun" {
        others.append("track \(track.id) (\(codec))")
      }
    }
    if hasVideo {
      var properties = VideoProperties()
      properties.omitsEncoder = true
      editor = try editor.settingVideoProperties(of: TrackSelection([.handlers(["vide"])]), to: properties)
    }
    if !others.isEmpty {
      let text = "the samples of \(others.joined(separator: ", ")) may contain the name of an encoder, too"
      editor.diagnostics.append(Diagnostic(.note, source.name, text))
    }
    return editor
  }

  /// An editor in which streams of H.264 and H.265 that declare a frame rate have this one. Others do not change.
  func declaringFrameRate(_ rate: FrameRate, of tracks: TrackSelection) throws -> MovieEditor {
    var properties = VideoProperties()
    properties.frameRate = rate
    var (selected, notes): ([TrackSelection.Item], [Diagnostic]) = ([], [])
    for track in try Movie(reading: [source]).tracks where track.handler == "vide" && track.protectionScheme == nil {
      let isSelected = tracks.items.isEmpty || tracks.items.contains { $0.selects(track.id, track.handler) }
      guard isSelected else { continue }
      if let other = track.decoderConfigurations.first(where: { $0.nalUnits == nil }) {
        let text = "track \(track.id): the samples (\(other.codedFormat)) may declare another frame rate"
        notes.append(Diagnostic(.note, source.name, text))
      } else {
        selected.append(.id(track.id))
      }
    }
    var editor = selected.isEmpty ? self : try settingVideoProperties(of: TrackSelection(selected), to: properties)
    editor.diagnostics += notes
    return editor
  }
}

extension Box {
  /// Sets the size for presentation to that of the pixels with this shape. The height stays.
  fileprivate mutating func show(with aspect: SampleAspect, of source: any ByteSource) throws {
    guard let entry = first("mdia", "minf", "stbl", "stsd")?.boxes.first(where: \.hasHeader),
      let coded = try entry.payload([], VisualSampleEntry.self, of: source), coded.width > 0, coded.height > 0
    else { return }
    let clap = try entry.payload(["clap"], CleanApertureBox.self, of: source)
    func shown(_ numerator: UInt32?, _ denominator: UInt32?, _ whole: UInt16) -> Double {
      guard let numerator, let denominator, numerator > 0, denominator > 0 else { return Double(whole) }
      return Double(numerator) / Double(denominator)
    }
    let (width, height) = (
      shown(clap?.cleanApertureWidthN, clap?.cleanApertureWidthD, coded.width),
      shown(clap?.cleanApertureHeightN, clap?.cleanApertureHeightD, coded.height)
    )
    let shape = Double(aspect.width) / Double(aspect.height)
    func fixed(_ value: Double) -> UInt32 { UInt32(exactly: (value * 65536).rounded()) ?? .max }
    try edit(["tkhd"], TrackHeaderBox.self, of: source) {
      ($0.width, $0.height) = (fixed(width * shape), fixed(height))
    }
    // The sizes of QuickTime: of the clean aperture, and of the whole picture with pixels of this shape.
    let sizes: [FourCC: (Double, Double)] = [
      "clef": (width * shape, height), "prof": (Double(coded.width) * shape, Double(coded.height)),
    ]
    try editBoxes(["tapt"]) { tapt in
      for index in tapt.boxes.indices {
        guard let size = sizes[tapt.boxes[index].type] else { continue }
        var writer = ByteWriter()
        writer.integer(UInt32(0))
        writer.integer(fixed(size.0))
        writer.integer(fixed(size.1))
        tapt.boxes[index] = Box(tapt.boxes[index].type, bytes: writer.bytes)
      }
    }
  }
}

/// Writes the properties of video into sample entries.
private struct VideoEntryWriting {
  let writing: HeaderWriting
  let properties: VideoProperties
  let isQuickTime: Bool
  let track: UInt32
  let payloads: MoviePayloads

  private func refusal(_ what: String) -> MovieError {
    .impossible(
      file: payloads.source.name,
      Obstacle(
        "properties_not_written",
        "\(what) of track \(track) cannot be changed: it cannot be read, or has no code for these values"))
  }

  /// Returns notes about what is removed.
  func write(to entry: inout Box) throws -> [Diagnostic] {
    let path = "moov/trak/mdia/minf/stbl/stsd/\(entry.type)/"
    var declared: ColourDescription?
    if let box = entry.first("avcC") {
      var avcC = try payloads.payload(of: box, in: path + "avcC", AVCConfigurationBox.self)
      for index in avcC.sequenceParameterSets.indices {
        let unit = avcC.sequenceParameterSets[index].nalUnit[...]
        guard let new = writing.writing(avc: unit) else { throw refusal("avcC") }
        declared = declared ?? SequenceParameters(avc: unit)?.colour
        avcC.sequenceParameterSets[index] = AVCConfigurationBox.ParameterSet(nalUnit: new)
      }
      if let level = writing.level {
        avcC.avcLevelIndication = level.avc
        if let set = avcC.sequenceParameterSets.first?.nalUnit, set.count > 3 { avcC.profileCompatibility = set[2] }
      }
      entry.edit("avcC") { $0.fields = .edited(avcC) }
    }
    if let box = entry.first("hvcC") {
      var hvcC = try payloads.payload(of: box, in: path + "hvcC", HEVCConfigurationBox.self)
      declared = try write(to: &hvcC)
      entry.edit("hvcC") { $0.fields = .edited(hvcC) }
    }
    if entry.first("vvcC") != nil {
      let text = "track \(track) is H.266, whose headers can only be read"
      throw MovieError.impossible(file: payloads.source.name, Obstacle("properties_not_written", text))
    }
    if let box = entry.first("av1C") {
      var av1C = try payloads.payload(of: box, in: path + "av1C", AV1CodecConfigurationBox.self)
      let units = av1C.configOBUs[...]
      declared = SequenceParameters(av1: units)?.colour
      guard let patches = writing.patches(av1: units, insertsMetadata: false) else { throw refusal("av1C") }
      for patch in patches.reversed() { av1C.configOBUs.replaceSubrange(patch.range, with: patch.bytes) }
      if let level = writing.level {
        guard let code = level.av1 else { throw refusal("av1C") }
        av1C.seqLevelIdx0 = UInt8(code)
        if code <= 7 { av1C.seqTier0 = false }
      }
      entry.edit("av1C") { $0.fields = .edited(av1C) }
    }
    if let box = entry.first("vpcC") {
      var vpcC = try payloads.payload(of: box, in: path + "vpcC", VPCodecConfigurationBox.self)
      declared = ColourDescription(
        primaries: UInt16(vpcC.colourPrimaries), transferCharacteristics: UInt16(vpcC.transferCharacteristics),
        matrixCoefficients: UInt16(vpcC.matrixCoefficients), isFullRange: vpcC.videoFullRangeFlag)
      let new = writing.applied(to: declared)
      vpcC.colourPrimaries = UInt8(truncatingIfNeeded: new.primaries)
      vpcC.transferCharacteristics = UInt8(truncatingIfNeeded: new.transferCharacteristics)
      vpcC.matrixCoefficients = UInt8(truncatingIfNeeded: new.matrixCoefficients)
      vpcC.videoFullRangeFlag = new.isFullRange
      if let level = writing.level { vpcC.level = level.avc }
      entry.edit("vpcC") { $0.fields = .edited(vpcC) }
    }
    if writing.level != nil, !["avcC", "hvcC", "av1C", "vpcC"].contains(where: { entry.first($0) != nil }) {
      let text = "the level of track \(track) (\(entry.type)) cannot be changed, if it has one"
      throw MovieError.impossible(file: payloads.source.name, Obstacle("no_level", text))
    }
    if writing.omitsEncoder {
      try? entry.edit(VisualSampleEntry.self, of: payloads.source) {
        $0.compressorName = FixedName(length: $0.compressorName.bytes.count)
      }
    }
    if let aspect = properties.sampleAspect {
      var pasp = PixelAspectRatioBox()
      (pasp.hSpacing, pasp.vSpacing) = (UInt32(aspect.width), UInt32(aspect.height))
      entry.replace(Box(pasp))
    }
    for message in writing.display {
      entry.replace(Box(message.type == 137 ? "mdcv" : "clli", bytes: message.payload))
      // The same in the older boxes of VP9.
      let old: FourCC = message.type == 137 ? "SmDm" : "CoLL"
      entry.boxes.removeAll { $0.type == old }
    }
    if let order = properties.fieldOrder { try write(order, to: &entry, path) }
    guard properties.colors != nil || properties.isFullRange != nil else { return [] }
    return try writeColours(to: &entry, path, declared)
  }

  /// Writes the parameter sets and messages of HEVC; returns the colors before.
  private func write(to hvcC: inout HEVCConfigurationBox) throws(MovieError) -> ColourDescription? {
    var declared: ColourDescription?
    for array in hvcC.arrays.indices {
      let type = hvcC.arrays[array].nalUnitType
      var units: [HEVCConfigurationBox.NALUnit] = []
      for unit in hvcC.arrays[array].nalUnits.lazy.map({ $0.bytes[...] }) {
        if type == 33 { declared = declared ?? SequenceParameters(hevc: unit)?.colour }
        guard let new = writing.writing(hevcUnit: unit, nil) else { throw refusal("hvcC") }
        if !new.isEmpty { units.append(HEVCConfigurationBox.NALUnit(bytes: new)) }
      }
      hvcC.arrays[array].nalUnits = units
    }
    hvcC.arrays.removeAll { $0.nalUnitType == 39 && $0.nalUnits.isEmpty }
    if let level = writing.level { hvcC.generalLevelIDC = level.hevc }
    return declared
  }

  /// Writes the order of fields. Its number also says how fields are stored, which is kept.
  private func write(_ order: FieldOrder, to entry: inout Box, _ path: String) throws {
    if order != .progressive, let codec = ["av1C", "vpcC"].first(where: { entry.first($0) != nil }) {
      throw MovieError.impossible(
        file: payloads.source.name,
        Obstacle("no_fields", "track \(track) (\(codec)) cannot have fields: this codec has only progressive pictures"))
    }
    if let box = entry.first("hvcC") {
      // The first two flags say whether the source is progressive or interlaced: ISO/IEC 23008-2, 7.4.4.
      let hvcC = try payloads.payload(of: box, in: path + "hvcC", HEVCConfigurationBox.self)
      let source = hvcC.generalConstraintIndicatorFlags >> 46 & 3
      let isOther = source == (order == .progressive ? 1 : 2)
      if isOther {
        let all = order == .progressive ? "interlaced" : "progressive"
        let text = "track \(track): its profile says that all pictures are \(all)"
        throw MovieError.impossible(file: payloads.source.name, Obstacle("properties_not_written", text))
      }
    }
    let fiel = try entry.first("fiel")?.bytes(of: payloads.source) ?? []
    let isSeparate = fiel.count == 2 && fiel[0] == 2 && [1, 6].contains(fiel[1])
    let bytes: [UInt8] =
      switch order {
      case .progressive: [1, 0]
      case .topFirst: [2, isSeparate ? 1 : 9]
      case .bottomFirst: [2, isSeparate ? 6 : 14]
      }
    entry.replace(Box("fiel", bytes: bytes))
  }

  private func writeColours(
    to entry: inout Box, _ path: String, _ stream: ColourDescription?
  ) throws(MovieError) -> [Diagnostic] {
    var declared = stream
    // An ICC profile would contradict the codes.
    var colr = ColourInformationBox()
    colr.colourType = isQuickTime ? "nclc" : "nclx"
    var notes: [Diagnostic] = []
    for box in entry.boxes where box.type == "colr" {
      let old = try payloads.payload(of: box, in: path + "colr", ColourInformationBox.self)
      guard ["nclc", "nclx"].contains(old.colourType) else {
        let text = "track \(track): an ICC profile, which the colors contradict, is removed"
        notes.append(Diagnostic(.note, payloads.source.name, text))
        continue
      }
      colr.colourType = old.colourType
      declared = ColourDescription(
        primaries: old.colourPrimaries, transferCharacteristics: old.transferCharacteristics,
        matrixCoefficients: old.matrixCoefficients,
        isFullRange: old.colourType == "nclx" ? old.fullRangeFlag : declared?.isFullRange ?? false)
    }
    let new = writing.applied(to: declared)
    (colr.colourPrimaries, colr.transferCharacteristics) = (new.primaries, new.transferCharacteristics)
    (colr.matrixCoefficients, colr.fullRangeFlag) = (new.matrixCoefficients, new.isFullRange)
    // Only `nclx` says that values use the full range.
    if new.isFullRange { colr.colourType = "nclx" }
    entry.boxes.removeAll { $0.type == "colr" }
    entry.append(Box(colr))
    return notes
  }
}

extension Box {
  /// The contents of a box without boxes, unless it has fields that were edited.
  fileprivate func bytes(of source: any ByteSource) throws(MovieError) -> [UInt8] {
    switch fields {
    case .edited(_, let rest): return rest
    case .unchanged(let range):
      do throws(IOError) { return try source.bytes(in: range) } catch { throw .io(error) }
    }
  }

  /// Replaces the box of the same type, or adds this one.
  fileprivate mutating func replace(_ box: Box) {
    guard let index = boxes.firstIndex(where: { $0.type == box.type }) else { return append(box) }
    boxes[index] = box
  }
}
