import Bytes
package import ISOBMFF

/// The boxes of a track that is made and not read.
package enum TrackBoxes {
  /// A track whose samples are in the file itself; `table` is what is said of them besides how they are coded.
  package static func track(
    _ header: TrackHeaderBox, _ media: MediaHeaderBox, _ handler: HandlerBox, language: ExtendedLanguageBox? = nil,
    entry: Box, table: [Box] = []
  ) -> Box {
    var stsd = SampleDescriptionBox()
    stsd.entryCount = 1
    let information = [
      Box(NullMediaHeaderBox()), dataInformation,
      Box("stbl", boxes: [Box(stsd, boxes: [entry])] + table),
    ]
    let boxes = [Box(media), Box(handler)] + (language.map { [Box($0)] } ?? []) + [Box("minf", boxes: information)]
    return Box("trak", boxes: [Box(header), Box("mdia", boxes: boxes)])
  }

  private static var dataInformation: Box {
    var dref = DataReferenceBox()
    dref.entryCount = 1
    return Box("dinf", boxes: [Box(dref, boxes: [Box(DataEntryURLBox())])])
  }
}
