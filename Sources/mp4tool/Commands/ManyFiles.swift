import MP4Bytes
import MP4Fetching
import MP4FileIO
import MP4HLS
import MP4Inspection
import MP4Platform
import MP4Presentations
import MP4Serving

/// The inputs of a command that examines any number of files: operands, folders with their subfolders, and lists.
/// Several files are examined at the same time; results are in the order of the inputs.
struct ManyFiles {
  static let recursive = Option.flag(
    "recursive",
    help:
      "Examine all MP4 files in a folder and its subfolders, each on its own. They are recognized by their first "
      + "bytes, or by names such as `.mp4`, `.mov` and `.m4a`. Media segments are omitted.")
  static let filesFrom = Option.path(
    "files-from", placeholder: "FILE",
    help: "Also examine the files and URLs that FILE lists, one in each line, or separated by NUL as by `find "
      + "-print0`; `-` is standard input.")
  static let jobs = Option.integer(
    "jobs", short: "j", placeholder: "N", in: 0...256, default: 0,
    help: "Examine N files at the same time; 0 is the number of processors.")
  static let resume = Option.path(
    "resume", placeholder: "LOG",
    help: "Continue an interrupted run: omit the files that LOG lists as done, unless they have changed, and add each "
      + "file to LOG when its result is written. LOG is created if it is missing. Append the new results to the "
      + "earlier ones (`>>`). If a run ends while a result is written, that result is written "
      + "again. The exit status counts the earlier results too."
  )
  static let options: [any DeclaredOption] = [recursive, filesFrom, jobs, resume]

  /// An input: the files of one movie.
  enum Input: Sendable {
    /// Open sources, and the name of the first one as the user wrote it.
    case sources([any ByteSource], name: [UInt8])
    case path(Pathname)
    case remote(WebAddress)

    /// A file or a URL in a list; `nil` for an empty name, or one that no file can have.
    init?(_ name: some Collection<UInt8>) {
      let text = String(decoding: name, as: UTF8.self)
      if WebAddress.isMeant(by: text), let address = WebAddress(text) {
        self = .remote(address)
      } else if !name.isEmpty, let path = Pathname(text == "-" ? Array("./-".utf8) : Array(name)) {
        self = .path(path)
      } else {
        return nil
      }
    }

    /// The name of its first file, as bytes.
    var name: [UInt8] {
      switch self {
      case .sources(_, let name): name
      case .path(let path): path.bytes
      case .remote(let address): Array(address.text.utf8)
      }
    }

    /// The path of its only file; `nil` if it has several, or is not a file.
    var path: Pathname? {
      switch self {
      case .sources(let sources, let name): sources.count == 1 && sources[0] is FileSource ? Pathname(name) : nil
      case .path(let path): path
      case .remote: nil
      }
    }

    /// Its sources, which become inputs that no output may replace.
    func open(_ fetching: FetchOptions, _ inputs: InputRegistry) throws -> [any ByteSource] {
      let sources = try open(fetching)
      for case let file as FileSource in sources { inputs.add(file.identity) }
      return sources
    }

    /// A file of a list or a folder. Opening a named pipe among them would wait for a writer.
    private static func file(at path: Pathname) throws(IOError) -> any ByteSource {
      if let status = try? FileStatus(of: path), status.kind != .regular, status.kind != .directory {
        throw IOError(
          .open, file: path.description, reason: "this is not a file; give a pipe or a device as an operand")
      }
      return try FileSource.open(path)
    }

    private func open(_ fetching: FetchOptions) throws -> [any ByteSource] {
      switch self {
      case .sources(let sources, _): sources
      case .path(let path): [try Self.file(at: path)]
      case .remote(let address): [try RangeSource.open(address, fetching) { _, _ in true }]
      }
    }
  }

  private let arguments: ParsedArguments
  private let context: CommandContext
  private let log: WorkLog?
  /// Whether the results of an earlier run precede those of this one.
  var continues: Bool { log?.isEmpty == false }

  /// The command must have declared `options` and `--allow-outside`. `command` is its name.
  /// Results depend on the specification, if there is one.
  init(
    _ command: String, _ arguments: ParsedArguments, _ context: CommandContext, for specification: Specification? = nil
  ) throws {
    (self.arguments, self.context) = (arguments, context)
    log = try arguments[Self.resume].map { file in
      guard !file.isDash else { throw UsageError("option '--resume' takes a file, not '-'") }
      // Each of these gives the same results.
      let same: [any DeclaredOption] = [
        Self.resume, Self.jobs, Self.filesFrom, Self.recursive, OutputOptions.progress, GeneralOptions.quiet,
      ]
      let print = specification.map { " " + String($0.text.utf8.fingerprint, radix: 16) } ?? ""
      let work = "mp4tool \(command) \(arguments.words(besides: same))\(print)"
      for operand in arguments.operands { context.inputs.add(operand.path) }
      return try WorkLog(file.path, of: Printable.escaped(work), inputs: context.inputs)
    }
  }

  /// Refuses options that need several files, for a command that usually reads all operands as one movie.
  static func refuse(_ arguments: ParsedArguments, what: String) throws(UsageError) {
    for option in [jobs, resume] as [any DeclaredOption] where arguments.has(option) {
      throw UsageError(
        "option '--\(option.declaration.name)' needs '--recursive' or '--files-from', which \(what)")
    }
  }

