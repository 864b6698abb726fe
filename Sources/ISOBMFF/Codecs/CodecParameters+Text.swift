import MP4Bytes

/// The parameters of text formats in a codecs string.
extension DecoderConfiguration {
  /// `nil` if the format has no parameters.
  ///
  /// For XML, they are the suffix of a registry and short names of profiles. A registry exists only for TTML: ISO/IEC
  /// 14496-30, 5.6, and TTML Media Type Definition and Profile Registry, 5.2. The profiles are those of the parameter
  /// `codecs` in `mime`, or else the one whose designator is in the entry.
  var textParameters: [String]? {
    guard codedFormat == "stpp", let entry = fields as? XMLSubtitleSampleEntry else { return nil }
    let names = Self.words(entry.namespace)
    guard
      names.contains(where: {
        $0.hasPrefix("http://www.w3.org/ns/ttml") || $0.hasPrefix("http://www.w3.org/2006/10/ttaf1")
      })
    else { return nil }
    if let type = box(MIMEBox.self)?.contentType.description, let profiles = Self.profiles(inMediaType: type) {
      return ["ttml", profiles]
    }
    let designators = names + Self.words(entry.schemaLocation ?? "")
    for word in designators { if let profile = Self.profiles[word] { return ["ttml", profile] } }
    return ["ttml"]
  }

  /// The short name of a TTML profile, by its designator; `nil` if it is not registered.
  package static func shortName(ofTTMLProfile designator: String) -> String? { profiles[designator] }

  private static func words(_ text: BoxString) -> [String] {
    text.description.split { $0 == " " || $0 == "\0" }.map(String.init)
  }

  /// The value of `codecs` in a media type such as `application/ttml+xml;codecs=im1t|etd1`; `nil` if there is none, or
  /// it contains characters that short names cannot have.
  private static func profiles(inMediaType type: String) -> String? {
    for parameter in type.split(separator: ";").dropFirst() {
      let words = parameter.split(separator: "=", maxSplits: 1)
      guard words.count == 2, words[0].filter({ $0 != " " }).lowercased() == "codecs" else { continue }
      let value = words[1].filter { $0 != " " && $0 != "\"" }
      let isPlain = value.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20) || [0x2b, 0x7c].contains(byte)
      }
      return isPlain && !value.isEmpty ? value : nil
    }
    return nil
  }

  /// The short names of the registered profiles, by designator.
  private static let profiles: [String: String] = [
    "http://www.w3.org/ns/ttml/profile/dfxp-full": "tt1f",
    "http://www.w3.org/ns/ttml/profile/dfxp-presentation": "tt1p",
    "http://www.w3.org/ns/ttml/profile/dfxp-transformation": "tt1t",
    "http://www.w3.org/ns/ttml/profile/sdp-us": "tt1s",
    "http://www.w3.org/ns/ttml/profile/imsc1/text": "im1t",
    "http://www.w3.org/ns/ttml/profile/imsc1/image": "im1i",
    "http://www.w3.org/ns/ttml/profile/imsc1.1/text": "im2t",
    "http://www.w3.org/ns/ttml/profile/imsc1.1/image": "im2i",
    "http://www.w3.org/ns/ttml/profile/imsc1.2/text": "im3t",
    "http://www.w3.org/ns/ttml/profile/imsc1.2/image": "im3i",
    "urn:ebu:tt:exchange:2012-07": "etx1",
    "urn:ebu:tt:exchange:2015-09": "etx2",
    "urn:ebu:tt:exchange:2017-05": "etx3",
    "urn:ebu:tt:distribution:2014-01": "etd1",
    "urn:ebu:tt:distribution:2018-04": "etd2",
    "urn:ebu:tt:live:2017-05": "etl1",
    "http://www.decellc.org/profile/cff-tt-text-1.1": "cft1",
    "http://www.decellc.org/profile/cff-tt-image-1.1": "cfi1",
    "urn:IRT:ebu-tt-basic-de:2013-07": "ede1",
  ]
}
