// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .enableExperimentalFeature("Lifetimes"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .strictMemorySafety(),
]

/// For targets in which operations spend little time: optimization for size makes the executable a tenth
/// smaller, and its build takes a sixth less processor time.
let small: [SwiftSetting] = settings + [.unsafeFlags(["-Osize"], .when(configuration: .release))]

let package = Package(
  name: "mp4tool",
  platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16)],
  products: [
    // For apps: starts no processes and does not use the network.
    .library(
      name: "MP4Toolkit",
      targets: [
        "MP4Toolkit", "MP4Bytes", "Ciphers", "MP4Records", "ISOBMFF", "BoxCatalog", "BoxDump", "MP4", "MP4Inspection",
        "MP4HLS", "MP4DASH",
        "TimedText",
        "MP4Packaging", "MP4FileIO", "MP4Presentations", "MP4ToolkitPrivacy",
      ]),
    // URLs, data and localized errors. Nothing of this package imports it.
    .library(name: "MP4ToolkitFoundation", targets: ["MP4ToolkitFoundation", "MP4ToolkitPrivacy"]),
    // The server alone, which starts no processes: for players in the same app.
    .library(name: "MP4ToolkitServing", targets: ["MP4Toolkit", "MP4Serving", "MP4ToolkitPrivacy"]),
    .library(
      name: "MP4ToolkitNetworking",
      targets: ["MP4Toolkit", "MP4Fetching", "MP4Serving", "MP4Streaming", "MP4ToolkitPrivacy"]),
    .executable(name: "mp4tool", targets: ["mp4tool"]),
  ],
  targets: [
    // Byte sources and sinks, independent of the platform.
    .target(name: "MP4Bytes", path: "Sources/Bytes", swiftSettings: settings),
    // AES and hash functions, because no crypto library is available on every platform.
    .target(name: "Ciphers", dependencies: ["MP4Bytes"], swiftSettings: settings),
    // Results with named members, as JSON, CSV and JSON Schema, and in man pages.
    .target(name: "MP4Records", dependencies: ["MP4Bytes"], path: "Sources/Records", swiftSettings: small),
    // Box structure: parsing and writing boxes and their fields.
    .target(name: "ISOBMFF", dependencies: ["MP4Bytes"], swiftSettings: settings),
    // Boxes that are only dumped, defined in a text format, and the compiler for that format.
    .target(name: "BoxCatalog", dependencies: ["MP4Bytes", "ISOBMFF"], swiftSettings: settings),
    // Dumps of boxes as text and JSON.
    .target(name: "BoxDump", dependencies: ["MP4Bytes", "ISOBMFF", "BoxCatalog"], swiftSettings: settings),
    // The meaning of boxes: tracks, samples, fragments.
    .target(name: "MP4", dependencies: ["MP4Bytes", "Ciphers", "MP4Records", "ISOBMFF"], swiftSettings: settings),
    // HLS playlists as values.
    .target(name: "MP4HLS", dependencies: ["MP4Bytes"], path: "Sources/HLS", swiftSettings: small),
    // DASH manifests as values.
    .target(name: "MP4DASH", dependencies: ["MP4Bytes"], path: "Sources/DASH", swiftSettings: small),
    // Subtitle files as values.
    .target(name: "TimedText", dependencies: ["MP4Bytes"], swiftSettings: small),
    // The packager's decisions: renditions, segments, playlists.
    .target(
      name: "MP4Packaging",
      dependencies: ["MP4Bytes", "Ciphers", "MP4Records", "ISOBMFF", "MP4", "MP4HLS", "MP4DASH", "TimedText"],
      path: "Sources/Packaging",
      swiftSettings: small),
    // System calls. Only the code below Sources/Platform uses the C library and differs between systems.
    .target(name: "MP4Platform", dependencies: ["MP4Bytes"], path: "Sources/Platform/System", swiftSettings: settings),
    // Child processes. No target of the MP4Toolkit library depends on it.
    .target(
      name: "MP4Processes", dependencies: ["MP4Bytes", "MP4Platform"], path: "Sources/Platform/Processes",
      swiftSettings: settings),
    // Files: reading, copying ranges, safe output.
    .target(
      name: "MP4FileIO", dependencies: ["MP4Bytes", "MP4Platform"], path: "Sources/FileIO", swiftSettings: settings),
    // Existing HLS presentations, in files or on servers (through the app's transport), and live ones in folders.
    .target(
      name: "MP4Presentations",
      dependencies: [
        "MP4Bytes", "Ciphers", "MP4Platform", "ISOBMFF", "MP4", "MP4HLS", "MP4DASH", "MP4Packaging", "MP4FileIO",
      ],
      path: "Sources/Presentations",
      swiftSettings: small),
    // Summaries and lists of movies and presentations, as text and in machine-readable formats.
    .target(
      name: "MP4Inspection",
      dependencies: [
        "MP4Bytes", "MP4Platform", "MP4Records", "ISOBMFF", "BoxCatalog", "BoxDump", "MP4", "MP4HLS", "TimedText",
        "MP4Packaging",
        "MP4FileIO",
        "MP4Presentations",
      ], path: "Sources/Inspection",
      swiftSettings: small),
    // Umbrella module: one import for apps.
    .target(
      name: "MP4Toolkit",
      dependencies: [
        "MP4Bytes", "MP4Platform", "MP4Records", "ISOBMFF", "BoxCatalog", "BoxDump", "MP4", "MP4Inspection", "MP4HLS",
        "MP4DASH", "TimedText",
        "MP4Packaging",
        "MP4FileIO",
        "MP4Presentations",
      ],
      swiftSettings: settings),
    // The only target that imports Foundation.
    .target(name: "MP4ToolkitFoundation", dependencies: ["MP4Toolkit", "MP4Platform"], swiftSettings: settings),
    // The privacy manifest for apps. The tool does not contain it.
    .target(name: "MP4ToolkitPrivacy", resources: [.process("PrivacyInfo.xcprivacy")]),
    // Remote resources, fetched with the system's curl.
    .target(
      name: "MP4Fetching", dependencies: ["MP4Bytes", "MP4Platform", "MP4Processes", "MP4HLS", "MP4FileIO"],
      path: "Sources/Fetching", swiftSettings: small),
    // The HTTP server, and the contents of a server: folders, movies as presentations, and pages that play them.
    .target(
      name: "MP4Serving",
      dependencies: [
        "MP4Bytes", "MP4Platform", "ISOBMFF", "MP4", "MP4HLS", "MP4Packaging", "MP4FileIO", "MP4Presentations",
      ], path: "Sources/Serving",
      swiftSettings: small),
    // Remote presentations: playlists as one input, and the cache of an origin.
    .target(
      name: "MP4Streaming",
      dependencies: [
        "MP4Bytes", "MP4Platform", "ISOBMFF", "MP4", "MP4HLS", "MP4DASH", "MP4Packaging", "MP4FileIO",
        "MP4Presentations", "MP4Fetching", "MP4Serving",
      ], path: "Sources/Streaming",
      swiftSettings: small),
    .executableTarget(
      name: "mp4tool",
      dependencies: [
        "MP4Bytes", "MP4Platform", "MP4Records", "ISOBMFF", "BoxCatalog", "BoxDump", "MP4", "MP4Inspection", "MP4HLS",
        "TimedText",
        "MP4Packaging",
        "MP4FileIO", "MP4Presentations", "MP4Fetching", "MP4Serving", "MP4Streaming",
      ],
      swiftSettings: small),

    // Builders for difficult files, test vectors and the corpus, shared by the tests.
    .target(
      name: "Support", dependencies: ["MP4Bytes", "MP4Platform", "MP4Processes", "ISOBMFF", "MP4FileIO"],
      path: "Tests/Support",
      swiftSettings: settings),
    // A program that uses the libraries, of which CI runs an optimized build.
    .executableTarget(
      name: "client", dependencies: ["MP4Toolkit"], path: "Tests/Client", exclude: ["expected.txt"],
      swiftSettings: settings),
    .testTarget(name: "BytesTests", dependencies: ["MP4Bytes"], swiftSettings: settings),
    .testTarget(name: "CiphersTests", dependencies: ["MP4Bytes", "Ciphers"], swiftSettings: settings),
    .testTarget(
      name: "ISOBMFFTests", dependencies: ["MP4Bytes", "ISOBMFF", "BoxCatalog", "BoxDump", "MP4FileIO", "Support"],
      swiftSettings: settings),
    .testTarget(
      name: "MP4Tests",
      dependencies: ["MP4Bytes", "MP4Records", "BoxCatalog", "BoxDump", "MP4", "MP4FileIO", "Support"],
      swiftSettings: settings),
    .testTarget(
      name: "InspectionTests",
      dependencies: [
        "MP4Bytes", "MP4Records", "ISOBMFF", "BoxCatalog", "BoxDump", "MP4", "MP4HLS", "MP4Inspection", "MP4FileIO",
        "MP4Packaging", "MP4Presentations",
        "Support",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "PackagingTests",
      dependencies: ["MP4Bytes", "MP4DASH", "MP4Packaging", "TimedText", "MP4FileIO", "Support"],
      swiftSettings: settings),
    // Like a client package: declarations with `package` access are not visible.
    .testTarget(
      name: "MP4ToolkitTests", dependencies: ["MP4Toolkit", "MP4Fetching", "MP4Serving", "MP4Streaming", "Support"],
      packageAccess: false, swiftSettings: settings),
    // The programs of apps again, with the main actor as the default isolation: a link to their folder.
    .testTarget(
      name: "MainActorTests", dependencies: ["MP4Toolkit", "MP4Serving", "Support"], packageAccess: false,
      swiftSettings: settings + [.defaultIsolation(MainActor.self)]),
    .testTarget(
      name: "MP4ToolkitFoundationTests", dependencies: ["MP4ToolkitFoundation", "Support"], packageAccess: false,
      swiftSettings: settings),
    .testTarget(name: "TimedTextTests", dependencies: ["TimedText", "Support"], swiftSettings: settings),
    .testTarget(name: "DASHTests", dependencies: ["MP4Bytes", "MP4DASH"], swiftSettings: settings),
    .testTarget(name: "HLSTests", dependencies: ["MP4HLS", "Support"], swiftSettings: settings),
    .testTarget(name: "PlatformTests", dependencies: ["MP4Bytes", "MP4Platform", "Support"], swiftSettings: settings),
    .testTarget(name: "ProcessesTests", dependencies: ["MP4Platform", "MP4Processes"], swiftSettings: settings),
    .testTarget(
      name: "FileIOTests", dependencies: ["MP4Bytes", "MP4Platform", "MP4FileIO", "Support"], swiftSettings: settings),
    .testTarget(
      name: "FetchingTests", dependencies: ["MP4Bytes", "MP4HLS", "MP4Fetching", "MP4FileIO", "Support"],
      swiftSettings: settings),
    .testTarget(
      name: "ServingTests",
      dependencies: [
        "MP4Bytes", "MP4Platform", "MP4Processes", "MP4HLS", "MP4", "MP4Packaging", "MP4Serving", "MP4Fetching",
        "MP4FileIO", "MP4Streaming", "Support",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "PresentationsTests",
      dependencies: [
        "MP4Bytes", "MP4HLS", "MP4", "MP4Packaging", "TimedText", "MP4FileIO", "MP4Presentations", "Support",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "StreamingTests",
      dependencies: ["MP4Bytes", "MP4Presentations", "MP4Streaming", "MP4HLS", "MP4FileIO", "MP4Serving", "Support"],
      swiftSettings: settings),
    .testTarget(
      name: "mp4toolTests",
      dependencies: [
        "MP4Bytes", "Ciphers", "MP4HLS", "MP4Toolkit", "MP4Platform", "MP4Presentations", "MP4Streaming", "mp4tool",
        "Support",
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
