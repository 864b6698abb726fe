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
        "MP4Toolkit", "Bytes", "Ciphers", "Records", "ISOBMFF", "BoxCatalog", "BoxDump", "MP4", "Inspection", "HLS",
        "TimedText",
        "Packaging", "FileIO", "Presentations", "MP4ToolkitPrivacy",
      ]),
    // URLs, data and localized errors. Nothing of this package imports it.
    .library(name: "MP4ToolkitFoundation", targets: ["MP4ToolkitFoundation", "MP4ToolkitPrivacy"]),
    // The server alone, which starts no processes: for players in the same app.
    .library(name: "MP4ToolkitServing", targets: ["MP4Toolkit", "Serving", "MP4ToolkitPrivacy"]),
    .library(
      name: "MP4ToolkitNetworking",
      targets: ["MP4Toolkit", "Fetching", "Serving", "Streaming", "MP4ToolkitPrivacy"]),
    .executable(name: "mp4tool", targets: ["mp4tool"]),
  ],
  targets: [
    // Byte sources and sinks, independent of the platform.
    .target(name: "Bytes", swiftSettings: settings),
    // AES, because no crypto library is available on every platform.
    .target(name: "Ciphers", dependencies: ["Bytes"], swiftSettings: settings),
    // Results with named members, as JSON, CSV and JSON Schema, and in man pages.
    .target(name: "Records", dependencies: ["Bytes"], swiftSettings: small),
    // Box structure: parsing and writing boxes and their fields.
    .target(name: "ISOBMFF", dependencies: ["Bytes"], swiftSettings: settings),
    // Boxes that are only dumped, defined in a text format, and the compiler for that format.
    .target(name: "BoxCatalog", dependencies: ["Bytes", "ISOBMFF"], swiftSettings: settings),
    // Dumps of boxes as text and JSON.
    .target(name: "BoxDump", dependencies: ["Bytes", "ISOBMFF", "BoxCatalog"], swiftSettings: settings),
    // The meaning of boxes: tracks, samples, fragments.
    .target(name: "MP4", dependencies: ["Bytes", "Ciphers", "Records", "ISOBMFF"], swiftSettings: settings),
    // HLS playlists as values.
    .target(name: "HLS", dependencies: ["Bytes"], swiftSettings: small),
    // Subtitle files as values.
    .target(name: "TimedText", dependencies: ["Bytes"], swiftSettings: small),
    // The packager's decisions: renditions, segments, playlists.
    .target(
      name: "Packaging", dependencies: ["Bytes", "Records", "ISOBMFF", "MP4", "HLS", "TimedText"],
      swiftSettings: small),
    // System calls. Only the code below Sources/Platform uses the C library and differs between systems.
    .target(name: "Platform", dependencies: ["Bytes"], path: "Sources/Platform/System", swiftSettings: settings),
    // Child processes. No target of the MP4Toolkit library depends on it.
    .target(
      name: "Processes", dependencies: ["Bytes", "Platform"], path: "Sources/Platform/Processes",
      swiftSettings: settings),
    // Files: reading, copying ranges, safe output.
    .target(name: "FileIO", dependencies: ["Bytes", "Platform"], swiftSettings: settings),
    // Existing HLS presentations, in files or on servers (through the app's transport), and live ones in folders.
    .target(
      name: "Presentations",
      dependencies: ["Bytes", "Ciphers", "Platform", "ISOBMFF", "MP4", "HLS", "Packaging", "FileIO"],
      swiftSettings: small),
    // Summaries and lists of movies and presentations, as text and in machine-readable formats.
    .target(
      name: "Inspection",
      dependencies: [
        "Bytes", "Records", "ISOBMFF", "BoxCatalog", "BoxDump", "MP4", "HLS", "TimedText", "Packaging", "FileIO",
        "Presentations",
      ],
      swiftSettings: small),
    // Umbrella module: one import for apps.
    .target(
      name: "MP4Toolkit",
      dependencies: [
        "Bytes", "Platform", "Records", "ISOBMFF", "BoxCatalog", "BoxDump", "MP4", "Inspection", "HLS", "TimedText",
        "Packaging",
        "FileIO",
        "Presentations",
      ],
      swiftSettings: settings),
    // The only target that imports Foundation.
    .target(name: "MP4ToolkitFoundation", dependencies: ["MP4Toolkit"], swiftSettings: settings),
    // The privacy manifest for apps. The tool does not contain it.
    .target(name: "MP4ToolkitPrivacy", resources: [.process("PrivacyInfo.xcprivacy")]),
    // Remote resources, fetched with the system's curl.
    .target(
      name: "Fetching", dependencies: ["Bytes", "Platform", "Processes", "HLS", "FileIO"], swiftSettings: small),
    // The HTTP server, and the contents of a server: folders, movies as presentations, and pages that play them.
    .target(
      name: "Serving",
      dependencies: ["Bytes", "Platform", "ISOBMFF", "MP4", "HLS", "Packaging", "FileIO", "Presentations"],
      swiftSettings: small),
    // Remote presentations: playlists as one input, and the cache of an origin.
    .target(
      name: "Streaming",
      dependencies: [
        "Bytes", "Platform", "ISOBMFF", "MP4", "HLS", "Packaging", "FileIO", "Presentations", "Fetching", "Serving",
      ],
      swiftSettings: small),
    .executableTarget(
      name: "mp4tool",
      dependencies: [
        "Bytes", "Platform", "Records", "ISOBMFF", "BoxCatalog", "BoxDump", "MP4", "Inspection", "HLS", "TimedText",
        "Packaging",
        "FileIO", "Presentations", "Fetching", "Serving", "Streaming",
      ],
      swiftSettings: small),

    // Builders for difficult files, test vectors and the corpus, shared by the tests.
    .target(
      name: "Support", dependencies: ["Bytes", "Platform", "Processes", "ISOBMFF", "FileIO"], path: "Tests/Support",
      swiftSettings: settings),
    .testTarget(name: "BytesTests", dependencies: ["Bytes"], swiftSettings: settings),
    .testTarget(name: "CiphersTests", dependencies: ["Bytes", "Ciphers"], swiftSettings: settings),
    .testTarget(
      name: "ISOBMFFTests", dependencies: ["Bytes", "ISOBMFF", "BoxCatalog", "BoxDump", "FileIO", "Support"],
      swiftSettings: settings),
    .testTarget(
      name: "MP4Tests", dependencies: ["Bytes", "Records", "BoxCatalog", "BoxDump", "MP4", "FileIO", "Support"],
      swiftSettings: settings),
    .testTarget(
      name: "InspectionTests",
      dependencies: [
        "Bytes", "Records", "ISOBMFF", "BoxCatalog", "BoxDump", "MP4", "HLS", "Inspection", "FileIO", "Presentations",
        "Support",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "PackagingTests", dependencies: ["Bytes", "Packaging", "TimedText", "FileIO", "Support"],
      swiftSettings: settings),
    // Like a client package: declarations with `package` access are not visible.
    .testTarget(
      name: "MP4ToolkitTests", dependencies: ["MP4Toolkit", "Fetching", "Serving", "Streaming", "Support"],
      packageAccess: false, swiftSettings: settings),
    .testTarget(
      name: "MP4ToolkitFoundationTests", dependencies: ["MP4ToolkitFoundation", "Support"], packageAccess: false,
      swiftSettings: settings),
    .testTarget(name: "TimedTextTests", dependencies: ["TimedText", "Support"], swiftSettings: settings),
    .testTarget(name: "HLSTests", dependencies: ["HLS", "Support"], swiftSettings: settings),
    .testTarget(name: "PlatformTests", dependencies: ["Bytes", "Platform", "Support"], swiftSettings: settings),
    .testTarget(name: "ProcessesTests", dependencies: ["Platform", "Processes"], swiftSettings: settings),
    .testTarget(
      name: "FileIOTests", dependencies: ["Bytes", "Platform", "FileIO", "Support"], swiftSettings: settings),
    .testTarget(
      name: "FetchingTests", dependencies: ["Bytes", "HLS", "Fetching", "FileIO", "Support"], swiftSettings: settings),
    .testTarget(
      name: "ServingTests",
      dependencies: [
        "Bytes", "Platform", "Processes", "HLS", "MP4", "Serving", "Fetching", "FileIO", "Streaming", "Support",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "PresentationsTests",
      dependencies: ["Bytes", "HLS", "MP4", "Packaging", "TimedText", "FileIO", "Presentations", "Support"],
      swiftSettings: settings),
    .testTarget(
      name: "StreamingTests",
      dependencies: ["Bytes", "Presentations", "Streaming", "HLS", "FileIO", "Serving", "Support"],
      swiftSettings: settings),
    .testTarget(
      name: "mp4toolTests",
      dependencies: [
        "Bytes", "Ciphers", "HLS", "MP4Toolkit", "Platform", "Presentations", "Streaming", "mp4tool", "Support",
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
