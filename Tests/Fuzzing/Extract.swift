// The libFuzzer target of `Tests/Fuzzing/run --target extract`.
import BoxCatalog
import ISOBMFF
import MP4
import MP4Bytes
import MP4FileIO
import MP4Inspection
import MP4Packaging

/// Writes the planned output and checks its size.
private func check(_ byteCount: Int, _ write: (MemorySink) throws(IOError) -> Void) {
  // Several samples can refer to the same data, so a small file can have a huge output.
  guard byteCount < 1 << 24 else { return }
  let sink = MemorySink()
  do throws(IOError) { try write(sink) } catch { fatalError("what was planned cannot be written: \(error)") }
  guard sink.bytes.count == byteCount else {
    fatalError("\(byteCount) bytes were planned, \(sink.bytes.count) written")
  }
}

private func check(_ excerpt: FileExcerpt?) {
  guard let excerpt else { return }
  check(excerpt.byteCount) { sink throws(IOError) in try excerpt.write(to: sink) }
}

private let formats: [ElementaryStreamFormat?] = [nil, .obu, .aiff, .ivf, .wav, .sizedSamples]
private let patterns = ["//*", "moov", "//stsd", "//mdat", "moov/udta//[a]"]

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  if bytes.isEmpty { return 0 }
  let source = MemorySource(bytes)
  let choice = Int(bytes.choice(of: 30))
  check(try? FileExcerpt.initializationSegment(of: source))
  if let pattern = BoxPattern(patterns[choice % patterns.count]) {
    check(try? FileExcerpt.boxes(pattern, of: source, isWhole: choice.isMultiple(of: 2)))
  }
  guard let movie = try? Movie(reading: sources(bytes)) else { return 0 }
  check(try? FileExcerpt.cover(of: movie).excerpt)
  check(try? FileExcerpt.id3Tags(of: movie))
  if let chapters = try? FileExcerpt.chapters(of: movie) {
    let sink = MemorySink()
    try? chapters.write(to: sink)
    guard (try? ChapterList(text: sink.bytes, name: "chapters")) != nil else {
      fatalError("written chapters cannot be read: \(String(decoding: sink.bytes, as: UTF8.self))")
    }
  }
  for index in movie.tracks.indices.prefix(4) {
    let track = movie.keeping(tracks: [index])
    let format = formats[choice % formats.count]
    let text: TextFileFormat? = choice % 3 == 0 ? .subRip : nil
    check(try? FileExcerpt.text(of: track, as: text)?.excerpt)
    check(try? FileExcerpt.timecodes(of: track))
    for isRaw in [false, true] {
      let time: MediaTime? = choice % 7 == 0 ? MediaTime(Int64(choice), 10) : nil
      guard let stream = try? TrackExtraction(of: track, at: time, as: format, isRaw: isRaw) else { continue }
      check(stream.byteCount) { sink throws(IOError) in try stream.write(to: sink) }
    }
  }
  return 0
}
