public import Bytes
public import ISOBMFF

extension MovieWriter {
  /// The properties of a track: the format of its samples, and its presentation.
  public struct Track: Sendable {
    /// The timescale of its samples, such as 48000 or 90000; never 0.
    public let timescale: UInt32
    /// The handler type: `vide`, `soun`, `text`, `subt`, `meta` and others.
    public var handler: FourCC
    /// A name for users.
    public var name = ""
    /// The language, as three letters of ISO 639-2.
    public var language: LanguageCode = "und"
    /// The language as a BCP 47 tag, if the letters are less precise, such as `pt-BR`.
    public var languageTag: String?
    /// The display size of its video, its volume and other header fields; the writer sets the ID, the duration
    /// and, unless it is set, the size from the first sample entry.
    public var header = TrackHeaderBox()
    /// The delay of its presentation after the start of the movie.
    public var delay = MediaTime(0, 1)
    /// The hidden start of the track in composition time: the priming of an audio encoder, or the composition
    /// offset of the first picture.
    public var trim = MediaTime(0, 1)
    /// The presented duration; `nil` for all of it.
    public var presentedDuration: MediaTime?
    /// The sample entries, each as the bytes of its box.
    let entries: [[UInt8]]

    /// A track with the sample formats `entries`; samples refer to one of them.
    ///
    /// - Parameters:
    ///   - entries: At least one: new boxes, such as `Box(VisualSampleEntry(), type: "avc1", boxes: …)`, or those of a
    ///     tree.
    ///   - source: The source from which the boxes were read, unless they are new.
    ///   - timescale: Units per second; 0 counts as 1.
    ///   - handler: The handler type; `nil` is that of the first entry.
    public init(
      _ entries: Box..., from source: (any ByteSource)? = nil, timescale: UInt32, handler: FourCC? = nil
    ) throws(MovieWriterError) {
      self.timescale = max(timescale, 1)
      self.handler = handler ?? entries.first.map(Self.handler) ?? "meta"
      self.entries = try Self.encoded(entries.map(\.ofFirstSource), from: [source ?? MemorySource([])])
      setExtent(of: entries.first)
    }

    /// A track with the sample entries, timescale, name, language and header of a track of another movie, and with its
    /// edit list if that only delays the track or trims its start or end.
    public init(like track: MP4.Track) throws(MovieWriterError) {
      if track.isEncrypted { throw .encrypted }
      guard let edit = track.simpleEdit else { throw .editList }
      (timescale, handler) = (track.timescale, track.handler)
      let (box, sources) = (track.properties.box, track.samples.storage.sources)
      let stsd = box.first("mdia", "minf", "stbl", "stsd")
      entries = try Self.encoded(stsd?.boxes.filter(\.hasHeader) ?? [], from: sources)
      let payloads = MoviePayloads(source: sources[box.source])
      do throws(MovieError) {
        header = try payloads.payload(of: box.first("tkhd"), in: "moov/trak/tkhd", TrackHeaderBox.self)
        let mdhd = try payloads.payload(of: box.first("mdia", "mdhd"), in: "moov/trak/mdia/mdhd", MediaHeaderBox.self)
        // The language numbers of QuickTime have no meaning in an ISO file.
        if let code = LanguageCode(mdhd.language.description) { language = code }
        let hdlr = try payloads.payload(of: box.first("mdia", "hdlr"), in: "moov/trak/mdia/hdlr", HandlerBox.self)
        name = hdlr.name.description
      } catch { throw .source(error) }
      languageTag = track.language.flatMap { $0 == language.description ? nil : $0 }
      delay = MediaTime(Int64(clamping: edit.movieDelay), track.writtenTimescale)
      trim = MediaTime(edit.mediaTime, timescale)
      presentedDuration = edit.duration.map { MediaTime(Int64(clamping: $0), track.writtenTimescale) }
    }

    private static func handler(of entry: Box) -> FourCC {
      switch entry.fields {
      case .edited(is VisualSampleEntry, _): "vide"
      case .edited(is AudioSampleEntry, _): "soun"
      default: "meta"
      }
    }

    private mutating func setExtent(of entry: Box?) {
      if handler == "soun" { header.volume = 0x100 }
      guard case .edited(let picture as VisualSampleEntry, _)? = entry?.fields else { return }
      (header.width, header.height) = (UInt32(picture.width) << 16, UInt32(picture.height) << 16)
    }

    /// The bytes of each box, changed to refer to samples in the file itself.
    private static func encoded(
      _ entries: [Box], from sources: [any ByteSource]
    ) throws(MovieWriterError) -> [[UInt8]] {
      var result: [[UInt8]] = []
      for entry in entries {
        let (serializer, sink): (BoxSerializer, MemorySink)
        do throws(BoxError) { (serializer, sink) = (try BoxSerializer([entry]), MemorySink()) } catch {
          throw .box(error)
        }
        do throws(IOError) { try serializer.write(to: sink, from: sources) } catch { throw .source(.io(error)) }
        var bytes = sink.bytes
        // The data reference index follows the header and six reserved bytes in every sample entry.
        if bytes.count >= 16 { bytes.replaceSubrange(14..<16, with: [0, 1]) }
        result.append(bytes)
      }
      return result
    }
  }
}

extension Box {
  /// The same box, as read from the first source.
  fileprivate var ofFirstSource: Box {
    var box = self
    box.source = 0
    box.boxes = boxes.map(\.ofFirstSource)
    return box
  }
}

extension Track {
  /// Whether some of its samples are encrypted.
  var isEncrypted: Bool { protectionScheme != nil || description.encryption.contains { $0 != nil } }
}

extension Sample {
  /// Whether some samples of its track are encrypted.
  var isOfEncryptedTrack: Bool { storage.scheme != nil || storage.encryption.contains { $0 != nil } }
}
