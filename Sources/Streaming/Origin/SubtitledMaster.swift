import MP4
import MP4Bytes
import MP4Fetching
import MP4FileIO
import MP4HLS
import MP4Packaging
import MP4Platform
import MP4Presentations
import MP4Serving

/// The multivariant playlist of an origin with added subtitles, and the subtitle files beside it. If the playlist
/// changes at the origin, they are planned again.
final class SubtitledMaster: Sendable {
  /// The plan for one version of the playlist.
  private struct Edition {
    let address: WebAddress
    let original: [UInt8]
    let playlist: [UInt8]
    let files: [[[UInt8]]: [UInt8]]
    let diagnostics: [Diagnostic]
    let unknownStarts: [UnknownMediaStart]
  }
  private struct State {
    var edition: Edition?
    /// The last message about a playlist that cannot be edited.
    var failure: String?
  }

  private let origin: ScopedOrigin
  private let options: OriginSite.Options
  private let state = Monitor(State())

  /// Adds the subtitles to the playlist. Later problems with it are
  /// reported.
  init(_ origin: ScopedOrigin, _ options: OriginSite.Options) throws(PresentationError) {
    (self.origin, self.options) = (origin, options)
    _ = try edition(at: origin.scope.address)
  }

  /// Messages about the subtitles and the presentation.
  var diagnostics: [Diagnostic] { state { $0.edition?.diagnostics ?? [] } }
  /// The segments whose times could not be read.
  var unknownStarts: [UnknownMediaStart] { state { $0.edition?.unknownStarts ?? [] } }

  /// The edited playlist.
  func response(at address: WebAddress) -> Server.Response {
    do throws(PresentationError) {
      return response(try edition(at: address).playlist, Self.mediaType)
    } catch {
      state { state in
        let text = "\(error)"
        if state.failure != text { options.onDiagnostic?("\(text); the subtitles cannot be added") }
        state.failure = text
      }
      if case .fetch(let error) = error { return Server.Response(error) }
      return Server.Response(502, "the playlist changed at the origin, and the subtitles can no longer be added")
    }
  }

  /// The subtitle file with this path relative to the folder of the playlist, if there is one.
  func file(_ names: some Sequence<[UInt8]>) -> Server.Response? {
    let names = Array(names)
    return state { $0.edition?.files[names] }.map { response($0, MediaType.named(names.last ?? [])) }
  }

  private func response(_ bytes: [UInt8], _ mediaType: String) -> Server.Response {
    Server.Response(
      Server.Resource(
        Server.MemoryContent(bytes), mediaType: mediaType, entityTag: String(bytes.fingerprint, radix: 16)))
  }

  /// The current playlist. Concurrent requests wait while it is planned.
  private func edition(at address: WebAddress) throws(PresentationError) -> Edition {
    let original: [UInt8]
    do throws(FetchError) { original = try origin.playlist(at: address) } catch { throw .fetch(error) }
    return try state { (state) throws(PresentationError) in
      if let edition = state.edition, edition.original == original, edition.address == address { return edition }
      let edition = try edit(original, at: address)
      (state.edition, state.failure) = (edition, nil)
      return edition
    }
  }

  private func edit(_ original: [UInt8], at address: WebAddress) throws(PresentationError) -> Edition {
    var planner = SubtitlePlanner()
    // The name must not be one that the presentation uses itself.
    var number = 1
    while original.indices.contains(where: { original[$0...].starts(with: "\(planner.folder)/".utf8) }) {
      number += 1
      planner.folder = "subtitles-\(number)"
    }
    var reader = TimingReader(PlaylistLocation(address.reference), origin.origin, mediaStart: options.mediaStart)
    let known = MemorySource(original, name: address.description)
    let plan = try reader.plan(planner, adding: options.subtitles, from: known)
    var files: [[[UInt8]]: [UInt8]] = [:]
    for file in plan.files {
      let sink = MemorySink(name: file.path)
      do throws(MovieError) { try plan.write(file, to: sink) } catch {
        throw .subtitles(file: file.path, .movie(error))
      }
      files[file.path.utf8.split(separator: UInt8(ascii: "/")).map { Array($0) }] = sink.bytes
    }
    return Edition(
      address: address, original: original, playlist: plan.main.bytes, files: files, diagnostics: plan.diagnostics,
      unknownStarts: reader.unknownStarts)
  }

  /// The media type of playlists.
  private static let mediaType = MediaType.named(Array(".m3u8".utf8))
}
