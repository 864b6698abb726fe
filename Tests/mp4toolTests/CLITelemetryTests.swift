import Support
import Testing

@Suite("events --telemetry, extract --telemetry and edit --strip location, end to end")
struct CLITelemetryTests {
  private typealias Bytes = TelemetryBytes

  private func shell() throws -> EndToEnd {
    let shell = try EndToEnd()
    let place = Bytes.cammPosition(time: 1_709_209_805.25 - 315_964_800 + 18, latitude: 50.1, longitude: -8.6)
    let files: [(String, [UInt8], String, [[UInt8]])] = [
      ("gpmf.mp4", Bytes.entry("gpmd"), "meta", [Bytes.goPro(second: 1), Bytes.goPro(second: 2)]),
      ("camm.mp4", Bytes.entry("camm"), "meta", [place, Bytes.camm(5, [1.5, 180, 3].flatMap { Bytes.little($0) })]),
      ("rtmd.mp4", Bytes.entry("rtmd"), "meta", [Bytes.sony]),
      ("dji.mp4", Bytes.textEntry, "sbtl", [Bytes.text(Bytes.flight), Bytes.text(Bytes.bracketedFlight)]),
      ("damaged.mp4", Bytes.entry("camm"), "meta", [place, [0, 0, 5, 0, 1]]),
    ]
    for (name, entry, handler, samples) in files {
      try shell.folder.write(name, Bytes.movie(entry, handler: handler, samples))
    }
    return shell
  }

