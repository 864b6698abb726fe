import BoxCatalog
import ISOBMFF
import MP4Bytes
import MP4FileIO
import Support
import Testing

@Suite("Contents of the registry")
struct RegistryTests {
  @Test("An empty payload of every version and flag is read back as written", arguments: PayloadCase.all)
  func emptyPayloads(_ box: PayloadCase) throws {
    for payload in box.empty {
      let bytes = try payload.encoded()
      #expect(roundTrip(box.declaration, bytes) != nil, "\(payload)")
    }
  }

  @Test("A description names every field once for all versions and flags", arguments: PayloadCase.all)
  func descriptions(_ box: PayloadCase) {
    for version: UInt8 in 0...2 {
      for flags in flagsToTry {
        let names = box.declaration.describe(version: version, flags: flags).map(\.name).filter {
          !$0.hasSuffix("reserved")
        }
        #expect(Set(names).count == names.count, "version \(version) flags \(flags): \(names)")
        #expect(!names.isEmpty)
      }
    }
  }

  @Test("A description has all names that the empty payload shows", arguments: PayloadCase.all)
  func describesWhatIsShown(_ box: PayloadCase) throws {
    for payload in Effort.some(box.empty, short: 20) {
      let full = payload.fullHeader
      if let full, payload.knownVersions?.contains(full.version) != true { continue }
      let described = box.declaration.describe(version: full?.version ?? 0, flags: full?.flags ?? 0)
      let names = Set(
        described.map { $0.name.split(whereSeparator: { ".[".contains($0) }).first.map(String.init) ?? "" })
      let recorder = Recorder()
      let info = box.info
      var parser = BoxParser(
        MemorySource(Support.box("\(info.type)", info.userType?.bytes ?? [], try payload.encoded())),
        context: box.place, registry: .standard)
      let node = try #require(try parser.next())
      guard case .success = try parser.show(node, to: recorder) else {
        Issue.record("cannot show \(payload)")
        continue
      }
      // A table without rows shows its name even if its rows have no fields. Zeros are a descriptor without a kind.
      for line in recorder.lines
      where !line.hasPrefix(" ") && !line.hasSuffix(":") && !line.hasPrefix("Descriptor ") {
        let name = String(line.prefix { $0 != " " })
        #expect(names.contains(name), "\(line) is not among \(names.sorted())")
      }
    }
  }

  @Test("Every type has a clause, and is found in its containers")
  func places() {
    for definition in BoxRegistry.standard.all {
      #expect(definition.info.clause.description.count > 5)
      for parent in definition.info.containers {
        let found = BoxRegistry.standard.definition(
          of: definition.info.type, userType: definition.info.userType,
          in: BoxContext(parent: parent, handler: definition.payload?.type?.info.type))
        #expect(found?.info.containers == definition.info.containers, "\(definition.info.type) in \(parent)")
        #expect(found?.payload?.type.map(ObjectIdentifier.init) == definition.payload?.type.map(ObjectIdentifier.init))
        #expect(found?.payload?.definition === definition.payload?.definition)
      }
    }
  }

  @Test("The container determines the meaning of a type")
  func sameLetters() {
    func payload(_ type: FourCC, in parent: FourCC, handler: FourCC? = nil) -> (any BoxPayload.Type)? {
      BoxRegistry.standard.definition(of: type, in: BoxContext(parent: parent, handler: handler))?.payload?.type
    }
    #expect(payload("alac", in: "stsd") == AudioSampleEntry.self)
    #expect(payload("alac", in: "alac") == ALACSpecificBox.self)
    #expect(payload("alac", in: "wave") == ALACSpecificBox.self)
    #expect(payload("mp4a", in: "stsd") == AudioSampleEntry.self)
    #expect(payload("mp4a", in: "wave") == nil)
    #expect(payload("tmcd", in: "tref") == TrackReferenceTypeBox.self)
    #expect(payload("tmcd", in: "stsd", handler: "tmcd") == TimecodeSampleEntry.self)
    #expect(payload("cdsc", in: "iref") == ItemReferenceTypeBox.self)
    #expect(payload("zzzz", in: "iref") == ItemReferenceTypeBox.self)
    #expect(payload("iloc", in: "iref") == ItemReferenceTypeBox.self)
    #expect(payload("iloc", in: "meta") == ItemLocationBox.self)
    #expect(payload("dimg", in: "meta") == nil)
    #expect(payload("zzzz", in: "grpl") == EntityToGroupBox.self)
    #expect(payload("gnre", in: "ilst") == nil)
    let names: [(FourCC, in: FourCC, StaticText)] = [
      ("name", in: "----", "Name Box"), ("name", in: "schi", "FairPlay User Name"),
      ("aebr", in: "ipco", "Auto Exposure Information"), ("gnre", in: "udta", "Genre"),
    ]
    for (type, parent, name) in names {
      #expect(BoxRegistry.standard.definition(of: type, in: BoxContext(parent: parent))?.info.name == name)
    }
    #expect(payload("raw ", in: "stsd", handler: "vide") == VisualSampleEntry.self)
    #expect(payload("raw ", in: "stsd", handler: "soun") == AudioSampleEntry.self)
    #expect(payload("abcd", in: "stsd", handler: "vide") == VisualSampleEntry.self)
    #expect(payload("avc1", in: "moov") == nil)
    #expect(payload("esds", in: "gama") == ESDescriptorBox.self)
  }
}

extension PayloadCase {
  /// The context in which the parser finds this type.
  var place: BoxContext {
    // The generic sample entry types are found by the handler.
    let handlers: [FourCC] = ["vide", "soun", "meta"]
    let type = info.type
    return BoxContext(
      parent: info.containers.first ?? .file, handler: handlers.contains(type) ? type : nil)
  }
}
