extension Specification {
  /// An example of a specification, to be adapted to the current edition of the document it follows.
  public struct Example: Sendable {
    /// Its name, such as `youtube`.
    public let name: String
    /// What it is for, as a phrase.
    public let purpose: String
    /// The specification.
    public let text: String

    fileprivate init(_ name: String, _ purpose: String, source: String, _ requirements: String) {
      (self.name, self.purpose) = (name, purpose)
      text = """
        # An example of a specification: \(purpose).
        # It follows \(source).
        # Only the current edition of that document counts; adapt this file to it.

        \(requirements)

        """
    }
  }

  private static let pcm =
    "[\"PCM 16 bits signed, little endian\", \"PCM 24 bits signed, little endian\", "
    + "\"PCM 16 bits signed, big endian\", \"PCM 24 bits signed, big endian\"]"

  /// The examples.
  public static let examples = [
    Example(
      "youtube", "video to upload to YouTube", source: "\"Recommended upload encoding settings\" of YouTube Help",
      """
      layout = "progressive"
      container.moov = "first"
      tracks[*].edits missing

      video.count = 1
      video.codec = "H.264 High"
      video.scan = "progressive"
      video.chroma = "4:2:0"
      video.frame_rate in [24, 25, 30, 48, 50, 60, 23.976, 29.97, 47.952, 59.94]
      warn video.colors = "BT.709"
      # Closed GOPs of half the frame rate.
      warn video.groups.open = 0
      warn video.groups.longest_seconds in ..0.501

      audio[1].codec = "AAC LC"
      audio[*].sample_rate in [48000, 96000]
      audio[1].layout in ["stereo", "5.1"]
      """),
    Example(
      "apple-hls", "video to be packaged as HLS for Apple devices",
      source: "\"HLS authoring specification for Apple devices\"",
      """
      video.count = 1
      video.codec in ["H.264 Constrained Baseline", "H.264 Main", "H.264 High", "H.265 Main", "H.265 Main 10"]
      video.scan = "progressive"
      video.frame_rate in ..60
      video.encryption missing
      # Segments start at keyframes, which are two seconds apart.
      warn video.groups.longest_seconds in ..2.05
      warn video.colors present

      audio.count in 1..
      audio[*].codec in ["AAC LC", "HE-AAC", "HE-AAC v2", "AC-3", "E-AC-3", "Apple Lossless", "FLAC", "xHE-AAC"]
      warn audio[1].layout = "stereo"
      warn audio[*].sample_rate = 48000
      warn audio[*].language present
      """),
    Example(
      "prores-master", "a master in ProRes 422 HQ with a start timecode",
      source: "\"Video and Audio Asset Guide\" of Apple, for HD video",
      """
      container.brand = "qt"
      video.count = 1
      video.codec = "ProRes 422 HQ"
      video.width = 1920
      video.height = 1080
      video.pixel_aspect = "1:1"
      video.frame_rate in [23.976, 24, 25, 29.97]
      video.colors = "BT.709"
      warn video.scan = "progressive"

      audio.count in 1..
      audio[*].codec in \(pcm)
      audio[*].sample_rate = 48000
      audio[*].layout in ["mono", "stereo", "5.1"]

      # An agreement between the parties, not part of the guide.
      warn timecode.start in ["01:00:00:00", "01:00:00;00", "10:00:00:00"]
      """),
    Example(
      "ebu-r123", "the audio tracks of programmes that broadcasters exchange",
      source: "EBU R 123, \"EBU Audio Track Allocation for File Exchange\"",
      """
      # Each channel is a track. Which track has which sound is in the tables of the recommendation, and cannot be tested.
      audio.count in [2, 4, 8, 12, 16]
      audio[*].channels = 1
      audio[*].sample_rate = 48000
      audio[*].codec in \(pcm)
      # Tracks start together.
      audio[*].start_seconds = 0
      """),
    Example(
      "audiobook", "an audiobook in M4B", source: "what players of audiobooks use: chapters, cover and tags",
      """
      container.moov = "first"
      container.brand in ["M4B ", "M4A ", "mp42"]
      audio.count = 1
      audio.codec = "AAC LC"
      audio.sample_rate in [44100, 48000]
      audio.channels in 1..2
      audio.bit_rate in 48000..
      chapters.count in 2..
      covers.count in 1..
      metadata.title present
      metadata.artist present
      warn metadata.album present
      warn audio.language present
      """),
  ]
}
