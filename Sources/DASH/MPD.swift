/// A manifest of MPEG-DASH (Media Presentation Description) for complete media: ISO/IEC 23009-1:2022, 5.3.1.2.
public struct MPD: ManifestElement {
  /// The profiles that it conforms to.
  public var profiles: [String] = []
  /// `static` or `dynamic`.
  public var type = "static"
  /// When the presentation starts, as a date of ISO 8601, if it is live.
  public var availabilityStart: String?
  /// The interval in which a live manifest is loaded again; `nil` if it does not change.
  public var minimumUpdatePeriod: Duration?
  /// How long segments of a live presentation exist; `nil` for until the end.
  public var timeShiftBufferDepth: Duration?
  /// The duration of the presentation.
  public var duration: Duration?
  /// The media that a client loads, at the bandwidth of a representation, before it can play without interruption.
  public var minBufferTime: Duration = .zero
  /// Where a live manifest is loaded again.
  public var locations: [String] = []
  /// URLs to which relative ones refer.
  public var baseURLs: [String] = []
  /// The periods.
  public var periods: [Period] = []

  public init() {}

  mutating func fields(_ coder: inout ElementCoder) {
    var schema: String? = Self.schema
    coder.attribute("xmlns", &schema)
    var encryption: String? = has({ _ in true }) ? Self.encryptionSchema : nil
    coder.attribute("xmlns:cenc", &encryption)
    var playReady: String? = has({ !$0.playReadyObjects.isEmpty }) ? Self.playReadySchema : nil
    coder.attribute("xmlns:mspr", &playReady)
    var license: String? = has({ $0.licenseURL != nil }) ? Self.licenseSchema : nil
    coder.attribute("xmlns:dashif", &license)
    coder.attribute("profiles", &profiles)
    coder.attribute("type", &type)
    coder.attribute("availabilityStartTime", &availabilityStart)
    coder.attribute("minimumUpdatePeriod", &minimumUpdatePeriod)
    coder.attribute("timeShiftBufferDepth", &timeShiftBufferDepth)
    coder.attribute("mediaPresentationDuration", &duration)
    coder.attribute("minBufferTime", &minBufferTime)
    coder.children("BaseURL", &baseURLs)
    coder.children("Location", &locations)
    coder.children("Period", &periods)
  }

  /// Whether there is such a content protection.
  private func has(_ isSuch: (ContentProtection) -> Bool) -> Bool {
    periods.contains { period in
      period.adaptationSets.contains { set in
        ([set.common] + set.representations.map(\.common)).contains { $0.contentProtections.contains(where: isSuch) }
      }
    }
  }
  private static let schema = "urn:mpeg:dash:schema:mpd:2011"
  private static let encryptionSchema = "urn:mpeg:cenc:2013"
  private static let playReadySchema = "urn:microsoft:playready"
  private static let licenseSchema = "https://dashif.org/CPS"

  /// The manifest as an XML document.
  public var text: String {
    var (coder, element) = (ElementCoder(), self)
    coder.write("MPD", &element)
    return coder.text + "\n"
  }
  /// The manifest as an XML document in UTF-8.
  public var bytes: [UInt8] { Array(text.utf8) }
}

extension MPD {
  /// Profiles of ISO/IEC 23009-1, clause 8.
  public enum Profile {
    /// Segments with names that are constructed from a template.
    public static let live = "urn:mpeg:dash:profile:isoff-live:2011"
    /// Segments with any names and byte ranges.
    public static let main = "urn:mpeg:dash:profile:isoff-main:2011"
  }

  /// A part of the presentation with its own timeline: 5.3.2.
  public struct Period: ManifestElement {
    /// Its ID.
    public var id: String?
    /// Its start in the presentation.
    public var start: Duration?
    /// Its duration.
    public var duration: Duration?
    /// URLs to which relative ones refer.
    public var baseURLs: [String] = []
    /// Its segments, if representations and adaptation sets do not declare theirs.
    public var segments = Segments()
    /// Events at times of the period.
    public var eventStreams: [EventStream] = []
    /// Its media.
    public var adaptationSets: [AdaptationSet] = []

