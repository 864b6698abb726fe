// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .enableExperimentalFeature("Lifetimes"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .strictMemorySafety(),
]

let package = Package(
  name: "mp4tool",
  platforms: [.macOS(.v13), .iOS(.v16)],
  products: [
    // For apps: no process is started, and no network is reached.
    .library(
      name: "MP4Toolkit",
      targets: [
        "MP4Toolkit", "Bytes", "Ciphers", "ISOBMFF", "BoxCatalog", "BoxDump", "MP4", "Inspection", "HLS", "TimedText",
        "Packaging", "FileIO", "Presentations",
      ]),
    .library(name: "MP4ToolkitNetworking", targets: ["MP4Toolkit", "Fetching", "Serving", "Streaming"]),
    .executable(name: "mp4tool", targets: ["mp4tool"]),
  ],
  targets: [
    // Where bytes are read from and written to, without a platform.
    .target(name: "Bytes", swiftSettings: settings),
    // AES, which no library has on every system.
    .target(name: "Ciphers", dependencies: ["Bytes"], swiftSettings: settings),
    // Boxes: where they are, and what is in them.
    .target(name: "ISOBMFF", dependencies: ["Bytes"], swiftSettings: settings),
    // The boxes that are only shown, as text, and how such text is read.
    .target(name: "BoxCatalog", dependencies: ["Bytes", "ISOBMFF"], swiftSettings: settings),
    // Boxes as text and as JSON.
    .target(name: "BoxDump", dependencies: ["Bytes", "ISOBMFF", "BoxCatalog"], swiftSettings: settings),
    // What boxes mean: tracks, samples, fragments.
    .target(name: "MP4", dependencies: ["Bytes", "Ciphers", "ISOBMFF"], swiftSettings: settings),
    // What players read: playlists as values.
    .target(name: "HLS", dependencies: ["Bytes"], swiftSettings: settings),
    // What is read along: files of subtitles as values.
    .target(name: "TimedText", dependencies: ["Bytes"], swiftSettings: settings),
    // What a packager decides: renditions, their segments and playlists.
    .target(name: "Packaging", dependencies: ["Bytes", "ISOBMFF", "MP4", "HLS", "TimedText"], swiftSettings: settings),
    // System calls. Only what is below Sources/Platform knows the C library and what differs between systems.
    .target(name: "Platform", dependencies: ["Bytes"], path: "Sources/Platform/System", swiftSettings: settings),
    // Other programs that are run. Nothing that apps work with depends on it.
    .target(
      name: "Processes", dependencies: ["Bytes", "Platform"], path: "Sources/Platform/Processes",
      swiftSettings: settings),
    // Files: reading, copying ranges, safe output.
    .target(name: "FileIO", dependencies: ["Bytes", "Platform"], swiftSettings: settings),
    // Presentations that are there already, in files or on servers by a transport of the app; live ones in folders.
    .target(
      name: "Presentations",
      dependencies: ["Bytes", "Ciphers", "Platform", "ISOBMFF", "MP4", "HLS", "Packaging", "FileIO"],
      swiftSettings: settings),
    // What movies and presentations are, in the words that people use: summaries and lists, as text and for programs.
    .target(
      name: "Inspection",
      dependencies: [
        "Bytes", "ISOBMFF", "BoxCatalog", "BoxDump", "MP4", "HLS", "Packaging", "FileIO", "Presentations",
      ],
      swiftSettings: settings),
    // All that an app works with by one import.
    .target(
      name: "MP4Toolkit",
      dependencies: [
        "Bytes", "ISOBMFF", "BoxCatalog", "BoxDump", "MP4", "Inspection", "HLS", "TimedText", "Packaging", "FileIO",
        "Presentations",
      ],
      swiftSettings: settings),
    // What lies on servers, by the curl of the system.
    .target(
      name: "Fetching", dependencies: ["Bytes", "Platform", "Processes", "HLS", "FileIO"], swiftSettings: settings),
    // What gives files to others: sockets and HTTP.
    .target(
      name: "Serving", dependencies: ["Bytes", "Platform", "HLS", "FileIO", "Fetching"], swiftSettings: settings),
    // Presentations as input and output: a playlist as one input, a folder of a live presentation, what a server gives
    // out.
    .target(
      name: "Streaming",
      dependencies: [
        "Bytes", "Platform", "ISOBMFF", "MP4", "HLS", "Packaging", "FileIO", "Presentations", "Fetching", "Serving",
      ],
      swiftSettings: settings),
    // The command line.
    .executableTarget(
      name: "mp4tool",
      dependencies: [
        "Bytes", "Platform", "ISOBMFF", "BoxCatalog", "BoxDump", "MP4", "Inspection", "HLS", "TimedText", "Packaging",
        "FileIO", "Presentations", "Fetching", "Serving", "Streaming",
      ],
      swiftSettings: settings),

    // Builders for hard files, vectors and the corpus, shared by the tests.
    .target(
      name: "Support", dependencies: ["Bytes", "Platform", "Processes", "ISOBMFF", "FileIO"], path: "Tests/Support",
      swiftSettings: settings),
    .testTarget(name: "BytesTests", dependencies: ["Bytes"], swiftSettings: settings),
    .testTarget(name: "CiphersTests", dependencies: ["Bytes", "Ciphers"], swiftSettings: settings),
    .testTarget(
      name: "ISOBMFFTests", dependencies: ["Bytes", "ISOBMFF", "BoxCatalog", "BoxDump", "FileIO", "Support"],
      swiftSettings: settings),
    .testTarget(
      name: "MP4Tests", dependencies: ["Bytes", "BoxCatalog", "BoxDump", "MP4", "FileIO", "Support"],
      swiftSettings: settings),
    .testTarget(
      name: "InspectionTests",
      dependencies: [
        "Bytes", "ISOBMFF", "BoxCatalog", "BoxDump", "MP4", "HLS", "Inspection", "FileIO", "Presentations", "Support",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "PackagingTests", dependencies: ["Bytes", "Packaging", "TimedText", "FileIO", "Support"],
      swiftSettings: settings),
    // As a package of its own would see the library: what is only `package` is hidden from its programs.
    .testTarget(
      name: "MP4ToolkitTests", dependencies: ["MP4Toolkit", "Fetching", "Serving", "Streaming", "Support"],
      packageAccess: false, swiftSettings: settings),
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
      dependencies: ["Bytes", "Platform", "Processes", "HLS", "Serving", "Fetching", "FileIO", "Support"],
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
      dependencies: ["Bytes", "Ciphers", "HLS", "Platform", "Presentations", "Streaming", "mp4tool", "Support"],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
