/// How to handle fragments of a track that declare different samples for the same times.
public enum OverlapPolicy: Sendable {
  /// The samples that were declared last are used.
  case replace
  /// The samples that were declared first are used.
  case keep
  /// The operation fails.
  case fail
}
