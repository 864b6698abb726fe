/// A rule that data with the right key keeps, apart from rare damage.
///
/// With the right key, the probability that the rule is broken is not known: it is almost always 0, but data that broke
/// it once can break it often.
struct RuleEvidence {
  private var count = 0.0
  private var broken = 0.0
  /// How often a rule is broken before any data is known: 2^-20.
  private static let prior = 1.0 / Double(1 << 20)

  /// The Bayes factor of one more observation, in bits. Random data keeps the rule with the probability `chance`.
  mutating func note(_ isKept: Bool, chance: Double) -> Double {
    let rate = (broken + Self.prior) / (count + 1)
    count += 1
    if isKept { return logarithm((1 - rate) / chance) }
    broken += 1
    return logarithm(rate / (1 - chance))
  }
}

/// Byte sequences that NAL units cannot contain: 00 00 before 00, 01 or 02, and 00 00 03 before more than 03.
struct SequenceEvidence {
  /// The number of sequences, and their expected number in random data.
  private var found = 0.0
  private var expected = 0.0
  private static let prior = 1.0 / 4096

  /// The Bayes factor of a unit, in bits; `encrypted` is the same before decryption.
  mutating func note(_ clear: ArraySlice<UInt8>, _ encrypted: ArraySlice<UInt8>) -> Double {
    // Zeros at the end are judged elsewhere.
    let end = clear.lastIndex { $0 != 0 } ?? clear.startIndex
    var (zeroCount, changed, isEscaped, count, own) = (0, 0, false, 0, 0)
    for index in clear.startIndex..<end {
      let byte = clear[index]
      // Random bytes rarely equal the original ones.
      if byte != encrypted[index] { changed = 4 } else if changed > 0 { changed -= 1 }
      if changed > 0 {
        count += 1
        if zeroCount >= 2 && byte < 3 || isEscaped && byte > 3 { own += 1 }
      }
      isEscaped = zeroCount >= 2 && byte == 3
      zeroCount = byte == 0 ? zeroCount + 1 : 0
    }
    // The numbers are Poisson distributed. The rate with the right key is learned, and almost always 0 at first.
    let more = Double(count) * 4 / Double(1 << 24)
    var bits = 0.0
    for _ in 0..<own {
      bits += logarithm((found + Self.prior) / (expected + 1))
      found += 1
    }
    bits += more * 1.4427 * (1 - min(1, (found + Self.prior) / (expected + 1)))
    expected += more
    return bits
  }
}

/// The last bytes of slices and tiles.
///
/// They end with a 1 and zeros up to the end of the byte, so that the number of zeros is anything from 0 to 7 equally
/// often. In random bytes, 0 is seen in every second one. x264 sets the last bit in every second slice.
struct EndEvidence {
  /// The probabilities with the three hypotheses so far, relative to random data, as logarithms.
  private var factors = (uniform: 0.0, marked: 0.0, learned: 0.0)
  private var total = 0.0
  private var counts = [Double](repeating: 0, count: 9)
  private static let zero = 1.0 / 65536
  /// The prior probabilities of the hypotheses, as logarithms. What is learned can equal random data, so that it is
  /// improbable at first.
  private let priors: (uniform: Double, marked: Double, learned: Double)

  /// Bytes in which a last bit that is set can be that of x264.
  init(isMarked: Bool) { priors = isMarked ? (-1, -1, -12) : (0, -12, -12) }

  /// The Bayes factor of one more byte, in bits.
  mutating func note(_ byte: UInt8) -> Double {
    let zeros = min(byte.trailingZeroBitCount, 8)
    let chance = zeros == 8 ? 1.0 / 256 : 1.0 / Double(2 << zeros)
    let isZero = zeros == 8
    factors.uniform += logarithm((isZero ? Self.zero : 1.0 / 8) / chance)
    factors.marked += logarithm((isZero ? Self.zero : zeros == 0 ? 9.0 / 16 : 1.0 / 16) / chance)
    let count = counts.reduce(0, +)
    factors.learned += logarithm((counts[zeros] + (isZero ? 0.001 : 1)) / (count + 8.001) / chance)
    counts[zeros] += 1
    let before = total
    total = sum([factors.uniform + priors.uniform, factors.marked + priors.marked, factors.learned + priors.learned])
    return total - before
  }

  private func sum(_ logarithms: [Double]) -> Double {
    let largest = logarithms.max() ?? 0
    return largest + logarithm(logarithms.reduce(0) { $0 + power($1 - largest) })
  }
}

/// Bytes of which an encoder uses some more often than others.
struct LearnedEvidence {
  private var counts = [Double](repeating: 0, count: 256)
  private var count = 0.0
  private var learned = 0.0
  private var total = 0.0

  /// The Bayes factor of one more byte, in bits, if an encoder uses few values.
  mutating func note(_ byte: UInt8) -> Double {
    let factor = logarithm((counts[Int(byte)] + 1.0 / 256) / (count + 1) * 256)
    counts[Int(byte)] += 1
    count += 1
    learned += factor
    return factor
  }

  /// The same if it may as well use all of them, so that this is never evidence against a key.
  mutating func noteIfLearned(_ byte: UInt8) -> Double {
    _ = note(byte)
    let before = total
    total = learned > 60 ? learned - 1 : logarithm((1 + power(learned)) / 2)
    return total - before
  }
}

/// The logarithm to the base 2, precise to 10^-6, without a mathematics library.
func logarithm(_ value: Double) -> Double {
  guard value > 0, value.isFinite else { return -1024 }
  let (exponent, significand) = (Double(value.exponent), value.significand)
  // ln((1 + x) / (1 - x)) as a series.
  let x = (significand - 1) / (significand + 1)
  var (term, sum) = (x, 0.0)
  for index in stride(from: 1.0, through: 15, by: 2) {
    sum += term / index
    term *= x * x
  }
  return exponent + 2 * sum * 1.4426950408889634
}

/// 2 to the power of a number.
func power(_ value: Double) -> Double {
  guard value > -1000 else { return 0 }
  let whole = min(value, 1000).rounded(.down)
  let rest = (min(value, 1000) - whole) * 0.6931471805599453
  var (term, sum) = (1.0, 1.0)
  for index in 1...14 {
    term *= rest / Double(index)
    sum += term
  }
  return Double(sign: .plus, exponent: Int(whole), significand: sum)
}
