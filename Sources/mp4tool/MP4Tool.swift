@main
struct MP4Tool {
  static func main() {}
}
