import ISOBMFF
import MP4Bytes

/// The boxes of an event message track, except those that depend on its samples.
enum EventTrackBoxes {
  /// A track with this ID and timescale, without samples.
  static func track(id: UInt32, timescale: UInt32) -> Box {
    var header = TrackHeaderBox()
    header.trackID = id
    var mediaHeader = MediaHeaderBox()
    mediaHeader.timescale = timescale
    var handler = HandlerBox()
    handler.handlerType = "meta"
    handler.name = "Events"
    return TrackBoxes.track(header, mediaHeader, handler, TrackBoxes.description(Box(EventMessageSampleEntry())))
  }
}
