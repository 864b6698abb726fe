import BoxCatalog
import BoxDump
import ISOBMFF
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Payloads are written back unchanged")
struct RoundTripTests {
  @Test("Every known payload of a vector", arguments: vectors())
  func vector(_ vector: Vector) throws {
    #expect(try roundTripBoxes(of: vector.bytes, in: vector.place).isEmpty)
  }

  @Test("Every known payload of an undamaged file of the corpus", .enabled(if: !corpus().isEmpty))
  func undamagedCorpus() throws {
    for file in corpus() where !isDamaged(file) && !file.hasSuffix(".tsv") {
      let problems = try roundTripBoxes(of: try readFile(file))
      // Its ftyp ends after the major brand.
      #expect(problems.isEmpty || file.hasSuffix("06-fixture.f4p"), "\(file): \(problems)")
    }
  }

  @Test("A damaged corpus file is parsed to its end", .enabled(if: !corpus().isEmpty))
  func damagedCorpus() throws {
    for file in corpus() where isDamaged(file) {
      let bytes = try readFile(file)
      var dump = BoxDump(MemorySource(bytes, name: file))
      let summary = try dump.run(to: DevNull())
      #expect(summary.boxes > 0 || summary.problems > 0 || bytes.isEmpty, "\(file)")
      _ = try roundTripBoxes(of: bytes)
    }
  }

  private func isDamaged(_ file: String) -> Bool {
    file.split(separator: "/").contains { $0.hasPrefix("broken") || $0.hasSuffix("-fuzz") }
  }

  /// Decodes and encodes every known payload; returns the boxes that could not be decoded.
  private func roundTripBoxes(of bytes: [UInt8], in place: BoxContext = BoxContext()) throws -> [String] {
    var parser = BoxParser(MemorySource(bytes), context: place, registry: .standard)
    var problems: [String] = []
    while let node = try parser.next() {
      let type: BoxDeclaration
      switch node.content {
      case .payload(let known), .boxes(let known?): type = known
      case .boxes(nil), .opaque, .remainder: continue
      }
      let payload = Array(bytes[node.header.payload])
      if roundTrip(type, payload, context: node.context) == nil { problems.append("\(parser.path)") }
    }
    return problems
  }
}

extension Vector {
  /// The context of the box in a file, as far as it affects reading: `ster-in-trgr` is in `trgr`.
  var place: BoxContext {
    if name.dropLast(4).hasSuffix("-in-") {
      return BoxContext(parent: FourCC(rawValue: name.utf8.suffix(4).reduce(0) { $0 << 8 | UInt32($1) }))
    }
    guard name.contains("entry-") else { return BoxContext() }
    return BoxContext(parent: "stsd", handler: name.contains("visual") ? "vide" : "soun")
  }
  /// The declaration of its fields, if there is one.
  var payload: BoxDeclaration? {
    let code = FourCC(rawValue: bytes[4..<8].reduce(0) { $0 << 8 | UInt32($1) })
    let userType = code == "uuid" ? UserType(Array(bytes[8..<24])) : nil
    return BoxRegistry.standard.definition(of: code, userType: userType, in: place)?.payload
  }
}
