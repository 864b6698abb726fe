import MP4Toolkit

// A client of the libraries, as an app would write it. CI runs an optimized build, because the compiler treats
// asynchronous code of other packages differently there.

@main
struct Client {
  private struct Failure: Error, Equatable { let status: Int }

  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 else { fatalError("usage: client INPUT FOLDER") }
    let (input, folder) = (arguments[1], arguments[2])
    let output = "\(folder)/whole.mp4"

    let movie = try await Movie(reading: [input])
    let bytes = try await movie.tracks[0].samples.bytes(of: 0..<10)
    print("read:", movie.tracks.count, "tracks,", bytes.reduce(0) { $0 + $1.count }, "bytes")

    let source = try FileSource.open(input)
    try await Defragmenter().run([source], to: output) { progress in
      if progress.fraction == 1 { print("written") }
    }
    let (copy, _) = try await Defragmenter().run(inMemory: [source])
    print("equal:", try await FileSource.open(output).bytes(in: 0..<copy.count) == copy)

    let remote: AsyncSource = .ranges(name: "remote", byteCount: copy.count) { range in
      try await Task.sleep(for: .milliseconds(1))
      return Array(copy[range])
    }
    let counts = try await Movie(reading: [remote]).tracks.map(\.samples.count)
    print("remote:", counts == movie.tracks.map(\.samples.count))
    try await Packager().run([remote], toFolder: "\(folder)/hls")
    let findings = try await Check().run([source]).findings
    print("packaged; findings:", findings.count)

    let broken: AsyncSource = .ranges(name: "broken", byteCount: copy.count) { _ in throw Failure(status: 503) }
    do { _ = try await Movie(reading: [broken]) } catch let error as MovieError {
      print("status:", (error.underlying as? Failure)?.status ?? 0)
    }

    let slow: AsyncSource = .ranges(name: "slow", byteCount: copy.count) { range in
      try await Task.sleep(for: .seconds(3600))
      return Array(copy[range])
    }
    let task = Task { try await Defragmenter().run([slow], to: "\(folder)/never.mp4") }
    try await Task.sleep(for: .milliseconds(50))
    task.cancel()
    do { _ = try await task.value } catch { print("cancelled:", error is CancellationError) }
  }
}
