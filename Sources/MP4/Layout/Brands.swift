import ISOBMFF
import MP4Bytes

/// The brands of a file: those of its structure, and those of its source that describe the content.
enum Brands {
  /// Brands of segments and delivery formats: DASH, CMAF and its media profiles, Smooth Streaming.
  private static let ofDelivery: Set<FourCC> = [
    "dash", "msdh", "msix", "risx", "lmsg", "sims", "dums", "dsms", "ssss", "dby2", "piff", "isml", "hlsf", "ccff",
    "cmfc", "cmfs", "cmff", "cmfl", "cmf2", "cfsd", "cfhd", "chdf", "chhd", "chh1", "cud8", "cud1", "chd1", "clg1",
    "caac", "caaa", "camp", "cwvt", "im1t", "im1i", "im2t", "im2i",
  ]

  /// The brands of an ISO file created from a file with these brands.
  static func withoutQuickTime(_ source: FileTypeBox) -> FileTypeBox {
    var result = source
    var brands = Array(source.compatibleBrands).filter { $0 != "qt  " && $0.rawValue != 0 }
    if source.majorBrand == "qt  " {
      (result.majorBrand, result.minorVersion) = ("isom", 0x200)
      for brand: FourCC in ["isom", "mp42"] where !brands.contains(brand) { brands.append(brand) }
    }
    result.compatibleBrands = BoxTable(brands)
    return result
  }

  /// The brands of a progressive file created from a file with these brands.
  static func progressive(_ source: FileTypeBox, hasNegativeOffsets: Bool) -> FileTypeBox {
    var result = source
    var brands = Array(source.compatibleBrands).filter { !ofDelivery.contains($0) && $0.rawValue != 0 }
    if ofDelivery.contains(source.majorBrand) { (result.majorBrand, result.minorVersion) = ("isom", 0x200) }
    let isQuickTime = result.majorBrand == "qt  "
    for brand: FourCC in isQuickTime ? ["qt  "] : ["isom"] where !brands.contains(brand) { brands.append(brand) }
    if hasNegativeOffsets { require("iso4", in: &brands) }
    result.compatibleBrands = BoxTable(brands)
    return result
  }

  /// The brands of an ISO file created from a QuickTime movie with these brands, whose layout is kept.
  static func converted(_ source: FileTypeBox, hasNegativeOffsets: Bool, hasFragments: Bool) -> FileTypeBox {
    var result = withoutQuickTime(source)
    var brands = Array(result.compatibleBrands)
    if hasNegativeOffsets { require("iso4", in: &brands) }
    if hasFragments { require("iso6", in: &brands) }
    result.compatibleBrands = BoxTable(brands)
    return result
  }

  /// The brands of the file format since `iso4`, which added version 1 of `ctts`; each includes the previous ones.
  private static let editions: [FourCC] = [
    "iso4", "iso5", "iso6", "iso7", "iso8", "iso9", "isoa", "isob", "isoc", "qt  ",
  ]

  /// Adds a brand of the file format, unless it or a later one is present.
  private static func require(_ edition: FourCC, in brands: inout [FourCC]) {
    let suitable = editions.drop { $0 != edition }
    if !brands.contains(where: suitable.contains) { brands.append(edition) }
  }

  /// Brands of the editions of the file format that a progressive file can require.
  private static let ofProgressive: Set<FourCC> = [
    "isom", "iso2", "iso3", "iso4", "iso5", "iso6", "iso7", "iso8", "iso9", "isoa", "isob", "isoc", "mp41", "mp42",
  ]

  /// The brands of an init segment, or of a file of movie fragments, created from a file with these brands; `cmaf` are
  /// its structural CMAF brands.
  static func fragmented(_ source: FileTypeBox, cmaf: [FourCC]) -> FileTypeBox {
    var result = FileTypeBox()
    let isQuickTime = source.majorBrand == "qt  "
    // Signed composition offsets of runs, and decode times of fragments, were added with `iso6`.
    result.majorBrand = isQuickTime ? "qt  " : "iso6"
    var brands: [FourCC] = isQuickTime ? ["qt  ", "iso6"] : ["iso6"]
    for brand in cmaf + Array(source.compatibleBrands) {
      let isKept = cmaf.contains(brand) || !ofDelivery.contains(brand) && !ofProgressive.contains(brand)
      if isKept, brand.rawValue != 0, brand != "qt  ", !brands.contains(brand) { brands.append(brand) }
    }
    result.compatibleBrands = BoxTable(brands)
    return result
  }
}
