import MP4
import MP4Bytes
import MP4FileIO
import MP4Packaging
import MP4Platform
import MP4Presentations

/// The bytes of a recording while it is written: of a file that grows, of the files of a folder in the order of their
/// names, or of a pipe.
///
/// ```swift
/// for try await file in LiveSegments(of: RecordingBytes(of: recording)) { files.append(file) }
/// ```
///
/// `LiveSegments` and `LiveFragments` begin anew with each file of a folder; the file before it is complete, even if it
/// is cut off. A file ends when its writer has closed it (on Linux), or when it has not grown for `idle`; a folder does
/// not end. Cancelling the task ends the sequence with an error.
public struct RecordingBytes: AsyncSequence, Sendable {
  /// Bytes of one file.
  public struct Chunk: Sequence, Sendable {
    /// The bytes.
    public let bytes: [UInt8]
    /// The path of the file that begins with them, if they do not continue the previous one.
    public let fileStart: String?

    /// Iterates over the bytes.
    public func makeIterator() -> [UInt8].Iterator { bytes.makeIterator() }
    /// The number of bytes.
    public var underestimatedCount: Int { bytes.count }
  }
  private let path: Result<Pathname, IOError>
  private let follows: Bool
  private let idle: Duration

  /// The bytes at `path`; without `follows`, up to their current end.
  public init(of path: some PathnameConvertible, follows: Bool = true, idle: Duration = .seconds(10)) {
    self.path = Result { () throws(IOError) in try path.pathname }
    (self.follows, self.idle) = (follows, idle)
  }

  /// Opens the recording when the first bytes are requested.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// Iterates over the bytes as they arrive.
  public struct Iterator: AsyncIteratorProtocol {
    /// The input is used by one thread at a time: the task waits for it.
    @safe private final class State: @unchecked Sendable { var input: (any LiveInput)? }
    private let recording: RecordingBytes
    private let state = State()
    /// How often a thread that waits for bytes looks whether the task was cancelled.
    private static let patience = Duration.milliseconds(100)

    fileprivate init(_ recording: RecordingBytes) { self.recording = recording }

    /// The next bytes; `nil` at the end.
    public mutating func next() async throws -> Chunk? {
      try await MediaThread.run { [recording, state] in
        let path = try recording.path.get()
        let input = try state.input ?? recording.open(path)
        state.input = input
        var fileStart: String?
        while true {
          switch try input.next(waiting: Self.patience) {
          case .bytes(let bytes): return Chunk(bytes: Array(bytes), fileStart: fileStart)
          case .file(let name): fileStart = name
          case .nothing: try Cancellation.check(.read, of: input.name)
          case .end: return nil
          }
        }
      }
    }
  }

  private func open(_ path: Pathname) throws(IOError) -> any LiveInput {
    // Only the tool reads standard input by the name `-`.
    let path = path == "-" ? "./-" : path
    return try openLiveInput(path, follows: follows, idle: idle) {
      NaturalName($0.description) < NaturalName($1.description)
    }
  }
}

extension LiveSegments where Chunks == RecordingBytes {
  /// The presentation of a recording with this name in messages.
  public init(
    of recording: RecordingBytes, name: String = "recording", options: LivePackager.Options = LivePackager.Options(),
    onDiagnostic: @escaping @Sendable (Diagnostic) -> Void = { _ in }
  ) {
    self.init(
      of: recording, name: name, options: options, fileStart: { $0.fileStart }, onDiagnostic: onDiagnostic)
  }
}

extension LiveFragments where Chunks == RecordingBytes {
  /// The fragments of a recording with this name in messages.
  public init(of recording: RecordingBytes, name: String = "recording") {
    self.init(of: recording, name: name, fileStart: { $0.fileStart })
  }
}
