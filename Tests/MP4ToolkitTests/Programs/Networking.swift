import MP4Serving
import MP4Streaming
import MP4Toolkit

// snippet: server
func serve(_ movie: Pathname) throws -> Server {
  var site = Site(title: "Films")
  try site.add(movie)  // the file, its HLS presentation, and a page that plays it
  let server = try Server(.loopback(port: 0), answering: site.response)
  try server.start()
  return server  // runs at server.address until server.stop()
}
// end

// snippet: packages
func serve(films folder: Pathname) throws -> Server {
  var packager = Packager()
  packager.options.formats = [.hls, .dash]
  let packages = PackageCache(packager)
  let site = Site(try SourceFolder(folder), title: "Films", packages: packages)
  let server = try Server(.loopback(port: 0), answering: site.response)
  try server.start()
  return server
}
// end

// snippet: live
func packageLive<Chunks: AsyncSequence>(_ camera: Chunks, into folder: Pathname) async throws
where Chunks.Element == [UInt8] {
  var packager = LivePackager("camera", to: try LiveFolder(folder))
  packager.onDiagnostic = { print($0) }
  for try await bytes in camera {
    try packager.append(bytes[...], at: .now)
  }
  try packager.end(at: .now)  // ends the playlist
}
// end

// snippet: live-segments
func publish<Chunks: AsyncSequence>(
  _ camera: Chunks, _ upload: (_ bytes: [UInt8], _ path: String) async throws -> Void
) async throws -> [MediaTime] where Chunks.Element == [UInt8] {
  var durations: [MediaTime] = []
  for try await file in LiveSegments(of: camera) {
    if case .removed = file.kind { continue }
    try await upload(file.bytes, file.path)
    if case .segment(let duration, _) = file.kind { durations.append(duration) }
  }
  return durations
}
// end

// snippet: live-fragments
func fragments<Chunks: AsyncSequence>(of camera: Chunks) async throws -> [[UInt8]]
where Chunks.Element == [UInt8] {
  var fragments: [[UInt8]] = []
  for try await case .fragment(let fragment, let media) in LiveFragments(of: camera, name: "camera") {
    fragments.append(fragment.bytes(sequenceNumber: fragment.sequenceNumber) + media)
  }
  return fragments
}
// end
