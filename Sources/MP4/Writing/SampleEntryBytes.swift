import ISOBMFF
public import MP4Bytes

// Sample entries as bytes, in which form other frameworks read and write them.

extension Track {
  /// The bytes of its sample entries, changed to refer to samples in the file itself.
  package func sampleEntries() throws(MovieWriterError) -> [[UInt8]] {
    let stsd = properties.box.first("mdia", "minf", "stbl", "stsd")
    return try MovieWriter.Track.encoded(stsd?.boxes.filter(\.hasHeader) ?? [], from: samples.storage.sources)
  }

  /// Whether its handler is a component of QuickTime, whose sample entries of sound have other fields.
  package func hasQuickTimeHandler() throws(MovieError) -> Bool {
    let payloads = MoviePayloads(source: samples.storage.sources[properties.box.source])
    let hdlr = properties.box.first("mdia", "hdlr")
    return try payloads.payload(of: hdlr, in: "moov/trak/mdia/hdlr", HandlerBox.self).preDefined == "mhlr"
  }
}

extension MovieWriter.Track {
  /// A track with the sample format of a sample entry, such as one that another framework wrote. The size and the
  /// channels come from it.
  ///
  /// - Parameters:
  ///   - bytes: The box, with its header.
  ///   - handler: The handler type, such as `vide` or `soun`.
  ///   - timescale: Units per second; `nil` is the sample rate of audio, and otherwise 90000.
  /// - Throws: `MovieWriterError.unreadableHeader` if the bytes are not one box.
  public init(sampleEntry bytes: [UInt8], handler: FourCC, timescale: UInt32? = nil) throws(MovieWriterError) {
    guard let box = BoxHeader(bytes[...], at: 0), box.declaredSize == bytes.count, box.headerSize == 8 else {
      throw .unreadableHeader("the sample entry")
    }
    let configuration = DecoderConfiguration(type: box.type, payload: bytes.dropFirst(8), handler: handler)
    let rate = configuration.sound.flatMap { $0.sampleRate > 0 ? UInt32(exactly: $0.sampleRate) : nil }
    self.timescale = max(timescale ?? rate ?? 90_000, 1)
    self.handler = handler
    entries = [Self.referringToOwnFile(bytes)]
    if handler == "soun" { header.volume = 0x100 }
    frameByteCount = PCMFormat(configuration)?.frameSize
    // An entry of version 1 that has no fields of QuickTime requires version 1 of `stsd`: ISO/IEC 14496-12, 12.2.3.
    if let sound = configuration.fields as? AudioSampleEntry, sound.entryVersion == 1, sound.version1 == nil {
      descriptionVersion = 1
    }
    guard let size = configuration.pictures?.shownSize() else { return }
    header.width = UInt32(UInt16(clamping: size.width)) << 16
    header.height = UInt32(UInt16(clamping: size.height)) << 16
  }

  /// The bytes of each box, changed to refer to samples in the file itself.
  static func encoded(_ entries: [Box], from sources: [any ByteSource]) throws(MovieWriterError) -> [[UInt8]] {
    var result: [[UInt8]] = []
    for entry in entries {
      let (serializer, sink): (BoxSerializer, MemorySink)
      do throws(BoxError) { (serializer, sink) = (try BoxSerializer([entry]), MemorySink()) } catch {
        throw .box(error)
      }
      do throws(IOError) { try serializer.write(to: sink, from: sources) } catch { throw .source(.io(error)) }
      result.append(referringToOwnFile(sink.bytes))
    }
    return result
  }

  /// Sets the data reference index, which follows the header and six reserved bytes in every sample entry.
  private static func referringToOwnFile(_ entry: [UInt8]) -> [UInt8] {
    var entry = entry
    if entry.count >= 16 { entry.replaceSubrange(14..<16, with: [0, 1]) }
    return entry
  }
}
