extension MultivariantPlaylist {
  /// The rules that the playlist violates, by line; empty if it is valid.
  public var findings: [PlaylistFinding] {
    var checker = RuleChecker(lines)
    checker.checkCommon(isMedia: false, hasByteOrderMark: hasByteOrderMark)
    checker.checkURIs(variantPlaces)
    checker.checkVariants()
    checker.checkCaptions()
    checker.checkRenditions()
    checker.checkGroups()
    checker.checkSession()
    return checker.sortedFindings
  }
}

extension RuleChecker {
  fileprivate mutating func checkURIs(_ places: [(tag: Int, uri: Int?)]) {
    for place in places where place.uri == nil {
      report(.variantURI, at: place.tag, "EXT-X-STREAM-INF must have the URI of a playlist below it")
    }
    let uris = Set(places.compactMap(\.uri))
    for (index, line) in lines.enumerated() where line.content == .uri && !uris.contains(index) {
      if misspelled[index - 1] == .variant { continue }
      report(.variantURI, at: index, "a URI in a multivariant playlist must have EXT-X-STREAM-INF above it")
    }
  }

  fileprivate mutating func checkVariants() {
    var groups: [Rendition.Kind: Set<String>] = [:]
    for (_, rendition) in lines.indexed(.rendition, as: Rendition.self) {
      if let kind = rendition.kind { groups[kind, default: []].insert(rendition.group) }
    }
    for (index, line) in lines.enumerated() {
      guard let tag = line.tag, tag == .variant || tag == .iFrameVariant,
        case .attributes(let list) = line.value
      else { continue }
      let variant = Variant(attributes: list)
      checkGroup(variant.video, .video, groups, at: index)
      if tag == .variant {
        checkGroup(variant.audio, .audio, groups, at: index)
        checkGroup(variant.subtitles, .subtitles, groups, at: index)
        if case .group(let name) = variant.closedCaptions { checkGroup(name, .closedCaptions, groups, at: index) }
        if let rate = list["FRAME-RATE"], rate.text.utf8.drop(while: { $0 != UInt8(ascii: ".") }).count > 4 {
          let rounded = variant.frameRate?.withThreeDecimals ?? ""
          report(.frameRate, at: index, "FRAME-RATE must be rounded to three decimals: \(rounded)")
        }
      }
      checkStream(variant, tag, at: index)
    }
  }
  private mutating func checkGroup(
    _ name: String?, _ kind: Rendition.Kind, _ groups: [Rendition.Kind: Set<String>], at index: Int
  ) {
    guard let name, groups[kind]?.contains(name) != true else { return }
    report(
      .groupMissing, at: index,
      "\(kind.rawValue) refers to the group \(quoted(name)), but no EXT-X-MEDIA with TYPE \(kind.rawValue) has this "
        + "group")
  }
  private mutating func checkStream(_ variant: Variant, _ tag: TagName, at index: Int) {
    if let average = variant.averageBandwidth, variant.bandwidth > 0, average > variant.bandwidth {
      report(
        .averageBandwidth, at: index,
        "AVERAGE-BANDWIDTH is \(average), but BANDWIDTH, the peak, is only \(variant.bandwidth)")
    }
    if variant.supplementalCodecs != nil, variant.codecs == nil {
      report(.supplementalCodecs, at: index, "SUPPLEMENTAL-CODECS needs CODECS, with the codecs of the base layers")
    }
    if let layout = variant.requiredVideoLayout {
      let entries = layout.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
      if entries.contains(where: { $0.allSatisfy { $0 == 0x20 } }) {
        report(.videoLayout, at: index, "REQ-VIDEO-LAYOUT cannot have an empty entry")
      }
    }
    checkStableID(variant.stableID, "STABLE-VARIANT-ID", at: index)
  }
  /// Checks the characters of a stable ID.
  mutating func checkStableID(_ id: String?, _ name: String, at index: Int) {
    guard let id else { return }
    let isStable = id.utf8.allSatisfy { Variables.isNameByte($0) || "+/=.".utf8.contains($0) }
    if !isStable, Variables.references(in: id).isEmpty {
      report(.stableID, at: index, "\(name) can contain only letters, digits and + / = . - _")
    }
  }

  fileprivate mutating func checkCaptions() {
    let variants = lines.indexed(.variant, as: Variant.self)
    guard variants.contains(where: { $0.view.closedCaptions == Variant.ClosedCaptions.none }) else { return }
    for (index, variant) in variants where variant.closedCaptions != Variant.ClosedCaptions.none {
      report(.closedCaptions, at: index, "one variant has CLOSED-CAPTIONS=NONE, so all must have it")
    }
  }

  /// EXT-X-SESSION-DATA, EXT-X-SESSION-KEY and EXT-X-CONTENT-STEERING.
  fileprivate mutating func checkSession() {
    var known: Set<[String?]> = []
    for (index, data) in lines.indexed(.sessionData, as: SessionData.self) {
      if (data.value == nil) == (data.uri == nil) {
        report(.sessionData, at: index, "EXT-X-SESSION-DATA must have either VALUE or URI")
      }
      if !known.insert([data.id, data.language]).inserted {
        let reason = "there can be only one EXT-X-SESSION-DATA with DATA-ID \(quoted(data.id)) per language"
        report(.sessionDataTwice, at: index, reason)
      }
    }
    known = []
    for (index, key) in lines.indexed(.sessionKey, as: EncryptionKey.self) {
      if key.method == .none { report(.sessionKey, at: index, "the METHOD of EXT-X-SESSION-KEY cannot be NONE") }
      if key.method != .none { checkKey(key, .sessionKey, .sessionKey, at: index) }
      let identity = [key.method.rawValue, key.uri, key.attributes["IV"]?.text, key.keyFormat, key.keyFormatVersions]
      if !known.insert(identity).inserted {
        report(.sessionKeyTwice, at: index, "this EXT-X-SESSION-KEY is a duplicate; remove one of them")
      }
    }
    guard let steering = lines.indexed(.contentSteering, as: ContentSteering.self).first,
      let pathway = steering.view.pathway
    else { return }
    if !lines.indexed(.variant, as: Variant.self).contains(where: { ($0.view.pathway ?? ".") == pathway }) {
      let reason = "the PATHWAY-ID of EXT-X-CONTENT-STEERING is \(quoted(pathway)), which no variant has"
      report(.pathway, at: steering.index, reason)
    }
  }
}
