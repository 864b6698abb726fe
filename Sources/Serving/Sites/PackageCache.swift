public import MP4
import MP4Bytes
public import MP4FileIO
public import MP4Packaging
import MP4Platform

/// Packages of MP4 files that are served without writing them to disk. A package is planned at the first request, and
/// its plan is kept while there is room and its files do not change. A response reads only the bytes that it needs.
///
/// ```swift
/// let (folder, packages) = (try SourceFolder("films"), PackageCache())
/// let server = try Server(address) { request in
///   request.names.map { folder.response(for: $0, packaging: packages) } ?? .notFound
/// }
/// ```
public final class PackageCache: Sendable {
  /// The options of a cache.
  public struct Options: Sendable {
    /// The memory for plans, in bytes; the last plan is kept even if it is larger. A plan takes about 100 bytes for
    /// each sample of its files.
    public var byteLimit = 256 << 20
    /// What responses allow other caches.
    public var caching = CachePolicy()
    /// A part of entity tags that changes when the same file is packaged differently, such as the version of a program.
    /// The options of the packager need not be part of it.
    public var edition = "0"

    /// The defaults.
    public init() {}
  }

  /// How files are planned together.
  final class Arrangement: Sendable {
    let plan: @Sendable (Packager, [FileSource]) throws(MovieError) -> PackagePlan

    init(_ plan: @escaping @Sendable (Packager, [FileSource]) throws(MovieError) -> PackagePlan) { self.plan = plan }
  }

  /// The files of a package, as they are now, and their arrangement.
  private struct Key: Hashable {
    let stamps: [FileStamp]
    let arrangement: ObjectIdentifier?
  }

  private typealias Outcome = Result<Package, MovieError>

  /// A package that is or will be planned.
  private final class Slot: Sendable {
    /// `nil` while it is being planned.
    let result = Monitor<Outcome?>(nil)
  }

  private struct Kept {
    let slot: Slot
    let names: [String]
    var byteCount = 0
    var lastUse: Int
  }

  private struct State {
    var kept: [Key: Kept] = [:]
    var useCount = 0
    /// The number of packages that were planned, or are being planned.
    var planCount = 0
    var byteCount: Int { kept.values.reduce(0) { $0 + $1.byteCount } }
  }

  private let packager: Packager
  let options: Options
  private let state = Monitor(State())
  /// The number of threads that are planning.
  private let planning = Monitor(0)
  /// Planning uses the processor and more memory than its result.
  private static let planningLimit = 4
  /// A plan keeps its files open.
  private let countLimit = max(8, OpenFileLimit.current / 16)

  /// No packages yet.
  ///
  /// - Parameters:
  ///   - packager: How files are packaged. Keys apply to all of them.
  ///   - options: What is kept, and what responses declare.
  public init(_ packager: Packager = Packager(), _ options: Options = Options()) {
    (self.packager, self.options) = (packager, options)
  }

  /// The number of packages whose plans are in memory.
  public var packageCount: Int { state { $0.kept.count } }
  /// The estimated memory of the plans, in bytes.
  public var byteCount: Int { state { $0.byteCount } }

  /// The number of packages that were planned so far.
  var planCount: Int { state { $0.planCount } }

  /// The response to a request for a file of the package of `files`, which is planned first if necessary; concurrent
  /// requests wait for the same plan. Status 404 if the package has no such file, 422 with the reason if the files
  /// cannot be packaged.
  ///
  /// - Parameters:
  ///   - names: The path in the package, such as `video-1080` and `segment1.m4s`.
  ///   - files: A progressive or fragmented MP4 file, or several whose tracks belong together.
  public func response(for names: some Collection<[UInt8]>, of files: [FileSource]) -> Server.Response {
    response(for: names, of: files, nil)
  }

  func response(
    for names: some Collection<[UInt8]>, of files: [FileSource], _ arrangement: Arrangement?
  ) -> Server.Response {
    do throws(MovieError) {
      return try package(of: files, arrangement).response(for: Array(names), options.caching)
    } catch {
      if case .io(let error) = error {
        let response = Server.Response(error)
        return response.status == 404 ? Server.Response(500, "it cannot be read") : response
      }
      return Server.Response(422, "this file cannot be packaged: \(Self.text(error, files))")
    }
  }

  /// The same for a file of any type. Status 422 if it does not begin like an MP4 file in spite of its name, and 404
  /// for other files.
  func response(for names: some Collection<[UInt8]>, ofAny file: FileSource) throws(IOError) -> Server.Response {
    if try Site.beginsLikeMovie(file) { return response(for: names, of: [file]) }
    guard PlayableItem([Array(file.name.utf8)]).isMedia else { return .notFound }
    return Server.Response(422, "this file cannot be packaged: it is not an MP4 file")
  }

