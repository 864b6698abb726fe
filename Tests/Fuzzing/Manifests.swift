// The libFuzzer target of `Tests/Fuzzing/run --target manifests`.
import MP4Bytes
import MP4DASH
import MP4HLS
import MP4Presentations

private func check(_ representation: MPD.Representation) {
  let times: [(Duration?, Duration?)] = [(nil, nil), (.seconds(10), nil), (nil, .seconds(100))]
  for (duration, elapsed) in times {
    let own = try? representation.segments(in: duration, elapsed: elapsed, depth: .seconds(20))
    guard let found = own ?? nil else { continue }
    guard found.segments.count <= MPD.maxSegments else { fatalError("\(found.segments.count) segments") }
  }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> Int32 {
  let bytes = unsafe [UInt8](UnsafeBufferPointer(start: data, count: size))
  if let root = try? XMLElement(document: bytes[...]), root.line < 1 { fatalError("the root is in line \(root.line)") }
  guard let manifest = try? MPD(bytes) else { return 0 }
  guard let again = try? MPD(manifest.bytes), again.text == manifest.text else {
    fatalError("a manifest that was written is read as something else:\n\(manifest.text)")
  }
  for set in manifest.periods.prefix(3).flatMap(\.adaptationSets).prefix(3) {
    for representation in set.representations.prefix(3) { check(representation) }
  }
  // As playlists, which are valid and can be read.
  let opener = PresentationOpener()
  let location = PlaylistLocation(file: "nowhere/manifest.mpd")
  guard MPD.isStart(bytes), case .multivariant(let main) = try? opener.playlist(bytes, at: location) else { return 0 }
  guard (try? MultivariantPlaylist(main.bytes)) != nil || main.variants.isEmpty else {
    fatalError("the multivariant playlist cannot be read:\n\(main.text)")
  }
  for reference in main.references.prefix(3) {
    guard let place = try? location.resolving(reference.uri), place.reference.fragment != nil else {
      fatalError("\(reference.uri) is not a stream of the manifest")
    }
    guard case .media(let media) = try? opener.playlist(bytes, at: place) else { continue }
    guard media.source != nil else { fatalError("\(reference.uri) does not tell its line") }
  }
  return 0
}
