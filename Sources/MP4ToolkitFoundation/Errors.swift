public import Foundation
public import MP4Toolkit

// Without these conformances, `localizedDescription` would be the name of the type and a number. The sentences are
// English, and name no command.

/// An error whose description is a sentence for people.
public protocol DescribedError: LocalizedError, CustomStringConvertible {}

extension DescribedError {
  /// The description: the file or the place, and the problem.
  public var errorDescription: String? { description }
}

extension MovieError: DescribedError {
  /// The problem, without the name of the file and without advice.
  public var failureReason: String? { parts.problem }
  /// What helps, if something does.
  public var recoverySuggestion: String? { remedy?.suggestion ?? parts.advice }

  /// The problem and the advice, which follows it in the reasons of these cases.
  private var parts: (problem: String, advice: String?) {
    switch self {
    case .noMovie, .empty, .otherFormat, .text, .cutOff, .mediaOnly, .cutOffInMovie, .segmentFirst: break
    default: return (reason, nil)
    }
    let parts = reason.split(separator: ";", maxSplits: 1)
    guard parts.count == 2 else { return (reason, nil) }
    let advice = parts[1].drop { $0 == " " }
    return (String(parts[0]), advice.prefix(1).uppercased() + advice.dropFirst() + ".")
  }
}
extension Obstacle: DescribedError {
  /// What helps, if something does.
  public var recoverySuggestion: String? { remedy?.suggestion }
}
extension IOError: DescribedError {
  /// The problem, without the name of the file.
  public var failureReason: String? { reason }
}
extension BoxError: DescribedError {}
extension FieldError: DescribedError {}
extension DefinitionError: DescribedError {}
extension MovieWriterError: DescribedError {}
extension ContentKeyError: DescribedError {}
extension PlaylistError: DescribedError {}
extension MPDError: DescribedError {}
extension FetchError: DescribedError {}
extension StreamChoice.Failure: DescribedError {}
extension PlaylistLocation.Refusal: DescribedError {}
extension KeyTagProblem: DescribedError {}
extension SegmentError: DescribedError {}
extension TimedTextError: DescribedError {}
extension KeyProblem: DescribedError {}
extension PresentationError: DescribedError {}
extension SubtitleError: DescribedError {}
extension SubtitleFileError: DescribedError {}

extension Remedy {
  /// A sentence about what a person can do.
  public var suggestion: String {
    switch self {
    case .recover: "If the recording was interrupted, recover the file."
    case .recoverWithReference: "Recover it with an intact file of the same device and settings."
    case .defragment: "Write it as a progressive file first."
    case .fragment: "Write it as a fragmented file first."
    case .fragmentTrack: "Write each track as a fragmented file."
    case .streamFragments: "Let the program that writes the stream write fragments."
    case .savePresentation: "Save the presentation as one file."
    case .concatenate: "Concatenate the files as complete movies."
    case .allowDifferences: "Allow tracks that differ."
    case .renamingSampleEntries(let type): "Rename the sample entries to \(type) first."
    case .renameSampleEntry: "Rename the sample entries."
    case .writeNewFile: "Write another file instead of changing this one."
    case .writeOtherTracks: "Write another file with the other tracks."
    case .extractEachTrack: "Extract each track separately."
    case .extractRaw: "Extract the samples unchanged."
    case .decrypt: "Decrypt the file first, or extract the samples unchanged."
    case .extractAllBoxes: "Extract all boxes that match."
    case .allowOutside: "Allow references outside of the folder or site."
    case .setFrameRate: "Set the frame rate."
    }
  }
}
