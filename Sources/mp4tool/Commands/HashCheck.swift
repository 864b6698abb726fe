import MP4
import MP4Bytes
import MP4Inspection

/// A run of `mp4tool hash --check`.
struct HashCheck {
  private let context: CommandContext
  private let sidecars: [Argument]
  private let isQuiet: Bool
  /// The number of hashes that are right, that are wrong, and whose track or file is missing.
  private var (right, wrong, withoutTrack, withoutFile) = (0, 0, 0, 0)

  /// Sidecars for many thousands of files are smaller.
  private static let sizeLimit = 1 << 26

  init(_ arguments: ParsedArguments, _ context: CommandContext) {
    (self.context, sidecars, isQuiet) = (context, arguments.operands, arguments[GeneralOptions.quiet])
  }

  mutating func run() throws -> ExitCode {
    var inputs = InputAttempts(HashCommand.command.name, context)
    var isRead = false
    for operand in sidecars {
      guard let sidecar = try inputs.attempt({ try read(operand) }) else { continue }
      isRead = true
      context.diagnostics.findings(
        sidecar.invalidLines.map { "\(operand.text): line \($0) is not a line of a sidecar" }, in: operand.text)
      var files: [[UInt8]: [HashSidecar.Entry]] = [:]
      for entry in sidecar.entries { files[entry.file, default: []].append(entry) }
      for entry in sidecar.entries {
        if let entries = files.removeValue(forKey: entry.file) { try check(entries, in: Argument(bytes: entry.file)) }
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

  /// Checks the hashes of one file, which is read once for each algorithm and kind, usually once.
  private mutating func check(_ entries: [HashSidecar.Entry], in file: Argument) throws {
    struct Way: Hashable {
      let algorithm: HashAlgorithm
      let kind: HashSidecar.Kind
    }
    var found: [Way: TrackHashes] = [:]
    do {
      let movie = try Movie(reading: [InputFiles(context).open(file, spool: true)])
      for entry in entries {
        let way = Way(algorithm: entry.algorithm, kind: entry.kind)
        guard found[way] == nil else { continue }
        let hashes = try HashCommand.hashes(movie, way.algorithm, way.kind == .samplesAndTimes, context)
        if found.isEmpty { for diagnostic in hashes.diagnostics { context.diagnostics.say(diagnostic) } }
        found[way] = hashes
      }
    } catch {
      _ = Failure.report(error, in: HashCommand.command.name, to: context.diagnostics)
      withoutFile += entries.count
      return try say("\(file.text): FAILED (cannot be read)")
    }
    for entry in entries {
      let hashes = found[Way(algorithm: entry.algorithm, kind: entry.kind)]?.tracks ?? []
      let label = "\(file.text): track \(entry.track): "
      guard let hash = hashes.first(where: { $0.track == entry.track }) else {
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
