public import Bytes
public import HLS
import ISOBMFF
public import MP4

/// Subtitles for a presentation that are worked out and can be written.
public struct SubtitlePlan: Sendable {
  /// One of the files.
  public struct File: Sendable {
    /// Where it goes beside the multivariant playlist, with `/` between the parts.
    public let path: String
    let content: Content
    /// Its size.
    public var byteCount: Int {
      switch content {
      case .bytes(let bytes): bytes.count
      case .initialization(let plan): plan.initializationByteCount
      case .segment(let plan, let index): plan.byteCount(ofSegment: index)
      }
    }
  }
  enum Content {
    case bytes([UInt8])
    case initialization(FragmentPlan)
    case segment(FragmentPlan, Int)
  }
  /// The playlist of playlists with the subtitles in it. It is not one of the files, since it is the caller's.
  public var main: MultivariantPlaylist
  /// The playlists of the subtitles by the URIs that `main` names them by.
  public let media: [String: MediaPlaylist]
  /// The files; each playlist after what it names.
  public let files: [File]
  /// What was met, decided and lost.
  public let notices: [Notice]

  /// Makes the URIs of the playlist lead where they did, seen from another folder: `change` gives the new ones. Those
  /// of the subtitles stay, and so do those that variables make absolute, unless `keepsVariables`: then their names are
  /// kept, and the rest of the URI is changed.
  public mutating func rebase(keepsVariables: Bool, _ change: (String) -> String) {
    let own = Set(media.keys)
    let variables = try? Variables(main.definitions)
    main.changeURIs { uri in
      if own.contains(uri) { return uri }
      let meant = (try? variables?.substituted(uri)) ?? uri
      let changed = change(meant)
      if changed == meant { return uri }
      return keepsVariables ? change(uri) : changed
    }
  }

  /// Writes one of the files.
  public func write(_ file: File, to sink: any ByteSink) throws(MovieError) {
    switch file.content {
    case .bytes(let bytes):
      do throws(IOError) { try sink.write(bytes) } catch { throw .io(error) }
    case .initialization(let plan): try plan.writeInitialization(to: sink)
    case .segment(let plan, let index): try plan.writeSegment(index, to: sink)
    }
  }
}
