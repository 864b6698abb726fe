/// The common part of both kinds of playlists: their lines, and how these are written.
struct PlaylistDocument {
  /// The lines in groups that each end with a URI, except the last one. A group becomes a segment without being copied,
  /// so that long playlists are in memory only once.
  private(set) var groups: [[PlaylistLine]] = []
  /// The number of lines.
  private(set) var count = 0
  /// The maximum number of lines of a playlist, which limits the memory that a small file can use.
  static let mostLines = 5_000_000
  var hasByteOrderMark = false
  var lineEnding = PlaylistLine.Ending.lineFeed

  /// Splits bytes into lines and parses each.
  init(
    _ bytes: [UInt8], mostLines: Int = PlaylistDocument.mostLines, isTolerant: Bool = false
  ) throws(PlaylistError) {
    var start = 0
    var group: [PlaylistLine] = []
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      hasByteOrderMark = true
      start = 3
    }
    while start < bytes.count {
      let number = count + 1
      guard number <= mostLines else { throw PlaylistError(.tooManyLines(limit: mostLines), line: number) }
      let feed = bytes[start...].firstIndex(of: 0x0A)
      var end = feed ?? bytes.count
      var ending = PlaylistLine.Ending.none
      if feed != nil {
        ending = .lineFeed
        if end > start, bytes[end - 1] == 0x0D { (ending, end) = (.carriageReturnLineFeed, end - 1) }
      }
      let slice = bytes[start..<end]
      let text = String(decoding: slice, as: UTF8.self)
      guard slice.allSatisfy({ $0 < 0x80 }) || text.utf8.elementsEqual(slice) else {
        throw PlaylistError(.notUTF8, line: number)
      }
      var line = try PlaylistLine(parsing: text, line: number, isTolerated: isTolerant)
      line.ending = ending
      if number == 1 {
        guard line.tag == .playlistHeader else { throw PlaylistError(.notAPlaylist(text: text), line: 1) }
        if ending != .none { lineEnding = ending }
      }
      group.append(line)
      count = number
      if line.content == .uri {
        // The array is created without extra capacity.
        groups.append(unsafe group.withUnsafeBufferPointer { unsafe Array($0) })
        group.removeAll(keepingCapacity: true)
      }
      start = (feed ?? bytes.count - 1) + 1
    }
    groups.append(group)
    if count == 0 { throw PlaylistError(.notAPlaylist(text: ""), line: 1) }
  }

  /// All lines in order.
  var lines: [PlaylistLine] { groups.flatMap(\.self) }

  /// The first line that satisfies the predicate, and its index.
  func firstLine(where holds: (PlaylistLine) -> Bool) -> (index: Int, line: PlaylistLine)? {
    var start = 0
    for group in groups {
      if let index = group.firstIndex(where: holds) { return (start + index, group[index]) }
      start += group.count
    }
    return nil
  }

  /// Writes lines; the last one has no ending if it was read without one.
  static func write(
    _ parts: [[PlaylistLine]], byteOrderMark: Bool, lineEnding: PlaylistLine.Ending
  ) -> [UInt8] {
    var bytes: [UInt8] = byteOrderMark ? [0xEF, 0xBB, 0xBF] : []
    var isOpen = false
    let new = lineEnding == .carriageReturnLineFeed ? lineEnding : .lineFeed
    func end(_ ending: PlaylistLine.Ending) {
      switch ending {
      case .lineFeed: bytes.append(0x0A)
      case .carriageReturnLineFeed: bytes += [0x0D, 0x0A]
      case .none: isOpen = true
      }
    }
    for part in parts {
      for line in part {
        if isOpen {
          isOpen = false
          end(new)
        }
        bytes += line.text.utf8
        end(line.ending ?? new)
      }
    }
    return bytes
  }
}
