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
    var handlers: [Int16: Set<FourCC>] = [:]
    for group in groups {
      let tracks = group.movie.tracks
      var numbers: [Int16: Int16] = [0: 0]
      for number in Set(tracks.map(\.alternateGroup)).sorted() where number != 0 {
        let own = Set(tracks.filter { $0.alternateGroup == number }.map(\.handler))
        let isOther = handlers[number].map { $0.isDisjoint(with: own) } ?? false
        let taken = Set(handlers.keys).union(tracks.map(\.alternateGroup)).union(numbers.values)
        numbers[number] = isOther ? (1...Int16.max).first { !taken.contains($0) } ?? number : number
      }
      alternateGroups += tracks.map { numbers[$0.alternateGroup] ?? $0.alternateGroup }
      for (track, number) in zip(tracks, alternateGroups.suffix(tracks.count)) where number != 0 {
        handlers[number, default: []].insert(track.handler)
      }
    }
  }
}
