extension Server {
  /// A response.
  public struct Response: Sendable {
    /// The status, such as 200 or 404.
    public var status: Int
    /// Header fields besides those that the server writes itself: date, length, connection, and those of a resource.
    public var fields: [(name: String, value: String)] = []
    /// The content.
    public var resource: Server.Resource

    /// A response with these bytes.
    public init(_ status: Int, _ resource: Server.Resource) { (self.status, self.resource) = (status, resource) }

    /// A resource: status 200, or as required by ranges and conditions of the request.
    public init(_ resource: Server.Resource) { self.init(200, resource) }

    /// A text response.
    public init(_ status: Int, _ sentence: String) {
      let text = "\(status) \(Server.Response.phrase(status)): \(sentence)\n"
      self.init(status, Server.Resource(Server.MemoryContent(Array(text.utf8)), mediaType: "text/plain; charset=utf-8"))
    }

    /// Bytes of a type such as `video/mp4`, of which a client can request ranges.
    public static func bytes(_ bytes: [UInt8], mediaType: String) -> Server.Response {
      Server.Response(Server.Resource(Server.MemoryContent(bytes), mediaType: mediaType))
    }

    /// A redirect to `path`, as written in a request.
    public static func redirect(to path: String) -> Server.Response {
      var response = Server.Response(308, "moved to \(path)")
      response.fields.append((name: "Location", value: path))
      return response
    }

    /// The reason phrase of a status.
    static func phrase(_ status: Int) -> String {
      switch status {
      case 200: "OK"
      case 204: "No Content"
      case 206: "Partial Content"
      case 304: "Not Modified"
      case 308: "Permanent Redirect"
      case 400: "Bad Request"
      case 403: "Forbidden"
      case 404: "Not Found"
      case 405: "Method Not Allowed"
      case 408: "Request Timeout"
      case 411: "Length Required"
      case 412: "Precondition Failed"
      case 413: "Content Too Large"
      case 414: "URI Too Long"
      case 416: "Range Not Satisfiable"
      case 417: "Expectation Failed"
      case 421: "Misdirected Request"
      case 422: "Unprocessable Content"
      case 431: "Request Header Fields Too Large"
      case 500: "Internal Server Error"
      case 502: "Bad Gateway"
      case 503: "Service Unavailable"
      case 504: "Gateway Timeout"
      case 505: "HTTP Version Not Supported"
      default: "Status"
      }
    }
  }
}

extension Server {
  /// A resource that can be served whole or in ranges.
  public struct Resource: Sendable {
    /// Its content.
    public var content: any Server.Content
    /// Its media type, such as `video/mp4`.
    public var mediaType: String
    /// Its entity tag, which differs for different content of the same name: letters and digits without quotation
    /// marks.
    public var entityTag: String?
    /// Its modification time in seconds since 1970.
    public var modified: Int?

    /// A resource with a media type.
    public init(_ content: any Server.Content, mediaType: String, entityTag: String? = nil, modified: Int? = nil) {
      (self.content, self.mediaType, self.entityTag, self.modified) = (content, mediaType, entityTag, modified)
    }
  }
}
