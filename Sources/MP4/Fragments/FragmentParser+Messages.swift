import Bytes
import ISOBMFF

/// What is said of fragments that cannot be read completely.
extension FragmentParser {
  /// The track whose fragment is being read, if the movie has it.
  var currentTrack: Diagnostic.Track? {
    guard isOpen, current.isKnown else { return nil }
    return table.tracks.reference(current.fragment.track)
  }
  /// The decode time that the track fragment which is being read has declared.
  var currentTime: Int64? { isOpen ? current.fragment.declaredTime.map { Int64(clamping: $0) } : nil }

  /// Says why the samples of a run at the byte `offset` are omitted.
  mutating func leaveOut(_ path: BoxPath, at offset: Int, _ reason: String) {
    noteDamage()
    let kind = Diagnostic.Kind.impossibleRun(path: "\(path)", offset: offset, reason: reason, time: currentTime)
    table.diagnostics.append(Diagnostic(kind, source.name, currentTrack))
  }
}
