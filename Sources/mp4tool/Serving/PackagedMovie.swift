import Bytes
import FileIO
import ISOBMFF
import MP4
import Packaging
import Platform
import Serving

/// An MP4 file that is given out as an HLS presentation without one being written: every answer is worked out from the
/// plan of the packager, and its media is copied from the file.
final class PackagedMovie: Sendable {
  private let path: Path
  private let state: Monitor<State>

  private struct State {
    /// The file that was planned, or for which there is no plan.
    var stamp: FileStamp?
    var plan: Planned?
  }

  /// Works out a plan for the file at `path`, which has to be possible.
  init(_ path: Path) throws {
    self.path = path
    let planned = try Planned(path)
    state = Monitor(State(stamp: planned.stamp, plan: planned))
  }

  /// What the packager has to say about the file.
  var notices: [Notice] { state { $0.plan?.plan.notices ?? [] } }

  /// The answer to a request for the file of the presentation that these names lead to.
  func response(for names: [[UInt8]]) -> Response {
    guard let planned = current else { return Response(500, "the movie was changed, and cannot be packaged any more") }
    let path = String(decoding: Array(names.joined(separator: [UInt8(ascii: "/")])), as: UTF8.self)
    guard let file = planned.files[path] else { return .notFound }
    return Response(
      Resource(
        PlannedContent(planned: planned, file: file), mediaType: MediaType.named(names.last ?? []),
        entityTag: planned.stamp.entityTag + "-" + Version.number, modified: planned.stamp.modified / 1_000_000_000))
  }

  /// The plan of the file as it is now: when it is made again, the next request gets the new one.
  private var current: Planned? {
    let stamp = FileStamp(of: path)
    return state { state in
      if stamp != state.stamp {
        state.stamp = stamp
        state.plan = try? Planned(path)
      }
      return state.plan
    }
  }
}

/// A plan and the file that it is about. Nothing in it changes, and the file is read at any offset, by many at once.
private final class Planned: @unchecked Sendable {
  let stamp: FileStamp
  let plan: PackagePlan
  let files: [String: PackagePlan.File]

  init(_ path: Path) throws {
    let source = try FileSource(path)
    plan = try Packager().plan([Movie(reading: [source])])
    stamp = source.stamp
    files = Dictionary(plan.files.map { ($0.path, $0) }) { first, _ in first }
  }
}

/// One of the planned files.
private struct PlannedContent: Content, @unchecked Sendable {
  let planned: Planned
  let file: PackagePlan.File

  var byteCount: Int { file.byteCount }

  func write(_ range: Range<Int>, to sink: any ByteSink) throws(IOError) {
    do throws(MovieError) {
      try planned.plan.write(range, of: file, to: sink)
    } catch {
      if case .io(let error) = error { throw error }
      throw IOError(.read, file: file.path, reason: "\(error)")
    }
  }
}
