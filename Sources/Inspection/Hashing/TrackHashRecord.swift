import MP4
package import MP4Bytes
package import MP4Records

/// The hash of a track, with its file and its kind.
package struct TrackHashRecord: Record {
  package static let summary = "The hash of the samples of a track."
  package static let members: [RecordMember<TrackHashRecord>] = [
    RecordMember("file", "the name of the file") { $0.file },
    RecordMember("track", "the ID of the track") { Int($0.hash.track) },
    RecordMember("handler", "its handler type, such as `vide`") { $0.hash.handler },
    RecordMember("samples", "the number of its samples") { $0.hash.sampleCount },
    RecordMember("bytes", "the total size of its samples") { $0.hash.byteCount },
    RecordMember("algorithm", "the algorithm: `sha256`, `md5` or `xxh64`") { $0.algorithm.rawValue },
    RecordMember("kind", "what is hashed: `samples` or `samples+times`") { $0.kind.rawValue },
    RecordMember("hash", "the hash in hexadecimal; missing if samples are lost") { $0.hash.digest.map(hexText) },
  ]
  let file: String
  let hash: TrackHash
  let algorithm: HashAlgorithm
  let kind: HashSidecar.Kind

  /// A line for people, which starts with the hash like those of `sha256sum`; `nil` without a hash.
  package var text: String? {
    hash.digest.map {
      "\(hexText($0))  \(file): track \(hash.track) (\(hash.handler), \(counted(hash.sampleCount, "sample")))"
    }
  }

  /// Writes a JSON Schema for the elements of JSON and the lines of JSON Lines.
  package static func writeSchema(to sink: any ByteSink) throws(IOError) {
    try RecordSchema.array(schema).write(to: sink)
  }
}

extension TrackHashes {
  /// A record for each track of the file with this name.
  package func records(file: String) -> [TrackHashRecord] {
    tracks.map {
      TrackHashRecord(file: file, hash: $0, algorithm: algorithm, kind: includesTimes ? .samplesAndTimes : .samples)
    }
  }

  /// A line of a sidecar for each track that has a hash; `file` is a path.
  package func sidecar(file: [UInt8]) -> [UInt8] {
    tracks.flatMap { hash -> [UInt8] in
      guard let digest = hash.digest else { return [] }
      return HashSidecar.Entry(
        file: file, track: hash.track, kind: includesTimes ? .samplesAndTimes : .samples, algorithm: algorithm,
        digest: digest
      ).line
    }
  }
}
