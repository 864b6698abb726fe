import Support
import Testing

/// All code in the documentation is compiled and tested: every Swift block in an article or a declaration comment is
/// copied from between two markers in the sources of these tests, `// snippet: NAME` and `// end`.
@Suite("Swift in the documentation")
struct DocumentationTests {
  /// A code block of an article, and the line where it begins.
  private struct Block {
    var place: String
    var lines: [Substring]
  }

  private func lines(_ path: String) throws -> [Substring] {
    String(decoding: try readFile(path), as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
  }

  private func pages() -> [String] {
    [repository + "/README.md"] + filesBelow(repository + "/Sources").filter { $0.hasSuffix(".md") }
  }

  /// The sources of the library.
  private func sources() -> [String] {
    filesBelow(repository + "/Sources").filter { $0.hasSuffix(".swift") && !$0.contains("/Sources/mp4tool/") }
  }

  /// The lines of an article, or of the declaration comments of a source as they are displayed.
  private func text(of page: String) throws -> [Substring] {
    let lines = try lines(page)
    guard page.hasSuffix(".swift") else { return lines }
    return lines.map { line in
      let comment = line.drop { $0 == " " }
      return comment.hasPrefix("///") ? comment.dropFirst(comment.hasPrefix("/// ") ? 4 : 3) : ""
    }
  }

  private func blocks() throws -> [Block] {
    var blocks: [Block] = []
    for page in pages() + sources() {
      var open: Block?
      for (number, line) in try text(of: page).enumerated() {
        if let block = open {
          if line == "```" { (blocks, open) = (blocks + [block], nil) } else { open?.lines.append(line) }
        } else if line == "```swift" {
          open = Block(place: "\(page.dropFirst(repository.count + 1)), line \(number + 1)", lines: [])
        }
      }
      #expect(open == nil, "\(page): a block has no end")
    }
    return blocks
  }

  private func snippets() throws -> [String: [Substring]] {
    var snippets: [String: [Substring]] = [:]
    for source in filesBelow(repository + "/Tests/MP4ToolkitTests/Programs") {
      var (name, indentation): (String?, Int) = (nil, 0)
      for line in try lines(source) {
        let text = line.drop { $0 == " " }
        if text.hasPrefix("// snippet: ") {
          let new = String(text.dropFirst("// snippet: ".count))
          #expect(name == nil && snippets[new] == nil, "\(source): \(new)")
          (name, indentation, snippets[new]) = (new, line.count - text.count, [])
        } else if text == "// end" {
          #expect(name != nil, "\(source): there is no marker before an end")
          name = nil
        } else if let name {
          snippets[name]?.append(line.dropFirst(indentation))
        }
      }
      #expect(name == nil, "\(source): \(name ?? "") has no end")
    }
    return snippets
  }

  @Test("Every code block is a program of these tests, and every program is in the documentation")
  func same() throws {
    let (blocks, snippets) = (try blocks(), try snippets())
    let programs = Set(snippets.values)
    for block in blocks { #expect(programs.contains(block.lines), "\(block.place): no test has this block") }
    let shown = Set(blocks.map(\.lines))
    for (name, lines) in snippets { #expect(shown.contains(lines), "no page has the program '\(name)'") }
    #expect(blocks.count >= snippets.count && !snippets.isEmpty)
  }

  @Test("Programs have at most twelve lines")
  func short() throws {
    for (name, lines) in try snippets() { #expect(lines.count <= 12, "\(name) has \(lines.count) lines") }
  }

  @Test("Links between articles lead to articles of the same catalog")
  func links() throws {
    for page in pages().dropFirst() {
      let names = namesInFolder("/" + page.split(separator: "/").dropLast().joined(separator: "/"))
      for line in try lines(page) {
        for link in line.split(separator: "<doc:").dropFirst() {
          let name = link.prefix { $0 != ">" }
          #expect(names.contains("\(name).md"), "\(page): \(name)")
        }
      }
    }
  }
}
