import ISOBMFF
import MP4
import MP4Bytes

extension Rule {
  /// All of the media, if it is verified.
  static let media: [Rule] = [
    .media(
      "media-units", .nalVideo, .error, [.units],
      "NAL units, OBUs and frames of video fill their samples and have valid headers."
    ).explained(by: "nal-length-size", "nal-length-fit", "iso-chunk-media", "iso-run-media", "iso-sample-shared"),
    .media("media-start-codes", .nalVideo, .error, [.startCodes], "NAL units contain no start codes.")
      .explained(by: "media-units", "iso-samples-zero"),
    .media(
      "media-parameter-sets", .nalVideo, .error, [.parameterSets],
      "Parameter sets and sequence headers are valid, and those of all pictures are present."),
    .media("media-headers", .nalVideo, .error, [.headers], "Slice and frame headers have possible values."),
    .media(
      "media-pictures", .nalVideo, .error, [.pictures],
      "Samples of video consist of one picture, from its first slice on."),
    .media("media-references", .nalVideo, .error, [.references], "The reference pictures of all pictures are present."),
    .media(
      "media-sync", .nalVideo, .warning, [.sync], "Pictures at which decoding can start are marked as sync samples."),
    .media(
      "media-frames", .practice, .error, [.frames], "Frames of audio, and images, have the syntax of their codec."
    ).explained(by: "iso-chunk-media", "iso-run-media"),
    .media("media-checksums", .practice, .error, [.checksums], "The checksums of frames match their data."),
    .media(
      "media-sound", .practice, .warning, [.sound], "Uncompressed audio is not interrupted by zeros and is not noise."),
    .media("media-text", .text, .error, [.text], "Samples of text and timecodes have the syntax of their format."),
    .media("media-zeros", .practice, .error, [.zeros], "Coded media does not contain blocks of zeros.")
      .explained(by: "iso-samples-zero"),
    .media("media-repeats", .practice, .warning, [.repeats], "Blocks of coded video do not occur twice."),
    .media("media-coded-data", .nalVideo, .error, [.codedData], "The data of slices can be decoded."),
    .movie("media-unused", .practice, .note, "All bytes of media data belong to samples.") { movie, report in
      guard let use = movie.use else { return }
      for (index, file) in movie.files.enumerated() where file.fragments.isEmpty && !file.hasItems {
        for box in file.places where box.type == "mdat" {
          // Writers reserve the first bytes for a 64-bit size.
          for hole in use.holes(in: box.payload, ofFile: index) ?? []
          where hole.lowerBound > box.payload.lowerBound || hole.count > 16 {
            report.add(
              "\(counted(hole.count, "byte")) at byte \(hole.lowerBound) "
                + "belong\(hole.count == 1 ? "s" : "") to no sample",
              path: box.path, offset: box.offset, file: file.name)
          }
        }
      }
    }.withMedia(),
  ]
}

extension CheckedFile {
  /// Whether media data can belong to metadata items.
  fileprivate var hasItems: Bool { first("meta") != nil }
}
