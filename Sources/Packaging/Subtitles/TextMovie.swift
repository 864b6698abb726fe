public import Bytes
import ISOBMFF
public import MP4
import TimedText

/// Subtitles as a progressive MP4 of one track in memory, which is then cut or put together with others like any file.
public struct TextMovie: Sendable {
  /// The file.
  public let source: any ByteSource
  /// What was lost.
  public let notices: [Notice]

  /// Units of a second in which its times are; those of cues fit exactly.
  static let timescale: UInt32 = 1000
  /// Text tracks are alternatives to each other. The number is one that writers of movies hardly take for sound.
  private static let alternateGroup: Int16 = 3

  /// Makes a movie of subtitles, whose times start with it.
  ///
  /// - Parameters:
  ///   - cuts: Times in milliseconds at which a sample starts in any case.
  ///   - end: Where it ends, in milliseconds; with the last cue when it is `nil`.
  /// - Throws: `MovieError.impossible` when there is no cue to be shown, or there are more bytes than anybody reads.
  public init(_ subtitles: Subtitles, _ format: TextFormat, cuts: [Int64] = [], end: Int64? = nil)
    throws(MovieError)
  {
    let file = subtitles.source
    // A text of tags alone shows nothing.
    let cues = subtitles.document.cues.filter { format == .webVTT || !CueText($0.text).text.isEmpty }
    let timeline = CueTimeline(cues, cuts: cuts, end: end)
    guard end != nil || !timeline.cues.isEmpty else {
      throw .impossible(file: file, PackagingObstacle.noCues)
    }
    let samples = TextSamples(timeline, format)
    guard !samples.isTooLarge else {
      throw .impossible(file: file, PackagingObstacle.largeSamples(limit: TextSamples.limit))
    }
    var notices: [Notice] = []
    if let map = subtitles.document.timestampMap, UInt64(clamping: map.local * 90) != map.mpegTS {
      let text = "X-TIMESTAMP-MAP is not used; the times of the cues count from the start of the movie"
      notices.append(Notice(.note, file, text))
    }
    if samples.cutTexts > 0 {
      let text = "\(counted(samples.cutTexts, "text has", "texts have")) no place in a sample of 65535 bytes; left out"
      notices.append(Notice(.loss, file, text))
    }
    self.notices = notices
    do throws(BoxError) {
      source = MemorySource(try Self.bytes(subtitles, format, samples), name: file)
    } catch { throw .damaged(file: file, path: "moov", error) }
  }

  /// The samples stand before the movie box, so that where they are does not depend on its size.
  private static func bytes(_ subtitles: Subtitles, _ format: TextFormat, _ samples: TextSamples) throws(BoxError)
    -> [UInt8]
  {
    let front = try Box(fileType).bytes()
    let media = TextSamples.box("mdat", samples.bytes)
    return front + media + (try movie(subtitles, format, samples, mediaStart: front.count + 8).bytes())
  }

  private static var fileType: FileTypeBox {
    var type = FileTypeBox()
    type.minorVersion = 0x200
    type.compatibleBrands = BoxTable(["isom", "iso2"])
    return type
  }

  private static func movie(
    _ subtitles: Subtitles, _ format: TextFormat, _ samples: TextSamples, mediaStart: Int
  ) -> Box {
    let duration = samples.durations.reduce(0) { $0 + UInt64($1) }
    var header = MovieHeaderBox()
    (header.timescale, header.duration, header.nextTrackID) = (timescale, duration, 2)
    var track = TrackHeaderBox()
    // In the movie and in its presentation; shown only where it is the default.
    track.header.flags = subtitles.isDefault ? 7 : 6
    (track.duration, track.alternateGroup) = (duration, alternateGroup)
    var media = MediaHeaderBox()
    (media.timescale, media.duration) = (timescale, duration)
    media.language = LanguageTag.packed(subtitles.language)
    var handler = HandlerBox()
    // Apple's players show text of 3GPP as subtitles only where the handler says that it is such.
    handler.handlerType = format == .webVTT ? "text" : "sbtl"
    handler.name = BoxString(Array(subtitles.shownName.utf8))
    var language = ExtendedLanguageBox()
    language.extendedLanguage = BoxString(Array(subtitles.language.utf8))
    let trak = TrackBoxes.track(
      track, media, handler, language: language, TrackBoxes.description(TextEntry.box(format, subtitles)),
      table: samples.table(mediaStart: mediaStart))
    return Box("moov", boxes: [Box(header), trak])
  }
}

extension TextSamples {
  /// The sample table: all samples are one chunk.
  fileprivate func table(mediaStart: Int) -> [Box] {
    var times: [TimeToSampleBox.Entry] = []
    for duration in durations {
      if times.last?.sampleDelta == duration {
        times[times.count - 1].sampleCount += 1
      } else {
        times.append(TimeToSampleBox.Entry(sampleCount: 1, sampleDelta: duration))
      }
    }
    let count = UInt32(clamping: sizes.count)
    var (stts, stsc, stsz, stco) = (TimeToSampleBox(), SampleToChunkBox(), SampleSizeBox(), ChunkOffsetBox())
    stts.entries = BoxTable(times)
    stsc.entries = BoxTable([SampleToChunkBox.Entry(firstChunk: 1, samplesPerChunk: count, sampleDescriptionIndex: 1)])
    stsz.sizes = BoxTable(sizes)
    stco.offsets = BoxTable([UInt32(clamping: mediaStart)])
    return [Box(stts), Box(stsc), Box(stsz), Box(stco)]
  }
}

extension Box {
  /// A new box as it is written.
  fileprivate func bytes() throws(BoxError) -> [UInt8] {
    let (boxes, sink) = (try BoxSerializer([self]), MemorySink())
    // Writing to memory does not fail.
    do throws(IOError) { try boxes.write(to: sink) } catch { return [] }
    return sink.bytes
  }
}
