import ISOBMFF
import MP4

/// A rendition of a group, and the properties by which users and players choose it.
struct GroupMember {
  let kind: PackagedRendition.Kind
  /// The folder of its files.
  var folder: String
  /// Its BCP 47 language.
  var language: String?
  /// The name that the author of its track gave it, and the roles of the track.
  var name: String?
  var roles: Set<Track.Role>
  var codecs: [String]
  /// What was said about it.
  var attributes = Packager.RenditionAttributes()
  /// The CHANNELS attribute.
  var channels: String?
  /// The numbers of the inputs with its samples.
  var inputs: Set<Int>
  /// The bit rate of its samples.
  var bitRate = 0
  var duration = Duration.zero
}

extension PackagedRendition {
  /// The CHANNELS attribute.
  var channels: String? { configurations.lazy.compactMap(\.sound).first?.channels }
  /// Itself as a member of a group.
  var member: GroupMember {
    let bytes = fragments.segments.reduce(0) { sum, segment in segment.tracks.reduce(sum) { $0 + $1.byteCount } }
    let duration = fragments.playlistDuration
    return GroupMember(
      kind: kind, folder: folder, language: language, name: name, roles: roles, codecs: codecs,
      attributes: attributes, channels: channels, inputs: inputs,
      bitRate: Bandwidth([(bytes, duration)], targetDuration: .seconds(1)).average, duration: duration)
  }
}
