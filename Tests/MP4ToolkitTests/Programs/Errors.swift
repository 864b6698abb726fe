import MP4Toolkit

// snippet: errors
func advice(on error: MovieError) -> String {
  switch error {
  case .io(let error) where error.operation == .open: "\(error.file) cannot be opened"
  case .empty(let file), .text(let file), .otherFormat(let file, _): "\(file) is not an MP4 file"
  case .segmentFirst(let file): "\(file) needs the init segment before it"
  case .impossible(let file, let obstacle) where obstacle.code == .noTrack: "\(file) has no such track"
  case _ where error.remedy == .recover: "\(error.file) was never finished; recover it"
  default: error.description  // a sentence that names the file, the box and the byte
  }
}
// end
