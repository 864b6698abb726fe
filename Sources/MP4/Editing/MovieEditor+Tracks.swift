import ISOBMFF
public import MP4Bytes

/// Edits track properties.
extension MovieEditor {
  /// An editor that sets the language of tracks to a BCP 47 tag, such as `de` or `pt-BR`. Media headers have three
  /// letters; a more specific tag is also written as an extended language (`elng`).
  public func settingLanguage(of tracks: TrackSelection, to tag: String) throws -> MovieEditor {
    guard LanguageTag.isValid(tag) else {
      let proposal = LanguageTag.proposal(for: tag).map { "; did you mean '\($0)'?" } ?? ""
      let text = "'\(tag)' is not a language tag such as en or pt-BR\(proposal)"
      throw MovieError.impossible(file: source.name, Obstacle("not_a_language", text))
    }
    // `ger` is the bibliographic code of German, for which media headers have `deu`.
    let given = tag
    let tag = LanguageTag.shortest(given)
    let code = LanguageTag.packed(tag)
    var editor = try editingTracks(tracks) { trak in
      try trak.edit(["mdia", "mdhd"], MediaHeaderBox.self, of: source) { $0.language = code }
      // The three letters are equivalent to a tag without subtags.
      let isPlain = !tag.utf8.contains(UInt8(ascii: "-")) && code.description != "und"
      trak.edit("mdia") { mdia in
        mdia.boxes.removeAll { $0.type == "elng" }
        guard !isPlain, tag.lowercased() != "und" else { return }
        var extended = ExtendedLanguageBox()
        extended.extendedLanguage = BoxString(tag)
        let at = mdia.boxes.firstIndex { $0.type == "mdhd" }.map { $0 + 1 } ?? 0
        mdia.boxes.insert(Box(extended), at: at)
      }
    }
    let word = given.prefix { $0 != "-" }.lowercased()
    if word.utf8.count == 3, word != code.description, tag != given {
      let text = "the language is written as '\(code)' (ISO 639-2/T), which means the same as '\(word)'"
      editor.diagnostics.append(Diagnostic(.note, source.name, text))
    }
    return editor
  }

  /// An editor that sets the name of tracks, in their handlers and user data; an empty name removes it.
  public func settingName(of tracks: TrackSelection, to name: String) throws -> MovieEditor {
    try editingTracks(tracks) { trak in
      try trak.edit(["mdia", "hdlr"], HandlerBox.self, of: source) { hdlr in
        hdlr.name = BoxString(Array(name.utf8), form: hdlr.name.form)
      }
      if name.isEmpty || trak.first("udta", "name") != nil {
        trak.edit("udta") { udta in udta.boxes.removeAll { $0.type == "name" } }
        trak.boxes.removeAll { $0.type == "udta" && $0.boxes.isEmpty }
      }
      guard !name.isEmpty else { return }
      var box = UserDataNameBox()
      box.text = BoxString(name, form: .unterminated)
      if trak.first("udta") == nil { trak.append(Box("udta", boxes: [])) }
      trak.edit("udta") { $0.boxes.insert(Box(box), at: 0) }
    }
  }

  /// An editor that rotates the displayed video of tracks clockwise by 0, 90, 180 or 270 degrees, replacing any
  /// previous rotation.
  public func rotating(_ tracks: TrackSelection, to degrees: Int) throws -> MovieEditor {
    let one: Int32 = 1 << 16
    return try editingTracks(tracks) { trak in
      let handler = try trak.payload(["mdia", "hdlr"], HandlerBox.self, of: source)?.handlerType
      try trak.edit(["tkhd"], TrackHeaderBox.self, of: source) { tkhd in
        guard handler == "vide" || tkhd.width > 0 && tkhd.height > 0 else {
          let text = "track \(tkhd.trackID) is not video, so it cannot be rotated"
          throw MovieError.impossible(file: source.name, Obstacle("not_video", text))
        }
        let (width, height) = (Int32(clamping: tkhd.width), Int32(clamping: tkhd.height))
        // The translation moves the rotated picture back to positive coordinates.
        let values: (a: Int32, b: Int32, c: Int32, d: Int32, x: Int32, y: Int32)
        switch degrees {
        case 0: values = (one, 0, 0, one, 0, 0)
        case 90: values = (0, one, -one, 0, height, 0)
        case 180: values = (-one, 0, 0, -one, width, height)
        case 270: values = (0, -one, one, 0, 0, width)
        default:
          let text = "a rotation can be 0, 90, 180 or 270 degrees, not \(degrees)"
          throw MovieError.impossible(file: source.name, Obstacle("rotation_angle", text))
        }
        tkhd.matrix.values[0] = values.a
        tkhd.matrix.values[1] = values.b
        tkhd.matrix.values[3] = values.c
        tkhd.matrix.values[4] = values.d
        tkhd.matrix.values[6] = values.x
        tkhd.matrix.values[7] = values.y
      }
    }
  }

  /// An editor that enables or disables tracks.
  public func settingEnabled(_ tracks: TrackSelection, _ isEnabled: Bool) throws -> MovieEditor {
    try editingTracks(tracks) { trak in
      try trak.edit(["tkhd"], TrackHeaderBox.self, of: source) { tkhd in
        tkhd.header.flags = isEnabled ? tkhd.header.flags | 1 : tkhd.header.flags & ~1
      }
    }
  }

