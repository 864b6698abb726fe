/// Selects a variant of a multivariant playlist.
public enum VariantChoice: Hashable, Sendable {
  /// The one with the highest peak bit rate, and then with the most pixels.
  case best
  /// The one with the lowest peak bit rate, and then with the fewest pixels.
  case worst
  /// The one at this position, starting at 1.
  case number(Int)
  /// The best one with this resolution.
  case resolution(Resolution)
  /// The best one within this bit rate, in bits per second.
  case bandwidth(Int)

  /// Reads `best`, `worst`, a position such as `2`, a resolution such as `1280x720`, or bits per second such as
  /// `2400000`: numbers below 1000 are positions.
  public init?(_ text: String) {
    switch text {
    case "best": self = .best
    case "worst": self = .worst
    default:
      if let number = Int(decimal: text.utf8[...]), number > 0 {
        self = number < 1000 ? .number(number) : .bandwidth(number)
      } else if let resolution = Resolution(text.utf8[...]) {
        self = .resolution(resolution)
      } else {
        return nil
      }
    }
  }
}

extension MultivariantPlaylist {
  /// The chosen variant, or `nil` if there is none.
  public func variant(_ choice: VariantChoice) -> Variant? {
    let variants = variants
    switch choice {
    case .best: return variants.best
    case .worst: return variants.min { $0.rank < $1.rank }
    case .number(let number): return number <= variants.count ? variants[number - 1] : nil
    case .resolution(let resolution): return variants.filter { $0.resolution == resolution }.best
    case .bandwidth(let limit): return variants.filter { $0.bandwidth <= limit }.best
    }
  }

  /// The renditions of a kind that belong to a variant, in order.
  public func renditions(_ kind: Rendition.Kind, of variant: Variant) -> [Rendition] {
    let group =
      switch kind {
      case .audio: variant.audio
      case .video: variant.video
      case .subtitles: variant.subtitles
      case .closedCaptions:
        if case .group(let group) = variant.closedCaptions { group } else { String?.none }
      }
    guard let group else { return [] }
    return renditions.filter { $0.kind == kind && $0.group == group }
  }
}

extension [Rendition] {
  /// The renditions in these languages, one for each; without languages, the one that is played by default.
  public func chosen(_ languages: [String]) -> [Rendition] {
    if languages.isEmpty {
      return (first(where: \.isDefault) ?? first(where: \.isAutoselected) ?? first).map { [$0] } ?? []
    }
    return languages.compactMap { language in
      let fitting = filter { $0.isIn(language) }
      return fitting.first(where: \.isDefault) ?? fitting.first
    }
  }
}

extension Rendition {
  /// Whether its language is this one or a variant of it: `en-GB` matches `en`.
  public func isIn(_ wanted: String) -> Bool {
    guard let own = self.language?.lowercased() else { return false }
    return own == wanted.lowercased() || own.hasPrefix(wanted.lowercased() + "-")
  }
}

extension [Variant] {
  fileprivate var best: Variant? {
    // The first of several equal ones.
    reversed().max { $0.rank < $1.rank }
  }
}

extension Variant {
  fileprivate var rank: (Int, Int) {
    let pixels = self.resolution.map { $0.width.multipliedReportingOverflow(by: $0.height) }
    return (self.bandwidth, pixels.map { $0.overflow ? .max : $0.partialValue } ?? 0)
  }
}
