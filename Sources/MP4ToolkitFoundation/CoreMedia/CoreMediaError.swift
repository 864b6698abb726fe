#if canImport(CoreMedia)
  public import CoreMedia

  /// Why something cannot be converted to or from CoreMedia.
  public struct CoreMediaError: DescribedError {
    /// The status of CoreMedia; `nil` if this library cannot convert it.
    public let status: OSStatus?
    /// A sentence with the problem.
    public let description: String

    init(_ problem: String) { (status, description) = (nil, problem) }

    /// Throws unless a function of CoreMedia succeeded and returned a value.
    static func check<Value>(_ value: Value?, _ status: OSStatus, _ problem: String) throws(Self) -> Value {
      if status == 0, let value { return value }
      throw Self(status: status, description: "\(problem) (OSStatus \(status))")
    }

    private init(status: OSStatus, description: String) { (self.status, self.description) = (status, description) }
  }
#endif