  /// An editor that makes a track the default of its alternate group: it is enabled, and the others of the group are
  /// disabled. Without a group, the others are the tracks of the same kind.
  public func settingDefault(_ track: UInt32) throws -> MovieEditor {
    var chosen: (group: Int16, handler: FourCC)?
    let selection = TrackSelection([.id(track)])
    var editor = try editingTracks(selection) { trak in
      let tkhd = try trak.payload(["tkhd"], TrackHeaderBox.self, of: source)
      let hdlr = try trak.payload(["mdia", "hdlr"], HandlerBox.self, of: source)
      chosen = (tkhd?.alternateGroup ?? 0, hdlr?.handlerType ?? "    ")
    }
    editor = try editor.settingEnabled(selection, true)
    guard let chosen else { return editor }
    return try editor.editingTracks(TrackSelection()) { trak in
      let hdlr = try trak.payload(["mdia", "hdlr"], HandlerBox.self, of: source)
      try trak.edit(["tkhd"], TrackHeaderBox.self, of: source) { tkhd in
        let isAlternative =
          chosen.group == 0
          ? tkhd.alternateGroup == 0 && hdlr?.handlerType == chosen.handler : tkhd.alternateGroup == chosen.group
        if isAlternative, tkhd.trackID != track { tkhd.header.flags &= ~1 }
      }
    }
  }

  /// An editor that puts tracks into an alternate group; 0 means no group.
  public func settingAlternateGroup(of tracks: TrackSelection, to group: Int16) throws -> MovieEditor {
    try editingTracks(tracks) { trak in
      try trak.edit(["tkhd"], TrackHeaderBox.self, of: source) { $0.alternateGroup = group }
    }
  }

  /// An editor that sets the creation time of the movie and all tracks, in seconds since 1904-01-01 00:00 UTC.
  public func settingCreationTime(_ time: UInt64) throws -> MovieEditor {
    let editor = try editingMovie { moov in
      try moov.edit(["mvhd"], MovieHeaderBox.self, of: source) { $0.creationTime = time }
    }
    return try editor.editingTracks(TrackSelection()) { trak in
      try trak.edit(["tkhd"], TrackHeaderBox.self, of: source) { $0.creationTime = time }
      try trak.edit(["mdia", "mdhd"], MediaHeaderBox.self, of: source) { $0.creationTime = time }
    }
  }

  /// An editor that sets the major brand, and adds it to the compatible brands.
  public func settingBrand(_ brand: FourCC) throws -> MovieEditor {
    try editing("ftyp", FileTypeBox.self) { ftyp in
      ftyp.majorBrand = brand
      if !ftyp.compatibleBrands.contains(brand) {
        ftyp.compatibleBrands = BoxTable([brand] + ftyp.compatibleBrands.map(\.self))
      }
    }
  }

  /// An editor that changes the movie box.
  func editingMovie(_ change: (inout Box) throws -> Void) throws -> MovieEditor {
    do {
      return try replacing("moov") { box in
        var box = box
        try change(&box)
        return [box]
      }
    } catch MovieError.noBox {
      throw MovieError.noMovie(file: source.name).explained(by: source)
    }
  }

  /// An editor that changes the selected tracks.
  func editingTracks(_ selection: TrackSelection, _ change: (inout Box) throws -> Void) throws -> MovieEditor {
    try editingMovie { moov in
      var known: [(id: UInt32, handler: FourCC)] = []
      var missing = selection.items
      for index in moov.boxes.indices where moov.boxes[index].type == "trak" {
        guard let id = try moov.boxes[index].payload(["tkhd"], TrackHeaderBox.self, of: source)?.trackID else {
          continue
        }
        let handler = try moov.boxes[index].payload(["mdia", "hdlr"], HandlerBox.self, of: source)?.handlerType
        known.append((id, handler ?? "    "))
        let isSelected = selection.items.isEmpty || selection.items.contains { $0.selects(id, handler ?? "    ") }
        missing.removeAll { $0.selects(id, handler ?? "    ") }
        if isSelected { try change(&moov.boxes[index]) }
      }
      if let item = missing.first {
        throw MovieError.impossible(file: source.name, .noTrack(item, known: known))
      }
    }
  }
}

extension TrackSelection.Item {
  func selects(_ id: UInt32, _ handler: FourCC) -> Bool {
    switch self {
    case .id(let wanted): wanted == id
    case .handlers(let handlers): handlers.contains(handler)
    }
  }
}

extension Box {
  /// Adds a box after the others, but before bytes that are not a box, because readers stop there.
  mutating func append(_ box: Box) {
    let end = boxes.lastIndex(where: \.hasHeader).map { $0 + 1 } ?? 0
    boxes.insert(box, at: end)
  }

  /// The fields of the box at a path of first boxes of each type; `nil` if it is missing.
  func payload<Payload: BoxPayload>(_ path: [FourCC], _: Payload.Type, of source: any ByteSource) throws -> Payload? {
    var box: Box? = self
    for type in path { box = box?.first(type) }
    return try box?.payload(as: Payload.self, from: source).get()
  }

  /// Changes the fields of the box at this path, if it exists.
  mutating func edit<Payload: BoxPayload>(
    _ path: [FourCC], _: Payload.Type, of source: any ByteSource, _ change: (inout Payload) throws -> Void
  ) throws {
    guard let type = path.first else { return try edit(Payload.self, of: source, change) }
    guard let index = boxes.firstIndex(where: { $0.type == type }) else { return }
    try boxes[index].edit(Array(path.dropFirst()), Payload.self, of: source, change)
  }

  /// Changes the box that is reached by going into the first box of each type, if it exists.
  mutating func editBoxes(_ path: ArraySlice<FourCC>, _ change: (inout Box) throws -> Void) throws {
    guard let type = path.first else { return try change(&self) }
    guard let index = boxes.firstIndex(where: { $0.type == type }) else { return }
    try boxes[index].editBoxes(path.dropFirst(), change)
  }
}
