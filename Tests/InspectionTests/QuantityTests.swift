import MP4
import MP4Inspection
import Testing

@Suite("Human-readable numbers")
struct QuantityTests {
  @Test(
    "Three digits and a prefix",
    arguments: [
      (0, "0 B"), (999, "999 B"), (1000, "1 kB"), (1234, "1.23 kB"), (1_569_000, "1.57 MB"), (98_400, "98.4 kB"),
      (317_200, "317 kB"), (999_499, "999 kB"), (999_500, "1 MB"), (12_345_678_901, "12.3 GB"), (.max, "9223 PB"),
      (-5, "0 B"),
    ])
  func quantities(value: Int, text: String) { #expect(Quantity.text(value, "B") == text) }

  @Test(
    "Clock times",
    arguments: [
      (MediaTime(0, 1), "0:00.000"), (MediaTime(62_500, 1000), "1:02.500"), (MediaTime(3723, 1), "1:02:03.000"),
      (MediaTime(-1, 3), "-0:00.333"), (MediaTime(.max, 1), "2562047788015215:30:07.000"),
    ])
  func clock(time: MediaTime, text: String) { #expect(time.clock == text) }
}
