import ISOBMFF
import MP4
// The libFuzzer target of `Tests/Fuzzing/run --target captions`.
import MP4Bytes
import MP4Packaging
import TimedText

/// Decodes all channels. The cues are in order, and are shown for some time.
private func check(_ captions: CaptionData) {
  for channel in captions.channels {
    var last: Int64 = 0
    for cue in captions.cues(of: channel) {
      guard cue.startMilliseconds >= last, cue.endMilliseconds > cue.startMilliseconds, !cue.text.isEmpty else {
        fatalError("\(channel): \(cue) after \(last)")
      }
      last = cue.startMilliseconds
      _ = CueText(cue.text)
      guard CueSettings(cue.settings).ignored.isEmpty else { fatalError("settings: \(cue.settings)") }
    }
  }
}

/// Pairs with the times that the bytes give: three bytes for each pair, in pictures of a few pairs.
private func captions(_ bytes: ArraySlice<UInt8>) -> CaptionData {
  var captions = CaptionData(timescale: 30_000)
  var (time, rest): (Int64, ArraySlice<UInt8>) = (0, bytes)
  while rest.count >= 3 {
    var triplet = Array(rest.prefix(3))
    rest = rest.dropFirst(3)
    let kind = CaptionPair.Kind(rawValue: triplet[0] & 3) ?? .field1
    if kind == .field1 || kind == .field2, triplet[0] & 0x80 == 0 {
      // Most random bytes have the wrong parity.
      for index in 1...2 where triplet[index].nonzeroBitCount % 2 == 0 { triplet[index] ^= 0x80 }
    }
    captions.append([CaptionPair(kind, triplet[1], triplet[2])], at: time)
    time += Int64(triplet[0] >> 2 & 31) * 1001
  }
  captions.end = time + 1001
  return captions
}

/// What is made of captions is read again as the same frames.
private func checkWriting(_ captions: CaptionData) {
  for channel in [CaptionChannel.cc(1), .cc(3)] {
    guard let field = channel.field else { continue }
    let frames = captions.frames(of: field).filter { !$0.pair.isPadding }
    guard let movie = try? CaptionMovie(frames, field, name: "a") else { continue }
    guard let track = try? Movie(reading: [movie.source]).tracks.first, let again = try? track.captions() else {
      fatalError("a caption track cannot be read")
    }
    guard again.frames(of: field) == frames else { fatalError("other frames are read") }
  }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  guard let choice = bytes.first else { return 0 }
  let rest = bytes.dropFirst()
  switch choice % 4 {
  case 0:
    let captions = captions(rest)
    check(captions)
    checkWriting(captions)
  case 1:
    let parts = [
      CaptionPair.pairs(inMessage: rest), CaptionPair.pairs(inUserData: rest), CaptionPair.pairs(inPacket: rest),
      CaptionPair.pairs(inSample: rest),
    ]
    var captions = CaptionData(timescale: 1)
    for (time, pairs) in parts.enumerated() { captions.append(pairs, at: Int64(time)) }
    check(captions)
  case 2:
    guard let movie = try? CaptionMovie(scenarist: MemorySource(Array(rest), name: "a.scc")) else { return 0 }
    guard let track = try? Movie(reading: [movie.source]).tracks.first, let captions = try? track.captions() else {
      fatalError("a caption track cannot be read")
    }
    check(captions)
  default:
    guard let document = try? WebVTTDocument(Array(rest), isSubRip: nil),
      let movie = try? CaptionMovie(Subtitles(document, language: "en"), channel: .cc(2))
    else { return 0 }
    guard let track = try? Movie(reading: [movie.source]).tracks.first, let captions = try? track.captions() else {
      fatalError("a caption track cannot be read")
    }
    check(captions)
  }
  return 0
}
