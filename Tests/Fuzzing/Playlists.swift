// The libFuzzer target of `Tests/Fuzzing/run --target playlists`.
import MP4HLS

/// Resolves a reference in a local playlist and in one from a server: it never leaves the folder or the allowed
/// schemes.
private func checkPlaces(_ uri: String) {
  let reference = URIReference(uri)
  guard reference.description == uri else { fatalError("\(uri) is put together as \(reference)") }
  let file = PlaylistLocation(file: "shows/a b/index.m3u8")
  if let target = try? file.resolving(uri) {
    guard let path = target.path, !path.utf8.contains(0) else { fatalError("\(uri) is no name of a file") }
    var names: [Substring.UTF8View] = []
    for name in path[...].utf8.split(separator: 0x2f, omittingEmptySubsequences: false) {
      if name.elementsEqual("..".utf8) {
        guard names.popLast() != nil else { fatalError("\(uri) leads out of every folder") }
      } else if !name.elementsEqual(".".utf8), !name.isEmpty {
        names.append(name)
      }
    }
    let isInside = names.count > 2 && names[0].elementsEqual("shows".utf8) && names[1].elementsEqual("a b".utf8)
    guard isInside, path.utf8.first != 0x2f else { fatalError("\(uri) leads out of the folder, to \(path)") }
  }
  let server = PlaylistLocation(URIReference("https://example.com/shows/index.m3u8?a=b"))
  if let target = try? server.resolving(uri) {
    guard target.reference.scheme?.lowercased() == "https", target.path == nil else {
      fatalError("\(uri) leads from a server to \(target.reference)")
    }
    guard URIReference(target.reference.description) == target.reference else {
      fatalError("\(uri) means \(target.reference), which is read as something else")
    }
  }
}

/// The properties that segments keep when earlier segments are removed.
private struct Kept: Equatable {
  let numbers: [Int]
  let uri: String
  let range: Range<Int>?
  let map: InitializationSection?
  let keys: [EncryptionKey]
  let date: DateTime?
  let bitrate: Int?

  init(_ segment: ResolvedSegment) {
    numbers = [segment.mediaSequence, segment.discontinuitySequence]
    (uri, range, map) = (segment.uri, segment.byteRange, segment.map)
    (keys, date, bitrate) = (segment.keys, segment.programDateTime, segment.bitrate)
  }
}

private func check(_ media: MediaPlaylist) {
  for segment in media.segments.prefix(100) { checkPlaces(segment.uri) }
  guard (1...13).contains(media.lowestVersion) else { fatalError("version \(media.lowestVersion)") }
  let place = PlaylistLocation(URIReference("https://example.com/index.m3u8?token=1"))
  var series = SegmentSeries(place)
  if (try? series.take(media)) != nil {
    guard let again = try? series.take(media), again.entries.isEmpty, again.missed == 0, !again.isRestarted,
      !series.isChanged
    else {
      fatalError("a playlist that did not change has something new")
    }
  }
  guard let all = try? media.resolved() else { return }
  guard all.count == media.segments.count else { fatalError("\(all.count) of \(media.segments.count) segments") }
  var shorter = media
  guard (try? shorter.removeFirstSegments(2)) != nil else { return }
  guard let rest = try? shorter.resolved() else { fatalError("without its first segments it is not read") }
  // Sequence numbers at the maximum are the same for several segments.
  guard all.last.map({ $0.mediaSequence < .max && $0.discontinuitySequence < .max }) ?? true else { return }
  guard rest.map(Kept.init) == all.dropFirst(2).map(Kept.init) else {
    fatalError("without the first segments, the rest is \(rest) and not \(all.dropFirst(2))")
  }
  // If it contains tags for variants, the shortened playlist may be of the other kind.
  guard let read = try? Playlist(shorter.bytes), read.bytes == shorter.bytes else {
    fatalError("without its first segments it is not written as it is read")
  }
}

private func check(_ main: MultivariantPlaylist) {
  for rendition in main.renditions { checkPlaces(rendition.uri ?? "") }
  for variant in main.variants.prefix(100) { checkPlaces(variant.uri) }
  for takesText in [false, true] {
    var choice = StreamChoice()
    choice.takesText = takesText
    _ = try? choice.streams(of: main, at: URIReference("https://example.com/main.m3u8?token=1"))
  }
  var copy = main
  copy.changeURIs { $0 }
  guard copy == main else { fatalError("URIs that stay change something") }
  copy.changeURIs { "x/" + $0 }
  guard let read = try? MultivariantPlaylist(copy.bytes), read.bytes == copy.bytes else {
    fatalError("with other URIs it is not written as it is read")
  }
  copy = main
  copy.variants = main.variants
  guard copy.variants == main.variants else { fatalError("variants that stay become others") }
  var media: [String: MediaPlaylist] = [:]
  for uri in main.variants.map(\.uri) + main.renditions.compactMap(\.uri) {
    media[uri] = MediaPlaylist([Segment("a.m4s", duration: .seconds(media.count + 1))])
  }
  guard Presentation(main, media: media).findings.allSatisfy({ !$0.description.isEmpty }) else {
    fatalError("a finding says nothing")
  }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  if count < 200 { checkPlaces(String(decoding: bytes, as: UTF8.self)) }
  let playlist: Playlist
  do throws(PlaylistError) {
    playlist = try Playlist(bytes)
  } catch {
    guard error.line > 0, !error.description.isEmpty else { fatalError("\(error)") }
    return 0
  }
  guard playlist.bytes == bytes else { fatalError("the playlist is not written as it was read") }
  let lineCount = bytes.count { $0 == 0x0a } + 1
  for finding in playlist.findings {
    guard (0...lineCount).contains(finding.line), !finding.description.isEmpty else { fatalError("\(finding)") }
  }
  switch playlist {
  case .media(let media): check(media)
  case .multivariant(let main): check(main)
  }
  return 0
}
