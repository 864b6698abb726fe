import ISOBMFF

/// The boxes of an event message track but for what is made of its samples.
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
    let media = Box(
      "mdia",
      boxes: [
        Box(mediaHeader), Box(handler),
        Box("minf", boxes: [Box(NullMediaHeaderBox()), dataInformation, Box("stbl", boxes: [sampleDescription])]),
      ])
    return Box("trak", boxes: [Box(header), media])
  }

  /// The samples are in this file.
  private static var dataInformation: Box {
    var dref = DataReferenceBox()
    dref.entryCount = 1
    return Box("dinf", boxes: [Box(dref, boxes: [Box(DataEntryURLBox())])])
  }

  private static var sampleDescription: Box {
    var stsd = SampleDescriptionBox()
    stsd.entryCount = 1
    return Box(stsd, boxes: [Box(EventMessageSampleEntry())])
  }
}
