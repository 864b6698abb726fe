// Examining files in tasks, like the operations that write.

extension Check {
  /// Checks movies, init segments with their media segments, and still images, like the synchronous form.
  ///
  /// - Throws: `MovieError` if a source cannot be read; `CancellationError` if the task was cancelled; errors thrown by
  ///   `onProgress`.
  public func run(
    _ sources: [any ByteSource], onProgress: @escaping OperationProgress.Handler = { _ in }
  ) async throws -> CheckResult {
    try await MediaThread.read(sources.byteCount, onProgress) { try run(sources, onProgress: $0) }
  }

  /// Checks the playlists of a presentation, their segments, and playlists and segments together, like the synchronous
  /// form.
  public func run(
    _ presentation: OpenedPresentation, onProgress: @escaping OperationProgress.Handler = { _ in }
  ) async throws -> CheckResult {
    // The unit of progress is a thousandth: the number of segments is known later.
    try await MediaThread.read(1000, onProgress) { report in
      var isStopped = false
      let result = try run(
        presentation, onProgress: { isStopped = !report($0 * 1000 / max(1, $1)) || isStopped },
        isStopped: { isStopped })
      if isStopped { throw CancellationError() }
      return result
    }
  }
}

extension BoxComparison {
  /// All differences, like the synchronous form.
  ///
  /// - Throws: `IOError` if a file cannot be read; `CancellationError` if the task was cancelled.
  public func differences() async throws -> [BoxDifference] { try await MediaThread.run { try differences() } }
}

extension TrackHashes {
  /// Hashes the samples of a movie, like the synchronous form.
  ///
  /// - Throws: `MovieError` if there are no samples, or if a source cannot be read; `CancellationError` if the task was
  ///   cancelled; errors thrown by `onProgress`.
  public init(
    _ movie: Movie, _ algorithm: HashAlgorithm = .sha256, includesTimes: Bool = false,
    onProgress: @escaping OperationProgress.Handler = { _ in }
  ) async throws {
    let byteCount = movie.tracks.reduce(0) { $0 + $1.samples.byteCount }
    self = try await MediaThread.read(byteCount, onProgress) {
      try TrackHashes(movie, algorithm, includesTimes: includesTimes, onProgress: $0)
    }
  }
}

extension FileSummary {
  /// Examines a file, or an init segment and its media segments, like the synchronous form.
  ///
  /// - Throws: `MovieError` if there is neither a movie nor images; `CancellationError` if the task was cancelled.
  public init(reading sources: [any ByteSource]) async throws {
    self = try await MediaThread.run { try FileSummary(reading: sources) }
  }

  /// Examines the files at these paths, like `init(reading:)` for sources.
  public init<Path: PathnameConvertible & Sendable>(reading paths: [Path]) async throws {
    self = try await MediaThread.run { try FileSummary(reading: openSources(paths)) }
  }
}

extension MovieSummary {
  /// Examines a movie, like the synchronous form.
  ///
  /// - Throws: `MovieError` if data cannot be read; `CancellationError` if the task was cancelled.
  public init(_ movie: Movie) async throws { self = try await MediaThread.run { try MovieSummary(movie) } }
}

extension Movie {
  /// The tags of the movie, read in a thread of the library.
  public func metadata() async throws -> Metadata { try await MediaThread.run { metadata() } }

  /// The bytes of the cover image, read in a thread of the library; `nil` if there is none.
  public func cover() async throws -> [UInt8]? { try await MediaThread.run { try cover() } }

  /// The chapters, read in a thread of the library: those of the track that another one refers to, or else of Nero's
  /// list.
  public func chapters() async throws -> [Chapter] { try await MediaThread.run { try chapters() } }
}

extension FileReport {
  /// Reads, checks and examines a movie, like the synchronous form.
  ///
  /// - Throws: `MovieError` if there is no movie, or nothing usable; `CancellationError` if the task was cancelled;
  ///   errors thrown by `onProgress`.
  public init(
    reading sources: [any ByteSource], _ check: Check = Check(),
    onProgress: @escaping OperationProgress.Handler = { _ in }
  ) async throws {
    self = try await MediaThread.read(sources.byteCount, onProgress) {
      try FileReport(reading: sources, check, onProgress: $0)
    }
  }
}

extension ComparisonReport {
  /// Reads, checks and examines two movies, like the synchronous form.
  ///
  /// - Throws: `MovieError` as `FileReport`; `CancellationError` if the task was cancelled; errors thrown by
  ///   `onProgress`.
  public init(
    reading sources: [any ByteSource], and others: [any ByteSource], _ check: Check = Check(),
    onProgress: @escaping OperationProgress.Handler = { _ in }
  ) async throws {
    self = try await MediaThread.read((sources + others).byteCount, onProgress) {
      try ComparisonReport(reading: sources, and: others, check, onProgress: $0)
    }
  }
}

extension Recovery {
  /// Analyses a damaged file, like the synchronous form.
  ///
  /// - Throws: `MovieError` if nothing can be recovered; `CancellationError` if the task was cancelled; errors thrown
  ///   by `onProgress`.
  public init(
    of broken: any ByteSource, like good: (any ByteSource)?, onProgress: @escaping OperationProgress.Handler = { _ in }
  ) async throws {
    self = try await MediaThread.read(broken.byteCount, onProgress) {
      try Recovery(of: broken, like: good, onProgress: $0)
    }
  }
}
