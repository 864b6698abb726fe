/// The format of a file with the samples of one track outside MP4.
public enum ElementaryStreamFormat: Sendable, Hashable, CaseIterable {
  /// H.264 as a byte stream with start codes: ISO/IEC 14496-10, Annex B.
  case h264
  /// H.265 as a byte stream with start codes: ISO/IEC 23008-2, Annex B.
  case h265
  /// AAC in ADTS: ISO/IEC 14496-3, 1.A.2.
  case adts
  /// AAC in LATM with the sync words of LOAS: ISO/IEC 14496-3, 1.7.
  case latm
  /// AC-3 frames.
  case ac3
  /// Enhanced AC-3 frames.
  case eac3
  /// MPEG audio frames, layers I to III.
  case mp3
  /// A native FLAC file: RFC 9639.
  case flac
  /// H.266 as a byte stream with start codes: ISO/IEC 23090-3, Annex B.
  case h266
  /// AV1, VP8 or VP9 in an IVF file.
  case ivf
  /// AV1 as a stream of open bitstream units with sizes: AV1 Bitstream & Decoding Process Specification, 5.
  case obu
  /// PCM audio in a WAV file; RF64 if it is larger than 4 GB.
  case wav
  /// PCM audio in an AIFF file, or AIFF-C for floating point.
  case aiff
  /// Opus in Ogg: RFC 7845.
  case opus
  /// Apple Lossless in a Core Audio Format file.
  case caf
  /// MPEG-1 video: ISO/IEC 11172-2.
  case mpeg1
  /// MPEG-2 video: ISO/IEC 13818-2.
  case mpeg2
  /// MPEG-4 Visual: ISO/IEC 14496-2.
  case mpeg4
  /// A JPEG picture, or several of them one after another (Motion JPEG).
  case jpeg
  /// A PNG picture, or several of them one after another.
  case png
  /// Concatenated ID3 tags.
  case id3
  /// The concatenated samples of any codec.
  case raw
  /// The samples of any codec, each with its size as a big-endian 32-bit prefix, as mp4dump writes them.
  case sizedSamples

  /// The usual file name extensions in lower case; none for raw samples.
  public var extensions: [String] {
    switch self {
    case .h264: ["h264", "264", "avc"]
    case .h265: ["h265", "265", "hevc"]
    case .adts: ["aac", "adts"]
    case .latm: ["latm", "loas"]
    case .ac3: ["ac3"]
    case .eac3: ["eac3", "ec3"]
    case .mp3: ["mp3", "mp2", "mpa"]
    case .flac: ["flac"]
    case .h266: ["h266", "266", "vvc"]
    case .ivf: ["ivf"]
    case .obu: ["obu"]
    case .wav: ["wav"]
    case .aiff: ["aiff", "aif", "aifc"]
    case .opus: ["opus", "ogg"]
    case .caf: ["caf"]
    case .mpeg1: ["m1v", "mpv"]
    case .mpeg2: ["m2v", "mpv"]
    case .mpeg4: ["m4v", "mpeg4"]
    case .jpeg: ["jpg", "jpeg", "mjpeg", "mjpg"]
    case .png: ["png"]
    case .id3: ["id3"]
    case .raw, .sizedSamples: []
    }
  }
}

extension ElementaryStreamFormat: CustomStringConvertible {
  /// Its name in messages, such as `H.264 (Annex B)`.
  public var description: String {
    switch self {
    case .h264: "H.264 (Annex B)"
    case .h265: "H.265 (Annex B)"
    case .adts: "AAC (ADTS)"
    case .latm: "AAC (LATM)"
    case .ac3: "AC-3"
    case .eac3: "E-AC-3"
    case .mp3: "MPEG audio"
    case .flac: "FLAC"
    case .h266: "H.266 (Annex B)"
    case .ivf: "IVF"
    case .obu: "AV1 (OBU stream)"
    case .wav: "WAV"
    case .aiff: "AIFF"
    case .opus: "Opus (Ogg)"
    case .caf: "Apple Lossless (CAF)"
    case .mpeg1: "MPEG-1 video"
    case .mpeg2: "MPEG-2 video"
    case .mpeg4: "MPEG-4 Visual"
    case .jpeg: "JPEG"
    case .png: "PNG"
    case .id3: "ID3 tags"
    case .raw: "raw samples"
    case .sizedSamples: "raw samples with their sizes"
    }
  }
}
