import ISOBMFF
import MP4
import MP4Bytes
import MP4Fetching
import MP4FileIO
import MP4HLS
import MP4Inspection
import MP4Packaging
import MP4Presentations
import MP4Serving
import MP4Streaming

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
    guard case .privateAddress = error.problem,
      let command = Command.all.first(where: { $0.names.contains(name ?? "") }),
      command.options.contains(where: { $0.declaration.name == PlaylistOptions.allowOutside.declaration.name })
    else { return "" }
    return Remedy.allowOutside.advice
  }

  private static func advice(_ error: PresentationError) -> String {
    switch error {
    case .movie: "; 'mp4tool hls' creates a playlist from it"
    case .subtitles(_, .nameTwice): "; choose another with name=…"
    case .subtitles(_, .defaultTwice): "; omit 'default'"
    default: error.isAllowable ? Remedy.allowOutside.advice : ""
    }
  }

  private static func advice(_ error: MovieError, _ name: String?) -> String {
    if case .segmentFirst = error, name == ConcatCommand.command.name {
      return "; use 'mp4tool join' or 'mp4tool defrag' for segments"
    }
    return error.remedy?.advice ?? ""
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

extension Remedy {
  /// The remedy as a command or an option, to be appended to the sentence about the problem.
  var advice: String {
    switch self {
    case .recover: ", or if the recording was interrupted, rebuild moov with 'mp4tool recover'"
    case .recoverWithReference:
      "; use --like with an intact file from the same device, recorded with the same settings"
    case .defragment: "; run 'mp4tool defrag' first"
    case .fragment: "; 'mp4tool fragment' converts it to a fragmented file"
    case .fragmentTrack: "; 'mp4tool fragment --tracks ID' writes a fragmented file of a track"
    case .streamFragments: ", for example with `ffmpeg … -f mp4 -movflags frag_keyframe+empty_moov -`"
    case .savePresentation: "; 'mp4tool defrag' saves it as one file"
    case .concatenate: "; 'mp4tool concat' concatenates movies"
    case .allowDifferences: "; --\(ConcatCommand.allowDifferent.declaration.name) concatenates them anyway"
    case .renamingSampleEntries(let name): "; 'mp4tool edit --sample-entry \(name)' renames them"
    case .renameSampleEntry: "; 'mp4tool edit --sample-entry' renames it"
    case .writeNewFile: "; use -o to write another file"
    case .writeOtherTracks: "; -o writes the other tracks to a new file"
    case .extractEachTrack: "; -o 'NAME%d' writes each track to a separate file"
    case .extractRaw: "; --raw writes the samples unchanged"
    case .decrypt:
      "; specify keys with --key or --key-file, or decrypt the file with 'mp4tool decrypt'; --raw writes the "
        + "encrypted samples"
    case .extractAllBoxes: "; --whole writes all of them"
    case .allowOutside: "; --\(PlaylistOptions.allowOutside.declaration.name) allows it"
    case .setFrameRate: "; add for example ',rate=25' to its name, or use --frame-rate"
    }
  }
}

extension MovieError {
  /// The sentence with the remedy.
  var advised: String { description + (remedy?.advice ?? "") }
}

extension Check {
  /// A check whose findings include remedies.
  static var advised: Check {
    var check = Check()
    check.advice = { $0.advice }
    return check
  }
}
