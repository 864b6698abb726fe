import ISOBMFF
import MP4
import MP4Bytes

/// The tracks of each rendition of a live movie.
///
/// Players play only one sound of a rendition, and a playlist has one key at a time. So a movie with several sounds, or
/// with tracks that have different keys, is divided into renditions.
struct LiveTracks {
  /// The tracks of the main rendition: all that are in no other one.
  private(set) var main: [Int]
  /// The sounds that players choose from; empty if all tracks are in the main rendition. The first one is in the main
  /// rendition if there is no video; it has no folder.
  private(set) var sounds: [(track: Int, member: GroupMember)] = []

  /// `isDivided` is whether the presentation already has several renditions.
  init(_ movie: LiveMovie, isDivided: Bool) throws(MovieError) {
    let all = movie.movie.tracks
    main = Array(all.indices)
    let sounds = all.indices.filter { all[$0].handler == "soun" }
    let hasVideo = all.contains { $0.handler == "vide" }
    let keyIDs = all.indices.filter { ["vide", "soun"].contains(all[$0].handler) }
      .reduce(into: Set<[UInt8]>()) { $0.formUnion(movie.keyIDs(ofTrack: $1)) }
    guard sounds.count > 1 || !sounds.isEmpty && (isDivided || hasVideo && keyIDs.count > 1) else { return }
    let tracks = try movie.readTracks()
    var folders = Packager.FolderNames()
    for (number, index) in sounds.enumerated() {
      let track = tracks.first { $0.id == all[index].id }
      let language = try track?.readLanguage().map(LanguageTag.shortest)
      let folder = folders.next("audio" + Packager.suffix(language))
      let isMain = number == 0 && !hasVideo
      let configurations = try movie.decoderConfigurations(ofTrack: index)
      let member = GroupMember(
        kind: .audio, folder: isMain ? "" : folder, language: language, name: try track?.readName(),
        roles: Set(try track?.readRoles() ?? []), codecs: track?.codecs ?? [],
        channels: configurations.lazy.compactMap(\.sound).first?.channels, inputs: [0])
      if !isMain { main.removeAll { $0 == index } }
      self.sounds.append((index, member))
    }
  }
}
