import MP4Toolkit

// snippet: editing
func setLanguage(_ language: LanguageCode, of recording: String, writing output: Pathname) throws {
  let file = try OutputFile(output)
  try MovieEditor(FileSource.open(recording))
    .editing("moov/trak[1]/mdia/mdhd", MediaHeaderBox.self) { $0.language = language }
    .write(to: file)
  try file.commit()
}
// end

// snippet: tags
func setTitle(_ title: String, of recording: Pathname) throws {
  guard let tag = MetadataTag("title") else { return }
  let file = try InPlaceFile(recording)
  try MovieEditor(file.source)
    .settingTag(tag, to: title)
    .settingLanguage(of: TrackSelection([.id(2)]), to: "de")
    .planInPlace()
    .write(to: file)
}
// end

// snippet: new-boxes
func addNote(_ note: [UInt8], to source: any ByteSource) throws -> [UInt8] {
  let (editor, box, sink) = (try MovieEditor(source), Box("note", bytes: note), MemorySink())
  let moov = try [Box](reading: source).first { $0.type == "moov" }
  let hasUserData = moov?.first("udta") != nil
  try (hasUserData ? editor.appending(box, to: "moov/udta") : editor.appending(Box("udta", boxes: [box]), to: "moov"))
    .write(to: sink)
  return sink.bytes
}
// end

// snippet: own-boxes
struct NoteBox: FullBoxPayload {
  static let info = BoxInfo("note", "Note Box", in: ["moov"], "Acme 1.0")
  var header = FullBoxHeader()
  var text: BoxString = ""
  mutating func fullBoxFields(_ c: inout FieldCoder) throws(BoxError) { try c.string("text", &text) }
}

func note(in source: any ByteSource) throws -> NoteBox? {
  let boxes = try [Box](reading: source, registry: .standard.adding(NoteBox.self))
  return try boxes.first { $0.type == "moov" }?.first("note")?.payload(from: source).get()
}
// end

// snippet: defined-boxes
func registryWithAcme() throws -> BoxRegistry {
  try BoxRegistry.standard.adding(
    definitions: """
      box acme "Acme Sensor Box" in udta, "Acme 1.0"
        reading_count  uint(16)
        readings[reading_count]
          time  uint(32)
      """)
}
// end

// snippet: fields-by-name
func calibrated(_ source: any ByteSource, _ registry: BoxRegistry) throws -> Box? {
  let boxes = try [Box](reading: source, registry: registry)
  var acme = boxes.first { $0.type == "moov" }?.first("udta", "acme")
  let payload = try acme?.payload(from: source, registry: registry)?.get()
  guard payload?["reading_count"] == 2 else { return nil }
  try acme?.set("readings[1].time", to: 90, of: source, registry: registry)  // rows are numbered from 1
  return acme
}
// end

// snippet: playlists
func withoutSmallVariants(_ text: String, at base: String) throws -> String {
  var playlist = try MultivariantPlaylist(text)
  playlist.variants.removeAll { ($0.resolution?.height ?? 0) < 720 }
  for index in playlist.variants.indices { playlist.variants[index].uri = base + playlist.variants[index].uri }
  return playlist.text  // all other lines are unchanged
}
// end

// snippet: first-segments
func withoutFirstSegments(_ count: Int, of text: String) throws -> String {
  var playlist = try MediaPlaylist(text)
  try playlist.removeFirstSegments(count)
  return playlist.text
}
// end
