import MP4
import MP4Bytes
import MP4FileIO
import MP4HLS
import MP4Presentations

extension Rule {
  /// A package with a DASH manifest and HLS playlists.
  static let sameInBoth = presentation(
    "dash-hls", .dash(), .error,
    "A manifest and the multivariant playlist in its folder list the same segments, with the same durations, languages "
      + "and sizes."
  ) { main, presentation, report in
    guard let path = presentation.presentation.location?.path.flatMap({ Pathname($0) }),
      case .presentation(let other) = try? OpenedFolder(reading: path.folder), let otherMain = other.multivariant
    else { return }
    var (left, isShared) = (
      other.playlists.filter { $0.playlist?.isIFramesOnly == false && !$0.segments.isEmpty }, false
    )
    var missing: [OpenedPlaylist] = []
    // WebVTT is one file for DASH, and segments for HLS.
    for own in presentation.presentation.playlists where own.segments.contains(where: { $0.section != nil }) {
      guard let index = left.firstIndex(where: { $0.segments[0].place == own.segments.first?.place }) else {
        missing.append(own)
        continue
      }
      isShared = true
      let match = left.remove(at: index)
      let line = own.segments.first?.line
      let places = (own.segments.map(\.place), match.segments.map(\.place))
      let common = zip(places.0, places.1).prefix { $0 == $1 }.count
      if places.0.count != places.1.count || common < places.0.count {
        report.add(
          "it has \(counted(places.0.count, "segment")), but \(match.name) has \(places.1.count); the first "
            + "\(common == 1 ? "one is" : "\(common) are") the same", line: line, file: own.name)
      } else {
        let durations = zip(own.segments, match.segments).map { pair in
          (pair.0.declared.duration / .seconds(1), pair.1.declared.duration / .seconds(1))
        }
        if let index = durations.firstIndex(where: { ($0.0 - $0.1).magnitude > 0.05 }) {
          report.add(
            "segment \(index + 1) lasts \(seconds(durations[index].0)), but \(seconds(durations[index].1)) in "
              + match.name, line: line, file: own.name)
        }
      }
      let claims = otherMain.claims(of: match)
      for (name, own) in main.claims(of: own) {
        guard let match = claims.first(where: { $0.name == name })?.value, own != match else { continue }
        report.add("its \(name) is \(own ?? "unknown"), but \(match) in \(other.name)", line: line)
      }
    }
    // Another presentation in the same folder.
    guard isShared else { return }
    for own in missing {
      report.add("\(own.name) has other segments than each playlist of \(other.name)", line: own.segments.first?.line)
    }
    for match in left where match.segments.contains(where: { $0.section != nil }) {
      report.add("\(match.name) is in \(other.name), but not in the manifest")
    }
  }
}

extension MultivariantPlaylist {
  /// What it says about a playlist that manifests say too.
  fileprivate func claims(of playlist: OpenedPlaylist) -> [(name: String, value: String?)] {
    for role in playlist.roles {
      switch role {
      case .variant(let index):
        let rate = variants[index].frameRate.map { String(($0 * 1000).rounded() / 1000) }
        return [("size of pictures", variants[index].resolution?.description), ("frame rate", rate)]
      case .rendition(let index):
        let characteristics = renditions[index].characteristics?.split(separator: ",").sorted().joined(separator: ",")
        return [("language", renditions[index].language), ("characteristics", characteristics)]
      case .iFrames: continue
      }
    }
    return []
  }
}
