import ISOBMFF
import MP4
import MP4Bytes

extension Rule {
  /// Common encryption.
  static let encryption: [Rule] =
    encryptedEntries + encryptedSamples + [
      .box("cenc-pssh-keys", .encryption, .warning, ["pssh"], "A pssh box of version 1 lists key IDs.") {
        (header: ProtectionSystemSpecificHeaderBox, box, report) in
        if header.version == 1, header.keyIDs.isEmpty { report.add(box, "KID_count is 0") }
      },
      .container("cenc-pssh-key", .encryption, .note, ["moov"], "A pssh box lists key IDs that the tracks use.") {
        box, report in
        let tracks = box.all("trak")
        let used = Set(tracks.flatMap(\.keyIDs))
        // Sample groups and fragments can use other keys.
        guard !used.isEmpty, box.first("mvex") == nil, !tracks.contains(where: \.hasKeyGroups) else { return }
        for header in box.all("pssh") {
          guard let fields = header.payload as? ProtectionSystemSpecificHeaderBox, !fields.keyIDs.isEmpty else {
            continue
          }
          if !fields.keyIDs.contains(where: { used.contains($0.bytes) }) {
            report.add(header, "no track uses any of the \(counted(fields.keyIDs.count, "key ID")) that it lists")
          }
        }
      },
      .container(
        "cenc-pssh-twice", .encryption, .note, ["moov", "moof"], "No pssh box is repeated."
      ) { box, report in
        var seen: [ProtectionSystemSpecificHeaderBox] = []
        for header in box.all("pssh") {
          guard let fields = header.payload as? ProtectionSystemSpecificHeaderBox else { continue }
          if seen.contains(fields) { report.add(header, "it is a copy of another pssh box") }
          seen.append(fields)
        }
      },
    ]

  /// Encryption in sample entries.
  private static let encryptedEntries: [Rule] = [
    .protection("cenc-sinf", .error, "Encrypted sample entries have sinf.") { entry, report in
      if entry.first("sinf") == nil { report.add(entry, "it has no sinf") }
    },
    .protection("cenc-scheme-missing", .error, "sinf declares the encryption scheme.") { entry, report in
      if let box = entry.first("sinf"), box.first("schm") == nil { report.add(box, "it has no schm") }
    },
    .protection("cenc-scheme", .warning, "The encryption scheme is known.") { entry, report in
      guard let box = entry.first("sinf", "schm"), let scheme = entry.scheme, !otherSchemes.contains(scheme),
        !commonSchemes.contains(scheme)
      else { return }
      report.add(box, "scheme_type is \(scheme)")
    },
    .protection("cenc-tenc", .error, "Tracks with Common Encryption have tenc.") { entry, report in
      guard let scheme = entry.scheme, commonSchemes.contains(scheme), let box = entry.first("sinf") else { return }
      if box.first("schi", "tenc") == nil { report.add(box, "it has no schi/tenc, but the scheme is \(scheme)") }
    },
    .tenc("cenc-iv-size", .error, "Initialization vectors have 8 or 16 bytes, or there is a constant one.") {
      (fields, _, box, report) in
      let size = fields.defaultPerSampleIVSize
      if ![0, 8, 16].contains(size) { report.add(box, "default_Per_Sample_IV_Size is \(size)") }
    },
    .tenc("cenc-constant-iv", .error, "Samples without their own initialization vectors have a constant one.") {
      (fields, _, box, report) in
      guard fields.defaultIsProtected == 1, fields.defaultPerSampleIVSize == 0 else { return }
      let count = fields.defaultConstantIV.count
      if count != 8, count != 16 { report.add(box, "default_constant_IV_size is \(count)") }
    },
    .tenc("cenc-constant-iv-scheme", .error, "Only cbcs uses a constant initialization vector.") {
      (fields, scheme, box, report) in
      guard fields.defaultIsProtected == 1, fields.defaultPerSampleIVSize == 0,
        ["cenc", "cbc1", "cens"].contains(scheme)
      else { return }
      report.add(box, "default_Per_Sample_IV_Size is 0, but the scheme is \(scheme)")
    },
    .tenc("cenc-cbcs-iv", .warning, "cbcs uses a constant initialization vector.") {
      (fields, scheme, box, report) in
      guard fields.defaultIsProtected == 1, fields.defaultPerSampleIVSize != 0, scheme == "cbcs" else { return }
      report.add(box, "default_Per_Sample_IV_Size is \(fields.defaultPerSampleIVSize), but the scheme is cbcs")
    },
    .tenc("cenc-pattern", .error, "cenc and cbc1 encrypt without a pattern.") { (fields, scheme, box, report) in
      guard scheme == "cenc" || scheme == "cbc1" else { return }
      if fields.defaultCryptByteBlock != 0 || fields.defaultSkipByteBlock != 0 {
        report.add(
          box,
          "the pattern is \(fields.defaultCryptByteBlock):\(fields.defaultSkipByteBlock), but the scheme is \(scheme)")
      }
    },
    .tenc("cenc-pattern-video", .warning, "cbcs encrypts one in ten blocks of video.") {
      (fields, scheme, box, report) in
      guard scheme == "cbcs", fields.defaultIsProtected == 1, box.handler == "vide" else { return }
      let (crypt, skip) = (fields.defaultCryptByteBlock, fields.defaultSkipByteBlock)
      if (crypt, skip) != (1, 9) { report.add(box, "the pattern is \(crypt):\(skip); players expect 1:9") }
    },
    .tenc("cenc-pattern-audio", .error, "cbcs and cens encrypt all blocks of audio.") { (fields, scheme, box, report) in
      guard scheme == "cbcs" || scheme == "cens", box.handler == "soun", fields.defaultSkipByteBlock != 0 else {
        return
      }
      report.add(box, "the pattern is \(fields.defaultCryptByteBlock):\(fields.defaultSkipByteBlock)")
    },
  ]

