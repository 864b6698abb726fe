import MP4Bytes

/// The fragments of a live stream, from chunks of any size as they arrive.
///
/// ```swift
/// for try await event in LiveFragments(of: chunks, name: "camera") {
///   switch event {
///   case .movie(let movie): start(movie)
///   case .fragment(let fragment, let media): append(fragment.bytes(sequenceNumber: next()) + media)
///   case .diagnostic(let diagnostic): print(diagnostic)
///   }
/// }
/// ```
///
/// A fragment is delivered when it is complete; a damaged or incomplete one is not, and a diagnostic reports it. Only
/// the movie box and one fragment are in memory. The sequence ends with the chunks, and throws their errors, or
/// `MovieError` if the movie box cannot be used, or the stream has another format. Bytes without fragments that are not
/// a known other format are not an error: the sequence then ends without fragments, and at most with a diagnostic.
public struct LiveFragments<Chunks: AsyncSequence>: AsyncSequence where Chunks.Element: Sequence<UInt8> {
  /// An element of the stream.
  public enum Element: Sendable {
    /// A movie box, to which the following fragments belong.
    case movie(LiveMovie)
    /// A fragment, and the bytes after its `moof`.
    case fragment(LiveFragment, media: [UInt8])
    /// A diagnostic.
    case diagnostic(Diagnostic)
  }
  private let chunks: Chunks
  private let name: String
  private let fileStart: (@Sendable (Chunks.Element) -> String?)?

  /// The fragments of a stream with this name in messages.
  public init(of chunks: Chunks, name: String = "stream") { self.init(of: chunks, name: name, fileStart: nil) }

  /// The fragments of several files; `fileStart` is the name of the file that begins with a chunk.
  package init(of chunks: Chunks, name: String, fileStart: (@Sendable (Chunks.Element) -> String?)?) {
    (self.chunks, self.name, self.fileStart) = (chunks, name, fileStart)
  }

  /// Starts to read.
  public func makeAsyncIterator() -> Iterator { Iterator(chunks.makeAsyncIterator(), name, fileStart) }

  /// Iterates over the elements.
  public struct Iterator: AsyncIteratorProtocol {
    private var chunks: Chunks.AsyncIterator
    private var reader: LiveReader
    private var open: (fragment: LiveFragment, media: [UInt8])?
    private var isEnded = false

    private let fileStart: (@Sendable (Chunks.Element) -> String?)?
    /// The name and the first bytes of the next file, after the end of the current one.
    private var following: (name: String, bytes: [UInt8])?

    fileprivate init(
      _ chunks: Chunks.AsyncIterator, _ name: String, _ fileStart: (@Sendable (Chunks.Element) -> String?)?
    ) {
      (self.chunks, self.fileStart, reader) = (chunks, fileStart, LiveReader(name))
    }

    /// The next element; `nil` at the end.
    public mutating func next() async throws -> Element? {
      while true {
        while let event = try reader.next() {
          if let element = take(event) { return element }
        }
        if isEnded { return nil }
        if let (name, bytes) = following {
          following = nil
          reader.beginFile(name)
          reader.append(bytes[...])
        } else if let chunk = try await chunks.next() {
          if let name = fileStart?(chunk) {
            reader.endFile()
            following = (name, Array(chunk))
          } else {
            reader.append(Array(chunk)[...])
          }
        } else {
          reader.endFile()
          isEnded = true
        }
      }
    }

    private mutating func take(_ event: LiveReader.Event) -> Element? {
      switch event {
      case .movie(let movie): return .movie(movie)
      case .diagnostic(let diagnostic): return .diagnostic(diagnostic)
      case .fragment(let fragment): open = (fragment, [])
      case .media(let bytes): open?.media += bytes
      case .correction(let offset, let bytes): correct(bytes, at: offset)
      case .fragmentLost: open = nil
      case .fragmentEnd:
        defer { open = nil }
        return open.map { .fragment($0.fragment, media: $0.media) }
      }
      return nil
    }

    /// Offsets of corrections are relative to the start of the fragment.
    private mutating func correct(_ bytes: [UInt8], at offset: Int) {
      guard let fragment = open?.fragment else { return }
      let start = offset - fragment.bytes(sequenceNumber: fragment.sequenceNumber).count
      for (index, byte) in zip(start..., bytes) where open?.media.indices.contains(index) == true {
        open?.media[index] = byte
      }
    }
  }
}

extension LiveFragments: Sendable where Chunks: Sendable {}
