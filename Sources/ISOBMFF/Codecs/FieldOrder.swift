/// The order of the fields of interlaced pictures.
public enum FieldOrder: String, Sendable, CaseIterable {
  /// The field with the first line is presented first.
  case topFirst = "tff"
  /// The field with the second line is presented first.
  case bottomFirst = "bff"
  /// Both are presented at the same time, or pictures have no fields.
  case progressive

  /// That of `pic_struct`: ISO/IEC 14496-10, table D-1; `nil` for reserved values.
  init?(pictureStructure: Int) {
    switch pictureStructure {
    case 0, 7, 8: self = .progressive
    case 1, 3, 5: self = .topFirst
    case 2, 4, 6: self = .bottomFirst
    default: return nil
    }
  }
}
