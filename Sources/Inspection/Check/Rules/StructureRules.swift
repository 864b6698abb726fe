import BoxCatalog
import ISOBMFF
import MP4
import MP4Bytes

extension Rule {
  /// The placement of boxes in a file and in other boxes.
  static let structure: [Rule] = [
    .container(
      "iso-box-size", .isobmff, .error, [],
      "The size of a box covers its header and its content, and the box ends inside its container."
    ) { box, report in
      guard let problem = box.node.problem, !problem.isNote, !box.node.isRemainder else { return }
      report.add(box, problem.words)
    },
    .container("iso-box-remainder", .isobmff, .error, [], "A file and its containers contain nothing but boxes.") {
      box, report in
      guard box.node.isRemainder, !box.isQuickTimeEnd else { return }
      let size = box.node.header.size
      guard box.parent != nil || size < 8 || !box.isZero else {
        return report.add(
          "\(counted(size, "byte")) after the last box are zeros; readers ignore them", offset: box.node.header.offset,
          severity: .warning)
      }
      report.add(
        "\(counted(size, "byte is", "bytes are")) not a box", path: box.parent?.path,
        offset: box.node.header.offset, severity: size < 8 ? .note : nil)
    }.explained(by: "iso-not-media"),
    .container(
      "iso-box-fields", .isobmff, .error, [], "A box has all of its fields, with valid values."
    ) { box, report in
      guard let damage = box.damage, !damage.isNote else { return }
      report.add(box, damage.words)
    },
    .container(
      "iso-box-version", .isobmff, .warning, [], "The version of a box is one that the standard defines."
    ) { box, report in
      guard let (version, known) = box.payload?.layoutVersion, !known.contains(version) else { return }
      report.add(box, "version \(version) is unknown; readers skip the box or misread it")
    },
    .container(
      "iso-box-rest", .isobmff, .note, [], "Nothing follows the fields of a box."
    ) { box, report in
      guard box.restCount > 0, box.boxes.isEmpty else { return }
      report.add(box, "\(counted(box.restCount, "byte follows", "bytes follow")) its fields")
    },
    .container("iso-box-unknown", .isobmff, .note, [], "The type of each box is known.") { box, report in
      // A box without a type ends the boxes in `wave`.
      guard !box.node.isRemainder, !box.isKnown, box.type.rawValue != 0 else { return }
      report.add(box, "its type is unknown; players skip it")
    },
    .container(
      "iso-box-place", .isobmff, .warning, structuralBoxes, "A box is in a container that the standard allows for it."
    ) { box, report in
      guard let places = box.definition?.info.containers, !places.isEmpty else { return }
      guard !places.contains(box.node.context.parent) else { return }
      let names = places.map { $0 == .file ? "the file itself" : $0.description }.joined(separator: " or ")
      report.add(box, "it belongs in \(names); readers do not look for it here")
    },
    .container(
      "iso-box-missing", .isobmff, .error, Set(requiredBoxes.keys), "A container has all of its required boxes."
    ) { box, report in
      for type in requiredBoxes[box.type] ?? [] where box.first(type) == nil {
        report.add(box, "it has no \(type)")
      }
    },
    .container(
      "iso-box-twice", .isobmff, .error, Set(singleBoxes.keys), "A box that is allowed only once is not repeated."
    ) { box, report in
      for type in singleBoxes[box.type] ?? [] {
        let count = box.boxes.count { $0.type == type }
        if count > 1 { report.add(box, "it has \(count) \(type) boxes, but can have only one") }
      }
    },
    .container(
      "iso-count-boxes", .isobmff, .error, ["stsd", "dref", "iinf"],
      "entry_count is the number of boxes inside.", mendedBy: .defragment
    ) { box, report in
      guard let count = box.payload?.declaredBoxCount else { return }
      let found = box.boxes.count { !$0.node.isRemainder && !["free", "skip"].contains($0.type) }
      if count != found {
        report.add(box, "entry_count is \(count), but it has \(counted(found, "box", "boxes"))")
      }
    },
  ]

