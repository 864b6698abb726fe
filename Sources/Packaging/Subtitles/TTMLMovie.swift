import ISOBMFF
public import MP4
public import MP4Bytes
import TimedText

/// A TTML document as a progressive MP4 with one track in memory, which can be merged with others like any file: one
/// sample with the whole document (ISO/IEC 14496-30:2018, 5).
public struct TTMLMovie: Sendable {
  /// The file.
  public let source: any ByteSource
  /// Diagnostics about times that differ in a track.
  public let diagnostics: [Diagnostic]

  /// The maximum size of a document, which is more than that of the text of a day.
  private static let largestFile = 16 << 20
  private static let timescale: UInt32 = 1000

  /// Whether a file has a TTML document: the first element is `tt`, in UTF-8.
  public static func isTTML(_ source: any ByteSource) throws(IOError) -> Bool {
    let start = try source.bytes(in: 0..<4096)
    let text = start.starts(with: [0xef, 0xbb, 0xbf]) ? start[3...] : start[...]
    guard text.first(where: { !" \t\r\n".utf8.contains($0) }) == UInt8(ascii: "<") else { return false }
    return TTMLDocument(Array(String(decoding: text, as: UTF8.self).utf8)) != nil
  }

  /// Reads a document. Its sample lasts from 0 to the end of its last text.
  ///
  /// - Throws: `MovieError` if it cannot be read, is larger than 16 MiB, has no text with an end, or has images in
  ///   other files.
  public init(_ file: any ByteSource) throws(MovieError) {
    let name = file.name
    func refusal(_ code: Obstacle.Code, _ text: String) -> MovieError { .impossible(file: name, Obstacle(code, text)) }
    var window = ByteWindow(file)
    let bytes: [UInt8]
    do throws(IOError) { bytes = Array(try window.slice(at: 0, count: Self.largestFile + 1)) } catch {
      throw .io(error)
    }
    guard bytes.count <= Self.largestFile else {
      throw refusal("large_document", "the file is larger than 16 MiB, the maximum size of a TTML document")
    }
    guard let document = TTMLDocument(bytes), let cues = TTMLDocument.cues(in: bytes) else {
      throw refusal("not_ttml", "it is no TTML document in UTF-8")
    }
    if document.hasImages { throw refusal("images", "its images are in other files, which are not added") }
    let ends = cues.map(\.endMilliseconds)
    guard let end = ends.filter({ $0 < .max }).max(), end > 0, end <= Int64(UInt32.max) else {
      throw refusal("no_cues", "it has no text with an end, so the duration of the track is not known")
    }
    var diagnostics: [Diagnostic] = []
    let open = ends.count { $0 == .max }
    if open > 0 {
      let text = "\(counted(open, "text has", "texts have")) no end; shown until the end of the last one that has one"
      diagnostics.append(Diagnostic(.warning, name, text))
    }
    if let base = document.timeBase, base != "media" {
      let text = "its time base is '\(base)'; in a track, its times count from the start of the track"
      diagnostics.append(Diagnostic(.warning, name, text))
    }
    self.diagnostics = diagnostics
    do throws(MovieWriterError) {
      let sink = MemorySink()
      let writer = MovieWriter(to: sink)
      let track = try writer.add(try MovieWriter.Track(document, fileName: name, timescale: Self.timescale))
      try writer.append(bytes, to: track, duration: MediaTime(end, Self.timescale))
      try writer.finish()
      source = MemorySource(sink.bytes, name: name)
    } catch { throw refusal("not_written", error.description) }
  }
}

extension MovieWriter.Track {
  fileprivate init(_ document: TTMLDocument, fileName: String, timescale: UInt32) throws(MovieWriterError) {
    var entry = XMLSubtitleSampleEntry()
    entry.namespace = BoxString(document.namespace ?? "http://www.w3.org/ns/ttml")
    (entry.schemaLocation, entry.auxiliaryMIMETypes) = ("", "")
    var boxes: [Box] = []
    let profiles = document.profiles.compactMap(DecoderConfiguration.shortName(ofTTMLProfile:))
    if let first = profiles.first {
      var type = MIMEBox()
      type.contentType = BoxString("application/ttml+xml;codecs=\(first)")
      boxes.append(Box(type))
    }
    try self.init(Box(entry, type: "stpp", boxes: boxes), timescale: timescale, handler: "subt")
    // Like other subtitles: not shown by default, and alternatives to each other.
    header.header.flags = 6
    header.alternateGroup = MovieWriter.Track.alternateGroup
    let tag = document.language.flatMap { LanguageTag.isValid($0) ? LanguageTag.shortest($0) : nil }
    let language = tag ?? Subtitles.language(ofFile: fileName)
    (languageTag, self.language) = (language, LanguageTag.packed(language))
    name = language == "und" ? "Subtitles" : LanguageTag.name(of: language)
  }
}
