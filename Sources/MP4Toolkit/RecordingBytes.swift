import MP4
import MP4Bytes
import MP4FileIO
import MP4Platform

/// The bytes of a recording while it is written: of a file that grows, of the files of a folder in the order of their
/// names, or of a pipe.
///
/// ```swift
/// for try await file in LiveSegments(of: RecordingBytes(of: recording)) { files.append(file) }
/// ```
///
/// A file ends when its writer has closed it (on Linux), or when it has not grown for `idle`; a folder does not end.
/// Cancelling the task ends the sequence with an error.
public struct RecordingBytes: AsyncSequence, Sendable {
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
    public mutating func next() async throws -> [UInt8]? {
      try await MediaThread.run { [recording, state] in
        let path = try recording.path.get()
        let input = try state.input ?? recording.open(path)
        state.input = input
        while true {
          switch try input.next(waiting: Self.patience) {
          case .bytes(let bytes): return Array(bytes)
          case .file: continue
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
