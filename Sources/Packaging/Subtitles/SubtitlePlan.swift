import ISOBMFF
public import MP4
public import MP4Bytes
public import MP4HLS

/// Planned subtitles for a presentation, which can be written.
public struct SubtitlePlan: Sendable {
  /// One of the files.
  public struct File: Sendable {
    /// Its path relative to the multivariant playlist, with `/` between components.
    public let path: String
    let content: Content
    /// Its size in bytes.
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
  /// The multivariant playlist with the subtitles. It is not one of the files; the caller writes it.
  public var main: MultivariantPlaylist
  /// The playlists of the subtitles by their URIs in `main`.
  public let media: [String: MediaPlaylist]
  /// The files; each playlist is after the files that it refers to.
  public let files: [File]
  /// Diagnostics, including decisions, repairs and data loss.
  public let diagnostics: [Diagnostic]

  /// Adjusts the URIs of the playlist for another folder: `change` returns the new URIs. Those of the subtitles do not
  /// change. URIs that variables make absolute do not change either, unless `keepsVariables`: then variables are kept,
  /// and the rest of the URI is changed.
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
      try io(sink.write(bytes))
    case .initialization(let plan): try plan.writeInitialization(to: sink)
    case .segment(let plan, let index): try plan.writeSegment(index, to: sink)
    }
  }
}
