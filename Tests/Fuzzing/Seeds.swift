// Writes small files of random fragments, and samples of telemetry, as seeds for `Tests/Fuzzing/run`:
// `random-files FOLDER COUNT`.
import Glibc
import Support

@main
enum Seeds {
  static func main() {
    let words = CommandLine.arguments
    guard words.count == 3, let count = UInt64(words[2]) else { exit(64) }
    for seed in 0..<count { write(RandomFiles.file(seed).bytes, to: "\(words[1])/random-\(seed)") }
    for (number, sample) in telemetry.enumerated() { write(sample, to: "\(words[1])/telemetry-\(number)") }
  }

  /// Pairs of samples after the number of their format.
  private static var telemetry: [[UInt8]] {
    let place = TelemetryBytes.cammPosition(time: 1_400_000_000, latitude: 50, longitude: 8)
    let metadata = big(UInt32(26)) + big(UInt32(1)) + ascii("+50.1-008.6+112.5/")
    let samples: [(UInt8, [UInt8])] = [
      (0, TelemetryBytes.goPro(second: 1)), (0, TelemetryBytes.goProDetailed),
      (1, place + TelemetryBytes.camm(5, zeros(24)) + TelemetryBytes.camm(2, zeros(12))), (2, TelemetryBytes.sony),
      (3, metadata + big(UInt32(10)) + big(UInt32(3)) + [0, 1]), (4, TelemetryBytes.text(TelemetryBytes.flight)),
      (4, TelemetryBytes.text(TelemetryBytes.bracketedFlight)),
    ]
    return samples.map { [$0.0] + $0.1 + $0.1 }
  }

  private static func write(_ bytes: [UInt8], to name: String) {
    guard let file = fopen(name, "w") else { exit(73) }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
  }
}
