import Bytes
import ISOBMFF

/// What a movie box says of its samples besides their times, sizes and sync. Damage in it costs no sample.
extension MovieSamples {
  /// What else the movie box says of the samples of track `track`, as the boxes of a track fragment would, the types of
  /// those that are damaged, and the types of those for which fragments have no place.
  func information(_ track: Int) throws(MovieError) -> (
    boxes: InformationBoxes, damaged: Set<FourCC>, others: Set<FourCC>
  ) {
    let path = (track == 0 ? "moov/trak" : "moov/trak[\(track + 1)]") + "/mdia/minf/stbl/"
    var result = InformationBoxes()
    var damaged = short[track] ?? []
    var others: Set<FourCC> = []
    func add(_ box: Box) throws(MovieError) {
      do throws(MovieError) {
        if try !read(box, path + box.type.description, into: &result) { others.insert(box.type) }
      } catch {
        // The samples are there without it.
        guard case .damaged = error else { throw error }
        damaged.insert(box.type)
      }
    }
    let boxes = table(track)?.boxes ?? []
    for box in boxes where box.type != "senc" { try add(box) }
    // What saiz and saio name is what senc says, which takes more memory.
    let hasPair = result.auxiliarySizes != nil && result.auxiliaryOffsets != nil
    if !hasPair, let senc = boxes.first(where: { $0.type == "senc" }) { try add(senc) }
    return (result, damaged, others)
  }

  /// Takes what a box of the sample table says of samples besides times, sizes and flags. Returns whether it could be.
  private func read(_ box: Box, _ name: String, into result: inout InformationBoxes) throws(MovieError) -> Bool {
    switch box.type {
    case "sbgp": result.groups.append(try payloads.payload(of: box, in: name, SampleToGroupBox.self))
    case "csgp": result.compactGroups.append(try payloads.payload(of: box, in: name, CompactSampleToGroupBox.self))
    case "subs": result.subsamples.append(try payloads.payload(of: box, in: name, SubSampleInformationBox.self))
    case "saiz" where result.auxiliarySizes == nil:
      result.auxiliarySizes = try payloads.payload(of: box, in: name, SampleAuxiliaryInformationSizesBox.self)
    case "saio" where result.auxiliaryOffsets == nil:
      result.auxiliaryOffsets = try payloads.payload(of: box, in: name, SampleAuxiliaryInformationOffsetsBox.self)
    case "senc": result.encryption = try payloads.payload(of: box, in: name, SampleEncryptionBox.self)
    // Sample numbers mean something else when fragments follow; the others are of a second kind.
    case "stsh", "saiz", "saio": return false
    default: break
    }
    return true
  }

  /// What `sdtp`, `stdp` and `padb` say goes into the flags of the samples, where fragments have it. Returns those that
  /// are damaged or have fewer samples than there are.
  func readFlags(
    _ table: Box, _ prefix: String, of samples: inout SampleColumns
  ) throws(MovieError) -> Set<FourCC> {
    var notRead: Set<FourCC> = []
    for box in table.boxes where ["sdtp", "stdp", "padb"].contains(box.type) {
      do throws(MovieError) {
        guard let (places, bits) = try flags(box, prefix + box.type.description, count: samples.count) else {
          notRead.insert(box.type)
          continue
        }
        samples.setFlags(places, from: 0, bits)
      } catch {
        guard case .damaged = error else { throw error }
        notRead.insert(box.type)
      }
    }
    return notRead
  }

  /// Where in the flags the box stands, and its bits by the number of the sample; `nil` when it has too few.
  private func flags(_ box: Box, _ name: String, count: Int) throws(MovieError) -> (UInt32, (Int) -> UInt32)? {
    switch box.type {
    case "sdtp":
      let entries = Array(try payloads.payload(of: box, in: name, SampleDependencyTypeBox.self).entries.encodedRows)
      return entries.count < count ? nil : (0xff0_0000, { UInt32(entries[$0]) << 20 })
    case "stdp":
      let priorities = try payloads.payload(of: box, in: name, DegradationPriorityBox.self).priorities
      return priorities.count < count ? nil : (0xffff, { UInt32(priorities[$0]) })
    default:
      let padb = try payloads.payload(of: box, in: name, PaddingBitsBox.self)
      let pairs = padb.pairs
      guard Int(padb.sampleCount) >= count, pairs.count * 2 >= count else { return nil }
      return (0xe_0000, { UInt32($0 % 2 == 0 ? pairs[$0 / 2].pad1 : pairs[$0 / 2].pad2) << 17 })
    }
  }
}
