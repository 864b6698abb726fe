import MP4Bytes

/// Descriptions of brands registered at the MP4 Registration Authority that are in use.
enum BrandName {
  /// A short description; `nil` for editions of the ISO base media file format, whose names are self-explanatory, and
  /// for unknown brands.
  static func name(of brand: FourCC) -> String? { names[brand] }

  /// All brands with descriptions, the major one first; `nil` if there are none.
  static func words(major: FourCC?, _ brands: [FourCC]) -> String? {
    let all = unique(major: major, brands)
    let words = all.map { brand in name(of: brand).map { "\(code(of: brand)) (\($0))" } ?? code(of: brand) }
    return words.isEmpty ? nil : words.joined(separator: ", ")
  }

  /// The codes of all brands, the major one first.
  static func codes(major: FourCC?, _ brands: [FourCC]) -> [String] {
    unique(major: major, brands).map { code(of: $0) }
  }

  private static func unique(major: FourCC?, _ brands: [FourCC]) -> [FourCC] {
    var all: [FourCC] = []
    for brand in [major].compactMap(\.self) + brands where brand.rawValue != 0 && !all.contains(brand) {
      all.append(brand)
    }
    return all
  }

  private static func code(of brand: FourCC) -> String {
    var code = brand.description
    while code.last == " " { code.removeLast() }
    return code
  }

  private static let names: [FourCC: String] = [
    "mp41": "MP4 version 1", "mp42": "MP4 version 2", "avc1": "H.264 extensions", "qt  ": "QuickTime",
    "M4A ": "Apple audio", "M4B ": "Apple audiobook", "M4P ": "Apple protected audio", "M4V ": "Apple video",
    "M4VH": "Apple TV", "M4VP": "iPhone", "f4v ": "Adobe Flash", "3gp4": "3GPP 4", "3gp5": "3GPP 5", "3gp6": "3GPP 6",
    "3gp7": "3GPP 7", "3gp8": "3GPP 8", "3gp9": "3GPP 9", "3g2a": "3GPP2", "3g2b": "3GPP2", "3g2c": "3GPP2",
    "MSNV": "Sony PSP", "XAVC": "Sony XAVC", "CAEP": "Canon", "crx ": "Canon raw",

    "piff": "PIFF", "ccff": "UltraViolet",
    "dash": "DASH", "msdh": "DASH media segment", "msix": "DASH indexed media segment", "risx": "DASH index segment",
    "dsms": "DASH self-initializing segment", "lmsg": "last DASH segment", "hlsf": "HLS",
    "cmfc": "CMAF", "cmf2": "CMAF 2", "cmff": "CMAF fragment", "cmfs": "CMAF segment", "cmfl": "CMAF chunk",
    "cfsd": "CMAF H.264 SD", "cfhd": "CMAF H.264 HD", "chdf": "CMAF H.264 HD at 60 fps", "chhd": "CMAF H.265 HD",
    "chd1": "CMAF H.265 HDR10", "chh1": "CMAF H.265 HD, 10 bits", "cud8": "CMAF H.265 UHD",
    "cud1": "CMAF H.265 UHD, 10 bits",
    "clg1": "CMAF H.265 HLG",
    "caac": "CMAF AAC", "caaa": "CMAF adaptive AAC", "camc": "CMAF multichannel AAC", "ca4m": "CMAF AC-4",
    "ca4s": "CMAF AC-4", "ceac": "CMAF E-AC-3", "cwvt": "CMAF WebVTT", "im1t": "CMAF IMSC1 text",
    "im1i": "CMAF IMSC1 image",
    "dby1": "Dolby content", "db1p": "Dolby Vision, HDR10 base", "db2g": "Dolby Vision, SDR base",
    "db4h": "Dolby Vision, HLG base", "db4g": "Dolby Vision, HLG base",
    "av01": "AV1", "hvc1": "H.265", "aax ": "Audible", "opus": "Opus", "iamf": "IAMF",
    "mif1": "HEIF images", "mif2": "HEIF images", "msf1": "HEIF image sequences", "miaf": "MIAF",
    "heic": "H.265 images",
    "heix": "H.265 images, 10 bits", "hevc": "H.265 image sequences", "hevx": "H.265 image sequences, 10 bits",
    "avci": "H.264 images", "avcs": "H.264 image sequences", "avif": "AV1 images", "avis": "AV1 image sequences",
    "MA1A": "AVIF advanced profile", "MA1B": "AVIF baseline profile", "MiHB": "H.265 MIAF basic profile",
    "MiHE": "H.265 MIAF extended profile", "unif": "images with unified IDs", "jp2 ": "JPEG 2000",
  ]
}
