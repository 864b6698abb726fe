/// What both kinds of playlists have in common: lines, and how they are written.
struct PlaylistDocument {
  var lines: [PlaylistLine] = []
  var hasByteOrderMark = false
  var lineEnding = PlaylistLine.Ending.lineFeed

  /// Splits bytes into lines, and reads each.
  init(_ bytes: [UInt8]) throws(PlaylistError) {
    var start = 0
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      hasByteOrderMark = true
      start = 3
    }
    while start < bytes.count {
      let number = lines.count + 1
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
      var line = try PlaylistLine(parsing: text, line: number)
      line.ending = ending
      if number == 1 {
        guard line.tag == .playlistHeader else { throw PlaylistError(.notAPlaylist(text: text), line: 1) }
        if ending != .none { lineEnding = ending }
      }
      lines.append(line)
      start = (feed ?? bytes.count - 1) + 1
    }
    if lines.isEmpty { throw PlaylistError(.notAPlaylist(text: ""), line: 1) }
  }

  /// Writes lines; the last of them may be without an ending if it was read so.
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
