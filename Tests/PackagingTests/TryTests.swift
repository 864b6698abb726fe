import FileIO
import HLS
import ISOBMFF
import MP4
import Packaging
import Testing

@Test("tries") func tries() throws {
  for name in ["progressive.mp4", "progressive.mov", "hybrid.mp4", "encrypted-cenc.mp4", "hevc-fragmented.mp4", "pcm.mov"] {
    for single in [false, true] {
      let source = try FileSource(Path(Array("/work/main/TestVectors/files/\(name)".utf8))!)
      let movie = try TimedMovie(reading: [source])
      var options = Packager.Options()
      options.storage = single ? .singleFile : .separateFiles
      options.segmentDuration = MediaTime(2, 1)
      let plan = try Packager(options).plan([movie])
      for finding in plan.findings { print(name, finding) }
      for notice in plan.notices { print(notice) }
      for file in plan.files {
        let sink = MemorySink()
        try plan.write(file, to: sink)
        #expect(sink.bytes.count == file.byteCount)
        let out = "/tmp/hls/\(name)\(single ? "-single" : "")/\(file.path)"
        let output = try OutputFile(Path(Array(out.utf8))!, options: OutputFile.Options())
        try output.write(sink.bytes)
        try output.commit()
      }
    }
  }
}
