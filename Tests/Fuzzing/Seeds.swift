// Writes small files of random fragments as seeds for `Tests/Fuzzing/run`: `random-files FOLDER COUNT`.
import Glibc
import Support

@main
enum Seeds {
  static func main() {
    let words = CommandLine.arguments
    guard words.count == 3, let count = UInt64(words[2]) else { exit(64) }
    for seed in 0..<count {
      let bytes = RandomFiles.file(seed).bytes
      guard let file = fopen("\(words[1])/random-\(seed)", "w") else { exit(73) }
      fwrite(bytes, 1, bytes.count, file)
      fclose(file)
    }
  }
}