  /// The boxes that readers only look for in one place.
  private static let structuralBoxes: Set<FourCC> = [
    "ftyp", "moov", "mvhd", "trak", "tkhd", "mdia", "mdhd", "minf", "vmhd", "smhd", "dinf", "dref", "stbl", "stsd",
    "stts", "ctts", "cslg", "stsc", "stsz", "stz2", "stco", "co64", "stss", "sdtp", "edts", "elst", "tref", "mvex",
    "mehd", "trex", "moof", "mfhd", "traf", "tfhd", "tfdt", "trun", "sidx", "mfra", "tfra", "mfro", "senc", "saiz",
    "saio", "sbgp", "sgpd", "schm", "tenc", "pssh",
  ]
  /// The boxes that other boxes must contain.
  private static let requiredBoxes: [FourCC: [FourCC]] = [
    "moov": ["mvhd"], "trak": ["tkhd", "mdia"], "mdia": ["mdhd", "hdlr", "minf"], "minf": ["dinf", "stbl"],
    "dinf": ["dref"], "stbl": ["stsd", "stts", "stsc"], "moof": ["mfhd"], "traf": ["tfhd"], "mvex": ["trex"],
    "mfra": ["mfro"], "sinf": ["frma"], "schi": [], "iprp": ["ipco"],
  ]
  /// The boxes of which others can contain only one.
  private static let singleBoxes: [FourCC: [FourCC]] = [
    "moov": ["mvhd", "mvex", "iods", "udta"], "trak": ["tkhd", "mdia", "edts", "tref", "udta"],
    "mdia": ["mdhd", "hdlr", "minf", "elng"],
    "minf": ["dinf", "stbl", "vmhd", "smhd", "nmhd", "hmhd", "sthd"], "edts": ["elst"], "dinf": ["dref"],
    "stbl": [
      "stsd", "stts", "ctts", "cslg", "stsc", "stsz", "stz2", "stco", "co64", "stss", "stsh", "stdp", "sdtp",
    ],
    "mvex": ["mehd"], "moof": ["mfhd"], "traf": ["tfhd", "tfdt", "senc"], "mfra": ["mfro"],
    "sinf": ["frma", "schm", "schi"], "schi": ["tenc"], "meta": ["hdlr", "pitm", "iloc", "iinf", "iprp", "idat"],
  ]
}

extension CheckedBox {
  /// Whether all of its bytes are zeros.
  fileprivate var isZero: Bool {
    (try? file.source.isZero(in: node.header.offset..<node.header.end)) ?? false
  }
}

extension BoxError {
  /// The problem of a box in the wrong place, as a sentence.
  fileprivate var words: String {
    switch problem {
    case .sizeTooLarge(let size, let left):
      "its size is \(size), but only \(counted(left, "byte is", "bytes are")) left"
    case .sizeTooSmall(let size): "its size is \(size), which is less than a box header"
    case .reachesOver(let size, let next, let offset):
      "its size is \(size), but '\(next)' starts inside it, at byte \(offset)"
    case .truncated(let needed, let left):
      "\(field) at byte \(offset) needs \(counted(needed, "byte")), but "
        + "\(left == 0 ? "none is" : counted(left, "is", "are")) left"
    default: description
    }
  }
}

extension CheckedBox {
  /// Whether it is the four zeros that can end QuickTime user data and sample descriptions.
  fileprivate var isQuickTimeEnd: Bool {
    guard node.isRemainder, node.problem == nil, node.header.size == 4, let parent else { return false }
    return parent.type == "udta" || parent.type == "wave" || parent.parent?.type == "stsd"
  }
  /// Whether its type is known in its container. Only boxes of known types have fields or contain boxes.
  fileprivate var isKnown: Bool {
    switch node.content {
    case .boxes, .payload: true
    case .opaque, .remainder: definition != nil
    }
  }
  /// The definition of its type in its container.
  var definition: BoxDefinition? {
    guard !node.isRemainder else { return nil }
    return BoxRegistry.standard.definition(of: type, userType: node.header.userType, in: node.context)
  }
}
