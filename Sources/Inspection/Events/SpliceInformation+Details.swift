import MP4
import MP4Bytes

extension SpliceInformation {
  /// Whether it was decoded completely, and its checksum is correct.
  var isComplete: Bool {
    switch command {
    case .encrypted, .reserved, .privateCommand: return false
    case .null, .schedule, .insert, .timeSignal, .bandwidthReservation: break
    }
    return descriptors.allSatisfy(\.isComplete) && hasRightChecksum && !isCutOff
  }

  /// A sentence that describes it.
  var summary: String {
    var parts = [commandSummary] + descriptors.compactMap(\.summary)
    if isCutOff { parts.append("it is cut off") }
    if !hasRightChecksum { parts.append("its checksum is wrong") }
    return parts.joined(separator: "; ")
  }

  private var commandSummary: String {
    switch command {
    case .null: "splice_null"
    case .schedule(let events):
      "splice_schedule of \(counted(events.count, "event"))"
        + (events.isEmpty ? "" : ": \(events.map(\.summary).joined(separator: ", "))")
    case .insert(let insert): insert.summary(adjustment: ptsAdjustment)
    case .timeSignal(let time): "time_signal" + (time.map { " at \(seconds(adjusted($0)))" } ?? "")
    case .bandwidthReservation: "bandwidth_reservation"
    case .privateCommand(let identifier, _): "private_command of \(code(identifier))"
    case .reserved(let type, _): "command \(type) (reserved)"
    case .encrypted(let type): "command \(type) (encrypted)"
    }
  }

  /// A time plus the adjustment, modulo 2^33.
  fileprivate func adjusted(_ time: UInt64) -> UInt64 { (time &+ ptsAdjustment) & 0x1_ffff_ffff }

  /// The fields.
  var details: [TimelineEvent.Detail] {
    var list = DetailList()
    list.add("protocol_version", protocolVersion)
    list.addTime("pts_adjustment", ptsAdjustment)
    list.add("tier", tier)
    switch command {
    case .null: list.add("splice_command_type", 0, "splice_null")
    case .schedule(let events):
      list.add("splice_command_type", 4, "splice_schedule")
      list.add("splice_count", events.count)
      for (index, event) in events.enumerated() {
        list.prefix = "events[\(index + 1)]."
        event.add(to: &list)
      }
      list.prefix = ""
    case .insert(let insert):
      list.add("splice_command_type", 5, "splice_insert")
      insert.add(to: &list)
    case .timeSignal(let time):
      list.add("splice_command_type", 6, "time_signal")
      if let time { list.addTime("pts_time", time) }
    case .bandwidthReservation: list.add("splice_command_type", 7, "bandwidth_reservation")
    case .privateCommand(let identifier, let bytes):
      list.add("splice_command_type", 255, "private_command")
      list.add("identifier", code(identifier))
      list.add("private_byte", hexText(bytes))
    case .reserved(let type, let bytes):
      list.add("splice_command_type", type, "reserved")
      list.add("splice_command", hexText(bytes))
    case .encrypted(let type): list.add("splice_command_type", type, "encrypted")
    }
    for (index, descriptor) in descriptors.enumerated() {
      list.prefix = "descriptors[\(index + 1)]."
      descriptor.add(to: &list)
    }
    list.prefix = ""
    list.add("CRC_32", hasRightChecksum ? "right" : "wrong")
    return list.details
  }
}

/// Collects details.
private struct DetailList {
  private(set) var details: [TimelineEvent.Detail] = []
  /// The prefix of all names.
  var prefix = ""

  mutating func add(_ name: String, _ value: some CustomStringConvertible, _ meaning: String? = nil) {
    details.append(TimelineEvent.Detail(prefix + name, value, meaning))
  }
  mutating func addTime(_ name: String, _ value: UInt64) { add(name, value, seconds(value)) }
}

/// Units of 1/90000 s as seconds.
private func seconds(_ value: UInt64) -> String { MediaTime(Int64(clamping: value), 90_000).description }

/// Four letters, or the number if they are not printable.
private func code(_ identifier: UInt64) -> String {
  let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: identifier >> UInt64($0)) }
  return plainText(bytes) ?? hexText(bytes)
}

extension SpliceBreak {
  fileprivate func add(to list: inout DetailList) {
    if let length {
      list.addTime("break_duration", length.duration)
      list.add("auto_return", length.returnsAutomatically)
    }
    list.add("unique_program_id", uniqueProgramID)
    list.add("avail_num", availNumber)
    list.add("avails_expected", availsExpected)
  }
}

extension SpliceInsert {
  fileprivate func summary(adjustment: UInt64) -> String {
    var text = "splice_insert: event \(eventID) "
    guard !isCancelled else { return text + "is cancelled" }
    text += isOutOfNetwork ? "leaves the network" : "returns to the network"
    if isImmediate { text += " immediately" }
    if let time { text += " at \(seconds((time &+ adjustment) & 0x1_ffff_ffff))" }
    if let length = adBreak?.length { text += " for \(seconds(length.duration))" }
    return text
  }

