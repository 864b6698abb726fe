public import Bytes
import ISOBMFF
public import MP4
public import TimedText

/// Why a subtitle file cannot be read.
public enum SubtitleFileError: Error, Sendable {
  /// It cannot be read.
  case io(IOError)
  /// It is too large for subtitles.
  case tooLong(file: String, limit: Int)
  /// It is empty.
  case empty(file: String)
  /// It has another format, with this name.
  case otherFormat(file: String, name: String)
  /// It is not a valid subtitle file.
  case text(file: String, TimedTextError)
}

extension SubtitleFileError: CustomStringConvertible {
  /// A sentence that names the file.
  public var description: String {
    switch self {
    case .io(let error): error.description
    case .tooLong(let file, let limit):
      "\(file): the file is larger than \(limit >> 20) MiB, the maximum size of subtitles"
    case .empty(let file): "\(file): the file is empty"
    case .otherFormat(let file, let name): "\(file): this is \(name), not WebVTT or SubRip"
    case .text(let file, let error): "\(file): \(error)"
    }
  }
}

extension Subtitles {
  /// The maximum size of a subtitle file, a hundred times that of the longest real ones.
  private static let limit = 64 << 20

  /// Reads a WebVTT or SubRip file; the format is determined by its extension or else by its first lines.
  ///
  /// - Parameters:
  ///   - source: The file.
  ///   - language: The tag of its language (BCP 47).
  ///   - encoding: The encoding of its text; by default, UTF-8 or that of its byte order mark.
  public init(
    reading source: any ByteSource, language: String, encoding: TextEncoding? = nil
  ) throws(SubtitleFileError) {
    let bytes: [UInt8]
    do throws(IOError) {
      var window = ByteWindow(source)
      bytes = Array(try window.slice(at: 0, count: Self.limit + 1))
    } catch { throw .io(error) }
    guard bytes.count <= Self.limit else { throw .tooLong(file: source.name, limit: Self.limit) }
    let ending = source.name.utf8.suffix(4).map { $0 | 0x20 }
    let isSubRip = ending == Array(".srt".utf8)
    let isKnown = isSubRip || ending == Array(".vtt".utf8)
    let document: WebVTTDocument
    do throws(TimedTextError) {
      document = try WebVTTDocument(bytes, isSubRip: isKnown ? isSubRip : nil, encoding: encoding)
    } catch {
      if bytes.isEmpty { throw .empty(file: source.name) }
      if let name = Self.otherFormat(bytes) { throw .otherFormat(file: source.name, name: name) }
      throw .text(file: source.name, error)
    }
    self.init(document, language: language, source: source.name)
  }

  /// The format of a file that is not subtitles, if its first bytes identify it.
  private static func otherFormat(_ bytes: [UInt8]) -> String? {
    let start = Array(bytes.prefix(1024))
    if let format = ForeignFormat(start: start) {
      // If the format is uncertain, the file can be text in an unknown encoding.
      return format.isCertain && format != .webVTT ? format.name : nil
    }
    return FileBox(startOf: start[...]) == nil ? nil : "an MP4 file"
  }

  /// Features of these subtitles that a track cannot express, so that packaging loses them.
  public func diagnostics(ofTrack format: TextFormat) -> [Diagnostic] {
    var diagnostics: [Diagnostic] = []
    if isForced, format == .webVTT {
      let text = "WebVTT tracks (wvtt) cannot be marked as forced; tx3g tracks can"
      diagnostics.append(Diagnostic(.warning, source, text))
    }
    if describesSounds {
      let text = "tracks cannot be marked as SDH; use the track name"
      diagnostics.append(Diagnostic(.note, source, text))
    }
    return diagnostics
  }
}
