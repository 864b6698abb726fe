import ISOBMFF

/// The brands of a file that is no longer, or not yet, delivered in segments.
enum Brands {
  /// Brands of segments and of delivery: DASH, CMAF with its media profiles, Smooth Streaming.
  private static let ofDelivery: Set<FourCC> = [
    "dash", "msdh", "msix", "risx", "lmsg", "sims", "dums", "dsms", "ssss", "dby2", "piff", "isml", "hlsf", "ccff",
    "cmfc", "cmfs", "cmff", "cmfl", "cmf2", "cfsd", "cfhd", "chdf", "chhd", "chh1", "cud8", "cud1", "chd1", "clg1",
    "caac", "caaa", "camp", "cwvt", "im1t", "im1i", "im2t", "im2i",
  ]

  /// The brands of a progressive file made of one with these.
  static func progressive(_ source: FileTypeBox, hasNegativeOffsets: Bool) -> FileTypeBox {
    var result = source
    var brands = Array(source.compatibleBrands).filter { !ofDelivery.contains($0) && $0.rawValue != 0 }
    if ofDelivery.contains(source.majorBrand) { (result.majorBrand, result.minorVersion) = ("isom", 0x200) }
    let isQuickTime = result.majorBrand == "qt  "
    for brand: FourCC in isQuickTime ? ["qt  "] : ["isom"] where !brands.contains(brand) { brands.append(brand) }
    // Version 1 of `ctts` came with `iso4`; later brands of the family include it.
    let withSigned: Set<FourCC> = ["iso4", "iso5", "iso6", "iso7", "iso8", "iso9", "isoa", "isob", "isoc", "qt  "]
    if hasNegativeOffsets, !brands.contains(where: withSigned.contains) { brands.append("iso4") }
    result.compatibleBrands = Table(brands)
    return result
  }
}
