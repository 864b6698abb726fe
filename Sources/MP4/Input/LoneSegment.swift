import ISOBMFF
public import MP4Bytes

/// Media segments without their init segment, as far as they can be read alone.
public struct LoneSegment: Sendable {
  /// The timescale of the tracks; `nil` if no `sidx` and no event message in the segments has one.
  public let timescale: UInt32?
  /// An init segment with the tracks of the segments, without their sample descriptions and defaults.
  let initialization: [UInt8]

  /// The type of the sample entries of its tracks.
  package static let unknownFormat: FourCC = "none"
  /// More boxes are not examined.
  private static let boxLimit = 100_000

  /// Examines segments; `nil` if they have no movie fragments.
  public init?(_ sources: [any ByteSource]) throws(MovieError) {
    var (ids, timescale): ([UInt32], UInt32?) = ([], nil)
    for source in sources {
      let editor = try MovieEditor(source)
      for item in editor.items.prefix(Self.boxLimit) where !item.range.isEmpty {
        switch item.type {
        case "moof":
          for traf in try editor.tree(of: item).boxes where traf.type == "traf" {
            let header = try? traf.first("tfhd")?.payload(as: TrackFragmentHeaderBox.self, from: source).get()
            if let id = header?.trackID, id > 0, !ids.contains(id) { ids.append(id) }
          }
        case "sidx" where timescale == nil:
          let index = try? editor.tree(of: item).payload(as: SegmentIndexBox.self, from: source).get()
          timescale = index.flatMap { $0.timescale > 0 ? $0.timescale : nil }
        // ISO/IEC 23009-1, 5.10.3.3.4: the timescale of an event message should be that of the track.
        case "emsg" where timescale == nil:
          let event = try? editor.tree(of: item).payload(as: EventMessageBox.self, from: source).get()
          timescale = event.flatMap { $0.timescale > 0 ? $0.timescale : nil }
        default: break
        }
      }
    }
    guard !ids.isEmpty else { return nil }
    self.timescale = timescale
    initialization = try Self.initialization(ids, timescale ?? 1, name: sources[0].name)
  }

  private static func initialization(_ ids: [UInt32], _ timescale: UInt32, name: String) throws(MovieError) -> [UInt8] {
    var header = MovieHeaderBox()
    (header.timescale, header.nextTrackID) = (timescale, ids.reduce(1, max))
    var boxes = [Box(header)]
    for id in ids {
      var (track, media, handler) = (TrackHeaderBox(), MediaHeaderBox(), HandlerBox())
      (track.trackID, media.timescale, handler.handlerType) = (id, timescale, "    ")
      let table = [Box(TimeToSampleBox()), Box(SampleToChunkBox()), Box(SampleSizeBox()), Box(ChunkOffsetBox())]
      // The format is unknown; a description is needed nevertheless.
      let entry = TrackBoxes.description(Box(Self.unknownFormat, bytes: [0, 0, 0, 0, 0, 0, 0, 1]))
      boxes.append(TrackBoxes.track(track, media, handler, entry, table: table))
    }
    let defaults = ids.map { id in
      var trex = TrackExtendsBox()
      trex.trackID = id
      return Box(trex)
    }
    boxes.append(Box("mvex", boxes: defaults))
    let sink = MemorySink(name: name)
    let serializer: BoxSerializer
    do throws(BoxError) {
      serializer = try BoxSerializer([Box("moov", boxes: boxes)], closesEnds: false)
    } catch { throw .unwritable(file: name, error) }
    try io(serializer.write(to: sink, from: MemorySource([])))
    return sink.bytes
  }
}

extension Movie {
  /// Reads media segments without their init segment. Without a timescale, times are in units of 1 s.
  public init(_ segment: LoneSegment, of sources: [any ByteSource]) throws(MovieError) {
    let initialization = MemorySource(segment.initialization, name: sources.first?.name ?? "segment")
    try self.init(reading: [initialization] + sources)
  }
}
