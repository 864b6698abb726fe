public import Bytes
public import ISOBMFF

extension MovieWriter {
  /// What a track is: how its samples are coded, and how it is presented.
  public struct Track: Sendable {
    /// Units of a second in which its samples are timed, such as 48000 or 90000; never 0.
    public let timescale: UInt32
    /// The kind of media: `vide`, `soun`, `text`, `subt`, `meta` and others.
    public var handler: FourCC
    /// A name for people.
    public var name = ""
    /// The language, three letters of ISO 639-2.
    public var language: LanguageCode = "und"
    /// The language as a tag by BCP 47 where the letters say less, such as `pt-BR`.
    public var languageTag: String?
    /// The size of its pictures on the screen, its volume and what else is said of it; the writer sets the ID, the duration
    /// and, unless it is set, the size of the first sample entry.
    public var header = TrackHeaderBox()
    /// How long after the start of the movie it is presented.
    public var delay = MediaTime(0, 1)
    /// How much of its start is not presented, in composition time: the priming of an audio encoder, or the composition
    /// offset of the first picture.
    public var trim = MediaTime(0, 1)
    /// How long it is presented; `nil` for all of it.
    public var presentedDuration: MediaTime?
    /// The sample entries, each as the bytes of its box.
    let entries: [[UInt8]]

    /// A track whose samples are coded as `entries` say; samples name one of them.
    ///
    /// - Parameters:
    ///   - entries: One or more: new boxes, such as `Box(VisualSampleEntry(), type: "avc1", boxes: …)`, or those of a tree.
    ///   - source: The source that the boxes were read from, where they are not new.
    ///   - timescale: Units of a second; 0 counts as 1.
    ///   - handler: The kind of media; that of the first entry when it is `nil`.
    public init(
      _ entries: Box..., from source: (any ByteSource)? = nil, timescale: UInt32, handler: FourCC? = nil
    ) throws(MovieWriterError) {
      self.timescale = max(timescale, 1)
      self.handler = handler ?? entries.first.map(Self.handler) ?? "meta"
      self.entries = try Self.encoded(entries.map(\.ofFirstSource), from: [source ?? MemorySource([])])
      setExtent(of: entries.first)
    }

    /// A track like one of another movie: its sample entries, timescale, name, language, header, and the edit list where
    /// that only delays the track or cuts its start or end.
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
        // Numbers of QuickTime mean nothing in an ISO file.
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

    /// The bytes of each box, whose samples are in the file itself.
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
        // After the header and six reserved bytes every sample entry says which data reference its samples are at.
        if bytes.count >= 16 { bytes.replaceSubrange(14..<16, with: [0, 1]) }
        result.append(bytes)
      }
      return result
    }
  }
}

extension Box {
  /// The same box, read from the first of the sources.
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