  /// Encryption in fragments and sample tables.
  private static let encryptedSamples: [Rule] = [
    .container(
      "cenc-senc-count", .encryption, .error, ["traf", "stbl"],
      "senc has as many samples as the track or fragment."
    ) { box, report in
      guard let table = box.first("senc"), let senc = table.payload as? SampleEncryptionBox,
        let count = box.declaredSampleCount, senc.sampleCount != count
      else { return }
      report.add(table, "it has \(counted(senc.sampleCount, "sample")), but there are \(count)")
    },
    .container(
      "cenc-saiz-count", .encryption, .error, ["traf", "stbl"],
      "saiz has as many samples as the track or fragment."
    ) { box, report in
      guard let count = box.declaredSampleCount else { return }
      for table in box.all("saiz") {
        guard let sizes = table.payload as? SampleAuxiliaryInformationSizesBox, sizes.sampleCount != count,
          sizes.sampleCount > 0
        else { continue }
        // The last samples may have no information, if they are not encrypted.
        let severity: Diagnostic.Severity? = sizes.sampleCount < count ? .warning : nil
        report.add(
          "it has \(counted(sizes.sampleCount, "sample")), but there are \(count)", path: table.path,
          offset: table.node.header.offset, severity: severity)
      }
    },
    .container(
      "cenc-saio-place", .encryption, .error, ["traf"], "saio points to the data of senc."
    ) { box, report in
      guard let senc = box.first("senc"), let table = box.first("saio"), let moof = box.enclosing("moof"),
        let offsets = table.payload as? SampleAuxiliaryInformationOffsetsBox, let offset = offsets.offsets.first,
        offsets.auxInfoType.map({ commonSchemes.contains($0) }) ?? true,
        let header = box.fields("tfhd", as: TrackFragmentHeaderBox.self),
        header.baseDataOffset != nil || header.flags & 0x2_0000 != 0
      else { return }
      let base = header.baseDataOffset ?? UInt64(moof.node.header.offset)
      let place = Int(clamping: base &+ offset)
      // The auxiliary information can also be in the media data.
      let expected = senc.node.header.payload.lowerBound + 8
      guard place != expected, moof.node.header.offset..<moof.node.header.end ~= place else { return }
      report.add(table, "it refers to byte \(place), but the data of senc starts at byte \(expected)")
    },
    .container(
      "cenc-subsamples", .encryption, .error, ["traf"], "The subsamples of an encrypted sample add up to its size."
    ) { box, report in
      guard let table = box.first("senc"), let senc = table.payload as? SampleEncryptionBox,
        let sizes = box.fragmentSampleSizes, sizes.count == senc.samples.count
      else { return }
      for (number, (sample, size)) in zip(senc.samples, sizes).enumerated() where !sample.subsamples.isEmpty {
        let sum = sample.subsamples.reduce(UInt64(0)) {
          $0 + UInt64($1.bytesOfClearData) + UInt64($1.bytesOfProtectedData)
        }
        guard sum != UInt64(size) else { continue }
        return report.add(table, "the parts of sample \(number + 1) have \(sum) bytes, but the sample has \(size)")
      }
    },
    .track("cenc-key-zero", .encryption, .warning, "The key ID of encrypted samples is not 0.") {
      track, movie, report in
      // With sample groups, the key ID of the track may be 0.
      guard let (sample, _) = track.firstSync(), let key = try sample.encryption()?.keyID, !key.isEmpty,
        key.allSatisfy({ $0 == 0 }), let box = movie.box(of: track)
      else { return }
      report.add(box, "the KID of sample \(sample.index + 1) is 0")
    },
    .track(
      "cenc-video-subsamples", .encryption, .error,
      "Encrypted video with NAL units uses subsamples, so that headers stay clear."
    ) { track, movie, report in
      guard let (sample, configuration) = track.firstSync(), configuration.nalUnits != nil,
        let encryption = try sample.encryption(), encryption.subsamples.isEmpty, let box = movie.box(of: track),
        encryption.scheme.map({ Rule.commonSchemes.contains($0) }) ?? false
      else { return }
      report.add(box, "sample \(sample.index + 1) is encrypted completely, without subsamples")
    },
  ]