  /// Calls `present` for each presentation and `examine` for the movies between them, in the order of the inputs.
  func forEach(
    _ inputs: inout InputAttempts, examine: ([Input], inout InputAttempts) throws -> Void,
    present: (OpenedPresentation, inout InputAttempts) throws -> Void
  ) throws {
    let operand = PresentationOperand(arguments, context)
    var (movies, files): ([Input], [(source: any ByteSource, name: [UInt8])]) = ([], [])
    /// Media segments belong to the init segment that precedes them.
    func group(_ inputs: inout InputAttempts) throws {
      for group in try inputs.attempt({ try InputGroups.groups(of: files.map(\.source)) }) ?? [] {
        movies.append(.sources(group.map { files[$0].source }, name: files[group[0]].name))
      }
      files = []
    }
    for file in arguments.operands {
      if arguments[Self.recursive], !WebAddress.isMeant(by: file.text), Site.isFolder(file.path) {
        try group(&inputs)
        guard let found = try inputs.attempt({ try OpenedFolder.movies(below: file.path) }) else { continue }
        movies += found.paths.map { .path($0) }
        for failure in found.failures { inputs.fail(failure) }
        continue
      }
      switch try inputs.attempt({ try operand.content(file) }) {
      case nil: break
      case .files(let more):
        operand.protect(.files(more))
        files += more.map { ($0, more.count == 1 && !Site.isFolder(file.path) ? file.bytes : Array($0.name.utf8)) }
      case .presentation(let presentation):
        try group(&inputs)
        try examine(movies, &inputs)
        movies = []
        try present(presentation, &inputs)
      }
    }
    try group(&inputs)
    if let list = arguments[Self.filesFrom] {
      movies += try inputs.attempt { try Self.paths(in: InputFiles(context).open(list, spool: false)) } ?? []
    }
    try examine(movies, &inputs)
  }

  /// Passes the results of `body` for all movies that are not done yet to `deliver`, in their order, which writes them
  /// and returns the exit status. `body` reports its progress in bytes.
  func examine<Value: Sendable>(
    _ movies: [Input], _ inputs: inout InputAttempts,
    _ body: @escaping @Sendable (Input, [any ByteSource], @escaping (Int) -> Void) throws -> Value,
    deliver: (Value) throws -> ExitCode
  ) throws {
    var (left, stamps): ([Input], [FileStamp?]) = ([], [])
    for movie in movies {
      let stamp = movie.path.flatMap { FileStamp(of: $0) }
      if let stamp, let path = movie.path, let result = log?.result(of: path, stamp) {
        inputs.add(ExitCode(rawValue: Int32(clamping: result)) ?? .findings)
      } else {
        left.append(movie)
        stamps.append(stamp)
      }
    }
    if left.count < movies.count {
      context.diagnostics.note("\(counted(movies.count - left.count, "file is", "files are")) done already")
    }
    func finish(_ index: Int, _ value: Value?) throws {
      guard let value else { return }
      let status = try deliver(value)
      inputs.add(status)
      guard let log, let path = left[index].path, let stamp = stamps[index] else { return }
      try context.console.flush()
      try log.add(path, stamp, result: Int(status.rawValue))
    }
    let (fetching, registry) = (context.fetching, context.inputs)
    if left.count == 1 {
      // A single file is examined with its progress.
      let value = try inputs.attempt {
        let (sources, progress) = (try left[0].open(fetching, registry), context.progress)
        progress.begin(sources[0].name, total: sources.reduce(0) { $0 + ($1.byteCount ?? 0) })
        defer { progress.end() }
        return try body(left[0], sources) { progress.update(to: $0) }
      }
      return try finish(0, value)
    }
    try context.process(
      left, sizes: stamps.map { $0?.size ?? 0 }, "\(left.count) files", jobs: Self.jobCount(arguments)
    ) { movie in
      try body(movie, movie.open(fetching, registry)) { _ in }
    } deliver: { index, result in
      try finish(index, try inputs.attempt { try result.get() })
    }
  }

  /// The number of files that are examined at the same time.
  static func jobCount(_ arguments: ParsedArguments) -> Int {
    arguments[jobs] == 0 ? Processors.count : arguments[jobs]
  }

  /// The paths in a list.
  private static func paths(in list: any ByteSource) throws -> [Input] {
    var window = ByteWindow(list)
    let bytes = try window.slice(at: 0, count: listLimit + 1)
    if bytes.count > listLimit {
      throw UnusableInput(file: list.name, reason: "this list has more than \(listLimit >> 20) MiB; divide it")
    }
    let separator: UInt8 = bytes.contains(0) ? 0 : 0x0a
    let lines = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes.dropFirst(3) : bytes
    let movies = lines.split(separator: separator).compactMap { line in
      Input(separator == 0x0a && line.last == 0x0d ? line.dropLast() : line)
    }
    if movies.isEmpty { throw UnusableInput(file: list.name, reason: "this list names no file") }
    return movies
  }
  private static let listLimit = 256 << 20
}

extension CommandContext {
  /// Passes the results of `body` for all items to `deliver`, in their order, while the next ones are processed. What
  /// `deliver` prints is written at once, for a reader of a pipe. Progress is in bytes; `sizes` are those of the items.
  func process<Item: Sendable, Value: Sendable>(
    _ items: [Item], sizes: [Int], _ title: String, jobs: Int, _ body: @escaping @Sendable (Item) throws -> Value,
    deliver: (Int, Result<Value, any Error>) throws -> Void
  ) throws {
    if items.count > 1 { progress.begin(title, total: sizes.reduce(0, +)) }
    defer { progress.end() }
    var (done, bytes) = (0, 0)
    try Thread.forEach(items, width: jobs) { item in
      Result { try body(item) }
    } deliver: { result in
      try deliver(done, result)
      try console.flush()
      bytes += sizes[done]
      done += 1
      progress.update(to: bytes)
    }
  }
}
