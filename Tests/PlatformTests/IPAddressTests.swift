import MP4Platform
import Testing

@Suite("IP addresses")
struct IPAddressTests {
  @Test(
    "Addresses are written as they were read",
    arguments: ["127.0.0.1", "0.0.0.0", "255.255.255.255", "::", "::1", "2001:db8::ff00:42:8329"])
  func text(_ text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(address.description == text)
    #expect(IPAddress(bytes: address.bytes) == address)
    let url = text.contains(":") ? "[\(text)]:80" : "\(text):80"
    #expect(IPEndpoint(address, port: 80).description == url)
  }

  @Test("Names and bad numbers are refused", arguments: ["", "localhost", "1.2.3", "256.1.1.1", "1::2::3", "::1%lo"])
  func others(_ text: String) { #expect(IPAddress(text) == nil) }

  @Test("An address has 4 or 16 bytes", arguments: 0...17)
  func sizes(_ count: Int) {
    #expect((IPAddress(bytes: [UInt8](repeating: 1, count: count)) != nil) == (count == 4 || count == 16))
  }

  @Test("Loopback and wildcard addresses are recognized")
  func kinds() {
    #expect(IPAddress.loopback.description == "127.0.0.1" && IPAddress.loopback.isLoopback)
    #expect(IPAddress("127.1.2.3")?.isLoopback == true && IPAddress("::1")?.isLoopback == true)
    #expect(IPAddress("10.0.0.1")?.isLoopback == false && IPAddress("::2")?.isLoopback == false)
    #expect(IPAddress("0.0.0.0")?.isWildcard == true && IPAddress("::")?.isWildcard == true)
  }

  @Test("A listener reports its address and ends when it is stopped")
  func listening() throws {
    let listener = try Listener(IPEndpoint(.loopback, port: 0))
    #expect(listener.endpoint.address == .loopback && listener.endpoint.port != 0)
    #expect(throws: Errno.addressInUse) { try Listener(listener.endpoint) }
    listener.stop()
    #expect(try listener.accept() == nil)
  }
}
