/// What a DASH manifest says about a representation, and HLS playlists do not.
package struct ManifestSource: Hashable, Sendable {
  /// When a segment starts.
  package struct Time: Hashable, Sendable {
    /// In seconds of the media.
    package var start: Double
    /// The difference that is allowed.
    package var tolerance: Double

    package init(start: Double, tolerance: Double) { (self.start, self.tolerance) = (start, tolerance) }
  }

  /// Its line.
  package var line: Int
  /// Its bit rate.
  package var bandwidth: Int
  /// Its codecs.
  package var codecs: [String] = []
  /// The seconds that are loaded at this bit rate before playback starts.
  package var buffer: Double
  /// The media time at which its first period starts, in seconds.
  package var origin = 0.0
  /// The times of its segments; empty if they are unknown.
  package var times: [Time] = []
  /// Whether the durations of segments are approximate.
  package var isApproximate = false
  /// The periods whose duration is not that of their segments: what differs.
  package var differences: [String] = []
  /// The location from which the manifest is loaded again; `nil` for the same.
  package var location: String?

  package init(line: Int, bandwidth: Int, buffer: Double) {
    (self.line, self.bandwidth, self.buffer) = (line, bandwidth, buffer)
  }
}

/// What a DASH manifest says as a whole.
package struct ManifestOutline: Hashable, Sendable {
  /// What the standard requires, and is missing or contradictory.
  package struct Problem: Hashable, Sendable {
    package var line: Int
    package var reason: String

    package init(line: Int, _ reason: String) { (self.line, self.reason) = (line, reason) }
  }

  /// For the URIs of streams, their lines.
  package var lines: [String: Int] = [:]
  package var problems: [Problem] = []

  package init() {}
}
