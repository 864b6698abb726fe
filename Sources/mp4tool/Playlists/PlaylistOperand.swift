import ISOBMFF
import MP4
import MP4Bytes
import MP4Fetching
import MP4FileIO
import MP4HLS
import MP4Presentations
import MP4Streaming

/// Determines whether the input of a command is a playlist.
struct PlaylistOperand {
  private let arguments: ParsedArguments
  private let fetcher: Fetcher

  init(_ arguments: ParsedArguments, _ fetcher: Fetcher) {
    self.arguments = arguments
    self.fetcher = fetcher
  }

  /// The location of the playlist that is the input, or `nil` if the inputs are not a playlist.
  func place() throws -> PlaylistLocation? {
    for operand in arguments.operands {
      guard let place = try place(operand) else { continue }
      guard arguments.operands.count == 1 else {
        throw UsageError(
          "'\(operand.text)' is a playlist, which lists all its segments; it must be the only input")
      }
      return place
    }
    let isRemote = arguments.operands.contains { WebAddress.isMeant(by: $0.text) }
    // That option also applies to redirects.
    let others = PlaylistOptions.all.filter {
      !isRemote || $0.declaration.name != PlaylistOptions.allowOutside.declaration.name
    }
    if let option = others.first(where: { arguments.has($0) }) {
      throw UsageError("option '--\(option.declaration.name)' needs a playlist as input")
    }
    return nil
  }

  /// Runs a job on inputs that are not playlists; for a playlist on standard input, the error includes advice.
  static func advising(_ job: () throws -> ExitCode) throws -> ExitCode {
    do { return try job() } catch MovieError.otherFormat(file: let name, .playlist) where name == "standard input" {
      let advice = "; specify it as a file or URL, so that its segments can be found"
      throw UnusableInput(file: name, reason: ForeignFormat.playlist.reason + advice)
    }
  }

  /// The location of the playlist that this operand is, or `nil` if it is not a playlist.
  func place(_ operand: Argument) throws -> PlaylistLocation? {
    let place = {
      try PlaylistLocation(operand, allowsOutside: arguments.ifDeclared(PlaylistOptions.allowOutside) ?? false)
    }
    if WebAddress.isMeant(by: operand.text) {
      let place = try place()
      return try WebAddress(place.reference).map(fetcher.isPlaylist) == true ? place : nil
    }
    if operand.isDash { return nil }
    if let list = MoviePackage.file(in: operand.path) { return try self.place(Argument(bytes: list.bytes)) }
    guard FileIdentity(of: operand.path) != nil else { return nil }
    return try FileSource.open(operand.path).isPlaylist ? place() : nil
  }
}

extension PlaylistLocation {
  /// The location of a playlist given by the user: a URL, or a file that may refer to others if it `allowsOutside`.
  init(_ operand: Argument, allowsOutside: Bool) throws(UsageError) {
    let text = operand.text
    if WebAddress.isMeant(by: text) {
      guard let address = WebAddress(text) else { throw UsageError("'\(text)' is not a URL with a host") }
      self.init(address.reference)
    } else {
      let name = operand.path.description
      guard name.utf8.elementsEqual(operand.bytes) else { throw UsageError("the name of a playlist must be UTF-8") }
      self.init(file: name, allowsOutside: allowsOutside)
    }
  }
}