    public init() {}
    mutating func fields(_ coder: inout ElementCoder) {
      coder.attribute("id", &id)
      coder.attribute("start", &start)
      coder.attribute("duration", &duration)
      coder.children("BaseURL", &baseURLs)
      segments.elements(&coder)
      coder.children("EventStream", &eventStreams)
      coder.children("AdaptationSet", &adaptationSets)
    }
  }

  /// Events of one scheme: 5.10.2.
  public struct EventStream: ManifestElement {
    /// The URI of the scheme.
    public var scheme = ""
    /// The value.
    public var value: String?
    /// Units per second of the times of events; `nil` is 1.
    public var timescale: Int?
    /// The events.
    public var events: [Event] = []

    public init() {}
    mutating func fields(_ coder: inout ElementCoder) {
      coder.attribute("schemeIdUri", &scheme)
      coder.attribute("value", &value)
      coder.attribute("timescale", &timescale)
      coder.children("Event", &events)
    }
  }

  /// An event: 5.10.2.3.
  public struct Event: ManifestElement {
    /// Its start in the period.
    public var presentationTime: Int?
    /// Its duration; `nil` if unknown.
    public var duration: Int?
    /// Its ID.
    public var id: Int?
    /// Its splice information.
    public var signal: SpliceSignal?

    public init() {}
    mutating func fields(_ coder: inout ElementCoder) {
      coder.attribute("presentationTime", &presentationTime)
      coder.attribute("duration", &duration)
      coder.attribute("id", &id)
      coder.child("Signal", &signal)
    }
  }

  /// Splice information sections: ANSI/SCTE 35 2023, 12.
  public struct SpliceSignal: ManifestElement {
    /// The sections in base64.
    public var sections: [String] = []

    public init() {}
    /// Sections in base64.
    public init(_ sections: [String]) { self.sections = sections }
    mutating func fields(_ coder: inout ElementCoder) {
      var schema: String? = "http://www.scte.org/schemas/35/2016"
      coder.attribute("xmlns", &schema)
      coder.children("Binary", &sections)
    }
  }

  /// Representations of the same content, between which players switch: 5.3.3.
  public struct AdaptationSet: ManifestElement {
    /// Its ID in the period.
    public var id: String?
    /// `video`, `audio` or `text`.
    public var contentType: String?
    /// Its BCP 47 language.
    public var language: String?
    /// Whether segments start at the same times in all representations.
    public var isSegmentAligned: Bool?
    /// What it has in common with representations.
    public var common = CommonProperties()
    /// How it serves people with disabilities.
    public var accessibilities: [Descriptor] = []
    /// What it is for.
    public var roles: [Descriptor] = []
    /// URLs to which relative ones refer.
    public var baseURLs: [String] = []
    /// The segments of representations that do not declare theirs.
    public var segments = Segments()
    /// The representations.
    public var representations: [Representation] = []

    public init() {}
    mutating func fields(_ coder: inout ElementCoder) {
      coder.attribute("id", &id)
      coder.attribute("contentType", &contentType)
      coder.attribute("lang", &language)
      common.attributes(&coder)
      coder.attribute("segmentAlignment", &isSegmentAligned)
      common.elements(&coder)
      coder.children("Accessibility", &accessibilities)
      coder.children("Role", &roles)
      coder.children("BaseURL", &baseURLs)
      segments.elements(&coder)
      coder.children("Representation", &representations)
    }
  }

  /// Media in one quality: 5.3.5.
  public struct Representation: ManifestElement {
    /// Its ID in the period, without white space.
    public var id = ""
    /// Bits per second.
    public var bandwidth = 0
    /// The line of a manifest that was read; 0 for a new one.
    public private(set) var line = 0
    /// What it has in common with adaptation sets.
    public var common = CommonProperties()
    /// URLs to which relative ones refer.
    public var baseURLs: [String] = []
    /// Its segments.
    public var segments = Segments()

    public init() {}
    mutating func fields(_ coder: inout ElementCoder) {
      line = coder.line
      coder.attribute("id", &id)
      coder.attribute("bandwidth", &bandwidth)
      common.attributes(&coder)
      common.elements(&coder)
      coder.children("BaseURL", &baseURLs)
      segments.elements(&coder)
    }
  }

