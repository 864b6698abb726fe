#if canImport(AVFoundation)
  public import AVFoundation
  public import Foundation
  import MP4Platform
  public import MP4Toolkit

  /// Lets AVFoundation read a source: a movie in an archive, on a server with a protocol of its own, or in memory.
  ///
  /// Make it the delegate of the `resourceLoader` of an `AVURLAsset` whose URL has a scheme that the system does not
  /// know. The asset does not keep its delegate, so keep it as long as the asset. Each request is answered by a task,
  /// which reads in a thread of the library, 256 KiB at a time, and is cancelled with the request.
  public final class SourceLoader: NSObject, AVAssetResourceLoaderDelegate, Sendable {
    /// Requests can be answered in any thread, but not all versions of the system's interface declare that.
    private struct Request: @unchecked Sendable {
      let request: AVAssetResourceLoadingRequest
    }
    private let source: any ByteSource
    private let contentType: String
    private let tasks = Monitor<[ObjectIdentifier: Task<Void, Never>]>([:])

    /// A delegate for this source, whose size must be known.
    ///
    /// - Parameters:
    ///   - source: The source.
    ///   - contentType: The type identifier of its contents, such as `com.apple.m4a-audio`.
    public init(_ source: any ByteSource, contentType: String = "public.mpeg-4") {
      (self.source, self.contentType) = (source, contentType)
    }

    /// Starts to answer a request.
    public func resourceLoader(
      _ resourceLoader: AVAssetResourceLoader,
      shouldWaitForLoadingOfRequestedResource loadingRequest: AVAssetResourceLoadingRequest
    ) -> Bool {
      let (id, request) = (ObjectIdentifier(loadingRequest), Request(request: loadingRequest))
      // The task removes itself only after it is known.
      tasks { tasks in
        tasks[id] = Task {
          await answer(request)
          self.tasks { $0[id] = nil }
        }
      }
      return true
    }

    /// Stops answering a request.
    public func resourceLoader(
      _ resourceLoader: AVAssetResourceLoader, didCancel loadingRequest: AVAssetResourceLoadingRequest
    ) {
      tasks { $0[ObjectIdentifier(loadingRequest)] }?.cancel()
    }

    private func answer(_ request: Request) async {
      let request = request.request
      do {
        guard let byteCount = source.byteCount else {
          throw IOError(.read, file: source.name, reason: "its size is unknown; give the size to its initializer")
        }
        if let information = request.contentInformationRequest {
          information.contentType = contentType
          information.contentLength = Int64(byteCount)
          information.isByteRangeAccessSupported = true
        }
        if let wanted = request.dataRequest {
          let windows = RequestedWindows(
            from: wanted.requestedOffset, count: wanted.requestedLength, toEnd: wanted.requestsAllDataToEndOfResource,
            of: byteCount)
          for window in windows { wanted.respond(with: Data(try await source.wholeBytes(in: window))) }
        }
        request.finishLoading()
      } catch {
        // A request that was cancelled is finished.
        if !Task.isCancelled { request.finishLoading(with: error) }
      }
    }
  }
#endif
