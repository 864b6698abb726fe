import Bytes
public import HLS

extension Origin: Transport {
  /// Returns the bytes of a resource or a part of it, from the cache if possible. Only
  /// ``stop()`` cancels it.
  public func fetch(
    _ address: WebAddress, range: Range<Int>?, limit: Int, isStopped: () -> Bool
  ) throws(FetchError) -> (bytes: [UInt8], address: WebAddress) {
    guard let range else {
      let (bytes, location) = try bytesAndLocation(of: address, limit: limit)
      return (bytes, location)
    }
    let response = response(for: address)
    guard response.status == 200 else { throw FetchError(.status(response.status), address) }
    let content = response.resource.content
    let part = range.clamped(to: 0..<content.byteCount)
    guard part.count <= limit else { throw FetchError(.tooLarge(limit: limit), address) }
    let sink = MemorySink(name: "\(address)")
    do throws(IOError) {
      if !part.isEmpty { try content.write(part, to: sink) }
    } catch { throw FetchError(.io(error), address) }
    return (sink.bytes, address)
  }
}
