import MP4
import MP4Bytes
import MP4Fetching
import MP4FileIO
import MP4Inspection

/// A run of `mp4tool hash --check`.
struct HashCheck {
  private let context: CommandContext
  private let sidecars: [Argument]
  private let isQuiet: Bool
  private let jobs: Int
  /// The number of hashes that are right, that are wrong, and whose track or file is missing.
  private var (right, wrong, withoutTrack, withoutFile) = (0, 0, 0, 0)

  /// Sidecars for many thousands of files are smaller.
  private static let sizeLimit = 1 << 26

  init(_ arguments: ParsedArguments, _ context: CommandContext) {
    (self.context, sidecars, isQuiet) = (context, arguments.operands, arguments[GeneralOptions.quiet])
    jobs = ManyFiles.jobCount(arguments)
  }

  mutating func run() throws -> ExitCode {
    var inputs = InputAttempts(HashCommand.command.name, context)
    var isRead = false
    for operand in sidecars {
      guard let sidecar = try inputs.attempt({ try read(operand) }) else { continue }
      isRead = true
      context.diagnostics.findings(
        sidecar.invalidLines.map { "\(operand.text): line \($0) is not a line of a sidecar" }, in: operand.text)
      var entries: [[UInt8]: [HashSidecar.Entry]] = [:]
      for entry in sidecar.entries { entries[entry.file, default: []].append(entry) }
      let files = sidecar.entries.compactMap { entry in
        entries.removeValue(forKey: entry.file).map { NamedFile(path: entry.file, entries: $0) }
      }
      let (fetching, registry) = (context.fetching, context.inputs)
      let sizes = files.map { Pathname($0.path).flatMap { FileStamp(of: $0) }?.size ?? 0 }
      try context.process(files, sizes: sizes, operand.text, jobs: jobs) { file in
        try file.hashes(fetching, registry)
      } deliver: { index, result in
        try report(result, of: files[index])
      }
    }
    let hasFailed = wrong + withoutTrack + withoutFile > 0
    if isRead, !isQuiet || hasFailed { try context.console.write(summary) }
    return max(inputs.failure, hasFailed ? .findings : .done, context.diagnostics.outcome)
  }

  private var summary: String {
    var counts = ["\(counted(right, "track")) OK"]
    if wrong > 0 { counts.append("\(wrong) FAILED") }
    if withoutTrack > 0 { counts.append("\(withoutTrack) missing") }
    if withoutFile > 0 { counts.append("\(withoutFile) in files that cannot be read") }
    return counts.joined(separator: ", ") + "\n"
  }

  private func read(_ operand: Argument) throws -> HashSidecar {
    let source = try InputFiles(context).open(operand, spool: false)
    let bytes = try source.bytes(in: 0..<Self.sizeLimit + 1)
    guard bytes.count <= Self.sizeLimit, case let sidecar = HashSidecar(bytes), !sidecar.entries.isEmpty else {
      throw UnusableInput(file: source.name, reason: "this is not a sidecar of 'mp4tool hash'")
    }
    return sidecar
  }

  /// An algorithm, and what it hashes.
  private struct Way: Hashable {
    let algorithm: HashAlgorithm
    let kind: HashSidecar.Kind

    init(_ entry: HashSidecar.Entry) { (algorithm, kind) = (entry.algorithm, entry.kind) }
  }

  /// A file with the lines about it.
  private struct NamedFile: Sendable {
    let path: [UInt8]
    let entries: [HashSidecar.Entry]

    /// Its hashes; it is read once for each algorithm and kind, usually once.
    func hashes(_ fetching: FetchOptions, _ inputs: InputRegistry) throws -> [Way: TrackHashes] {
      guard let input = ManyFiles.Input(path) else {
        throw IOError(.open, file: String(decoding: path, as: UTF8.self), reason: "this is not a file name")
      }
      let movie = try Movie(reading: input.open(fetching, inputs))
      var found: [Way: TrackHashes] = [:]
      for way in Set(entries.map(Way.init)) {
        found[way] = try TrackHashes(movie, way.algorithm, includesTimes: way.kind == .samplesAndTimes)
      }
      return found
    }
  }

  /// Compares the hashes of a file with those in the sidecar.
  private mutating func report(_ result: Result<[Way: TrackHashes], any Error>, of file: NamedFile) throws {
    let name = Argument(bytes: file.path).text
    let found: [Way: TrackHashes]
    do { found = try result.get() } catch {
      _ = Failure.report(error, in: HashCommand.command.name, to: context.diagnostics)
      withoutFile += file.entries.count
      return try say("\(name): FAILED (cannot be read)")
    }
    let isWrong = file.entries.contains { entry in
      found[Way(entry)]?.tracks.first { $0.track == entry.track }?.digest != entry.digest
    }
    // Problems of tracks that the sidecar does not name do not matter.
    if isWrong {
      for diagnostic in file.entries.first.flatMap({ found[Way($0)] })?.diagnostics ?? [] {
        context.diagnostics.say(diagnostic)
      }
    }
    for entry in file.entries {
      let label = "\(name): track \(entry.track): "
      guard let hash = found[Way(entry)]?.tracks.first(where: { $0.track == entry.track }) else {
        withoutTrack += 1
        try say(label + "FAILED (there is no such track)")
        continue
      }
      if hash.digest == entry.digest {
        right += 1
        if !isQuiet { try say(label + "OK") }
      } else {
        wrong += 1
        try say(label + (hash.digest == nil ? "FAILED (samples are lost)" : "FAILED"))
      }
    }
  }

  private func say(_ line: String) throws(IOError) { try context.console.write(Printable.escaped(line) + "\n") }
}
