/// Reads the sample groups and auxiliary information of a sample table: `sgpd`, `sbgp`, `saiz` and `saio`.
struct SampleInformationReader {
  /// By group type, the description of each sample that `sbgp` covers.
  private var groups: [String: [[UInt8]?]] = [:]
  /// By group type, the description of the samples that `sbgp` does not cover.
  private var defaults: [String: [UInt8]] = [:]
  private var auxiliary: [[UInt8]] = []

  init(_ table: BoxBytes) throws { try self.init(boxes: table, base: 0, table: nil) }

  /// Reads those of a track fragment, whose offsets are relative to its `moof`. `table` has the group descriptions in
  /// `moov`.
  init(_ traf: BoxBytes, in moof: BoxBytes, table: BoxBytes?) throws {
    try self.init(boxes: traf, base: moof.start, table: table)
  }

  private init(boxes table: BoxBytes, base: Int, table movieTable: BoxBytes?) throws {
    var descriptions: [String: [[UInt8]]] = [:]
    var local: [String: [[UInt8]]] = [:]
    for (number, boxes) in try [movieTable?.children() ?? [], table.children()].enumerated() {
      var own: [String: [[UInt8]]] = [:]
      for box in boxes where box.type == "sgpd" {
        let type = try Self.type(box)
        guard own[type] == nil else { throw ReadingError("there are two sgpd of \(type)") }
        let list = try Self.descriptions(box)
        own[type] = list
        let index = try box.version >= 2 ? box.number(12) : 0
        if index > 0 { defaults[type] = list[index - 1] }
      }
      // Without a movie table, these are the descriptions of a sample table; otherwise the fragment's own indices start
      // at 0x10001.
      if number == 0 || movieTable == nil { descriptions.merge(own) { $1 } }
      if number == 1 { local = own }
    }
    for box in try table.children() where box.type == "sbgp" {
      let type = try Self.type(box)
      guard groups[type] == nil else { throw ReadingError("there are two sbgp of \(type)") }
      groups[type] = try box.rows(2, countAt: try box.version == 1 ? 12 : 8).flatMap { row -> [[UInt8]?] in
        let list = (row[1] > 0x1_0000 ? local : descriptions)[type] ?? []
        let index = row[1] > 0x1_0000 ? row[1] - 0x1_0000 : row[1]
        guard index <= list.count else { throw ReadingError("sbgp of \(type) names the group \(row[1])") }
        return Array(repeating: index == 0 ? nil : list[index - 1], count: row[0])
      }
    }
    if let sizes = try table.first("saiz") { auxiliary = try Self.auxiliary(sizes, table.one("saio"), base: base) }
  }

  /// The group type.
  private static func type(_ box: BoxBytes) throws -> String {
    String(decoding: big(UInt32(try box.number(4))), as: Unicode.UTF8.self)
  }

  private static func descriptions(_ box: BoxBytes) throws -> [[UInt8]] {
    guard try box.version >= 1 else { throw ReadingError("sgpd of version 0 does not say how long its entries are") }
    let common = try box.number(8)
    var offset = try box.version >= 2 ? 16 : 12
    let count = try box.number(offset)
    offset += 4
    return try (0..<count).map { _ in
      var length = common
      if common == 0 {
        length = try box.number(offset)
        offset += 4
      }
      defer { offset += length }
      return try (0..<length).map { UInt8(try box.number(offset + $0, 1)) }
    }
  }

  /// The bytes of each sample, which are stored consecutively from one offset on.
  private static func auxiliary(_ sizes: BoxBytes, _ offsets: BoxBytes, base: Int) throws -> [[UInt8]] {
    let start = try sizes.flags & 1 == 0 ? 4 : 12
    let (common, count) = (try sizes.number(start, 1), try sizes.number(start + 1))
    let first = try offsets.flags & 1 == 0 ? 4 : 12
    guard try offsets.number(first) == 1 else { throw ReadingError("saio has more than one offset") }
    var place = try base + offsets.number(first + 4, try offsets.version == 0 ? 4 : 8)
    return try (0..<count).map { index in
      let end = place + (common > 0 ? common : try sizes.number(start + 5 + index, 1))
      guard end <= sizes.file.count else { throw ReadingError("auxiliary information lies at \(place)") }
      defer { place = end }
      return Array(sizes.file[place..<end])
    }
  }

  /// The descriptions of the groups of a sample.
  func groups(of index: Int) -> [String: [UInt8]] {
    var result = defaults
    for (type, list) in groups where index < list.count { result[type] = list[index] }
    return result
  }

  /// The auxiliary information of a sample; empty if there is none.
  func auxiliary(of index: Int) -> [UInt8] { index < auxiliary.count ? auxiliary[index] : [] }
}
