import Bytes

/// Codecs strings for playlists and manifests.
extension DecoderConfiguration {
  /// The value of the `codecs` parameter for these samples, such as `avc1.64001F` or `mp4a.40.2`: RFC 6381. The part
  /// after the four letters is defined by the standard that registers them, which the functions below cite.
  ///
  /// The four letters are used alone if the standard adds nothing, or if the configuration box is missing. Encrypted
  /// samples are named by their original format: RFC 6381, 3.3, and ISO/IEC 23001-7, 13. Characters that a list of
  /// codecs cannot contain are escaped as in RFC 2231, such as `raw%20`.
  public var codecs: String {
    ([Self.escaped(codedFormat)] + (pictureParameters ?? soundParameters ?? textParameters ?? [])).joined(
      separator: ".")
  }

  /// The codecs string for Dolby Vision decoders, if `codecs` is the one for other decoders: the value of the
  /// SUPPLEMENTAL-CODECS attribute of HTTP Live Streaming, such as `dvh1.08.07/db4h`.
  ///
  /// The brand after the slash declares what other decoders show: Dolby Vision Streams within the ISO Base Media File
  /// Format, 2.4, 5.
  public var supplementalCodecs: String? {
    let letters: [FourCC: String] = [
      "avc1": "dva1", "avc3": "dvav", "hvc1": "dvh1", "hev1": "dvhe", "av01": "dav1",
    ]
    guard let type = letters[codedFormat], let configuration = dolbyVision else { return nil }
    let brand: String
    switch configuration.dvBlSignalCompatibilityID {
    case 1: brand = "db1p"
    case 2: brand = "db2g"
    case 4: brand = colour?.transferCharacteristics == 14 ? "db4g" : "db4h"
    default: return nil
    }
    return "\(type).\(Self.dolbyVisionParameters(configuration).joined(separator: "."))/\(brand)"
  }

  /// Profile and level: Dolby Vision Profiles and Levels.
  static func dolbyVisionParameters(_ configuration: DOVIConfigurationBox) -> [String] {
    [decimal(configuration.dvProfile, 2), decimal(configuration.dvLevel, 2)]
  }

  /// A type in a list of codecs: letters, with all other characters in hexadecimal.
  static func escaped(_ type: FourCC) -> String {
    type.description.unicodeScalars.map { letter in
      switch letter {
      case "a"..."z", "A"..."Z", "0"..."9", "-", "+", "_": String(letter)
      default: "%" + hexadecimal(letter.value, 2)
      }
    }.joined()
  }

  /// Decimal digits, at least `count`.
  static func decimal(_ number: some BinaryInteger, _ count: Int) -> String { padded(String(number), count) }

  /// Uppercase hexadecimal digits, at least `count`.
  static func hexadecimal(_ number: some BinaryInteger, _ count: Int) -> String {
    padded(String(number, radix: 16, uppercase: true), count)
  }

  private static func padded(_ digits: String, _ count: Int) -> String {
    String(repeating: "0", count: max(0, count - digits.count)) + digits
  }
}
