import Bytes
import Fetching
import FileIO
import HLS
import ISOBMFF
import MP4
import Packaging
import Presentations
import Serving
import Streaming

/// Reports an error that ends a command, and determines the exit code.
enum Failure {
  /// Reports `error`, thrown by the command called `name`, if known.
  static func report(_ error: any Error, in name: String? = nil, to diagnostics: Diagnostics) -> ExitCode {
    switch error {
    case let error as UsageError:
      let program = name.map { "\(Version.name) \($0)" } ?? Version.name
      diagnostics.plain("\(program): \(error.message)")
      diagnostics.plain("Try '\(program) --help'.")
      return .wrongUsage
    case MovieError.io(let error):
      return report(error, in: name, to: diagnostics)
    case let error as MovieError:
      diagnostics.error(error.description + advice(error, name))
      return .inputNotUsable
    case let error as IOError:
      let code = exitCode(error)
      if code != .pipeClosed { diagnostics.error(error.description) }
      return code
    case let error as FetchError:
      if case .io(let error) = error.problem { return report(error, in: name, to: diagnostics) }
      diagnostics.error(error.description + advice(error, name))
      return exitCode(error)
    case PresentationError.io(let error): return report(error, in: name, to: diagnostics)
    case PresentationError.fetch(let error): return report(error, in: name, to: diagnostics)
    case PresentationError.subtitles(_, .movie(let error)): return report(error, in: name, to: diagnostics)
    case PresentationError.samples(let error): return report(error, in: name, to: diagnostics)
    case PresentationError.key(_, _, let problem):
      diagnostics.error("\(error)")
      return exitCode(problem)
    case let error as PresentationError:
      diagnostics.error("\(error)" + advice(error))
      return .inputNotUsable
    case let error as ListenError:
      let advice = error.isInUse ? "; choose another with --port, or any free one with --port 0" : ""
      diagnostics.error("\(error)\(advice)")
      return .outputNotMade
    default:
      diagnostics.error("\(error)")
      return .inputNotUsable
    }
  }

  /// A hint, if the command has an option that helps.
  private static func advice(_ error: FetchError, _ name: String?) -> String {
    guard case .privateAddress = error.problem, let command = Command.all.first(where: { $0.name == name }),
      command.options.contains(where: { $0.declaration.name == PlaylistOptions.allowOutside.declaration.name })
    else { return "" }
    return "; --\(PlaylistOptions.allowOutside.declaration.name) allows it"
  }

  private static func advice(_ error: PresentationError) -> String {
    switch error {
    case .movie: "; 'mp4tool hls' creates a playlist from it"
    case .subtitles(_, .nameTwice): "; choose another with name=…"
    case .subtitles(_, .defaultTwice): "; omit 'default'"
    default: error.isAllowable ? "; --\(PlaylistOptions.allowOutside.declaration.name) allows it" : ""
    }
  }

  private static func advice(_ error: MovieError, _ name: String?) -> String {
    switch error {
    case .segmentFirst where name == ConcatCommand.command.name:
      return "; use 'mp4tool join' or 'mp4tool defrag' for segments"
    case .otherMovie where name == JoinCommand.command.name:
      return "; 'mp4tool concat' concatenates movies"
    case .impossible(_, JoinObstacle.progressive): return "; 'mp4tool concat' concatenates movies"
    case .impossible(_, ConcatenationObstacle.sampleEntries(_, let entry)):
      return "; 'mp4tool edit --sample-entry \(entry)' renames them"
    case .impossible(_, ConcatenationObstacle.different):
      return "; --\(ConcatCommand.allowDifferent.declaration.name) concatenates them anyway"
    default: break
    }
    if case .impossible(_, MovieObstacle.severalTracks) = error, name == ExtractCommand.command.name {
      return "; -o 'NAME%d' writes each track to a separate file"
    }
    if case .otherFormat(_, .playlist) = error { return "; 'mp4tool defrag' saves it as one file" }
    if case .impossible(_, EditObstacle.wrongSize) = error { return "; 'mp4tool defrag' repairs it" }
    if case .impossible(_, let obstacle as ExtractionObstacle) = error {
      switch obstacle.reason {
      case .nothingPresented, .noSamples, .format: return ""
      case .encrypted:
        return "; specify keys with --key or --key-file, or decrypt the file with 'mp4tool decrypt'; --raw writes the "
          + "encrypted samples"
      default: break
      }
      return "; --raw writes the samples unchanged"
    }
    if case .impossible(_, let obstacle as ExcerptObstacle) = error {
      switch obstacle {
      case .severalBoxes: return "; --whole writes all of them"
      case .notFragmented: return "; 'mp4tool fragment' converts it to a fragmented file"
      default: return ""
      }
    }
    if case .impossible(_, RecoveryObstacle.noPattern) = error {
      return "; use --like with an intact file from the same device, recorded with the same settings"
    }
    guard case .impossible(_, let obstacle as InPlaceObstacle) = error else { return "" }
    switch obstacle {
    case .lostTrack: return "; -o writes the other tracks to a new file"
    case .severalChanges, .severalSectors, .noRoom, .openEnd: return "; use -o to write another file"
    default: return ""
    }
  }

  private static func exitCode(_ error: FetchError) -> ExitCode {
    switch error.problem {
    case .noProgram: .inputMissing
    case .status(let status) where status < 500: .inputMissing
    case .status, .failed, .timedOut, .changed, .stopped, .io: .readOrWriteFailed
    case .privateAddress, .compressed, .insecureRedirection, .otherRedirection, .tooManyRedirections, .tooLarge,
      .noRanges, .damaged:
      .inputNotUsable
    }
  }

  private static func exitCode(_ problem: KeyProblem) -> ExitCode {
    switch problem {
    case .io(let error), .segment(let error): exitCode(error)
    case .fetch(let error): exitCode(error)
    case .size, .wrong: .inputNotUsable
    }
  }

  private static func exitCode(_ error: IOError) -> ExitCode {
    switch error.operation {
    case .open: .inputMissing
    case .read: .readOrWriteFailed
    case .create, .change: .outputNotMade
    case .write: error.isBrokenPipe ? .pipeClosed : .readOrWriteFailed
    }
  }
}
