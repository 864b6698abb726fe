import Foundation
import MP4ToolkitFoundation
import Support
import Testing

@Suite("URLs, data and errors of Foundation")
struct FoundationTests {
  private let folder: Support.TemporaryFolder
  init() throws { folder = try Support.TemporaryFolder() }
  private func url(_ name: String) -> URL { URL(fileURLWithPath: folder(name)) }
  private let vector = URL(fileURLWithPath: vectorPath("files/fragmented.mp4"))

  @Test("Files are named by URLs, also with other characters")
  func urls() async throws {
    let name = "Übung 50% #1.mp4"
    let diagnostics = try await Defragmenter().run([FileSource.open(vector)], to: url(name))
    #expect(diagnostics.allSatisfy { $0.severity < .error } && namesInFolder(folder("")) == [name])
    let movie = try await Movie(reading: [url(name)])
    #expect(movie.tracks.count == 2 && movie.name == folder(name))
    try await Packager().run([FileSource.open(url(name))], toFolder: url("hls"))
    #expect(namesInFolder(folder("hls")).contains("master.m3u8"))
    try writeFile(folder("copy.mp4"), readFile(vectorPath("files/fragmented.mp4")))
    try await Defragmenter().run(inPlace: url("copy.mp4"))
    #expect(try await Movie(reading: [url("copy.mp4")]).duration == movie.duration)
  }

  @Test("A URL of a server is not a file")
  func servers() async throws {
    let server = try #require(URL(string: "https://example.com/a.mp4"))
    let error = await #expect(throws: MovieError.self) { try await Movie(reading: [server]) }
    #expect(error?.errorDescription?.contains("https://example.com/a.mp4") == true)
    await #expect(throws: MovieError.self) { try await Defragmenter().run([FileSource.open(vector)], to: server) }
  }

  @Test("Data is read without a copy, and slices of it too")
  func data() async throws {
    let bytes = try Data(contentsOf: vector)
    let slice = (Data([1, 2, 3]) + bytes + Data([4, 5])).dropFirst(3).dropLast(2)
    let expected = try await Defragmenter().run(inMemory: [FileSource.open(vector)]).bytes
    for source in [DataSource(bytes), .data(slice, name: "slice")] {
      #expect(try await Defragmenter().run(inMemory: [source]).bytes == expected)
      #expect(try await MediaThread.run { try source.bytes(in: bytes.count - 2..<bytes.count + 5) }.count == 2)
    }
    let ranges = AsyncSource.ranges(name: "a", byteCount: bytes.count) { bytes.subdata(in: $0) }
    #expect(Data(try await Defragmenter().run(inMemory: [ranges]).bytes) == Data(expected))
  }

  @Test("Errors describe themselves to people, without commands")
  func errors() async throws {
    try writeFile(folder("empty.mp4"), [])
    try writeFile(folder("cut.mp4"), Array(readFile(vectorPath("files/progressive-moov-last.mp4")).prefix(1000)))
    var descriptions: [String] = []
    for name in ["missing.mp4", "empty.mp4", "cut.mp4"] {
      do { _ = try await Movie(reading: [url(name)]) } catch {
        descriptions.append(error.localizedDescription)
        let localized = try #require(error as? any LocalizedError)
        #expect(localized.errorDescription == error.localizedDescription && localized.failureReason != nil)
        #expect((localized.recoverySuggestion != nil) == (name != "missing.mp4"))
        if name == "empty.mp4" {
          #expect(localized.failureReason == "the file is empty")
          #expect(localized.recoverySuggestion == "Copy or download it again.")
        }
      }
    }
    #expect(
      descriptions == [
        "\(folder("missing.mp4")): cannot open: no such file or directory",
        "\(folder("empty.mp4")): the file is empty; copy or download it again",
        "\(folder("cut.mp4")): the file is cut off before its moov box, which is needed to locate samples; copy or "
          + "download it again",
      ])
    let remedies: [Remedy] = [
      .recover, .recoverWithReference, .defragment, .fragment, .streamFragments, .savePresentation, .concatenate,
      .allowDifferences, .renamingSampleEntries(to: "hvc1"), .writeNewFile, .writeOtherTracks, .extractEachTrack,
      .extractRaw, .decrypt, .extractAllBoxes, .allowOutside,
    ]
    for suggestion in remedies.map(\.suggestion) {
      #expect(!suggestion.contains("--") && !suggestion.contains("mp4tool") && suggestion.hasSuffix("."))
    }
  }

  @Test("Every error of the library describes itself")
  func conformances() throws {
    let own = String(decoding: try readFile(repository + "/Sources/MP4ToolkitFoundation/Errors.swift"), as: UTF8.self)
    var count = 0
    for target in namesInFolder(repository + "/Sources") where !["mp4tool", "Serving"].contains(target) {
      for path in filesBelow(repository + "/Sources/" + target) where path.hasSuffix(".swift") {
        let lines = String(decoding: try readFile(path), as: UTF8.self).split(separator: "\n")
        for line in lines {
          let words = line.split { $0 == " " || $0 == ":" || $0 == "," }
          guard words.first == "public", words.count > 3, ["enum", "struct"].contains(words[1]),
            words[3...].contains("Error")
          else { continue }
          count += 1
          #expect(own.contains("\(words[2]): DescribedError"), "\(path): \(words[2])")
        }
      }
    }
    #expect(count > 15)
  }
}
