import ISOBMFF
import MP4
import MP4Bytes
import MP4Platform

/// A movie to check: its files with their boxes and fragments.
package struct CheckedMovie {
  /// The files, in order.
  let files: [CheckedFile]
  /// The parsed movie; `nil` if there is no movie box, or it is too damaged.
  let movie: Movie?
  /// The bytes of the samples; `nil` without a movie.
  let use: MediaUse?
  /// What was read of the samples of each track, by the name of its input and its ID.
  private var examined: [ExaminedTrack: ExaminedSamples] = [:]

  /// What was found in the samples of each track; empty if they were not verified.
  private var verified: [ExaminedTrack: MediaVerification.TrackResult] = [:]

  private struct ExaminedTrack: Hashable {
    let input: String
    let id: UInt32
    init(_ track: Track) { (input, id) = (track.inputName, track.id) }
  }

  /// Reads samples. `onProgress` is called with the number of bytes of samples that were verified, and returns whether
  /// to continue.
  init(
    files: [CheckedFile], movie: Movie?, _ extent: ExaminedSamples.Extent, _ depth: Check.Depth,
    onProgress: (Int) -> Bool
  ) throws(IOError) {
    (self.files, self.movie) = (files, movie)
    use = movie.map { MediaUse($0, files) }
    for track in movie?.tracks ?? [] {
      do throws(MovieError) { examined[ExaminedTrack(track)] = try ExaminedSamples(track, extent) } catch {
        // Unreadable data is a finding of a rule.
        if case .io(let error) = error { throw error }
      }
    }
    if depth != .headers, let movie { try verify(movie, depth, onProgress: onProgress) }
  }

  /// Verifies all samples, with all processors.
  private mutating func verify(_ movie: Movie, _ depth: Check.Depth, onProgress: (Int) -> Bool) throws(IOError) {
    guard var verification = try? MediaVerification(movie, decodes: depth == .decode) else { return }
    let (plan, name) = (verification, movie.name)
    var done = 0
    try Thread.forEach(plan.parts, width: Processors.count) {
      plan.verify($0)
    } deliver: {
      (result) throws(IOError) in
      try verification.add(result)
      done += result.byteCount
      guard onProgress(done) else { throw IOError(stopping: name) }
    }
    for (track, result) in zip(movie.tracks, verification.results) { verified[ExaminedTrack(track)] = result }
  }

  /// What was found in the samples of a track; `nil` if they were not verified.
  func verified(_ track: Track) -> MediaVerification.TrackResult? { verified[ExaminedTrack(track)] }
  /// Whether the samples were verified.
  var isVerified: Bool { !verified.isEmpty }
  /// What was not looked for, in the order of the tracks.
  var limits: [MediaLimit] {
    (movie?.tracks ?? []).flatMap { (verified($0)?.limits ?? []).sorted { $0.text < $1.text } }
  }

  /// What was read of the samples of a track.
  func examined(_ track: Track) -> ExaminedSamples? { examined[ExaminedTrack(track)] }
  /// The number of samples of which something was read, and of all samples.
  var sampleCounts: (examined: Int, all: Int) {
    (
      (movie?.tracks ?? []).reduce(0) { $0 + max(examined($1)?.count ?? 0, verified($1)?.verifiedCount ?? 0) },
      (movie?.tracks ?? []).reduce(0) { $0 + $1.samples.count }
    )
  }
  /// The file with the movie box.
  var file: CheckedFile? { files.first { $0.first("moov") != nil } }
  /// The movie box.
  var box: CheckedBox? { file?.first("moov") }
  /// The boxes of the tracks.
  var tracks: [CheckedBox] { box?.all("trak") ?? [] }
  /// The box of a track.
  func box(of track: Track) -> CheckedBox? {
    tracks.first { $0.fields("tkhd", as: TrackHeaderBox.self)?.trackID == track.id }
  }
  /// The media time at which the presentation of a track starts; what comes before it is hidden.
  func presentationStart(_ id: UInt32) -> UInt64 {
    let track = tracks.first { $0.fields("tkhd", as: TrackHeaderBox.self)?.trackID == id }
    let edits = track?.fields("edts", "elst", as: EditListBox.self)
    return edits?.entries.first { $0.mediaTime >= 0 }.map { UInt64($0.mediaTime) } ?? 0
  }
  /// Whether the movie box declares fragments.
  var isFragmented: Bool { box?.first("mvex") != nil }
  /// All fragments with their files, in order.
  var fragments: some Collection<(file: CheckedFile, fragment: CheckedFragment)> {
    files.lazy.flatMap { file in file.fragments.lazy.map { (file: file, fragment: $0) } }
  }
}