  private static let commonSchemes: Set<FourCC> = ["cenc", "cbc1", "cens", "cbcs"]
  /// Smooth Streaming, ISMACryp, OMA, Adobe, Apple, Marlin, and sensitive encryption.
  private static let otherSchemes: Set<FourCC> = ["piff", "iAEC", "odkm", "adkm", "itun", "ACBC", "ACGK", "sve1"]

  /// A rule for encrypted sample entries.
  private static func protection(
    _ id: String, _ severity: Diagnostic.Severity, _ meaning: String,
    _ test: @escaping @Sendable (CheckedBox, inout RuleReport) -> Void
  ) -> Rule {
    container(id, .encryption, severity, ["stsd"], meaning) { box, report in
      for entry in box.boxes where encryptedTypes.contains(entry.type) { test(entry, &report) }
    }
  }
  private static let encryptedTypes: Set<FourCC> = ["encv", "enca", "enct", "encs", "encm", "encf", "encp", "enc3"]

  /// A rule for the defaults of a track whose scheme is known.
  private static func tenc(
    _ id: String, _ severity: Diagnostic.Severity, _ meaning: String,
    _ test: @escaping @Sendable (TrackEncryptionBox, FourCC, CheckedBox, inout RuleReport) -> Void
  ) -> Rule {
    box(id, .encryption, severity, ["tenc"], meaning) { (fields: TrackEncryptionBox, box, report) in
      guard let entry = box.enclosing("sinf")?.parent, let scheme = entry.scheme else { return }
      test(fields, scheme, box, &report)
    }
  }
}

extension CheckedBox {
  /// The encryption scheme of a sample entry.
  var scheme: FourCC? { fields("sinf", "schm", as: SchemeTypeBox.self)?.schemeType }
  /// The handler of the track that contains the box.
  var handler: FourCC? { enclosing("mdia")?.fields("hdlr", as: HandlerBox.self)?.handlerType }
  /// The default keys of a track.
  fileprivate var keyIDs: [[UInt8]] {
    let table = first("mdia", "minf", "stbl")
    let defaults = table?.first("stsd")?.boxes.compactMap {
      $0.fields("sinf", "schi", "tenc", as: TrackEncryptionBox.self)?.defaultKeyID
    }
    return defaults ?? []
  }
  /// Whether sample groups of a track have their own keys.
  fileprivate var hasKeyGroups: Bool {
    first("mdia", "minf", "stbl")?.all("sgpd").contains {
      ($0.payload as? SampleGroupDescriptionBox)?.groupingType == "seig"
    } ?? false
  }
  /// The number of samples of a track fragment or of a sample table.
  fileprivate var declaredSampleCount: UInt32? {
    if type == "traf" {
      let runs = all("trun")
      let counts = runs.compactMap { ($0.payload as? TrackRunBox)?.sampleCount }
      return counts.count == runs.count ? counts.reduce(0, &+) : nil
    }
    return sampleCount.map { UInt32(clamping: $0) }
  }
  /// The sizes of the samples of a track fragment, as far as the file declares them.
  fileprivate var fragmentSampleSizes: [UInt32]? {
    guard let header = fields("tfhd", as: TrackFragmentHeaderBox.self) else { return nil }
    let extends = file.first("moov")?.first("mvex")?.all("trex").compactMap { $0.payload as? TrackExtendsBox }
    let size = header.defaultSampleSize ?? extends?.first { $0.trackID == header.trackID }?.defaultSampleSize
    var sizes: [UInt32] = []
    for run in all("trun") {
      guard let run = run.payload as? TrackRunBox else { return nil }
      if run.flags & 0xf00 == 0, run.sampleCount > 1 << 20 { return nil }
      for sample in run.samples {
        guard let size = sample.size ?? size else { return nil }
        sizes.append(size)
      }
    }
    return sizes
  }
}
