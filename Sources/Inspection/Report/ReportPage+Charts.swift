import MP4
import MP4Bytes

/// The charts over time.
extension ReportPage {
  private var axis: TimeAxis { report.axis }
  private var hasTime: Bool { axis.binCount > 0 && report.tracks.contains { $0.summary.samples.count > 0 } }
  private func x(_ seconds: Double) -> Double { axis.position(of: seconds) * 1000 }

  /// A chart over time.
  private func chart(
    _ kind: String, _ track: Int?, _ label: String, caption: String = "", legend: [(String, String)] = [],
    vertical: [(place: Double, text: String)] = [], height: String = "tall", showsTimes: Bool = true, _ drawing: String
  ) -> String {
    var chart = ReportChart(kind: kind, track: track, label: label.escapedForHTML, drawing: drawing)
    chart.caption = caption
    chart.legend = legend.map { (style: $0.0, name: $0.1) }
    (chart.vertical, chart.height) = (vertical, height)
    if showsTimes { chart.horizontal = axis.ticks }
    return chart.html
  }

  /// A bar from each time to the next one.
  private func bars(
    _ track: TrackReport, _ times: [MediaTime], top: Double, _ style: String, title: String? = nil,
    _ value: (Int) -> Double
  ) -> String {
    var path = ReportPath()
    let shift = track.shift.seconds
    let end = track.shift.seconds + (times.first?.seconds ?? 0) + track.summary.samples.duration.seconds
    // If there are few bars, gaps separate them.
    let gap = times.count < 200 ? 2.0 : 0
    for (index, time) in times.enumerated() {
      let height = value(index)
      guard height > 0 else { continue }
      let start = x(time.seconds + shift)
      let next = x(index + 1 < times.count ? times[index + 1].seconds + shift : end)
      path.bar(start, next - start - min(gap, (next - start) * 0.08), to: height / top * 100)
    }
    return path.element(style, title: title)
  }

  // MARK: Bit rates

  /// The bit rate of each track.
  var rates: Section? {
    guard hasTime else { return nil }
    let charts = report.tracks.enumerated().compactMap { index, track -> String? in
      func highest(_ track: TrackReport) -> Int {
        zip(track.rates.bytes, track.rates.peaks).map { rateOf($0, $1) }.max() ?? 0
      }
      guard highest(track) > 0 else { return nil }
      let most = comparable(with: track).map(highest).max() ?? 0
      let scale = ReportChart.scale(most) { Quantity.text($0, "b/s") }
      var (path, peaks) = (ReportPath(), ReportPath())
      let width = 1000 * axis.bin.seconds / axis.length
      for (bin, bytes) in track.rates.bytes.enumerated() {
        let start = Double(bin) * width
        let own = min(width, 1000 - start)
        if bytes > 0 { path.bar(start, own, to: Double(rateOf(bytes, 0)) / scale.top * 100) }
        // The peak rate is only meaningful if bins are longer than a second.
        if axis.bin.value > 1000, track.rates.peaks[bin] > 0 {
          let height = Double(rateOf(0, track.rates.peaks[bin])) / scale.top * 100
          if peaks.text.isEmpty { peaks.move(start, height) } else { peaks.line(start, height) }
          peaks.line(start + own, height)
        }
      }
      let samples = track.summary.samples
      let words = [
        samples.bitRate.map { "average \(Quantity.text($0, "b/s"))" },
        samples.peakBitRate.map { "highest \(Quantity.text($0, "b/s")) in one second" },
      ].compactMap(\.self).joined(separator: ", ")
      let legend =
        peaks.text.isEmpty
        ? [] : [("\(track.use.style)", "average of \(Self.short(axis.bin))"), ("peak", "highest second")]
      return chart(
        "rate", index, "Bit rate of \(track.label): \(words)", caption: "<b>\(track.heading)</b> \(words)",
        legend: legend, vertical: scale.places,
        path.element("bar \(track.use.style)") + peaks.element("line peak"))
    }
    guard !charts.isEmpty else { return nil }
    return Section(
      id: "rates", title: "Bit rate",
      body: hint("Each bar is the average of \(Self.short(axis.bin)), by decode time.") + charts.joined(separator: "\n")
    )
  }

  private func rateOf(_ bytes: Int, _ peak: Int) -> Int {
    let average = Quantity.bitsPerSecond(bytes, in: axis.bin) ?? 0
    return max(average, axis.bin.value > 1000 ? peak.multipliedReportingOverflow(by: 8).partialValue : 0)
  }

  /// The tracks whose charts have the same scale: of movies that are compared, all of the same use.
  private func comparable(with track: TrackReport) -> [TrackReport] {
    track.file == nil ? [track] : report.tracks.filter { $0.use == track.use }
  }

  private func hint(_ text: String) -> String { "<p class=\"hint\">\(text)</p>\n" }

