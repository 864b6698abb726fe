import MP4
import MP4Bytes

/// The name of a sample entry: `hvc1`.
struct SampleEntryName: OptionValue {
  static let expectation = offered.joined(separator: ", ")
  static let offered = MovieEditor.sampleEntryNames.map(\.description)
  let name: FourCC

  init?(_ word: Argument) {
    guard let name = MovieEditor.sampleEntryNames.first(where: { $0.description == word.text }) else { return nil }
    self.name = name
  }
}
