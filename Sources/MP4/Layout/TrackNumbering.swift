import ISOBMFF

/// The IDs and alternate groups of the tracks of several movies in one, so that they mean what they did.
struct TrackNumbering {
  /// The IDs of all tracks.
  private(set) var ids: [UInt32] = []
  /// The alternate groups of all tracks.
  private(set) var alternateGroups: [Int16] = []

  /// Tracks keep their ID unless one of a movie before has it.
  init(_ groups: [MovieGroup]) {
    var used: Set<UInt32> = []
    for group in groups {
      // IDs of later tracks of this movie are not given away.
      var taken = used.union(group.movie.tracks.map(\.id))
      for track in group.movie.tracks {
        let isTaken = used.contains(track.id)
        let id = isTaken ? (1...).lazy.map(UInt32.init).first { !taken.contains($0) } ?? track.id : track.id
        taken.insert(id)
        ids.append(id)
      }
      used.formUnion(ids)
    }
    numberAlternates(groups)
  }

  /// The same number in two movies means alternatives, as of two languages, only where the kind of media is the same.
  private mutating func numberAlternates(_ groups: [MovieGroup]) {
    var known: [(original: Int16, handlers: Set<FourCC>, number: Int16)] = []
    for group in groups {
      let tracks = group.movie.tracks
      var numbers: [Int16: Int16] = [:]
      for original in Set(tracks.map(\.alternateGroup)).sorted() where original != 0 {
        let handlers = Set(tracks.filter { $0.alternateGroup == original }.map(\.handler))
        if let same = known.first(where: { $0.original == original && !$0.handlers.isDisjoint(with: handlers) }) {
          numbers[original] = same.number
          continue
        }
        let taken = Set(known.map(\.number))
        let number = taken.contains(original) ? (1...Int16.max).first { !taken.contains($0) } : original
        numbers[original] = number ?? original
        known.append((original, handlers, number ?? original))
      }
      alternateGroups += tracks.map { numbers[$0.alternateGroup] ?? 0 }
    }
  }
}
