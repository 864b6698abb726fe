/// A channel of closed captions, with its name in HLS: `CC1` to `CC4` of CEA-608, and `SERVICE1` to `SERVICE63` of
/// CEA-708.
public enum CaptionChannel: Hashable, Sendable {
  /// A caption channel of CEA-608, from 1 to 4.
  case cc(Int)
  /// A caption service of CEA-708, from 1 to 63.
  case service(Int)

  /// The channel with a name; `nil` for other names.
  public init?(_ name: String) {
    let upper = name.uppercased()
    func number(after prefix: String, _ range: ClosedRange<Int>) -> Int? {
      guard upper.utf8.starts(with: prefix.utf8) else { return nil }
      let digits = upper.dropFirst(prefix.utf8.count)
      return digits.utf8.first == UInt8(ascii: "+") ? nil : Int(digits).flatMap { range.contains($0) ? $0 : nil }
    }
    if let number = number(after: "CC", 1...4) {
      self = .cc(number)
    } else if let number = number(after: "SERVICE", 1...63) {
      self = .service(number)
    } else {
      return nil
    }
  }

  /// Whether it is a channel of CEA-608.
  public var isCEA608: Bool { field != nil }

  /// The field of a CEA-608 channel; `nil` for services.
  package var field: CaptionPair.Kind? {
    if case .cc(let number) = self { number <= 2 ? .field1 : .field2 } else { nil }
  }
}

extension CaptionChannel: CustomStringConvertible {
  /// Its name.
  public var description: String {
    switch self {
    case .cc(let number): "CC\(number)"
    case .service(let number): "SERVICE\(number)"
    }
  }
}

extension CaptionChannel: Comparable {
  /// Channels of CEA-608 come before services.
  public static func < (a: CaptionChannel, b: CaptionChannel) -> Bool {
    switch (a, b) {
    case (.cc(let a), .cc(let b)), (.service(let a), .service(let b)): a < b
    case (.cc, .service): true
    case (.service, .cc): false
    }
  }
}