  /// Seconds without insignificant digits.
  static func short(_ time: MediaTime) -> String { "\(Quantity.decimal(UInt64(time.value), 3)) s" }

  // MARK: Frames

  /// Frame sizes by kind, and GOPs.
  var frames: Section? {
    guard hasTime else { return nil }
    let charts = report.tracks.enumerated().compactMap { index, track -> String? in
      guard track.use == .video || !track.samples.areAllKey, !track.samples.largest.isEmpty else { return nil }
      let most = comparable(with: track).compactMap { $0.samples.largest.max() }.max() ?? 0
      let scale = ReportChart.scale(most) { Quantity.text($0, "B") }
      let kinds = track.kinds.map(\.kind)
      let drawing = kinds.map { kind in
        bars(track, track.samples.times, top: scale.top, "bar \(track.use.style) \(kind)") {
          Double(track.samples.largestOfKind[kind.rawValue][$0])
        }
      }
      let each = track.samples.samplesPerBin
      let words = each == 1 ? "one bar per sample" : "one bar for the largest of \(each) samples"
      return chart(
        "frames", index, "Frame sizes of \(track.label)", caption: "<b>\(track.heading)</b> frame sizes, \(words)",
        legend: kinds.map { ("\(track.use.style) \($0)", $0.words) }, vertical: scale.places, drawing.joined())
        + (groupChart(track, index) ?? "")
    }
    guard !charts.isEmpty || !kindRows.isEmpty else { return nil }
    let table = Self.table(
      "Samples by kind", ["Track", "Kind", "Samples", "Bytes", "Share", "Smallest", "Average", "Largest"],
      numbers: [2, 3, 4, 5, 6, 7], kindRows)
    return Section(
      id: "frames", title: "GOPs and frame sizes",
      body: hint(
        "A backward frame is presented before a frame that is decoded earlier, like most B-frames; a forward frame is "
          + "not.")
        + charts.joined(separator: "\n") + "\n" + table)
  }

  private var kindRows: [[String]] {
    report.tracks.flatMap { track in
      track.kinds.map { kind in
        let sum = max(1, track.summary.samples.byteCount)
        return [
          "\(track.file.map { "\($0): " } ?? "")\(track.summary.id)",
          "<span class=\"swatch \(track.use.style) \(kind.kind)\"></span>\(kind.kind.words)",
          Self.grouped(kind.count), Quantity.text(kind.byteCount, "B"), Self.share(kind.byteCount, of: sum),
          Self.grouped(kind.smallest), Self.grouped(kind.byteCount / max(1, kind.count)), Self.grouped(kind.largest),
        ]
      }
    }
  }

  /// A percentage.
  static func share(_ part: Int, of whole: Int) -> String {
    let text = ReportChart.number(Double(part) / Double(max(1, whole)) * 100)
    return text == "0" && part > 0 ? "< 0.1 %" : "\(text) %"
  }

  private func groupChart(_ track: TrackReport, _ index: Int) -> String? {
    guard let groups = track.groups, let longest = groups.longest.max(), longest.value > 0, groups.times.count > 1
    else { return nil }
    let scale = ReportChart.scale(Int(clamping: longest.converted(to: 1000).value)) { "\(MediaTime(Int64($0), 1000))" }
    func height(_ time: MediaTime) -> Double { time.seconds * 1000 }
    let words =
      groups.groupsPerBin == 1
      ? "one bar per GOP" : "the longest and the shortest of \(groups.groupsPerBin) GOPs"
    let drawing =
      bars(track, groups.times, top: scale.top, "bar \(track.use.style) backward") { height(groups.longest[$0]) }
      + bars(track, groups.times, top: scale.top, "bar \(track.use.style)") { height(groups.shortest[$0]) }
    return "\n"
      + chart(
        "groups", index, "GOP durations of \(track.label)",
        caption: "<b>\(track.heading)</b> GOP durations, \(words)", vertical: scale.places, height: "low", drawing)
  }

  // MARK: Composition

