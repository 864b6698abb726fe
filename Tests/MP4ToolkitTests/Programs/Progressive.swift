// snippet: progressive
import MP4Toolkit

func makeProgressive(_ recording: String, as output: Pathname) throws {
  let plan = try Defragmenter().plan([FileSource.open(recording)])  // reads fragment headers, not the media
  for diagnostic in plan.diagnostics { print(diagnostic) }  // repairs, decisions and losses; see also plan.report
  let file = try OutputFile(output)
  try plan.write(to: file)  // copies byte ranges; no media is held in memory
  try file.commit()  // gives the file its final name
}
// end
