import MP4Bytes
import MP4FileIO
import Testing

@testable import mp4tool

@Suite("Arguments that name subtitles")
struct SubtitleFileTests {
  private func read(_ word: String) -> SubtitleFile? { SubtitleFile(Argument(word)) }

  @Test("An argument has a language, a file, and properties")
  func parts() throws {
    let plain = try #require(read("en=a/b.vtt"))
    #expect(plain.language == "en" && plain.path == "a/b.vtt" && plain.name == nil && !plain.isDefault)
    let all = try #require(read("zh-Hant-TW=x.srt,name=A, B=C,default,forced,sdh"))
    #expect(all.language == "zh-Hant-TW" && all.path == "x.srt" && all.name == "A, B=C")
    #expect(all.isDefault && all.isForced && all.describesSounds && all.encoding == nil)
    let encoded = try #require(read("ja=a,b.srt,encoding=shift_jis,name=A"))
    #expect(encoded.path == "a,b.srt" && encoded.encoding == "shift_jis" && encoded.name == "A")
    #expect(read("x,y.srt,sdh")?.path == "x,y.srt" && read("x.srt")?.language == nil)
    // Without a valid language, the prefix is part of the file name.
    #expect(read("12=x.srt")?.path == "12=x.srt" && read("en=fr=x.srt")?.path == "fr=x.srt")
  }

  @Test(
    "An argument without a file, with an empty name or with an unknown word after a known one is invalid",
    arguments: ["", "en=", ",default", "en=,sdh", "a.srt,name=", "a.srt,default,x", "a.srt,name=a\"b"])
  func none(word: String) { #expect(read(word) == nil) }

  @Test("A repeatable option accepts several values, including duplicates")
  func repeated() throws {
    let option = Option.repeated("subtitles", placeholder: "FILE", as: SubtitleFile.self, help: "A file.")
    let command = Command(
      name: "sample", summary: "try", operands: [], description: [], options: [option], examples: [],
      run: { _, _ in .done })
    var parser = ArgumentParser(command, commandNames: [])
    let words = ["--subtitles", "en=a.vtt", "--subtitles=b.vtt", "--subtitles", "en=a.vtt"].map { Argument($0) }
    guard case .run(let arguments) = try parser.parse(words) else { throw UsageError("not to be run") }
    #expect(arguments[option].map(\.path) == ["a.vtt", "b.vtt", "a.vtt"])
    var none = ArgumentParser(command, commandNames: [])
    guard case .run(let empty) = try none.parse([]) else { throw UsageError("not to be run") }
    #expect(empty[option].isEmpty)
  }
}
