import ISOBMFF
import MP4
import MP4Bytes
import TimedText

/// The cues of a WebVTT track (`wvtt`): ISO/IEC 14496-30:2018, 7.
struct WebVTTTrack {
  /// The header of the file and the cues.
  private(set) var document: WebVTTDocument
  /// The number of samples that cannot be read.
  private(set) var skipped = 0

  /// A cue that may continue in the next sample.
  private struct Part: Equatable {
    var source: [UInt8]?
    var identifier = ""
    var settings = ""
    var text = ""

    /// Whether both are parts of one cue: parts of a divided cue have the same number.
    func continues(_ other: Part) -> Bool {
      identifier == other.identifier && settings == other.settings && text == other.text && source == other.source
    }
  }

  init(_ track: Track, _ configuration: DecoderConfiguration) throws(MovieError) {
    document = WebVTTDocument()
    if let header = configuration.box(WebVTTConfigurationBox.self)?.config.bytes,
      let own = try? WebVTTDocument(header + [10, 10], isSubRip: false)
    {
      document = own.with(cues: [])
    }
    var (blocks, open, damaged, byteCount): ([WebVTTDocument.Block], [(part: Part, block: Int)], Int, Int) = (
      [], [], 0, 0
    )
    let skipped = try track.forEachTimedSample { sample in
      let (start, end) = (sample.start.converted(to: 1000).value, sample.end.converted(to: 1000).value)
      guard let parts = Self.parts(sample.bytes[...]) else {
        damaged += 1
        open = []
        return true
      }
      var next: [(part: Part, block: Int)] = []
      for part in parts.cues {
        let known = open.firstIndex { $0.part.continues(part) && Self.end(of: blocks[$0.block]) == start }
        if let known, case .cue(var cue) = blocks[open[known].block] {
          cue.endMilliseconds = end
          blocks[open[known].block] = .cue(cue)
          next.append(open.remove(at: known))
          continue
        }
        byteCount += part.text.utf8.count + part.identifier.utf8.count + part.settings.utf8.count
        // Several samples can refer to the same data.
        guard byteCount <= TextSamples.limit else {
          damaged += 1
          break
        }
        var cue = Cue(start: start, end: end, text: part.text)
        (cue.identifier, cue.settings) = (part.identifier, part.settings)
        next.append((part, blocks.count))
        blocks.append(.cue(cue))
      }
      for comment in parts.comments where byteCount + comment.utf8.count <= TextSamples.limit {
        byteCount += comment.utf8.count
        blocks.append(.comment(comment))
      }
      open = next
      return true
    }
    document.blocks += blocks
    self.skipped = skipped + damaged
  }

  private static func end(of block: WebVTTDocument.Block) -> Int64? {
    if case .cue(let cue) = block { return cue.endMilliseconds }
    return nil
  }

  /// The cues and comments of a sample; `nil` if it is damaged.
  private static func parts(_ sample: ArraySlice<UInt8>) -> (cues: [Part], comments: [String])? {
    guard let boxes = boxes(sample) else { return nil }
    var (cues, comments): ([Part], [String]) = ([], [])
    for (type, content) in boxes {
      switch type {
      case "vttc":
        guard let inner = Self.boxes(content) else { return nil }
        var part = Part()
        for (type, content) in inner {
          switch type {
          case "vsid": part.source = Array(content)
          case "iden": part.identifier = String(decoding: content, as: UTF8.self)
          case "sttg": part.settings = String(decoding: content, as: UTF8.self)
          case "payl": part.text = String(decoding: content, as: UTF8.self)
          default: break
          }
        }
        cues.append(part)
      case "vtta": comments.append(comment(String(decoding: content, as: UTF8.self)))
      default: break
      }
    }
    return (cues, comments)
  }

  /// The text of a comment without its first word.
  private static func comment(_ text: String) -> String {
    guard text.utf8.starts(with: "NOTE".utf8) else { return text }
    return String(text.dropFirst(4).drop { $0.isWhitespace })
  }

  private static func boxes(_ bytes: ArraySlice<UInt8>) -> [(type: FourCC, content: ArraySlice<UInt8>)]? {
    var (rest, result): (ArraySlice<UInt8>, [(type: FourCC, content: ArraySlice<UInt8>)]) = (bytes, [])
    while !rest.isEmpty {
      let size = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      guard rest.count >= 8, 8...rest.count ~= size else { return nil }
      let type = rest.dropFirst(4).prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      result.append((FourCC(rawValue: type), rest.prefix(size).dropFirst(8)))
      rest = rest.dropFirst(size)
    }
    return result
  }
}
