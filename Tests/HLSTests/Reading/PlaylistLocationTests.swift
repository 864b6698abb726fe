import MP4HLS
import Testing

@Suite("References that playlists may contain")
struct PlaylistLocationTests {
  private func refusal(_ place: PlaylistLocation, _ uri: String) -> PlaylistLocation.Refusal? {
    do throws(PlaylistLocation.Refusal) {
      _ = try place.resolving(uri)
      return nil
    } catch { return error }
  }

  @Test(
    "A file refers to files in its folder and below, and playlists there to files in the same folder",
    arguments: ["m.m3u8", "/tmp/x/m.m3u8", "../x/m.m3u8", "a%b/m.m3u8", "./x/../m.m3u8"])
  func inside(path: String) throws {
    let place = PlaylistLocation(file: path)
    let video = try place.resolving("video/index.m3u8")
    let folder = path.dropLast("m.m3u8".count)
    #expect(try video.resolving("../audio/a%20b.m4s?x=1").path?.hasSuffix("audio/a b.m4s") == true)
    #expect(try place.resolving("s.m4s").path.map { $0 == "\(folder)s.m4s" || path.contains("..") } == true)
    for uri in ["../../s.m4s", "%2e%2e/%2e%2e/s.m4s", "..%2F../s.m4s", "../..", "x/../../../s.m4s"] {
      #expect(refusal(video, uri) == .outside || refusal(video, uri) == .notAName, "\(uri)")
    }
    #expect(refusal(place, "../s.m4s") == .outside)
    #expect(refusal(place, "%2e%2e%2fs.m4s") == .outside)
  }

  @Test("A file may not refer to other schemes or absolute paths")
  func schemes() throws {
    let place = PlaylistLocation(file: "a/m.m3u8")
    for uri in ["file:///etc/passwd", "http://h/a", "https://h/a", "data:video/mp4,x", "//h/a", "pipe:0"] {
      if case .scheme = refusal(place, uri) { continue }
      Issue.record("\(uri) was not refused")
    }
    #expect(refusal(place, "/etc/passwd") == .outside)
    // The location can allow these references, but not those of the next loop.
    for uri in ["/etc/passwd", "../s.m4s", "http://h/a", "https://h/a"] {
      #expect(refusal(place, uri)?.isAllowable == true, "\(uri)")
    }
    for uri in ["file:///a", "data:,x", "//h/a", "", "b/"] {
      #expect(refusal(place, uri)?.isAllowable == false, "\(uri)")
    }
    #expect(refusal(place, "") == .notAName)
    #expect(refusal(place, "a%00b") == .notAName)
    #expect(refusal(place, "b/") == .notAName)
    #expect(try PlaylistLocation(file: "/a/m.m3u8").resolving("/a/b/s.m4s").path == "/a/b/s.m4s")
    #expect(refusal(PlaylistLocation(file: "/a/m.m3u8"), "/ab/s.m4s") == .outside)
  }

  @Test("With allowsOutside, a file may refer to any file and to servers, but nothing else")
  func allowed() throws {
    let place = PlaylistLocation(file: "a/m.m3u8", allowsOutside: true)
    #expect(try place.resolving("../../s.m4s").path == "../s.m4s")
    #expect(try place.resolving("/etc/s.m4s").path == "/etc/s.m4s")
    #expect(try place.resolving("https://h/a").reference.description == "https://h/a")
    #expect(refusal(place, "file:///etc/passwd") == .scheme("file:"))
  }

  @Test("A server may refer to servers, and with https only to https")
  func servers() throws {
    let place = PlaylistLocation(URIReference("https://h/a/m.m3u8?t=1"))
    #expect(try place.resolving("../../b").reference.description == "https://h/b")
    #expect(try place.resolving("//cdn/b").reference.description == "https://cdn/b")
    #expect(try place.resolving("https://cdn/b").path == nil)
    #expect(refusal(place, "http://h/b") == .insecure)
    #expect(refusal(place, "file:///etc/passwd") == .scheme("file:"))
    #expect(refusal(place, "data:,x") == .scheme("data:"))
    let plain = PlaylistLocation(URIReference("http://h/a"))
    #expect(try plain.resolving("https://h/b").reference.description == "https://h/b")
    #expect(refusal(plain.moved(to: URIReference("https://h/a")), "http://h/b") == .insecure)
  }
}
