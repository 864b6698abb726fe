import MP4HLS
import Support
import Testing

@testable import MP4Fetching

@Suite("Public addresses, and the redirections that they allow")
struct HostAddressTests {
  @Test(
    "Loopback and private addresses are not public, in any spelling",
    arguments: [
      "127.0.0.1", "127.1", "0x7f.1", "2130706433", "0177.0.0.1", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255",
      "192.168.1.1", "169.254.169.254", "100.64.0.1", "192.0.0.8", "198.18.0.1", "224.0.0.1", "240.0.0.1",
      "255.255.255.255", "::", "::1", "::127.0.0.1", "::ffff:10.0.0.1", "::ffff:7f00:1", "64:ff9b::a00:1",
      "2002:7f00:1::", "fe80::1", "fc00::1", "fd12::1", "fec0::1", "ff02::1", "2001:db8::1", "2001::1", "100::1",
    ])
  func privateAddresses(text: String) {
    let found = HostAddress.lookUp(text)
    #expect(!found.isEmpty && found.allSatisfy { !$0.isPublic }, "\(found)")
  }

  @Test(
    "Other addresses are public",
    arguments: [
      "8.8.8.8", "172.32.0.1", "100.128.0.1", "192.0.1.1", "2606:4700::1111", "::ffff:8.8.8.8",
      "64:ff9b::808:808", "2002:808:808::",
    ])
  func publicAddresses(text: String) { #expect(HostAddress.lookUp(text).map(\.isPublic) == [true]) }

  private static let hosts: [String: [HostAddress]] = [
    "public.test": [HostAddress("1.1.1.1", isPublic: true), HostAddress("2606::1", isPublic: true)],
    "other.test": [HostAddress("2.2.2.2", isPublic: true)],
    "mixed.test": [HostAddress("3.3.3.3", isPublic: true), HostAddress("10.0.0.1", isPublic: false)],
    "private.test": [HostAddress("10.0.0.2", isPublic: false)],
    "127.0.0.1": [HostAddress("127.0.0.1", isPublic: false)],
    "::1": [HostAddress("::1", isPublic: false)],
  ]
  private func pins(_ resolver: HostResolver, _ address: String, from start: String) throws -> [String]? {
    let (address, start) = (try #require(WebAddress(address)), try #require(WebAddress(start)))
    do throws(FetchError) { return try resolver.pins(for: address, from: start) } catch {
      if case .privateAddress = error.problem { return nil }
      throw error
    }
  }

  @Test("Public URLs redirect only to public URLs, at the addresses that were checked")
  func rules() throws {
    let resolver = HostResolver { Self.hosts[$0] ?? [] }
    let start = "https://public.test/a"
    #expect(try pins(resolver, start, from: start) == ["public.test:443:1.1.1.1,[2606::1]"])
    #expect(try pins(resolver, "http://OTHER.test:81/b", from: start) == ["other.test:81:2.2.2.2"])
    #expect(try pins(resolver, "http://user:pw@o%74her.test/b", from: start) == ["other.test:80:2.2.2.2"])
    for address in ["http://127.0.0.1/", "http://[::1]:8080/", "http://private.test/", "http://mixed.test/"] {
      #expect(try pins(resolver, address, from: start) == nil)
      #expect(try pins(resolver, address, from: address) != nil)
      #expect(try pins(resolver, address, from: "http://private.test/x") != nil)
    }
    #expect(try pins(resolver, "http://127.0.0.1/", from: "http://127.0.0.1/") == [])
    // A host with addresses of both kinds counts as public.
    #expect(try pins(resolver, "http://127.0.0.1/", from: "http://mixed.test/") == nil)
  }

  @Test("A host without an address is left to curl at first, and later to a proxy")
  func unknown() throws {
    let resolver = HostResolver { Self.hosts[$0] ?? [] }
    #expect(try pins(resolver, "http://no.test/", from: "http://no.test/") == [])
    #expect(throws: FetchError.self) { try pins(resolver, "http://no.test/", from: "http://public.test/") }
    #expect(try pins(resolver, "http://127.0.0.1/", from: "http://no.test/") == nil)
    let behindProxy = HostResolver(usesProxy: true) { Self.hosts[$0] ?? [] }
    #expect(try pins(behindProxy, "http://no.test/", from: "http://public.test/") == [])
    #expect(try pins(behindProxy, "http://127.0.0.1/", from: "http://public.test/") == nil)
  }

  @Test("Redirections are checked, and curl connects to the checked address", .enabled(if: WebServer.isPossible))
  func fetching() throws {
    let folder = try Support.TemporaryFolder()
    _ = try folder.write("a.bin", [1, 2, 3])
    let server = try WebServer(folder.path)
    let port = try #require(server.address.split(separator: ":").last)
    var options = FetchOptions()
    // The same server under names that only this resolver knows.
    options.resolver = HostResolver { host in
      host == "public.test" || host == "other.test"
        ? [HostAddress("127.0.0.1", isPublic: true)]
        : host == "private.test" ? [HostAddress("127.0.0.1", isPublic: false)] : HostAddress.lookUp(host)
    }
    func get(_ path: String, _ host: String, _ options: FetchOptions) throws -> [UInt8]? {
      let address = try #require(WebAddress("http://\(host):\(port)/\(path)"))
      do throws(FetchError) {
        let bytes = try Fetcher(options).bytes(address, limit: 10).bytes
        let stream = try Fetcher(options).stream(address)
        #expect(try stream.next() == bytes)
        return bytes
      } catch {
        guard case .privateAddress = error.problem else { throw error }
        #expect(throws: FetchError.self) { try Fetcher(options).stream(address) }
        return nil
      }
    }
    func to(_ host: String) -> String { "to-http:%252F%252F\(host):\(port)%252Fa.bin/x" }
    #expect(try get("a.bin", "public.test", options) == [1, 2, 3])
    #expect(try get("hop2/a.bin", "public.test", options) == [1, 2, 3])
    #expect(try get(to("other.test"), "public.test", options) == [1, 2, 3])
    for host in ["127.0.0.1", "private.test", "localhost"] {
      #expect(try get(to(host), "public.test", options) == nil)
      #expect(try get(to(host), "private.test", options) == [1, 2, 3])
    }
    // The URL of a playlist that refers to the file.
    options.start = WebAddress("http://public.test/index.m3u8")
    #expect(try get("a.bin", "private.test", options) == nil)
    options.allowsPrivate = true
    options.start = nil
    #expect(try get(to("127.0.0.1"), "127.0.0.1", options) == [1, 2, 3])
  }
}
