package import Bytes
package import ISOBMFF

/// The events of a movie, with times as in `Sample.presentationTime`.
extension Movie {
  /// An event message between the fragments.
  package struct EventMessage: Sendable {
    /// Its start time.
    package let time: MediaTime
    /// Its duration; `nil` if unknown.
    package let duration: MediaTime?
    /// The contents.
    package let message: EventMessageBox
    /// The input that contains it.
    package let source: Int
  }
  /// The event messages between the fragments, without duplicates.
  package var eventMessages: [EventMessage] {
    events.declared.map { event in
      let isKnown = event.message.eventDuration != .max
      let duration = MediaTime(Int64(event.message.eventDuration), event.message.timescale)
      return EventMessage(
        time: event.base + event.offset - mediaStart, duration: isKnown ? duration : nil, message: event.message,
        source: event.source)
    }
  }

  /// Calls `body` for the producer reference times, in the order of the inputs; those that cannot be decoded are `nil`.
  package func forEachProducerTime(_ body: (ProducerReferenceTimeBox?, any ByteSource) -> Void) throws(MovieError) {
    for (source, contents) in zip(sources, input.contents) {
      for header in contents.producerTimes {
        var box = Box(ProducerReferenceTimeBox())
        box.fields = .unchanged(header.payload)
        let result: Result<ProducerReferenceTimeBox, BoxError> = try io(box.payload(from: source))
        body(try? result.get(), source)
      }
    }
  }
}
