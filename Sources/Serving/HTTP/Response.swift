extension Server {
  /// What a client is answered.
  public struct Response: Sendable {
    /// What was done, such as 200 or 404.
    public var status: Int
    /// Fields beside those that the server writes itself: date, length, connection, and those of a resource.
    public var fields: [(name: String, value: String)] = []
    /// What is sent.
    public var resource: Server.Resource

    /// An answer with these bytes.
    public init(_ status: Int, _ resource: Server.Resource) { (self.status, self.resource) = (status, resource) }

    /// What is asked for: 200, or whatever ranges and conditions of the request make of it.
    public init(_ resource: Server.Resource) { self.init(200, resource) }

    /// A sentence.
    public init(_ status: Int, _ sentence: String) {
      let text = "\(status) \(Server.Response.phrase(status)): \(sentence)\n"
      self.init(status, Server.Resource(Server.MemoryContent(Array(text.utf8)), mediaType: "text/plain; charset=utf-8"))
    }

    /// Sends the client elsewhere: to `path`, as it is written in a request.
    public static func redirect(to path: String) -> Server.Response {
      var response = Server.Response(308, "moved to \(path)")
      response.fields.append((name: "Location", value: path))
      return response
    }

    /// The words after a status.
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
  /// Something that can be asked for, whole or in ranges.
  public struct Resource: Sendable {
    /// Its bytes.
    public var content: any Server.Content
    /// What they are, such as `video/mp4`.
    public var mediaType: String
    /// What is another for every other content of the same name: letters and digits without quotation marks.
    public var entityTag: String?
    /// When it changed last, in seconds since 1970.
    public var modified: Int?

    /// Content of a type.
    public init(_ content: any Server.Content, mediaType: String, entityTag: String? = nil, modified: Int? = nil) {
      (self.content, self.mediaType, self.entityTag, self.modified) = (content, mediaType, entityTag, modified)
    }
  }
}
