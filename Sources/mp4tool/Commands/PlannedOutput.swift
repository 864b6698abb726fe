import MP4
import MP4Bytes
import MP4FileIO
import MP4Packaging
import MP4Presentations

/// A planned output.
struct PlannedOutput {
  /// What is written. It must fit the target of the job.
  enum Content {
    case file((any ByteSink) throws -> Void)
    /// The files of a folder, in the order in which they are written.
    case folder([PlannedFile])
    case change(InPlacePlan)
    case subtitles(SubtitlePlan)
  }

  var diagnostics: [Diagnostic]
  /// Diagnostics that only apply if the output is written.
  var remarks: [Diagnostic] = []
  let content: Content
  /// The size of the output, or the number of bytes that a change appends.
  let byteCount: Int
  /// The contents of the output, as a phrase.
  var counts: () -> String? = { nil }
  /// Writes all decisions as JSON; returns whether there is such a report.
  var writeReport: (_ sink: any ByteSink, _ output: String?, _ isWritten: Bool) throws -> Bool = { _, _, _ in false }

  var isChange: Bool { if case .change = content { true } else { false } }
  /// Whether nothing needs to be written.
  var isEmpty: Bool { if case .change(let plan) = content { plan.isEmpty } else { false } }
  /// What was written, as a phrase.
  var summary: String {
    isChange ? "changed in place" + (counts().map { ", \($0)" } ?? "") : counted(byteCount, "byte")
  }

  func write(to output: any SafeOutput) throws {
    switch (content, output) {
    case (.file(let write), let file as OutputFile): try write(file)
    case (.folder(let files), let folder as OutputFolder):
      for file in files { try file.write(folder.begin(file.path)) }
    case (.change(let plan), let file as InPlaceFile): try plan.write(to: file)
    case (.subtitles(let plan), let output as SubtitleOutput): try output.write(plan)
    default: preconditionFailure("a plan is made for the target of its job")
    }
  }
}

/// One file of a planned folder.
struct PlannedFile {
  /// Its path in the folder.
  let path: Pathname
  /// The number of bytes that `write` writes.
  let byteCount: Int
  let write: (any ByteSink) throws -> Void
}

extension PlannedOutput {
  /// A folder of files.
  init(_ files: [PlannedFile], diagnostics: [Diagnostic], counts: String) {
    self.init(
      diagnostics: diagnostics, content: .folder(files), byteCount: files.reduce(0) { $0 + $1.byteCount },
      counts: { counts })
  }

  init(_ plan: OutputPlan) {
    self.init(diagnostics: plan.diagnostics, content: .file { try plan.write(to: $0) }, byteCount: plan.byteCount) {
      plan.report.map { "\(counted($0.tracks.count, "track")) and \(counted($0.sampleCount, "sample"))" }
    } writeReport: {
      try plan.report.write(to: $0, output: $1, isWritten: $2)
    }
  }

  init(_ plan: FragmentPlan) {
    self.init(diagnostics: plan.diagnostics, content: .file { try plan.write(to: $0) }, byteCount: plan.byteCount) {
      counted(plan.segments.count, "segment")
    } writeReport: {
      try plan.writeReport(to: $0, output: $1, isWritten: $2, names: nil)
      return true
    }
  }

  /// A change that appends bytes.
  init(_ plan: InPlacePlan) {
    self.init(diagnostics: plan.diagnostics, content: .change(plan), byteCount: plan.byteCount) {
      "\(counted(plan.byteCount, "byte was", "bytes were")) appended"
    } writeReport: {
      try plan.report.write(to: $0, output: $1, isWritten: $2)
    }
  }
}

extension DefragmentReport? {
  fileprivate func write(to sink: any ByteSink, output: String?, isWritten: Bool) throws -> Bool {
    guard var report = self else { return false }
    report.output.name = output
    report.output.isWritten = isWritten
    try report.writeJSON(to: sink)
    return true
  }
}
