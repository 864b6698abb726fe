package import ISOBMFF
import MP4Bytes

/// Decides whether the samples of a track can be frames of its audio codec: AAC LC, AC-3, E-AC-3 and MPEG audio.
package struct AudioFrameSyntax: Sendable {
  private enum Kind {
    case aac(AACSyntax)
    case synchronized(FrameSyntax)
  }
  private let kind: Kind
  /// The name of the codec.
  package let name: String

  /// The syntax for a sample entry; `nil` if frames of its codec cannot be recognized, or are encrypted.
  package init?(_ configuration: DecoderConfiguration) {
    guard configuration.format == configuration.codedFormat else { return nil }
    let descriptor = configuration.box(ESDescriptorBox.self)
    switch (configuration.format, descriptor?.decoderConfig?.objectTypeIndication) {
    case ("mp4a", 0x40):
      guard let syntax = descriptor?.decoderSpecificInfo.flatMap({ AACSyntax(Array($0)) }) else { return nil }
      (kind, name) = (.aac(syntax), "AAC")
    case ("mp4a", 0x69), ("mp4a", 0x6b): (kind, name) = (.synchronized(.mpeg), "MPEG audio")
    case ("ac-3", _), ("mp4a", 0xa5): (kind, name) = (.synchronized(.ac3), "AC-3")
    case ("ec-3", _), ("mp4a", 0xa6): (kind, name) = (.synchronized(.eac3), "E-AC-3")
    default: return nil
    }
  }

  /// Whether a sample can be a frame; `nil` if that is unknown.
  package func accepts(_ sample: ArraySlice<UInt8>) -> Bool? {
    switch kind {
    case .aac(let syntax):
      // Coupling channels and layouts in samples are valid, but their syntax is not parsed.
      guard let first = sample.first, ![2, 5].contains(first >> 5) else { return nil }
      return syntax.byteCount(sample).map { $0 <= sample.count } ?? false
    case .synchronized(let syntax):
      guard sample.count >= 8 else { return nil }
      // Samples can contain several frames.
      return syntax.byteCount(sample).map { $0 <= sample.count } ?? false
    }
  }

  /// Whether a sample that is not accepted can be a frame of AAC with a different number of channels.
  package func acceptsWithOtherChannels(_ sample: ArraySlice<UInt8>) -> Bool {
    guard case .aac(let syntax) = kind else { return false }
    return syntax.withAnyChannels.byteCount(sample).map { $0 <= sample.count } ?? false
  }
}
