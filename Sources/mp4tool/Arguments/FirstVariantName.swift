import MP4Packaging

/// The variant that is listed first.
struct FirstVariantName: TextOptionValue {
  static let expectation = "'lowest', 'highest', or bits per second such as 3000000, 3000k or 3M"
  let variant: Packager.FirstVariant

  init?(_ word: String) {
    switch word {
    case "lowest": variant = .lowest
    case "highest": variant = .highest
    default:
      let scale = word.hasSuffix("k") ? 1000.0 : word.hasSuffix("M") ? 1_000_000.0 : 1
      guard let number = Double(scale == 1 ? word : String(word.dropLast())), number > 0, number * scale < 1e12 else {
        return nil
      }
      variant = .atMost(Int(number * scale))
    }
  }
}
