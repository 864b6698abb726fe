// snippet: progressive
import MP4Toolkit

func makeProgressive(_ recording: String, as output: Pathname) throws {
  let plan = try Defragmenter().plan([openSource(recording)])  // reads fragment headers, not the media
  for notice in plan.notices { print(notice) }  // repairs, decisions and losses; plan.report has all details
  let file = try OutputFile(output)
  try plan.write(to: file)  // copies byte ranges in the kernel
  try file.commit()  // gives the file its final name
}
// end