  /// Composition offsets, and the order of the first samples.
  var composition: Section? {
    guard hasTime else { return nil }
    let charts = report.tracks.enumerated().compactMap { index, track -> String? in
      let samples = track.samples
      guard samples.hasCompositionOffsets, let least = samples.leastComposition.min(),
        let most = samples.mostComposition.max()
      else { return nil }
      let (low, high) = (min(0, least), max(0, most))
      let range = Double(high - low)
      func text(_ value: Int) -> String {
        "\(MediaTime(Int64(value), track.timescale).converted(to: 1000).value) ms"
      }
      let places = Set([low, 0, high]).sorted().map { (place: Double($0 - low) / range, text: text($0)) }
      var path = ReportPath()
      let shift = track.shift.seconds
      for (bin, time) in samples.times.enumerated() {
        let start = x(time.seconds + shift)
        let next = x(bin + 1 < samples.times.count ? samples.times[bin + 1].seconds + shift : axis.end.seconds)
        let (bottom, top) = (samples.leastComposition[bin], samples.mostComposition[bin])
        path.bar(
          start, bin + 1 < samples.times.count ? next - start : min(next - start, 1000 / Double(samples.times.count)),
          from: Double((samples.samplesPerBin == 1 ? min(0, bottom) : bottom) - low) / range * 100,
          to: Double((samples.samplesPerBin == 1 ? max(0, top) : top) - low) / range * 100)
      }
      return chart(
        "composition", index, "Composition offsets of \(track.label)",
        caption: "<b>\(track.heading)</b> composition offsets, \(text(least)) to \(text(most))", vertical: places,
        height: "low", path.element("bar \(track.use.style)")) + "\n" + (index < Self.orderLimit ? order(track) : "")
    }
    guard !charts.isEmpty else { return nil }
    return Section(
      id: "composition", title: "Composition order",
      body: hint("The delay between decoding and presentation of each sample.") + charts.joined(separator: "\n"))
  }

  /// The maximum number of tracks whose order is drawn.
  private static let orderLimit = 4

  /// The first reordered samples: lines from decoding order to presentation order.
  private func order(_ track: TrackReport) -> String {
    let samples = track.order
    guard let first = samples.first, let last = samples.last, samples.count > 1 else { return "" }
    let step = 1000 / Double(samples.count)
    func center(_ index: Int) -> Double { (Double(index) + 0.5) * step }
    var (lines, boxes) = ("", "")
    for (index, sample) in samples.enumerated() {
      let (from, to) = (center(index), center(sample.place))
      var line = ReportPath()
      line.move(from, 78)
      line.line(to, 22)
      lines += line.element("line order \(sample.kind)")
      var box = ReportPath()
      box.bar(from - step * 0.4, step * 0.8, from: 80, to: 98)
      box.bar(to - step * 0.4, step * 0.8, from: 2, to: 20)
      boxes += box.element(
        "bar \(track.use.style) \(sample.kind)",
        title: "sample \(sample.sample), \(sample.kind.words), number \(sample.place + 1) of these in presentation "
          + "order")
    }
    return """
      <figure class="chart"><figcaption><span class="name"><b>\(track.heading)</b> samples \(first.sample) to \
      \(last.sample): above as they are decoded, below as they are presented</span></figcaption>
      <div class="frame low"><div class="y" aria-hidden="true"><span style="bottom:90%">decoded</span>\
      <span style="bottom:10%">shown</span></div>
      <div class="plot still" role="img" aria-label="Order of the first samples of \(track.label.escapedForHTML)">\
      <svg class="\(track.use.style)" viewBox="0 0 1000 100" preserveAspectRatio="none">\(lines)\(boxes)</svg></div></div>
      </figure>
      """
  }

  // MARK: Interleaving

  /// The file offsets of the samples over time.
  var interleaving: Section? {
    let tracks = report.tracks.filter { $0.samples.times.count > 0 }
    guard hasTime, tracks.count > 1, report.map.byteCount > 0 else { return nil }
    let size = Double(report.map.byteCount)
    let drawing = tracks.map { track -> String in
      var (path, back) = (ReportPath(), [(Double, Double)]())
      let shift = track.shift.seconds
      for (bin, time) in track.samples.times.enumerated() {
        let place = x(time.seconds + shift)
        let (low, high) = (Double(track.samples.firstOffset[bin]), Double(track.samples.lastOffset[bin]))
        if bin == 0 { path.move(place, low / size * 100) } else { path.line(place, low / size * 100) }
        back.append((place, high / size * 100))
      }
      if track.samples.samplesPerBin > 1 {
        for (place, height) in back.reversed() { path.line(place, height) }
        path.close()
      }
      let style = track.samples.samplesPerBin > 1 ? "line path band" : "line path"
      return path.element("\(style) \(track.use.style)", title: track.label.escapedForHTML)
    }
    let places = Self.byteTicks(2, of: report.map)
    return Section(
      id: "interleaving", title: "Interleaving",
      body: hint(
        "The file position of the samples at each time. Where lines are close together, tracks are read together.")
        + chart(
          "interleaving", nil, "Offsets of the samples of all tracks by time",
          legend: tracks.map { ("\($0.use.style)", $0.heading) }, vertical: places, drawing.joined()))
  }
}

extension TrackReport {
  /// The heading of its charts.
  var heading: String { label.printable.escapedForHTML }
}

extension SampleBins.Kind {
  /// Its description.
  var words: String {
    switch self {
    case .key: "keyframes"
    case .forward: "forward"
    case .backward: "backward"
    }
  }
}
