import Support
import Testing

@Suite("dump, end to end")
struct CLIDumpTests {
  @Test(
    "A file that is not MP4 is an error, not a box",
    arguments: [
      ("printf 'this is plain text, and more of it\\n'", "this is not an MP4 file: "),
      ("head -c 5000 /bin/sh", "this is not an MP4 file: "),
      ("printf abc", "this is not an MP4 file: "), ("printf ''", "the file is empty"),
    ])
  func notMP4(maker: String, reason: String) throws {
    let shell = try EndToEnd()
    for format in ["text", "json"] {
      let file = try shell("\(maker) > odd; mp4tool dump --format \(format) odd")
      #expect(file.exitCode == 65)
      let isJSON = format == "json"
      #expect(file.text.hasPrefix(isJSON ? "[\n{\"error\":{\"message\":\"odd: \(reason)" : ""))
      #expect(file.text.isEmpty == !isJSON)
      #expect(file.errorText.hasPrefix("mp4tool: odd: \(reason)"))
      let pipe = try shell("\(maker) | mp4tool dump --format \(format) -")
      #expect(pipe.exitCode == 65)
      #expect(pipe.text.hasPrefix(isJSON ? "[\n{\"error\":{\"message\":\"standard input: \(reason)" : ""))
      #expect(pipe.text.isEmpty == !isJSON)
      #expect(pipe.errorText.hasPrefix("mp4tool: standard input: \(reason)"))
    }
  }

  @Test("A damaged file is shown, and one line names the file, the box and the byte")
  func damage() throws {
    let shell = try EndToEnd()
    let result = try shell("head -c 30000 in.mp4 > cut.mp4; mp4tool dump cut.mp4")
    #expect(result.exitCode == 1)
    #expect(result.text.hasPrefix("[ftyp] size=8+20\n"))
    #expect(
      result.errorText
        == "mp4tool: cut.mp4: moof[3]: size at byte 29385 is 752 but 615 bytes are left "
        + "(and 2 more, marked in the dump)\n"
    )
    #expect(try shell("mp4tool dump --quiet cut.mp4 2>&1 >/dev/null").text == result.errorText)
    let pipe = try shell("cat cut.mp4 | mp4tool dump -")
    #expect(pipe.exitCode == 1)
    #expect(pipe.errorText.hasPrefix("mp4tool: standard input: moof[3]"))
  }

  @Test("Each of several files has its name above it, with control characters escaped")
  func severalFiles() throws {
    let shell = try EndToEnd()
    let result = try shell(
      #"""
      cp in.mp4 $'new\nline'; cp in.mp4 $'\e[2J'; cp in.mp4 $'\xff\xfe'; cp in.mp4 -- -o
      mp4tool dump -- in.mp4 $'new\nline' $'\e[2J' $'\xff\xfe' -o > all
      grep -a '==>' all; mp4tool dump in.mp4 > one
      for i in 1 2 3 4 5; do echo "==> <=="; cat one; test $i = 5 || echo; done > want
      sed 's/==> .* <==/==> <==/' all | cmp - want && echo same
      """#)
    #expect(
      result.lines == [
        "==> in.mp4 <==", #"==> new\nline <=="#, #"==> \x1b[2J <=="#, #"==> \xff\xfe <=="#, "==> -o <==", "same",
      ])
    #expect(result.errorText == "")
  }

  @Test("Unreadable files do not prevent output for the others; the exit code is the highest that applies")
  func goesOn() throws {
    let shell = try EndToEnd()
    let setting = "head -c 30000 in.mp4 > cut.mp4; echo plain text > text; mkdir sub;"
    for (files, code) in [
      ("none in.mp4 text", 66), ("text none in.mp4", 66), ("text in.mp4", 65), ("cut.mp4 none in.mp4", 66),
      ("sub in.mp4", 66),
      ("cut.mp4 in.mp4", 1), ("in.mp4 in.mp4", 0),
    ] as [(String, Int32)] {
      let text = try shell("\(setting) mp4tool dump \(files)")
      #expect(text.exitCode == code)
      let shown = files.split(separator: " ").filter { ["in.mp4", "cut.mp4"].contains($0) }
      #expect(text.lines.filter { $0.hasPrefix("==>") } == shown.map { "==> \($0) <==" })
      #expect(text.text.hasPrefix("==> "))
      let json = try shell("\(setting) mp4tool dump --format json \(files) > out; code=$?; cat out; exit $code")
      #expect(json.exitCode == code)
      for file in files.split(separator: " ") { #expect(json.text.contains("\n{\"file\":\"\(file)\",\"boxes\":[")) }
      for file in files.split(separator: " ") where !shown.contains(file) {
        #expect(json.text.contains("\n{\"file\":\"\(file)\",\"boxes\":[\n{\"error\":{\"message\":\""))
      }
    }
  }

  @Test(
    "JSON is valid for one file, several, odd names and damaged files",
    .enabled(if: jsonReader != nil, "neither jq nor python3 is installed"))
  func json() throws {
    let shell = try EndToEnd()
    let reader = try #require(jsonReader)
    let result = try shell(
      #"""
      head -c 30000 in.mp4 > cut.mp4; cp in.mp4 $'new\n"line\\'; cp in.mp4 $'\xff\xfe'; echo text > text
      valid() { mp4tool dump --format json "$@" 2>/dev/null > out; echo $? $(\#(reader) < out >/dev/null && echo valid); }
      valid in.mp4; valid cut.mp4; valid in.mp4 cut.mp4; valid $'new\n"line\\' $'\xff\xfe'; valid none in.mp4 text
      valid none text; valid - < in.mp4; cat in.mp4 | valid - in.mp4
      """#)
    #expect(
      result.lines == [
        "0 valid", "1 valid", "1 valid", "0 valid", "66 valid", "66 valid", "0 valid", "0 valid",
      ])
  }
}

/// A program that fails if its input is not JSON.
let jsonReader: String? =
  which("jq") != nil ? "jq ." : which("python3") != nil ? "python3 -m json.tool" : nil
