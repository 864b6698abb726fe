/// What is done where fragments of a track declare different samples for the same times.
public enum OverlapPolicy: Sendable {
  /// The samples that were declared last are used.
  case replace
  /// The samples that were declared first are used.
  case keep
  /// Nothing is made.
  case fail
}
