import MP4Bytes

extension FieldCoder {
  /// Shows the clockwise rotation of a matrix, if it only rotates, scales and moves the picture.
  mutating func rotation(_ matrix: Matrix) {
    let hundredths = isShowing ? matrix.rotation : nil
    derived(
      "rotation",
      hundredths.map { $0 % 100 == 0 ? .unsigned(UInt64($0 / 100)) : .float(Double($0) / 100) })
  }
}

extension Matrix {
  /// The clockwise rotation of the picture in hundredths of a degree, below 36000; `nil` if the picture is skewed or
  /// mirrored.
  package var rotation: Int? {
    let (a, b, c, d) = (Int64(values[0]), Int64(values[1]), Int64(values[3]), Int64(values[4]))
    // 16.16 numbers are rounded, and numbers derived from them are less exact.
    let slack = max(abs(a), abs(b)) / 1000
    guard values[2] == 0, values[5] == 0, a != 0 || b != 0, abs(a - d) <= slack, abs(b + c) <= slack else { return nil }
    return Angle.hundredths(x: a, y: b)
  }
}

/// Calculates angles without floating-point functions, which the standard library does not have.
enum Angle {
  /// The direction of a point, from the x axis to the y axis, in hundredths of a degree.
  static func hundredths(x: Int64, y: Int64) -> Int {
    if x < 0 { return (hundredths(x: -x, y: -y) + 18000) % 36000 }
    // The point is rotated to the axis by smaller and smaller angles, whose tangents are powers of 1/2 (CORDIC).
    var (x, y, angle) = (x << 16, y << 16, 0)
    for (shift, step) in steps.enumerated() {
      let isAbove = y > 0
      (x, y) = isAbove ? (x + y >> Int64(shift), y - x >> Int64(shift)) : (x - y >> Int64(shift), y + x >> Int64(shift))
      angle += isAbove ? step : -step
    }
    let rounded = (angle + (angle < 0 ? -50000 : 50000)) / 100_000
    return (rounded + 36000) % 36000
  }

  /// The angles with the tangents 1, 1/2, 1/4 …, in ten-millionths of a degree.
  private static let steps = [
    450_000_000, 265_650_512, 140_362_435, 71_250_163, 35_763_344, 17_899_106, 8_951_737, 4_476_142, 2_238_105,
    1_119_057, 559_529, 279_765, 139_882, 69_941, 34_971, 17_485, 8743, 4371, 2186, 1093, 546, 273, 137, 68, 34, 17, 9,
  ]
}
