import MP4Toolkit

// snippet: errors
func advice(on recording: String) -> String {
  do throws(MovieError) {
    return "\(try Movie(reading: [recording]).tracks.count) tracks"
  } catch {
    switch error {
    case .io(let error) where error.operation == .open: return "\(error.file) cannot be opened"
    case .segmentFirst: return "an init segment is needed before it"
    case .noMovie(let file): return "\(file) is no movie"
    default: return error.description  // a sentence that names the file, the box and the byte
    }
  }
}
// end
