import MP4
import MP4Bytes
import TimedText

/// The documents of a TTML track (`stpp`), one in each sample. Their times are track times: ISO/IEC 14496-30:2018, 5.
struct TTMLTrack {
  private var documents: [[UInt8]] = []
  /// The times at which each document is presented, in milliseconds.
  private var times: [Range<Int64>] = []
  /// The offset from track times to presentation times.
  private let shift: MediaTime
  /// The number of samples that cannot be read.
  private(set) var skipped = 0
  /// The number of documents.
  var count: Int { documents.count }

  init(_ track: Track) throws(MovieError) {
    var (byteCount, damaged, documents, times): (Int, Int, [[UInt8]], [Range<Int64>]) = (0, 0, [], [])
    let skipped = try track.forEachTimedSample { sample in
      byteCount += sample.bytes.count
      // Several samples can refer to the same data.
      guard byteCount <= TextSamples.limit else {
        damaged += 1
        return true
      }
      let (start, end) = (sample.start.converted(to: 1000).value, sample.end.converted(to: 1000).value)
      if let last = times.last, last.upperBound == start, documents.last == sample.bytes {
        times[times.count - 1] = last.lowerBound..<max(start, end)
      } else if !sample.bytes.isEmpty {
        documents.append(sample.bytes)
        times.append(start..<max(start, end))
      }
      return true
    }
    (self.documents, self.times, self.skipped) = (documents, times, skipped + damaged)
    shift = track.timeShift
  }

  /// The text as cues. A cue that is also in the next document, or that continues there, is one cue; one without an end
  /// ends with its sample.
  var cues: [Cue] {
    let shift = shift.converted(to: 1000).value
    var (result, open): ([Cue], [(cue: Cue, index: Int)]) = ([], [])
    for (document, shown) in zip(documents, times) {
      var next: [(cue: Cue, index: Int)] = []
      for cue in TTMLDocument.cues(in: document) ?? [] {
        if let known = open.first(where: { $0.cue == cue && cue.endMilliseconds < .max }) {
          next.append(known)
          continue
        }
        var own = cue
        own.startMilliseconds = max(cue.startMilliseconds &+ shift, shown.lowerBound)
        own.endMilliseconds = cue.endMilliseconds == .max ? shown.upperBound : cue.endMilliseconds &+ shift
        guard own.startMilliseconds < own.endMilliseconds else { continue }
        if let known = open.first(where: {
          result[$0.index].text == own.text && result[$0.index].endMilliseconds == own.startMilliseconds
        }) {
          result[known.index].endMilliseconds = own.endMilliseconds
          next.append((cue, known.index))
        } else {
          next.append((cue, result.count))
          result.append(own)
        }
      }
      open = next
    }
    let order = result.indices.sorted { (result[$0].startMilliseconds, $0) < (result[$1].startMilliseconds, $1) }
    return order.map { result[$0] }
  }

  /// One document with the text of all documents, without repetitions; `nil` if there are none, or if they differ
  /// outside of their bodies.
  var merged: [UInt8]? {
    guard let first = documents.first else { return nil }
    if documents.count == 1 { return first }
    var (result, ending, head): ([UInt8], ArraySlice<UInt8>, ArraySlice<UInt8>) = ([], [], [])
    var known: Set<ArraySlice<UInt8>> = []
    for document in documents {
      guard let (start, body, end) = Self.divided(document) else { return nil }
      if body.isEmpty, start.isEmpty { continue }
      if result.isEmpty {
        (result, ending, head) = (Array(start), end, start)
      } else if start != head || end != ending {
        return nil
      }
      var (own, rest): (Set<ArraySlice<UInt8>>, ArraySlice<UInt8>) = ([], body)
      while let paragraph = Self.element("p", in: rest) {
        let bytes = rest[paragraph]
        result += rest[rest.startIndex..<paragraph.lowerBound]
        if !known.contains(bytes) { result += bytes }
        own.insert(bytes)
        rest = rest[paragraph.upperBound...]
      }
      result += rest
      known = own
    }
    return result.isEmpty ? first : result + ending
  }

  /// The part before the contents of the body, the contents, and the part after them; empty if there is no text.
  private static func divided(_ document: [UInt8]) -> (ArraySlice<UInt8>, ArraySlice<UInt8>, ArraySlice<UInt8>)? {
    guard let tag = startTag("body", in: document[...]) else { return ([], [], []) }
    if document[tag.upperBound - 2] == UInt8(ascii: "/") { return ([], [], []) }
    guard let end = endTag("body", in: document[tag.upperBound...]) else { return nil }
    return (
      document[..<tag.upperBound], document[tag.upperBound..<end.lowerBound], document[end.lowerBound...]
    )
  }

  /// The first element with a name, including its end tag.
  private static func element(_ name: String, in bytes: ArraySlice<UInt8>) -> Range<Int>? {
    guard let start = startTag(name, in: bytes) else { return nil }
    if bytes[start.upperBound - 2] == UInt8(ascii: "/") { return start }
    guard let end = endTag(name, in: bytes[start.upperBound...]) else { return nil }
    return start.lowerBound..<end.upperBound
  }

  private static func startTag(_ name: String, in bytes: ArraySlice<UInt8>) -> Range<Int>? {
    tag(in: bytes, prefix: []) { $0.elementsEqual(name.utf8) }
  }
  private static func endTag(_ name: String, in bytes: ArraySlice<UInt8>) -> Range<Int>? {
    tag(in: bytes, prefix: [UInt8(ascii: "/")]) { $0.elementsEqual(name.utf8) }
  }

  /// The first tag whose name without its namespace prefix is requested.
  private static func tag(
    in bytes: ArraySlice<UInt8>, prefix: [UInt8], _ isMeant: (ArraySlice<UInt8>) -> Bool
  ) -> Range<Int>? {
    var rest = bytes
    while let open = rest.firstIndex(of: UInt8(ascii: "<")) {
      rest = rest[(open + 1)...]
      if rest.starts(with: "!--".utf8) {
        // Tags in comments are ignored.
        while let close = rest.firstIndex(of: UInt8(ascii: ">")) {
          let isEnd = rest[..<close].suffix(2).elementsEqual("--".utf8)
          rest = rest[(close + 1)...]
          if isEnd { break }
        }
        continue
      }
      guard rest.starts(with: prefix) else { continue }
      let word = rest.dropFirst(prefix.count).prefix { !" \t\r\n/>".utf8.contains($0) }
      let local = word.lastIndex(of: UInt8(ascii: ":")).map { word[($0 + 1)...] } ?? word
      guard isMeant(local), let close = rest.firstIndex(of: UInt8(ascii: ">")) else { continue }
      return open..<close + 1
    }
    return nil
  }
}
