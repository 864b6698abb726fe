// The declarations of AVFoundation that MP4ToolkitFoundation uses, written after Apple's documentation. The methods of
// the delegate are optional there; here they are required, so that one with another name is an error.

@_exported public import CoreMedia
@_exported public import Foundation

public final class AVAssetResourceLoader: NSObject {}

public protocol AVAssetResourceLoaderDelegate: NSObjectProtocol {
  func resourceLoader(
    _ resourceLoader: AVAssetResourceLoader,
    shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
  ) -> Bool
  func resourceLoader(
    _ resourceLoader: AVAssetResourceLoader, didCancel loadingRequest: AVAssetResourceLoadingRequest)
}

public class AVAssetResourceLoadingRequest: NSObject {
  public var contentInformationRequest: AVAssetResourceLoadingContentInformationRequest? { fatalError() }
  public var dataRequest: AVAssetResourceLoadingDataRequest? { fatalError() }
  public func finishLoading() { fatalError() }
  public func finishLoading(with error: (any Error)?) { fatalError() }
}

public final class AVAssetResourceLoadingContentInformationRequest: NSObject {
  public var contentType: String? {
    get { fatalError() }
    set { fatalError() }
  }
  public var contentLength: Int64 {
    get { fatalError() }
    set { fatalError() }
  }
  public var isByteRangeAccessSupported: Bool {
    get { fatalError() }
    set { fatalError() }
  }
}

public final class AVAssetResourceLoadingDataRequest: NSObject {
  public var requestedOffset: Int64 { fatalError() }
  public var requestedLength: Int { fatalError() }
  public var requestsAllDataToEndOfResource: Bool { fatalError() }
  public func respond(with data: Data) { fatalError() }
}
