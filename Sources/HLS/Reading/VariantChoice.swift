/// Which of the variants of a multivariant playlist is meant.
public enum VariantChoice: Hashable, Sendable {
  /// The one with the highest peak bit rate; of several, the one with the most pixels.
  case best
  /// The one with the lowest peak bit rate; of several, the one with the fewest pixels.
  case worst
  /// The one at this place, counted from 1.
  case number(Int)
  /// The best one of this size.
  case resolution(Resolution)
  /// The best one that needs no more than so many bits per second.
  case bandwidth(Int)

  /// Reads `best`, `worst`, a place such as `2`, a size such as `1280x720`, or bits per second such as `2400000`: numbers
  /// below 1000 are places.
  public init?(_ text: some StringProtocol) {
    switch text {
    case "best": self = .best
    case "worst": self = .worst
    default:
      if let number = decimalInteger(text), number > 0 {
        self = number < 1000 ? .number(number) : .bandwidth(number)
      } else if let resolution = Resolution(text) {
        self = .resolution(resolution)
      } else {
        return nil
      }
    }
  }
}

extension MultivariantPlaylist {
  /// The variant that is meant, or `nil` when there is none such.
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

  /// The renditions of a kind that go with a variant, in their order.
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
  /// Those that are played in these languages, one for each that there is; without languages, the one that is played when
  /// no other is chosen.
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
  /// Whether its language is this one, or a form of it: `en-GB` is one of `en`.
  public func isIn(_ wanted: String) -> Bool {
    guard let own = language?.lowercased() else { return false }
    return own == wanted.lowercased() || own.hasPrefix(wanted.lowercased() + "-")
  }
}

extension [Variant] {
  fileprivate var best: Variant? {
    // The first of those that are alike.
    reversed().max { $0.rank < $1.rank }
  }
}

extension Variant {
  fileprivate var rank: (Int, Int) {
    let pixels = resolution.map { $0.width.multipliedReportingOverflow(by: $0.height) }
    return (bandwidth, pixels.map { $0.overflow ? .max : $0.partialValue } ?? 0)
  }
}
