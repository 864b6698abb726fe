import ISOBMFF
import MP4
import MP4Bytes
import MP4DASH
import MP4HLS
import TimedText

/// What users and players choose adaptation sets by.
extension MPD.AdaptationSet {
  /// Sets roles and accessibility, given the EXT-X-MEDIA line of a rendition and the roles of its track: ISO/IEC
  /// 23009-1, 5.8.5.5, and the schemes of DASH-IF IOP 4.3, 3.9.
  mutating func describe(_ media: Rendition?, _ kind: PackagedRendition.Kind, _ trackRoles: Set<Track.Role>) {
    let role = Track.Role.dash
    let purpose = "urn:tva:metadata:cs:AudioPurposeCS:2007"
    var names: [String] = []
    if kind == .video || kind == .audio && media?.isDefault != false { names.append("main") }
    if media?.isForced == true { names.append("forced-subtitle") }
    for characteristic in media?.characteristics?.split(separator: ",") ?? [] {
      switch characteristic {
      case "public.accessibility.describes-video":
        accessibilities += [MPD.Descriptor(role, "description"), MPD.Descriptor(purpose, "1")]
      case "public.accessibility.enhances-speech-intelligibility":
        accessibilities += [
          MPD.Descriptor(role, "enhanced-audio-intelligibility"), MPD.Descriptor(purpose, "8"),
        ]
      case "public.accessibility.transcribes-spoken-dialog":
        names.append("caption")
        accessibilities.append(MPD.Descriptor(purpose, "2"))
      case "public.easy-to-read": names.append("easyreader")
      default: break
      }
    }
    names += trackRoles.filter { $0.scheme == role }.map(\.value).sorted()
    if names.isEmpty { names = [kind == .text ? "subtitle" : "alternate"] }
    for name in names where !roles.contains(where: { $0.value == name }) { roles.append(MPD.Descriptor(role, name)) }
  }

  /// Declares closed captions, whose languages are unknown: ANSI/SCTE 214-1, 7.2.
  mutating func addCaptions(_ channels: [CaptionChannel]) {
    let all = Set(channels).sorted()
    let numbers = all.compactMap { if case .service(let number) = $0 { number } else { nil } }
    let names = all.filter(\.isCEA608).map { "\($0)=und" }
    if !names.isEmpty {
      accessibilities.append(MPD.Descriptor("urn:scte:dash:cc:cea-608:2015", names.joined(separator: ";")))
    }
    if !numbers.isEmpty {
      let services = numbers.map { "\($0)=lang:und" }
      accessibilities.append(MPD.Descriptor("urn:scte:dash:cc:cea-708:2015", services.joined(separator: ";")))
    }
  }
}

extension PackagedRendition {
  /// Whether it has both audio and video.
  var isMuxed: Bool {
    configurations.contains { $0.pictures != nil } && configurations.contains { $0.sound != nil }
  }

  /// The type of access point with which all of its segments start at most; `nil` if some start with none. If the
  /// dependencies of leading pictures are unknown, it is that of open GOPs.
  var accessPoint: Int? {
    let points = fragments.segments.map(\.accessPoint)
    guard !points.contains(.none) else { return nil }
    return points.map { Int(min($0.rawValue, MediaSegment.AccessPoint.open.rawValue)) }.max()
  }

  /// The color description of its pictures, if declared.
  var colour: ColourDescription? { configurations.lazy.compactMap { $0.pictures?.colour }.first }

  /// The properties of its pictures.
  var pictureProperties: MPD.CommonProperties {
    var properties = MPD.CommonProperties()
    (properties.width, properties.height) = (resolution?.width, resolution?.height)
    properties.sampleAspect = resolution.map { _ in "1:1" }
    if let rate = frameRate?.reduced {
      properties.frameRate = rate.denominator == 1 ? "\(rate.numerator)" : "\(rate.numerator)/\(rate.denominator)"
    }
    // Pictures that are not rotated have their own pixels.
    guard let pictures = configurations.lazy.compactMap(\.pictures).first, let shape = pictures.pixelAspect,
      resolution == Resolution(pictures.shownSize())
    else { return properties }
    var own = pictures
    own.pixelAspect = nil
    let size = own.shownSize()
    let ratio = FrameRate(Int64(shape.numerator), Int64(shape.denominator)).reduced
    (properties.width, properties.height) = (size.width, size.height)
    properties.sampleAspect = "\(ratio.numerator):\(ratio.denominator)"
    return properties
  }

