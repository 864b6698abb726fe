import ISOBMFF
public import MP4
import MP4Bytes
import MP4HLS
public import MP4Packaging

/// A live HLS presentation of a stream of fragmented MP4, as values: segments and playlists, as they become complete.
///
/// ```swift
/// for try await file in LiveSegments(of: camera) { try await upload(file.bytes, file.path) }
/// ```
///
/// A playlist follows the files that it names, so that a client that publishes them in this order is right at any time.
/// The sequence ends with the chunks, and throws their errors, or `MovieError` if the stream cannot be packaged. A
/// `LivePackager` writes to a folder instead.
public struct LiveSegments<Chunks: AsyncSequence>: AsyncSequence where Chunks.Element: Sequence<UInt8> {
  private let chunks: Chunks
  private let name: String
  private let options: LivePackager.Options
  private let onDiagnostic: @Sendable (Diagnostic) -> Void

  /// The presentation of a stream with this name in messages.
  public init(
    of chunks: Chunks, name: String = "stream", options: LivePackager.Options = LivePackager.Options(),
    onDiagnostic: @escaping @Sendable (Diagnostic) -> Void = { _ in }
  ) {
    (self.chunks, self.name, self.options, self.onDiagnostic) = (chunks, name, options, onDiagnostic)
  }

  /// Starts to read.
  public func makeAsyncIterator() -> Iterator { Iterator(chunks.makeAsyncIterator(), name, options, onDiagnostic) }

  /// Iterates over the files.
  public struct Iterator: AsyncIteratorProtocol {
    private var chunks: Chunks.AsyncIterator
    private var packager: LivePackager
    private let output = LiveFiles()
    private var isEnded = false

    fileprivate init(
      _ chunks: Chunks.AsyncIterator, _ name: String, _ options: LivePackager.Options,
      _ onDiagnostic: @escaping @Sendable (Diagnostic) -> Void
    ) {
      self.chunks = chunks
      packager = LivePackager(name, to: output, options: options)
      packager.onDiagnostic = onDiagnostic
    }

    /// The next file; `nil` at the end.
    public mutating func next() async throws -> LiveFile? {
      while true {
        if let file = output.next() { return file }
        if isEnded { return nil }
        do {
          if let chunk = try await chunks.next() {
            try packager.append(Array(chunk)[...], at: .now)
          } else {
            isEnded = true
            try packager.end(at: .now)
          }
        } catch {
          // The playlists end with what was complete.
          if !isEnded { packager.giveUp() }
          isEnded = true
          throw error
        }
      }
    }
  }
}

extension LiveSegments: Sendable where Chunks: Sendable {}

/// A file of a live presentation.
public struct LiveFile: Sendable, Equatable {
  /// What it is.
  public enum Kind: Sendable, Equatable {
    /// A segment that lasts so long, and the path of its init segment.
    case segment(duration: MediaTime, initialization: String?)
    /// An init segment.
    case initialization
    /// A playlist, which replaces the previous one of its name.
    case playlist
    /// Nothing: no client needs the file any longer.
    case removed
  }
  /// Its kind.
  public var kind: Kind
  /// Its path in the presentation.
  public var path: String
  /// Its contents; empty for a file that is removed.
  public var bytes: [UInt8]
}

/// Collects the files of a live presentation, and delivers segments when a playlist names them.
private final class LiveFiles: LiveOutput {
  private let folder: String
  /// The folder of the presentation, which has the queue; `nil` for itself.
  private let root: LiveFiles?
  private var queue: [LiveFile] = []
  private var open: [UInt8] = []
  /// Complete segments that no playlist names yet.
  private var waiting: [String: [UInt8]] = [:]

  init(_ folder: String = "", in root: LiveFiles? = nil) { (self.folder, self.root) = (folder, root) }

  func next() -> LiveFile? { queue.isEmpty ? nil : queue.removeFirst() }

  private func add(_ kind: LiveFile.Kind, _ name: String, _ bytes: [UInt8] = []) {
    (root ?? self).queue.append(LiveFile(kind: kind, path: folder + name, bytes: bytes))
  }

  func append(_ bytes: ArraySlice<UInt8>) throws(IOError) { open += bytes }
  func overwrite(_ bytes: [UInt8], at offset: Int) throws(IOError) {
    open.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
  }
  func truncate(to byteCount: Int) throws(IOError) { open.removeLast(open.count - byteCount) }
  func finish(as name: String) throws(IOError) {
    waiting[name] = open
    open = []
  }
  func discard() { open = [] }
  func makeFolder(_ name: String) throws(IOError) -> any LiveOutput { LiveFiles(folder + name + "/", in: root ?? self) }
  func remove(_ name: String) { add(.removed, name) }

  func write(_ bytes: [UInt8], as name: String) throws(IOError) {
    guard name.hasSuffix(".m3u8") else { return add(.initialization, name, bytes) }
    if name == LivePackager.indexName, let segments = try? MediaPlaylist(bytes).resolved() {
      for segment in segments {
        guard let own = waiting.removeValue(forKey: segment.uri) else { continue }
        let (seconds, attoseconds) = segment.duration.components
        let duration = MediaTime(seconds * 1_000_000 + attoseconds / 1_000_000_000_000, 1_000_000)
        add(.segment(duration: duration, initialization: segment.map.map { folder + $0.uri }), segment.uri, own)
      }
    }
    add(.playlist, name, bytes)
  }
}
