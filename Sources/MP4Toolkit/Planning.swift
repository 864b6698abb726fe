// Planning, and reading media, in tasks. The synchronous forms of these functions have the same names.

extension Fragmenter {
  /// Plans the fragments of all tracks, in a thread of the library.
  public func plan(_ movie: Movie) async throws -> FragmentPlan { try await MediaThread.run { try plan(movie) } }
}

extension FragmentPlan {
  /// The bytes of the init segment, read in a thread of the library.
  public func initializationBytes() async throws -> [UInt8] {
    try await MediaThread.run { try initializationBytes() }
  }

  /// The bytes of a media segment, read in a thread of the library.
  public func segmentBytes(_ index: Int) async throws -> [UInt8] {
    try await MediaThread.run { try segmentBytes(index) }
  }
}

extension Packager {
  /// Plans the presentation, in a thread of the library.
  public func plan(_ movies: [Movie]) async throws -> PackagePlan { try await MediaThread.run { try plan(movies) } }
}

extension MovieCutter {
  /// Reads a movie in a thread of the library, like the synchronous form.
  ///
  /// - Throws: `MovieError`; `CancellationError` if the task was cancelled; errors thrown by `onProgress`.
  public init(
    reading sources: [any ByteSource], _ options: ReadingOptions = reading,
    onProgress: @escaping OperationProgress.Handler = { _ in }
  ) async throws {
    self = try await MediaThread.read(sources.byteCount, onProgress) {
      try MovieCutter(reading: sources, options, onProgress: $0)
    }
  }

  /// Plans the file with these ranges of the presentation, in a thread of the library.
  public func plan(_ ranges: [Range<MediaTime>]) async throws -> OutputPlan {
    try await MediaThread.run { try plan(ranges) }
  }
}

extension TrackExtraction {
  /// Plans the stream of one track, in a thread of the library, like the synchronous form.
  ///
  /// - Throws: `MovieError`; `CancellationError` if the task was cancelled; errors thrown by `onProgress`.
  public init(
    of selection: TrackSelection, in sources: [any ByteSource], at time: MediaTime? = nil,
    as format: ElementaryStreamFormat? = nil, isRaw: Bool = false,
    onProgress: @escaping OperationProgress.Handler = { _ in }
  ) async throws {
    self = try await MediaThread.read(sources.byteCount, onProgress) {
      try TrackExtraction(of: selection, in: sources, at: time, as: format, isRaw: isRaw, onProgress: $0)
    }
  }
}

extension MovieEditor {
  /// Reads the headers of the boxes of `source`, in a thread of the library. To edit an asynchronous source, make the
  /// editor, edit and plan in `MediaThread.run`, because edits read boxes.
  public init(_ source: any ByteSource, registry: BoxRegistry = .core) async throws {
    self = try await MediaThread.run { try MovieEditor(source, registry: registry) }
  }

  /// Plans the edited file, in a thread of the library.
  public func plan() async throws -> OutputPlan { try await MediaThread.run { try plan() } }

  /// Plans the change of the file in place, in a thread of the library.
  public func planInPlace() async throws -> InPlacePlan { try await MediaThread.run { try planInPlace() } }

  /// Writes the edited file, in a thread of the library.
  public func write(to sink: any ByteSink & Sendable) async throws {
    try await MediaThread.run { try write(to: sink) }
  }
}

extension MovieWriter {
  /// Appends a sample of another movie, whose bytes are read in a thread of the library, like the synchronous form.
  nonisolated(nonsending) public func append(_ sample: Sample, to track: Int) async throws {
    try append(sample, await sample.bytes(), to: track)
  }
}

extension Decryption {
  /// Prepares the decryption of a movie in a thread of the library, like the synchronous form.
  ///
  /// - Throws: `MovieError`; `CancellationError` if the task was cancelled; errors thrown by `onProgress`.
  public init(
    of sources: [any ByteSource], with keys: ContentKeys, tracks: TrackSelection = TrackSelection(),
    onProgress: @escaping OperationProgress.Handler = { _ in }
  ) async throws {
    self = try await MediaThread.read(sources.byteCount, onProgress) {
      try Decryption(of: sources, with: keys, tracks: tracks, onProgress: $0)
    }
  }

  /// Plans the decrypted file, in a thread of the library.
  public func plan() async throws -> OutputPlan { try await MediaThread.run { try plan() } }
}

extension Encryption {
  /// The movie with encrypted samples, made in a thread of the library.
  public func encrypted(_ movie: Movie) async throws -> Movie { try await MediaThread.run { try encrypted(movie) } }
}

extension Sample {
  /// Its bytes, read in a thread of the library. To read many samples, use `Samples.bytes(of:)`.
  public func bytes() async throws -> [UInt8] { try await MediaThread.run { try bytes() } }
}

extension Sample {
  /// The first `count` bytes, read in a thread of the library, like the synchronous form.
  public func bytes(_ count: Int) async throws -> [UInt8] { try await MediaThread.run { try bytes(count) } }
}

extension ByteSource {
  /// The bytes of a range, read in a thread of the library; fewer only if the source ends.
  public func bytes(in range: Range<Int>) async throws -> [UInt8] {
    try await MediaThread.run { try self.bytes(in: range) }
  }
}

extension Track {
  /// The cues of a text track, read in a thread of the library; `nil` if it has another format.
  public func cues() async throws -> [Cue]? { try await MediaThread.run { try cues() } }

  /// Samples as a byte stream with start codes, read in a thread of the library, like the synchronous form.
  public func annexB(of range: Range<Int>) async throws -> [UInt8]? {
    try await MediaThread.run { try annexB(of: range) }
  }
}

extension Samples {
  /// The bytes of several samples, read in a thread of the library; those that are adjacent in their source are read
  /// together.
  public func bytes(of range: Range<Int>) async throws -> [[UInt8]] {
    try await MediaThread.run { try bytes(of: range) }
  }
}
