import MP4Bytes
import MP4HLS
import MP4Presentations
package import MP4Records

/// A record of something in a file, or in a segment of a presentation, with its place in a playlist.
package struct PlacedRecord<Element: Record>: Record {
  let element: Element
  var playlist: String?
  var line: Int?

  package static var summary: String { Element.summary }
  package static var members: [RecordMember<Self>] {
    Element.members.map { $0.of { $0.element } } + [
      RecordMember("playlist", "the media playlist; missing for files") { $0.playlist },
      RecordMember("line", "the line number in the playlist; missing for files, or if unknown") { $0.line },
    ]
  }
}

/// The same in one of several files.
package struct RecordInFile<Element: Record>: Record {
  let placed: PlacedRecord<Element>
  let file: String?

  init(_ element: Element, in file: String) { (placed, self.file) = (PlacedRecord(element: element), file) }

  package static var summary: String { Element.summary }
  package static var members: [RecordMember<Self>] {
    PlacedRecord<Element>.members.map { $0.of { $0.placed } } + [
      RecordMember("file", "the name of the file; missing if only one is listed") { $0.file }
    ]
  }
}

extension PlacedRecord {
  /// A record in a part of a presentation.
  init(_ element: Element, in part: PresentationMovies.Part, line: Int?) {
    self.init(element: element, playlist: part.playlist.name, line: line)
  }
}