  /// The properties that adaptation sets and representations have: 5.3.7.
  public struct CommonProperties: Hashable, Sendable {
    /// The width of pictures, in pixels of the shape `sampleAspect`.
    public var width: Int?
    /// The height of pictures.
    public var height: Int?
    /// The aspect ratio of a pixel, such as `1:1`.
    public var sampleAspect: String?
    /// The frame rate, such as `25` or `30000/1001`.
    public var frameRate: String?
    /// Audio samples per second.
    public var audioSamplingRate: Int?
    /// The media type, such as `video/mp4`.
    public var mimeType: String?
    /// The codecs as in RFC 6381.
    public var codecs: [String]?
    /// The access points with which every segment starts; `nil` if not all segments start with one.
    public var startWithSAP: Int?
    /// The layouts of audio channels.
    public var audioChannelConfigurations: [Descriptor] = []
    /// How it is encrypted.
    public var contentProtections: [ContentProtection] = []
    /// Properties that clients must know in order to use the element.
    public var essentialProperties: [Descriptor] = []
    /// Properties that clients can ignore.
    public var supplementalProperties: [Descriptor] = []
    /// The event messages (`emsg`) in segments.
    public var inbandEventStreams: [Descriptor] = []
    /// Its name for users.
    public var labels: [String] = []

    public init() {}

    mutating func attributes(_ coder: inout ElementCoder) {
      coder.attribute("mimeType", &mimeType)
      coder.attribute("codecs", &codecs)
      coder.attribute("width", &width)
      coder.attribute("height", &height)
      coder.attribute("sar", &sampleAspect)
      coder.attribute("frameRate", &frameRate)
      coder.attribute("audioSamplingRate", &audioSamplingRate)
      coder.attribute("startWithSAP", &startWithSAP)
    }
    mutating func elements(_ coder: inout ElementCoder) {
      coder.children("AudioChannelConfiguration", &audioChannelConfigurations)
      coder.children("ContentProtection", &contentProtections)
      coder.children("EssentialProperty", &essentialProperties)
      coder.children("SupplementalProperty", &supplementalProperties)
      coder.children("InbandEventStream", &inbandEventStreams)
      coder.children("Label", &labels)
    }
  }

  /// A value of a scheme: 5.8.2.
  public struct Descriptor: ManifestElement {
    /// The URI of the scheme.
    public var scheme = ""
    /// The value.
    public var value: String?

    public init() {}
    /// A value of a scheme.
    public init(_ scheme: String, _ value: String? = nil) { (self.scheme, self.value) = (scheme, value) }
    mutating func fields(_ coder: inout ElementCoder) {
      coder.attribute("schemeIdUri", &scheme)
      coder.attribute("value", &value)
    }
  }

  /// An encryption scheme, or a system that provides keys: 5.8.4.1, and ISO/IEC 23001-7, 11.2.
  public struct ContentProtection: ManifestElement {
    /// `urn:mpeg:dash:mp4protection:2011`, or `urn:uuid:` and the ID of the system.
    public var scheme = ""
    /// The encryption scheme, such as `cenc`.
    public var value: String?
    /// The default key ID as a UUID.
    public var defaultKeyID: String?
    /// `pssh` boxes in base64.
    public var protectionHeaders: [String] = []
    /// PlayReady objects in base64.
    public var playReadyObjects: [String] = []
    /// The URL of a license server: DASH-IF IOP 5, part 6.
    public var licenseURL: String?

    public init() {}
    /// A scheme.
    public init(_ scheme: String, _ value: String? = nil) { (self.scheme, self.value) = (scheme, value) }
    mutating func fields(_ coder: inout ElementCoder) {
      coder.attribute("schemeIdUri", &scheme)
      coder.attribute("value", &value)
      coder.attribute("cenc:default_KID", &defaultKeyID)
      coder.children("cenc:pssh", &protectionHeaders)
      coder.children("mspr:pro", &playReadyObjects)
      var urls = licenseURL.map { [$0] } ?? []
      coder.children("dashif:Laurl", &urls)
      licenseURL = urls.first
    }
  }
}
