/// What the numbers mean that several boxes have.
extension ValueNames {
  /// ISO/IEC 14496-12:2022, 8.8.3.1.
  static var sampleFlags: ValueNames {
    """
    0xc000000=0x4000000 leading; 0xc000000=0x8000000 not leading; 0xc000000=0xc000000 leading and decodable; \
    0x3000000=0x1000000 depends on others; 0x3000000=0x2000000 depends on no other; \
    0xc00000=0x400000 others depend on it; 0xc00000=0x800000 no other depends on it; \
    0x300000=0x100000 has redundancy; 0x300000=0x200000 no redundancy; 0x10000 not sync
    """
  }

  /// ISO/IEC 23091-2, table 2.
  static var colourPrimaries: ValueNames {
    """
    1 BT.709; 2 unspecified; 4 BT.470 M; 5 BT.601 625; 6 BT.601 525; 7 SMPTE 240M; 8 film; 9 BT.2020; 10 XYZ; \
    11 DCI-P3; 12 Display P3; 22 EBU 3213
    """
  }

  /// ISO/IEC 23091-2, table 3.
  static var transferCharacteristics: ValueNames {
    """
    1 BT.709; 2 unspecified; 4 gamma 2.2; 5 gamma 2.8; 6 BT.601; 7 SMPTE 240M; 8 linear; 9 logarithmic 100:1; \
    10 logarithmic 316:1; 11 IEC 61966-2-4; 12 BT.1361; 13 sRGB; 14 BT.2020 10 bits; 15 BT.2020 12 bits; 16 PQ; \
    17 SMPTE 428; 18 HLG
    """
  }

  /// ISO/IEC 23091-2, table 4.
  static var matrixCoefficients: ValueNames {
    """
    0 identity; 1 BT.709; 2 unspecified; 4 FCC; 5 BT.601 625; 6 BT.601 525; 7 SMPTE 240M; 8 YCgCo; \
    9 BT.2020 non-constant; 10 BT.2020 constant; 11 SMPTE 2085; 12 derived non-constant; 13 derived constant; \
    14 ICtCp
    """
  }
}

extension FieldCoder {
  /// Names the system of a `pssh` by its UUID, where it is one of the registered ones that are in use.
  mutating func protectionSystem(_ id: [UInt8]) {
    if mode == .describe { described.append(FieldDescription("system_name", "inferred", bits: nil)) }
    guard isShowing, let name = Self.protectionSystems[UserType(id).description] else { return }
    show("system_name", .text(BoxString(Array(name.utf8))))
  }

  private static let protectionSystems: [String: String] = [
    "1077efec-c0b2-4d02-ace3-3c1e52e2fb4b": "Common PSSH (W3C)",
    "edef8ba9-79d6-4ace-a3c8-27dcd51d21ed": "Widevine",
    "9a04f079-9840-4286-ab92-e65be0885f95": "PlayReady",
    "94ce86fb-07ff-4f43-adb8-93d2fa968ca2": "FairPlay",
    "5e629af5-38da-4063-8977-97ffbd9902d4": "Marlin",
    "f239e769-efa3-4850-9c16-a903c6932efb": "Adobe Primetime",
    "e2719d58-a985-b3c9-781a-b030af78d30e": "ClearKey (DASH-IF)",
    "3d5e6d35-9b9a-41e8-b843-dd3c6e72c42c": "ChinaDRM",
  ]

  /// Says how far a matrix turns the picture, when that is all that it does besides moving it.
  mutating func rotation(_ matrix: Matrix) {
    if mode == .describe { described.append(FieldDescription("rotation", "inferred", bits: nil)) }
    guard isShowing else { return }
    let one: Int32 = 0x1_0000
    switch (matrix.values[0], matrix.values[1], matrix.values[3], matrix.values[4]) {
    case (one, 0, 0, one): show("rotation", .unsigned(0))
    case (0, one, -one, 0): show("rotation", .unsigned(90))
    case (-one, 0, 0, -one): show("rotation", .unsigned(180))
    case (0, -one, one, 0): show("rotation", .unsigned(270))
    default: break
    }
  }
}
