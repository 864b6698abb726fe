import Bytes
import Fetching
import FileIO
import HLS
import ISOBMFF
import MP4
import Packaging
import Platform
import Serving
import Streaming

/// The multivariant playlist of an origin with subtitles in it, and their files beside it. When the playlist changes at
/// the origin, they are worked out again.
final class SubtitledMaster: Sendable {
  /// What was made of a playlist.
  private struct Edition {
    let address: WebAddress
    let original: [UInt8]
    let playlist: [UInt8]
    let files: [[[UInt8]]: [UInt8]]
    let notices: [Notice]
  }
  private struct State {
    var edition: Edition?
    /// What was reported last of a playlist that cannot be edited.
    var failure: String?
  }

  private let scope: OriginScope
  private let subtitles: [Subtitles]
  /// When the media starts, where the user says so.
  private let mediaStart: MediaTime?
  private let tell: @Sendable (String) -> Void
  private let state = Monitor(State())

  /// Adds `subtitles` to the playlist at `address`, which has to be possible; what is wrong with it later on
  /// is reported.
  init(
    _ scope: OriginScope, _ address: WebAddress, _ subtitles: [Subtitles], mediaStart: MediaTime?,
    tell: @escaping @Sendable (String) -> Void
  ) throws {
    (self.scope, self.mediaStart, self.tell) = (scope, mediaStart, tell)
    self.subtitles = subtitles
    _ = try edition(at: address)
  }

  /// What was met in the subtitles and the presentation.
  var notices: [Notice] { state { $0.edition?.notices ?? [] } }

  /// The edited playlist.
  func response(at address: WebAddress) -> Response {
    do {
      return response(try edition(at: address).playlist, PlaylistPlace.mediaType)
    } catch {
      state { state in
        let text = "\(error)"
        if state.failure != text { tell("\(text); the subtitles cannot be added") }
        state.failure = text
      }
      if let error = error as? FetchError { return Response(error) }
      return Response(502, "the playlist was changed at the origin, and the subtitles cannot be added any more")
    }
  }

  /// A file of the subtitles, if these names lead to one from the folder of the playlist.
  func file(_ names: some Sequence<[UInt8]>) -> Response? {
    let names = Array(names)
    return state { $0.edition?.files[names] }.map { response($0, MediaType.named(names.last ?? [])) }
  }

  private func response(_ bytes: [UInt8], _ mediaType: String) -> Response {
    Response(Resource(Bytes(bytes), mediaType: mediaType, entityTag: String(bytes.fingerprint, radix: 16)))
  }

  /// What the playlist at the address is now. While one is worked out, who wants it too waits for it.
  private func edition(at address: WebAddress) throws -> Edition {
    let original = try scope.playlist(at: address, limit: PlaylistPlace.playlistLimit)
    return try state { state in
      if let edition = state.edition, edition.original == original, edition.address == address { return edition }
      let edition = try edit(original, at: address)
      (state.edition, state.failure) = (edition, nil)
      return edition
    }
  }

  private func edit(_ original: [UInt8], at address: WebAddress) throws -> Edition {
    let origin = scope.origin
    let place = PresentationPlace(address) { other, range, limit in
      if other == address { return (original, address) }
      guard let range else { return try origin.bytesAndLocation(of: other, limit: limit) }
      return (try origin.bytes(of: other, range, limit: limit), other)
    }
    var planner = SubtitlePlanner()
    // Not one that the presentation has itself.
    let text = String(decoding: original, as: UTF8.self)
    var number = 1
    while text.contains(planner.folder + "/") {
      number += 1
      planner.folder = "subtitles-\(number)"
    }
    var reader = TimingReader(place, mediaStart: mediaStart)
    let plan = try reader.plan(planner, adding: subtitles)
    var files: [[[UInt8]]: [UInt8]] = [:]
    for file in plan.files {
      let sink = MemorySink(name: file.path)
      try plan.write(file, to: sink)
      files[file.path.utf8.split(separator: UInt8(ascii: "/")).map { Array($0) }] = sink.bytes
    }
    return Edition(
      address: address, original: original, playlist: plan.main.bytes, files: files,
      notices: reader.notices + plan.notices)
  }
}

extension Origin {
  /// A part of something, `limit` bytes at most.
  fileprivate func bytes(of address: WebAddress, _ range: Range<Int>, limit: Int) throws -> [UInt8] {
    let response = response(for: address)
    guard response.status == 200 else { throw FetchError(.status(response.status), address) }
    let content = response.resource.content
    let part = range.clamped(to: 0..<content.byteCount)
    guard part.count <= limit else { throw FetchError(.tooLarge(limit: limit), address) }
    let sink = MemorySink(name: "\(address)")
    if !part.isEmpty { try content.write(part, to: sink) }
    return sink.bytes
  }
}

extension PlaylistPlace {
  /// What playlists are.
  fileprivate static let mediaType = MediaType.named(Array(".m3u8".utf8))
}
