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
  private let fileStart: (@Sendable (Chunks.Element) -> String?)?
  private let onDiagnostic: @Sendable (Diagnostic) -> Void

  /// The presentation of a stream with this name in messages.
  public init(
    of chunks: Chunks, name: String = "stream", options: LivePackager.Options = LivePackager.Options(),
    onDiagnostic: @escaping @Sendable (Diagnostic) -> Void = { _ in }
  ) {
    self.init(of: chunks, name: name, options: options, fileStart: nil, onDiagnostic: onDiagnostic)
  }

  /// The presentation of several files; `fileStart` is the name of the file that begins with a chunk.
  package init(
    of chunks: Chunks, name: String, options: LivePackager.Options,
    fileStart: (@Sendable (Chunks.Element) -> String?)?,
    onDiagnostic: @escaping @Sendable (Diagnostic) -> Void
  ) {
    (self.chunks, self.name, self.options) = (chunks, name, options)
    (self.fileStart, self.onDiagnostic) = (fileStart, onDiagnostic)
  }

  /// Starts to read.
  public func makeAsyncIterator() -> Iterator {
    Iterator(chunks.makeAsyncIterator(), name, options, fileStart, onDiagnostic)
  }

  /// Iterates over the files.
  public struct Iterator: AsyncIteratorProtocol {
    private var chunks: Chunks.AsyncIterator
    private var packager: LivePackager
    private let fileStart: (@Sendable (Chunks.Element) -> String?)?
    private let output = LiveFiles()
    /// The bytes of the latest chunk that were not packaged yet.
    private var rest: ArraySlice<UInt8> = []
    private var isEnded = false
    /// The error that follows the last file.
    private var failure: (any Error)?
    private static var pieceSize: Int { 64 << 10 }

    fileprivate init(
      _ chunks: Chunks.AsyncIterator, _ name: String, _ options: LivePackager.Options,
      _ fileStart: (@Sendable (Chunks.Element) -> String?)?,
      _ onDiagnostic: @escaping @Sendable (Diagnostic) -> Void
    ) {
      (self.chunks, self.fileStart) = (chunks, fileStart)
      packager = LivePackager(name, to: output, options: options)
      packager.onDiagnostic = onDiagnostic
    }

    /// The next file; `nil` at the end.
    public mutating func next() async throws -> LiveFile? {
      while true {
        if let file = output.next() { return file }
        if let failure {
          self.failure = nil
          throw failure
        }
        if isEnded { return nil }
        do { try await readOn() } catch {
          // The playlists end with what was complete, and the error follows them.
          packager.giveUp()
          (failure, isEnded) = (error, true)
        }
      }
    }

    /// Packages a piece of a chunk, so that few files wait at once.
    private mutating func readOn() async throws {
      if !rest.isEmpty {
        let piece = rest.prefix(Self.pieceSize)
        rest = rest.dropFirst(piece.count)
        try packager.append(piece, at: .now)
      } else if let chunk = try await chunks.next() {
        if let name = fileStart?(chunk) { try packager.beginFile(name, at: .now) }
        rest = Array(chunk)[...]
      } else {
        try packager.end(at: .now)
        isEnded = true
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
  /// The number of files of the queue that were delivered.
  private var taken = 0
  private var open: [UInt8] = []
  /// Complete segments that no playlist names yet.
  private var waiting: [String: [UInt8]] = [:]

  init(_ folder: String = "", in root: LiveFiles? = nil) { (self.folder, self.root) = (folder, root) }

  func next() -> LiveFile? {
    guard taken < queue.count else {
      (queue, taken) = ([], 0)
      return nil
    }
    defer { taken += 1 }
    return queue[taken]
  }

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
