import ISOBMFF
import MP4
import MP4Bytes
import MP4HLS
import MP4Packaging
import Support
import Testing

/// A packaged stream.
struct LiveRun {
  let recorder = LiveRecorder()
  private(set) var diagnostics: [Diagnostic] = []
  /// The error with which the packager ended.
  private(set) var error: MovieError?

  /// Packages files that arrive in pieces of a given size, one piece per second.
  init(
    _ files: [[UInt8]], piece: Int = 1000, roomLeft: Int = .max,
    _ change: (inout LivePackager.Options) -> Void = { _ in }
  ) {
    var options = LivePackager.Options()
    change(&options)
    recorder.roomLeft = roomLeft
    let said = Said()
    var packager = LivePackager("stream", to: recorder, options: options)
    packager.onDiagnostic = { said.diagnostics.append($0) }
    do {
      for (index, file) in files.enumerated() {
        if files.count > 1 { try packager.beginFile("file\(index + 1).mp4", at: moment) }
        var start = 0
        while start < file.count {
          recorder.now += .seconds(1)
          try packager.append(file[start..<min(start + piece, file.count)], at: moment)
          start += piece
        }
      }
      try packager.end(at: moment)
    } catch {
      packager.giveUp()
      self.error = error
    }
    diagnostics = said.diagnostics
    #expect(recorder.open == nil && recorder.folders.values.allSatisfy { $0.open == nil })
  }

  private var moment: LiveTimestamp {
    LiveTimestamp(uptime: recorder.now, date: DateTime(sinceEpoch: .seconds(1_700_000_000) + recorder.now))
  }
  private final class Said { var diagnostics: [Diagnostic] = [] }

  /// The diagnostics as lines.
  var lines: [String] { diagnostics.map { "\($0)" } }
  var playlist: MediaPlaylist { recorder.states.last ?? MediaPlaylist() }
  /// The multivariant playlist.
  var main: MultivariantPlaylist { get throws { try MultivariantPlaylist(recorder.files["master.m3u8"] ?? []) } }
  var losses: Int { diagnostics.count { $0.severity == .error } }
}

extension LiveRecorder {
  /// The samples of consecutive segments with the same init segment, for each init segment.
  func samples() throws -> [[UInt32: [SampleRecord]]] {
    var groups: [(initialization: [UInt8], bytes: [UInt8])] = []
    for segment in segments {
      if groups.last?.initialization != segment.initialization { groups.append((segment.initialization, [])) }
      groups[groups.count - 1].bytes += segment.bytes
    }
    return try groups.map { try SampleReader.read($0.initialization + $0.bytes).samples }
  }
}
