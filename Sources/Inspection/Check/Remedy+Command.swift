import MP4

extension Remedy {
  /// The command that fixes a violation of a rule, for reports; `nil` for remedies of other problems.
  package var command: String? {
    switch self {
    case .defragment: "mp4tool defrag"
    case .fragment: "mp4tool fragment"
    case .fragmentTrack: "mp4tool fragment --tracks ID"
    case .renameSampleEntry: "mp4tool edit --sample-entry"
    default: nil
    }
  }
}
