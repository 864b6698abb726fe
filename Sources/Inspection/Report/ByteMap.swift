import BoxCatalog
import ISOBMFF
import MP4
package import MP4Bytes
package import MP4Records

/// The use of the bytes of the concatenated inputs.
package struct ByteMap: Sendable {
  /// A use of bytes.
  package enum Use: Int, CaseIterable, Sendable {
    case movie, fragments, video, audio, text, otherTracks, images, imageMetadata, motionVideo, noSample, otherBoxes
    case space, noBox

    /// The text of the legend.
    var words: String {
      switch self {
      case .movie: "movie box"
      case .fragments: "fragment headers"
      case .video: "video samples"
      case .audio: "audio samples"
      case .text: "text samples"
      case .otherTracks: "other samples"
      case .images: "images"
      case .imageMetadata: "metadata of images"
      case .motionVideo: "video of a motion photo"
      case .noSample: "other media data"
      case .otherBoxes: "other boxes"
      case .space: "free space"
      case .noBox: "not a box"
      }
    }
  }
  /// The boxes of one type at the top level.
  package struct BoxType: Sendable {
    package let type: FourCC
    /// The name in the standard; `nil` for an unknown type.
    package let name: String?
    package fileprivate(set) var count: Int
    package fileprivate(set) var byteCount: Int
    /// The offset of the first one in the concatenated inputs.
    package let firstOffset: Int
  }

  /// The total size of the inputs.
  package let byteCount: Int
  /// The start of each input.
  package let starts: [Int]
  /// The number of bytes of each use in each column. All columns cover equal parts of the inputs.
  package private(set) var columns: [[Int]]
  /// The box types, in the order of their first occurrence; only the first 40 are listed.
  package private(set) var types: [BoxType] = []
  private let width: Double

  static let columnLimit = 400
  private static let typeLimit = 40

  /// Reads the headers of all top-level boxes of the inputs, which contain the samples of these tracks and, if there is
  /// only one file, these images.
  init(_ sources: [any ByteSource], _ tracks: [Track], _ images: ImageSummary?) throws(IOError) {
    var (sizes, boxes) = ([Int](), [(header: BoxHeader, isBox: Bool, source: Int)]())
    for (index, source) in sources.enumerated() {
      var (parser, end) = (BoxParser(source), 0)
      while let node = try parser.next() {
        boxes.append((node.header, !node.isRemainder, index))
        end = max(end, node.header.end)
        parser.skipBoxes()
      }
      sizes.append(source.byteCount ?? end)
    }
    var (starts, total) = ([Int](), 0)
    for size in sizes {
      starts.append(total)
      total = total.addingReportingOverflow(size).partialValue
    }
    (self.starts, byteCount) = (starts, max(0, total))
    let count = max(1, min(Self.columnLimit, byteCount))
    width = Double(max(1, byteCount)) / Double(count)
    columns = Use.allCases.map { _ in Array(repeating: 0, count: count) }
    for box in boxes { add(box.header, isBox: box.isBox, from: starts[box.source]) }
    for track in tracks { addSamples(of: track) }
    for column in columns[Use.noSample.rawValue].indices {
      columns[Use.noSample.rawValue][column] = max(0, columns[Use.noSample.rawValue][column])
    }
    if let images { addItems(of: images, boxes.map(\.header)) }
  }

  private mutating func add(_ header: BoxHeader, isBox: Bool, from start: Int) {
    let box = (start + header.offset)..<(start + header.end)
    guard isBox else { return add(box, .noBox) }
    count(header, at: box.lowerBound)
    switch FileBox(header.type) {
    case .movie: add(box, .movie)
    case .fragment: add(box, .fragments)
    case .space: add(box, .space)
    case nil where header.type == "mpvd": add(box, .motionVideo)
    case .media:
      let data = (start + header.payload.lowerBound)..<box.upperBound
      add(box.lowerBound..<data.lowerBound, .otherBoxes)
      add(data, .noSample)
    default: add(box, .otherBoxes)
    }
  }

  private mutating func count(_ header: BoxHeader, at offset: Int) {
    if let known = types.firstIndex(where: { $0.type == header.type }) {
      types[known].count += 1
      types[known].byteCount += header.size
    } else if types.count < Self.typeLimit {
      let info = BoxRegistry.standard.definition(of: header.type, userType: header.userType, in: BoxContext())?.info
      types.append(
        BoxType(
          type: header.type, name: info?.name.description, count: 1, byteCount: header.size, firstOffset: offset))
    }
  }

  /// Samples are the used part of media data.
  private mutating func addSamples(of track: Track) {
    let use = Use(track.handler)
    var run = 0..<0
    func flush(_ map: inout ByteMap) {
      map.add(run, use)
      map.add(run, .noSample, sign: -1)
    }
    for sample in track.samples {
      guard starts.indices.contains(sample.sourceIndex) else { continue }
      let start = starts[sample.sourceIndex] + sample.offset
      if start != run.upperBound {
        flush(&self)
        run = start..<start
      }
      run = run.lowerBound..<(start + sample.size)
    }
    flush(&self)
  }

  /// Items are media data, or data in another box. Their data can overlap, and can be shared with samples.
  private mutating func addItems(of images: ImageSummary, _ boxes: [BoxHeader]) {
    let places = images.items.flatMap { item in item.places.map { (bytes: $0, use: item.use) } }
      .sorted { ($0.bytes.lowerBound, $0.bytes.upperBound) < ($1.bytes.lowerBound, $1.bytes.upperBound) }
    var end = 0
    for (bytes, use) in places where bytes.upperBound > end {
      let own = max(end, bytes.lowerBound)..<bytes.upperBound
      end = bytes.upperBound
      guard let box = boxes.last(where: { $0.offset <= own.lowerBound }) else { continue }
      let old = FileBox(box.type) == .media ? Use.noSample : .otherBoxes
      forEachColumn(of: own) { map, column, count in
        let moved = min(count, map.columns[old.rawValue][column])
        map.columns[old.rawValue][column] -= moved
        map.columns[use.rawValue][column] += moved
      }
    }
  }

  /// Adds a range of bytes to its columns.
  private mutating func add(_ range: Range<Int>, _ use: Use, sign: Int = 1) {
    forEachColumn(of: range) { map, column, count in map.columns[use.rawValue][column] += sign * count }
  }

  /// Calls `body` with each column that overlaps the range, and the number of bytes.
  private mutating func forEachColumn(of range: Range<Int>, _ body: (inout ByteMap, Int, Int) -> Void) {
    var start = max(0, range.lowerBound)
    let (end, last) = (min(byteCount, range.upperBound), columns[0].count - 1)
    var column = min(last, Int(Double(start) / width))
    while start < end {
      let next = column == last ? end : max(start, min(end, Int(Double(column + 1) * width)))
      body(&self, column, next - start)
      (start, column) = (next, min(last, column + 1))
    }
  }

  /// The number of bytes for a use.
  package func byteCount(of use: Use) -> Int { columns[use.rawValue].reduce(0, +) }
}

