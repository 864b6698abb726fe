import MP4Toolkit

// snippet: errors
func advice(on error: MovieError) -> String {
  switch error {
  case .io(let error) where error.operation == .open: "\(error.file) cannot be opened"
  case .empty(let file), .text(let file), .otherFormat(let file, _): "\(file) is not an MP4 file"
  case .cutOff(let file): "\(file) was never finished: its movie box is missing"
  case .segmentFirst(let file): "\(file) needs the init segment before it"
  default: error.description  // a sentence that names the file, the box and the byte
  }
}
// end
