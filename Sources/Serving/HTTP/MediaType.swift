/// The media types of files for players and pages.
public enum MediaType {
  /// The type of a file by its extension; `application/octet-stream` if unknown.
  public static func named(_ name: some Collection<UInt8>) -> String {
    let bytes = Array(name)
    guard let point = bytes.lastIndex(of: UInt8(ascii: ".")) else { return unknown }
    return table[String(decoding: bytes[(point + 1)...].map(\.lowercased), as: UTF8.self)] ?? unknown
  }

  /// Whether it is the type of HLS playlists.
  package static func isPlaylist(_ type: String) -> Bool {
    let kind = type.lowercased().split(separator: ";").first.map(String.init) ?? ""
    return kind.hasSuffix("mpegurl")
  }

  package static let unknown = "application/octet-stream"

  private static let table = [
    "m3u8": "application/vnd.apple.mpegurl", "m3u": "application/vnd.apple.mpegurl",
    "mpd": "application/dash+xml",
    // HLS and DASH players inspect the bytes. Other players that look at the type know `video/mp4`; `video/iso.segment`
    // is the type registered for segments.
    "m4s": "video/iso.segment", "cmfv": "video/mp4", "cmfa": "audio/mp4", "cmft": "application/mp4",
    "mp4": "video/mp4", "m4v": "video/mp4", "m4a": "audio/mp4", "mov": "video/quicktime", "qt": "video/quicktime",
    "ts": "video/mp2t", "aac": "audio/aac", "mp3": "audio/mpeg", "ac3": "audio/ac3", "ec3": "audio/eac3",
    "webm": "video/webm", "mkv": "video/matroska", "ogg": "audio/ogg", "opus": "audio/ogg", "wav": "audio/wav",
    "flac": "audio/flac",
    "vtt": "text/vtt; charset=utf-8", "webvtt": "text/vtt; charset=utf-8", "srt": "application/x-subrip",
    "ttml": "application/ttml+xml",
    "html": "text/html; charset=utf-8", "htm": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8", "mjs": "text/javascript; charset=utf-8", "json": "application/json",
    "xml": "application/xml", "txt": "text/plain; charset=utf-8", "md": "text/markdown; charset=utf-8",
    "jpg": "image/jpeg", "jpeg": "image/jpeg", "png": "image/png", "gif": "image/gif", "svg": "image/svg+xml",
    "webp": "image/webp", "avif": "image/avif", "heic": "image/heic", "ico": "image/vnd.microsoft.icon",
    "wasm": "application/wasm", "pdf": "application/pdf",
  ]
}