extension ByteMap.Use {
  /// The use of the samples of tracks with this handler.
  init(_ handler: FourCC) {
    switch handler {
    case "vide", "pict", "auxv": self = .video
    case "soun": self = .audio
    case "text", "sbtl", "subt", "clcp": self = .text
    default: self = .otherTracks
    }
  }
}

extension ImageSummary.Item {
  /// The use of its bytes.
  fileprivate var use: ByteMap.Use {
    ["Exif", "mime", "uri "].contains(type) ? .imageMetadata : .images
  }
}

extension ByteMap: Record {
  package static let summary = "The use of the bytes of the inputs."
  package static let members: [RecordMember<Self>] = [
    RecordMember("bytes", "the size of all inputs") { $0.byteCount },
    RecordMember("input_starts", "the start of each input, if all inputs are concatenated") { $0.starts },
    RecordMember("boxes", "the types of top-level boxes") { $0.types },
    RecordMember("uses", "the bytes of each use in each column; columns are equal parts of the inputs") { map in
      Use.allCases.filter { map.byteCount(of: $0) > 0 }.map { UseColumns(use: $0, bytes: map.columns[$0.rawValue]) }
    },
  ]
}

/// The bytes of one use.
private struct UseColumns: Record {
  static let summary = "The bytes of one use."
  let use: ByteMap.Use
  let bytes: [Int]
  static let members: [RecordMember<Self>] = [
    RecordMember("use", "the use") { $0.use.words },
    RecordMember("bytes", "the number of bytes in each column") { $0.bytes },
  ]
}

extension ByteMap.BoxType: Record {
  package static let summary = "The boxes of one type."
  package static let members: [RecordMember<Self>] = [
    RecordMember("type", "the type") { $0.type },
    RecordMember("name", "its name in the standard; missing for an unknown type") { $0.name },
    RecordMember("count", "the number of boxes") { $0.count },
    RecordMember("bytes", "the sum of their sizes") { $0.byteCount },
    RecordMember("first_offset", "the offset of the first one, if all inputs are concatenated") { $0.firstOffset },
  ]
}