  /// The color codes of ISO/IEC 23091-2 (CICP). Players that cannot show PQ or HLG must not use such video.
  var colourProperties: (essential: [MPD.Descriptor], supplemental: [MPD.Descriptor]) {
    guard let colour else { return ([], []) }
    let codes = [
      ("ColourPrimaries", colour.primaries), ("TransferCharacteristics", colour.transferCharacteristics),
      ("MatrixCoefficients", colour.matrixCoefficients),
    ]
    let all = codes.filter { $0.1 != 2 }.map { MPD.Descriptor("urn:mpeg:mpegB:cicp:\($0.0)", String($0.1)) }
    return videoRange == .pq || videoRange == .hlg ? (all, []) : ([], all)
  }

  /// The encryption scheme with the default key, and the `pssh` boxes of the init segment by system: ISO/IEC 23009-1,
  /// 5.8.4.1.
  func contentProtections(_ protection: Packager.Protection?) throws(MovieError) -> [MPD.ContentProtection] {
    guard let scheme else { return [] }
    var all = [MPD.ContentProtection("urn:mpeg:dash:mp4protection:2011", scheme.description)]
    let keyID = fragments.tracks.lazy.flatMap(\.defaultKeyIDs).first
    all[0].defaultKeyID = keyID.map(UUIDText.text)
    for box in try fragments.protectionHeaders() {
      let id = Array(box.dropFirst(12).prefix(16))
      let system = "urn:uuid:" + UUIDText.text(id)
      let at = all.firstIndex { $0.scheme == system } ?? all.count
      if at == all.count { all.append(MPD.ContentProtection(system)) }
      all[at].protectionHeaders.append(base64Text(box))
      guard id == MP4.ProtectionSystem.playReady.systemID else { continue }
      // The version of its objects, as in the specification of Microsoft.
      all[at].value = "MSPR 2.0"
      if let header = try? ProtectionSystemSpecificHeaderBox(decoding: box[8...]) {
        all[at].playReadyObjects.append(base64Text(header.data))
      }
    }
    if let url = keyID.flatMap({ protection?.licenseURL($0) }) {
      all.append(MPD.ContentProtection("urn:uuid:e2719d58-a985-b3c9-781a-b030af78d30e", "ClearKey1.0"))
      all[all.count - 1].licenseURL = url
    }
    return all
  }
}

extension DecoderConfiguration {
  /// The layout of audio channels: as in Dolby's specification for its codecs, otherwise by its number in ISO/IEC
  /// 23091-3 (CICP). Empty if it is unknown.
  var channelConfigurations: [MPD.Descriptor] {
    if let mask = dolbyChannels {
      let digits = String(0x10000 | Int(mask), radix: 16, uppercase: true).dropFirst()
      return [MPD.Descriptor("tag:dolby.com,2014:dash:audio_channel_configuration:2011", String(digits))]
    }
    guard let number = channelConfiguration else { return [] }
    return [MPD.Descriptor("urn:mpeg:mpegB:cicp:ChannelConfiguration", String(number))]
  }

  private var channelConfiguration: Int? {
    guard let sound, codedFormat != "ac-4" else { return nil }
    if let config = audioSpecificConfig, config.channelConfiguration > 0, !config.hasPS {
      return config.channelConfiguration
    }
    // Four channels are usually in another layout than number 4, which has a center and one surround channel.
    return [1: 1, 2: 2, 3: 3, 5: 5, 6: 6, 7: 11, 8: 12][sound.channelCount]
  }

  /// The channel mask of AC-3 and Enhanced AC-3: ETSI TS 102 366, I.1.2.1; the first channel is the highest bit.
  private var dolbyChannels: UInt16? {
    func mask(_ mode: UInt8, _ hasLowFrequencies: Bool) -> UInt16 {
      [0xa000, 0x4000, 0xa000, 0xe000, 0xa100, 0xe100, 0xb800, 0xf800][Int(mode & 7)] | (hasLowFrequencies ? 1 : 0)
    }
    if let box = box(AC3SpecificBox.self), codedFormat == "ac-3" { return mask(box.acmod, box.lfeon) }
    guard codedFormat == "ec-3", let first = box(EC3SpecificBox.self)?.independentSubstreams.first else { return nil }
    var result = mask(first.acmod, first.lfeon)
    if first.numDepSub > 0 {
      let bits: [UInt16] = [1 << 10, 1 << 9, 1 << 8, 1 << 7, 1 << 6, 1 << 5, 1 << 4, 1 << 3, 1 << 1]
      for (index, bit) in bits.enumerated() where first.chanLoc >> UInt16(index) & 1 == 1 { result |= bit }
    }
    return result
  }

  /// Dolby Atmos by joint object coding: ETSI TS 103 420, D.2.
  var jointObjectProperties: [MPD.Descriptor] {
    guard let count = sound?.jointObjectCount else { return [] }
    return [
      MPD.Descriptor("tag:dolby.com,2018:dash:EC3_ExtensionType:2018", "JOC"),
      MPD.Descriptor("tag:dolby.com,2018:dash:EC3_ExtensionComplexityIndex:2018", String(count)),
    ]
  }
}