  @Test("Positions and measurements are listed with their times, as text and in all formats")
  func listed() throws {
    let shell = try shell()
    let result = try shell(
      """
      mp4tool events --telemetry gpmf.mp4 | head -6
      mp4tool events --telemetry --format csv camm.mp4
      mp4tool events --telemetry --format jsonl gpmf.mp4 | head -2
      mp4tool events --telemetry $V/progressive.mp4
      mp4tool events --telemetry --format json dji.mp4 | head -3
      """)
    #expect(
      result.description == """
        exit code 0
        0:00.000  TMPC  47.5 °C [track 1]
        0:00.000  ACCL  10 -1 0 m/s² (Accelerometer) [track 1]
        0:00.166  ACCL  5 1 0.0023923444976076554 m/s² (Accelerometer) [track 1]
        0:00.333  ACCL  1 0 -0.0023923444976076554 m/s² (Accelerometer) [track 1]
        0:00.000  position  latitude 50.1, longitude -8.6, altitude 112.5 m, speed 3.25 m/s, 2024-02-29T12:30:01.250Z, fix 3d, DOP 2.15 [track 1]
        0:00.250  position  latitude 50.100001, longitude -8.600002, altitude 112.6 m, speed 3 m/s, 2024-02-29T12:30:01.500Z, fix 3d, DOP 2.15 [track 1]
        track,format,presentation_seconds,name,label,latitude,longitude,altitude_meters,speed_meters_per_second,utc,fix,dilution_of_precision,accuracy_meters,unit,values
        1,camm,0.000000,position,,50.1,-8.6,112.5,5,2024-02-29T12:30:05.250Z,3d,,2.5,,
        1,camm,0.500000,position,,1.5,180,3,,,,,,,
        {"track":1,"format":"gpmd","presentation_seconds":0.000000,"name":"TMPC","unit":"°C","values":[47.5]}
        {"track":1,"format":"gpmd","presentation_seconds":0.000000,"name":"ACCL","label":"Accelerometer","unit":"m/s²","values":[10,-1,0]}
        no telemetry
        [
        {"track":1,"format":"text","presentation_seconds":0.000000,"name":"position","latitude":53.1665,"longitude":8.6499,"altitude_meters":6,"speed_meters_per_second":2.1},
        {"track":1,"format":"text","presentation_seconds":0.000000,"name":"F","values":[3.5]},


        """, "\(result)")
  }

  @Test("The telemetry of a damaged file is listed, with an error")
  func damaged() throws {
    let result = try shell()("mp4tool events --telemetry damaged.mp4")
    #expect(result.exitCode == 1 && result.lines.count == 1)
    #expect(
      result.errorText == "mp4tool: damaged.mp4: track 1: 1 sample is damaged; the rest of each is skipped\n")
  }

  @Test("Routes are written as GPX and KML, all values as CSV and JSON")
  func files() throws {
    let result = try shell()(
      """
      mp4tool extract --telemetry gpx camm.mp4 -o - && mp4tool extract --telemetry kml gpmf.mp4 -o -
      mp4tool extract --telemetry kml camm.mp4 -o -
      mp4tool extract --telemetry csv gpmf.mp4 -o a.csv; mp4tool events --telemetry --format csv gpmf.mp4 | cmp - a.csv
      mp4tool extract --telemetry json gpmf.mp4 -o a.json; mp4tool events --telemetry --format json gpmf.mp4 | cmp - a.json
      """)
    #expect(
      result.description == """
        exit code 0
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="mp4tool" xmlns="http://www.topografix.com/GPX/1/1" xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2">
        <trk>
        <name>track 1</name>
        <trkseg>
        <trkpt lat="50.1" lon="-8.6"><ele>112.5</ele><time>2024-02-29T12:30:05.250Z</time><fix>3d</fix><extensions><gpxtpx:TrackPointExtension><gpxtpx:speed>5</gpxtpx:speed></gpxtpx:TrackPointExtension></extensions></trkpt>
        <trkpt lat="1.5" lon="-180"><ele>3</ele></trkpt>
        </trkseg>
        </trk>
        </gpx>
        <?xml version="1.0" encoding="UTF-8"?>
        <kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">
        <Document>
        <Placemark>
        <name>track 1</name>
        <gx:Track>
        <altitudeMode>absolute</altitudeMode>
        <when>2024-02-29T12:30:01.250Z</when>
        <when>2024-02-29T12:30:01.500Z</when>
        <when>2024-02-29T12:30:02.250Z</when>
        <when>2024-02-29T12:30:02.500Z</when>
        <gx:coord>-8.6 50.1 112.5</gx:coord>
        <gx:coord>-8.600002 50.100001 112.6</gx:coord>
        <gx:coord>-8.6 50.1 112.5</gx:coord>
        <gx:coord>-8.600002 50.100001 112.6</gx:coord>
        </gx:Track>
        </Placemark>
        </Document>
        </kml>
        <?xml version="1.0" encoding="UTF-8"?>
        <kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">
        <Document>
        <Placemark>
        <name>track 1</name>
        <LineString>
        <altitudeMode>absolute</altitudeMode>
        <coordinates>
        -8.6,50.1,112.5
        180,1.5,3
        </coordinates>
        </LineString>
        </Placemark>
        </Document>
        </kml>


        """, "\(result)")
  }

  @Test("Files without telemetry or positions are refused")
  func refused() throws {
    let shell = try shell()
    try shell.folder.write("gyro.mp4", Bytes.movie(Bytes.entry("camm"), [Bytes.camm(2, zeros(12))]))
    let result = try shell(
      """
      mp4tool extract --telemetry gpx in.mp4 -o a; echo $?
      mp4tool extract --telemetry kml gyro.mp4 -o a; echo $?
      mp4tool extract --telemetry gpx --raw gpmf.mp4 -o a; echo $?
      echo '#EXTM3U' > a.m3u8; mp4tool events --telemetry a.m3u8; echo $?
      ls a
      """)
    #expect(result.lines == ["65", "65", "64", "64"], "\(result)")
    #expect(
      result.errorLines.prefix(2) == [
        "mp4tool: in.mp4: it has no telemetry", "mp4tool: gyro.mp4: its telemetry has no positions",
      ], "\(result)")
  }

  @Test("Locations in samples are removed, in a copy and in place alike")
  func stripped() throws {
    let result = try shell()(
      """
      for file in gpmf camm rtmd dji; do
        cp $file.mp4 other.mp4; rm -f out.mp4
        mp4tool edit --strip location --strict $file.mp4 -o out.mp4 && mp4tool edit --in-place --strip location other.mp4
        cmp out.mp4 other.mp4
        mp4tool extract --telemetry gpx out.mp4 -o - 2>&1
        mp4tool edit --in-place --strip location out.mp4
      done
      mp4tool fragment gpmf.mp4 -o fragments.mp4; cp fragments.mp4 other.mp4
      mp4tool edit --strip location fragments.mp4 -o out.mp4; mp4tool edit --in-place --strip location other.mp4
      cmp out.mp4 other.mp4; mp4tool extract --telemetry gpx out.mp4 -o - 2>&1
      mp4tool edit --strip location --strict damaged.mp4 -o strict.mp4; echo $?
      mp4tool events --telemetry --format jsonl gpmf.mp4 | grep -v position > a
      mp4tool edit --in-place --strip location gpmf.mp4; mp4tool events --telemetry --format jsonl gpmf.mp4 | cmp - a
      """)
    #expect(
      result.description == """
        exit code 0
        mp4tool: out.mp4: its telemetry has no positions
        mp4tool: out.mp4: its telemetry has no positions
        mp4tool: out.mp4: its telemetry has no positions
        mp4tool: out.mp4: it has no telemetry
        mp4tool: out.mp4: its telemetry has no positions
        65

        mp4tool: warning: damaged.mp4: the samples of track 1 may include locations; not removed, because 1 sample is damaged or too large
        mp4tool: strict.mp4: not written because of 1 warning (--strict)

        """, "\(result)")
  }

  @Test("User data with positions of a GoPro camera is removed; other user data of it remains")
  func userData() throws {
    let shell = try shell()
    let settings = Bytes.gpmf("DEVC", Bytes.gpmf("DVNM", text: "Camera"))
    for (name, payload) in [("located", Bytes.goPro(second: 1)), ("settings", settings)] {
      let metadata = box("udta", box("GPMF", payload))
      try shell.folder.write(
        name + ".mp4", Bytes.movie(Bytes.entry("camm"), [Bytes.camm(2, zeros(12))], metadata: metadata))
    }
    let result = try shell(
      """
      for file in located settings; do
        mp4tool edit --strip location --strict $file.mp4 -o out.mp4; grep -c GPMF out.mp4
        cp $file.mp4 other.mp4; mp4tool edit --in-place --strip location other.mp4; grep -ac GPS5 other.mp4
      done
      """)
    #expect(result.lines == ["0", "0", "1", "0"], "\(result)")
    #expect(result.errorLines.contains { $0.hasSuffix("no location was found") }, "\(result)")
  }

  // MARK: ExifTool

  @Test(
    "ExifTool reads the same values, and no positions after they are removed",
    .enabled(if: Effort.has("exiftool"), "needs MP4TOOL_TESTS=all and exiftool"))
  func exifTool() throws {
    let shell = try shell()
    // ExifTool reads text only in tracks of text.
    try shell.folder.write("flight.mp4", Bytes.movie(Bytes.textEntry, handler: "text", [Bytes.text(Bytes.flight)]))
    let axes = [0.5, -1, 0.25].flatMap { Bytes.little(Float($0)) }
    let exposure = Bytes.camm(1, big(Int32(20_000_000)).reversed(), big(Int32(-1)).reversed())
    let motion = [2, 3, 4, 7].map { Bytes.camm($0, axes) } + [exposure]
    try shell.folder.write("motion.mp4", Bytes.movie(Bytes.entry("camm"), motion))
    let place = ascii("+50.1000-008.6000+112.5/")
    let metadata = big(UInt32(8 + place.count)) + big(UInt32(1)) + place
    try shell.folder.write("metadata.mp4", Bytes.movie(Bytes.metadataEntry, [metadata]))
    let result = try shell(
      """
      exiftool -ee -a -n -s3 -AngularVelocity -Acceleration -Position -MagneticField motion.mp4
      exiftool -ee -a -n -s3 -PixelExposureTime -RollingShutterSkewTime motion.mp4
      mp4tool events --telemetry --format csv motion.mp4 | cut -d , -f 15
      exiftool -ee -a -n -s3 -GPSCoordinates metadata.mp4
      mp4tool edit --in-place --strip location metadata.mp4; exiftool -ee -a -n -s3 -GPSCoordinates metadata.mp4
      for file in gpmf camm rtmd flight; do
        mp4tool events --telemetry --format csv $file.mp4 | grep ,position, > positions
        for tag in 6:Latitude 7:Longitude 8:Altitude; do
          # The hemispheres of rtmd are tags of their own.
          exiftool -ee -a -n -s3 --Composite:all -GPS${tag#*:} $file.mp4 | tr -d - | sed 's/\\.00$//' | sort > theirs
          cut -d , -f ${tag%:*} positions | grep . | tr -d - | sort > ours
          cmp theirs ours; test $tag = 8:Altitude || wc -l < ours
        done
      done
      exiftool -ee -a -n -s3 -GPSLatitudeRef -GPSLongitudeRef -GPSTimeStamp -GPSDateStamp -ISO -ExposureTime -FNumber rtmd.mp4
      exiftool -ee -a -n -s3 -GPSDateTime -GPSHPositioningError -GPSMeasureMode -GPSSpeed -CameraTemperature gpmf.mp4
      exiftool -ee -b -Accelerometer gpmf.mp4; echo
      for file in gpmf camm rtmd flight; do
        mp4tool edit --in-place --strip location $file.mp4
        exiftool -ee -a -n -s3 --Composite:all -GPSLatitude -GPSLongitude -GPSAltitude $file.mp4 | sort -u
        exiftool -validate -s3 $file.mp4
      done
      """)
    #expect(
      result.description == """
        exit code 0
        0.5 -1 0.25
        0.5 -1 0.25
        0.5 -1 0.25
        0.5 -1 0.25
        0.02
        -1e-09
        values
        0.5 -1 0.25
        0.5 -1 0.25
        0.5 -1 0.25
        0.5 -1 0.25
        20000000
        -1
        50.1 -8.6 112.5

        4
        4
        2
        2
        1
        1
        1
        1
        S
        E
        12:30:05.25
        2024:02:29
        640
        0.02
        2.79985392922713
        2024:02:29 12:30:01.250
        2024:02:29 12:30:02.250
        2.15
        2.15
        3
        3
        3.25
        3
        3.25
        3
        47.5
        47.5
        10 -1 0 5 1 0.00239234449760766 1 0 -0.0023923444976076610 -1 0 5 1 0.00239234449760766 1 0 -0.00239234449760766
        OK
        0
        OK

        OK
        OK


        """, "\(result)")
  }

  @Test(
    "GPSBabel reads the routes",
    .enabled(if: Effort.has("gpsbabel"), "needs MP4TOOL_TESTS=all and gpsbabel"))
  func babel() throws {
    let result = try shell()(
      """
      for format in gpx kml; do
        mp4tool extract --telemetry $format gpmf.mp4 -o a && gpsbabel -t -i $format -f a -o unicsv -F - | cut -d , -f 2,3,4
      done
      """)
    let route = "Latitude,Longitude,Altitude\n" + repeated("50.100000,-8.600000,112.5\n50.100001,-8.600002,112.6\n")
    #expect(result.text == repeated(route), "\(result)")
  }
  private func repeated(_ text: String) -> String { text + text }
}