  /// The messages of the packager about these files.
  ///
  /// - Throws: `MovieError` if they cannot be packaged.
  public func diagnostics(of files: [FileSource]) throws(MovieError) -> [Diagnostic] { try diagnostics(of: files, nil) }

  func diagnostics(of files: [FileSource], _ arrangement: Arrangement?) throws(MovieError) -> [Diagnostic] {
    try package(of: files, arrangement).plan.diagnostics
  }

  /// The sentence of an error, with the name of the file but not the path of its folder.
  private static func text(_ error: MovieError, _ files: [FileSource]) -> String {
    let known = files.contains { $0.name == error.file }
    let name = error.file.split(separator: "/").last.map(String.init) ?? "it"
    return known ? "\(name): \(error.reason)" : error.reason
  }

  // MARK: Plans

  private func package(of files: [FileSource], _ arrangement: Arrangement?) throws(MovieError) -> Package {
    let key = Key(stamps: files.map(\.stamp), arrangement: arrangement.map(ObjectIdentifier.init))
    let (slot, isNew) = slot(for: key, files.map(\.name))
    guard isNew else { return try slot.result.wait { $0 }.get() }
    planning.wait { count -> Void? in
      guard count < Self.planningLimit else { return nil }
      return count += 1
    }
    let result = Outcome { () throws(MovieError) in try plan(files, arrangement) }
    planning.change { $0 -= 1 }
    keep(result, for: key, in: slot)
    slot.result.change { $0 = result }
    return try result.get()
  }

  /// The slot of a package, and whether it is a new one, which the caller has to fill.
  private func slot(for key: Key, _ names: [String]) -> (Slot, isNew: Bool) {
    state { state in
      state.useCount += 1
      if let known = state.kept[key] {
        state.kept[key]?.lastUse = state.useCount
        return (known.slot, false)
      }
      // The files were changed or replaced.
      state.kept = state.kept.filter { $0.value.names != names || $0.key.arrangement != key.arrangement }
      state.planCount += 1
      let slot = Slot()
      state.kept[key] = Kept(slot: slot, names: names, lastUse: state.useCount)
      return (slot, true)
    }
  }

  private func plan(_ files: [FileSource], _ arrangement: Arrangement?) throws(MovieError) -> Package {
    var packager = packager
    packager.options.protection?.inputIdentity = FileSource.identity(of: files)
    let plan =
      if let arrangement { try arrangement.plan(packager, files) } else { try packager.plan(files) { _ in true } }
    return try Package(plan, of: files.map(\.stamp), edition: options.edition)
  }

  /// Counts a package that was planned, and removes the least recently used ones for which there is no room. The last
  /// one is kept, because every request for it would need the same memory to plan it again.
  private func keep(_ result: Outcome, for key: Key, in slot: Slot) {
    state { state in
      // It may have been removed meanwhile.
      guard state.kept[key]?.slot === slot else { return }
      switch result {
      case .success(let package): state.kept[key]?.byteCount = package.byteCount
      // The next attempt to read may succeed.
      case .failure(.io): state.kept[key] = nil
      case .failure: state.kept[key]?.byteCount = 1024
      }
      let planned = state.kept.filter { $0.value.byteCount > 0 }.sorted { $0.value.lastUse < $1.value.lastUse }
      var (byteCount, count) = (state.byteCount, planned.count)
      for (key, old) in planned.dropLast() where byteCount > options.byteLimit || count > countLimit {
        state.kept[key] = nil
        (byteCount, count) = (byteCount - old.byteCount, count - 1)
      }
    }
  }
}

/// A planned package.
private final class Package: Sendable {
  let plan: PackagePlan
  /// The estimated memory of the plan.
  let byteCount: Int
  private let files: [String: PackagePlan.File]
  private let entityTag: String
  private let modified: Int

  init(_ plan: PackagePlan, of stamps: [FileStamp], edition: String) throws(MovieError) {
    self.plan = plan
    byteCount = plan.memoryByteCount
    files = Dictionary(plan.files.map { ($0.path, $0) }) { first, _ in first }
    let tags = stamps.map(\.entityTag) + [String(try plan.fingerprint().fingerprint, radix: 36), edition]
    entityTag = tags.joined(separator: "-")
    modified = (stamps.map(\.modified).max() ?? 0) / 1_000_000_000
  }

  /// The response to a request for the file at this path.
  func response(for names: [[UInt8]], _ caching: CachePolicy) -> Server.Response {
    let path = String(decoding: Array(names.joined(separator: [UInt8(ascii: "/")])), as: UTF8.self)
    guard let file = files[path], let name = names.last else { return .notFound }
    var response = Server.Response(
      Server.Resource(
        PlannedContent(plan: plan, file: file), mediaType: MediaType.named(name), entityTag: entityTag,
        modified: modified))
    response.fields.append((name: "Cache-Control", value: caching.field(forPackaged: name)))
    return response
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
