extension String {
  /// The text, escaped for the content and attribute values of HTML and XML. Control characters and characters that
  /// these formats do not allow become spaces.
  package var escapedForHTML: String {
    var result = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case _ where scalar.value < 0x20 || scalar.value & 0xfffe == 0xfffe: result += " "
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
