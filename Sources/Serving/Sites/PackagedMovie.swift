public import MP4
public import MP4Bytes
import MP4FileIO
public import MP4Packaging
import MP4Platform

/// An MP4 file that is served as an HLS presentation without writing one to disk. Every response is computed from the
/// packager's plan, and media is copied from the file. If the file changes, it is planned again.
///
/// ```swift
/// let movie = try PackagedMovie("movie.mp4")
/// let server = try Server(address) { request in request.names.map(movie.response) ?? .notFound }
/// ```
public final class PackagedMovie: Sendable {
  private let path: Pathname
  private let packager: Packager
  private let edition: String
  private let state: Monitor<State>

  private struct State {
    /// The file of the plan, or the file for which planning failed.
    var stamp: FileStamp?
    var plan: PlannedFiles?
  }

  /// Plans the file at `path`.
  ///
  /// - Parameters:
  ///   - path: A progressive or fragmented MP4 file.
  ///   - packager: How to package it.
  ///   - edition: A part of entity tags that changes when the same file is packaged differently, such as the version
  ///     of a program.
  /// - Throws: `MovieError` if it cannot be packaged; `io` if it cannot be read.
  public init(_ path: Pathname, _ packager: Packager = Packager(), edition: String = "0") throws(MovieError) {
    (self.path, self.packager, self.edition) = (path, packager, edition)
    let planned = try PlannedFiles(path, packager)
    state = Monitor(State(stamp: planned.stamp, plan: planned))
  }

  /// The messages of the packager.
  public var diagnostics: [Diagnostic] { state { $0.plan?.plan.diagnostics ?? [] } }

  /// The response to a request for the file at this path of the presentation.
  public func response(for names: [[UInt8]]) -> Server.Response {
    guard let planned = current else {
      return Server.Response(500, "the file changed and can no longer be packaged")
    }
    let path = String(decoding: Array(names.joined(separator: [UInt8(ascii: "/")])), as: UTF8.self)
    guard let file = planned.files[path] else { return .notFound }
    return Server.Response(
      Server.Resource(
        PlannedContent(plan: planned.plan, file: file), mediaType: MediaType.named(names.last ?? []),
        entityTag: planned.stamp.entityTag + "-" + edition, modified: planned.stamp.modified / 1_000_000_000))
  }

  /// The plan of the current file. If the file changed, it is planned again for the next request.
  private var current: PlannedFiles? {
    let stamp = FileStamp(of: path)
    return state { state in
      if stamp != state.stamp {
        state.stamp = stamp
        state.plan = try? PlannedFiles(path, packager)
      }
      return state.plan
    }
  }
}

/// A plan and its file, which is read at any offset by concurrent requests.
private struct PlannedFiles: Sendable {
  let stamp: FileStamp
  let plan: PackagePlan
  let files: [String: PackagePlan.File]

  init(_ path: Pathname, _ packager: Packager) throws(MovieError) {
    let source: FileSource
    do throws(IOError) { source = try FileSource(path) } catch { throw .io(error) }
    plan = try packager.plan([Movie(reading: [source])])
    stamp = source.stamp
    files = Dictionary(plan.files.map { ($0.path, $0) }) { first, _ in first }
  }
}

/// One of the planned files.
private struct PlannedContent: Server.Content {
  let plan: PackagePlan
  let file: PackagePlan.File

  var byteCount: Int { file.byteCount }

  func write(_ range: Range<Int>, to sink: any ByteSink) throws(IOError) {
    do throws(MovieError) {
      try plan.write(range, of: file, to: sink)
    } catch {
      if case .io(let error) = error { throw error }
      throw IOError(.read, file: file.path, reason: "\(error)")
    }
  }
}