  fileprivate func add(to list: inout DetailList) {
    list.add("splice_event_id", eventID)
    list.add("splice_event_cancel_indicator", isCancelled)
    guard !isCancelled else { return }
    list.add("out_of_network_indicator", isOutOfNetwork)
    list.add("splice_immediate_flag", isImmediate)
    if let time { list.addTime("pts_time", time) }
    for component in components {
      list.add("component_tag", component.tag)
      if let time = component.time { list.addTime("pts_time", time) }
    }
    adBreak?.add(to: &list)
  }
}

extension SpliceScheduleEvent {
  private static func text(_ time: UInt64) -> String {
    CalendarTime(secondsSince1970: epoch + Int(clamping: time)).text
  }

  fileprivate var summary: String {
    guard !isCancelled else { return "event \(eventID) is cancelled" }
    return "event \(eventID) \(isOutOfNetwork ? "leaves the network" : "returns to the network")"
      + (time.map { " at \(Self.text($0))" } ?? "") + (adBreak?.length.map { " for \(seconds($0.duration))" } ?? "")
  }

  fileprivate func add(to list: inout DetailList) {
    list.add("splice_event_id", eventID)
    list.add("splice_event_cancel_indicator", isCancelled)
    guard !isCancelled else { return }
    list.add("out_of_network_indicator", isOutOfNetwork)
    if let time { list.add("utc_splice_time", time, Self.text(time)) }
    for component in components {
      list.add("component_tag", component.tag)
      list.add("utc_splice_time", component.time, Self.text(component.time))
    }
    adBreak?.add(to: &list)
  }
}

extension SpliceDescriptor {
  fileprivate var isComplete: Bool {
    switch content {
    case .avail, .dtmf, .segmentation, .time: true
    case .audio, .other: false
    }
  }

  /// A description of a segmentation descriptor; `nil` for other descriptors.
  fileprivate var summary: String? {
    guard case .segmentation(let segmentation) = content else { return nil }
    return segmentation.summary
  }

  fileprivate func add(to list: inout DetailList) {
    switch content {
    case .avail(let id):
      list.add("splice_descriptor_tag", tag, "avail")
      list.add("provider_avail_id", id)
    case .dtmf(let preroll, let tones):
      list.add("splice_descriptor_tag", tag, "DTMF")
      list.add("preroll", preroll, MediaTime(Int64(preroll), 10).description)
      list.add("DTMF_char", plainText(tones) ?? hexText(tones))
    case .segmentation(let segmentation):
      list.add("splice_descriptor_tag", tag, "segmentation")
      segmentation.add(to: &list)
    case .time(let seconds, let nanoseconds, let offset):
      list.add("splice_descriptor_tag", tag, "time")
      list.add("TAI_seconds", seconds)
      list.add("TAI_ns", nanoseconds)
      list.add("UTC_offset", offset)
    case .audio(let count):
      list.add("splice_descriptor_tag", tag, "audio")
      list.add("audio_count", count)
    case .other(let bytes):
      list.add("splice_descriptor_tag", tag)
      list.add("identifier", code(identifier))
      list.add("private_byte", hexText(bytes))
    }
  }
}

extension SpliceSegmentation {
  fileprivate var summary: String {
    guard !isCancelled else { return "segmentation event \(eventID) is cancelled" }
    var text = "\(SpliceNames.segmentation(typeID)), segmentation event \(eventID)"
    if let duration { text += ", \(seconds(duration))" }
    for id in identifiers { text += ", \(SpliceNames.identifier(id.type)) \(id.text)" }
    return text
  }

  fileprivate func add(to list: inout DetailList) {
    list.add("segmentation_event_id", eventID)
    list.add("segmentation_event_cancel_indicator", isCancelled)
    guard !isCancelled else { return }
    list.add("delivery_not_restricted_flag", restrictions == nil)
    if let restrictions {
      list.add("web_delivery_allowed_flag", restrictions.allowsWebDelivery)
      list.add("no_regional_blackout_flag", restrictions.hasNoRegionalBlackout)
      list.add("archive_allowed_flag", restrictions.allowsArchive)
      list.add("device_restrictions", restrictions.devices, SpliceNames.devices(restrictions.devices))
    }
    for component in components {
      list.add("component_tag", component.tag)
      list.addTime("pts_offset", component.offset)
    }
    if let duration { list.addTime("segmentation_duration", duration) }
    for id in identifiers {
      list.add("segmentation_upid_type", id.type, SpliceNames.identifier(id.type))
      list.add("segmentation_upid", id.text)
    }
    list.add("segmentation_type_id", typeID, SpliceNames.segmentation(typeID))
    list.add("segment_num", number)
    list.add("segments_expected", expected)
    if let part {
      list.add("sub_segment_num", part.number)
      list.add("sub_segments_expected", part.expected)
    }
  }
}
