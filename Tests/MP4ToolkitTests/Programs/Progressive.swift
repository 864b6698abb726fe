// snippet: progressive
import MP4Toolkit

func makeProgressive(_ recording: String, as output: Pathname) throws {
  let plan = try Defragmenter().plan([openSource(recording)])  // reads the fragments, not the media
  for notice in plan.notices { print(notice) }  // what was repaired, decided or lost; plan.report has it all
  let file = try OutputFile(output)
  try plan.write(to: file)  // copies ranges by the kernel
  try file.commit()  // now it has its name
}
// end
