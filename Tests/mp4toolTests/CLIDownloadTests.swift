import Support
import Testing

/// Packages as Apple's players download them, after public descriptions: no real one was at hand.
@Suite("Downloads of Apple's players (.movpkg), end to end")
struct CLIDownloadTests {
  /// Lines that make `film.movpkg` of the presentation in the folder `p`; the elements of segments have the attributes
  /// in `$own` and their URL, if `$addresses` is set.
  private static let making = """
    mkdir -p film.movpkg/Data
    cp p/master.m3u8 film.movpkg/Data/Playlist.data
    streams=
    stream() {
      mkdir "film.movpkg/$1"
      cp p/$2/index.m3u8 "film.movpkg/$1/own.m3u8"; cp p/$2/init.mp4 "film.movpkg/$1/0.initfrag"
      number=1 list=
      for file in $(ls p/$2/*.m4s p/$2/*.vtt 2> /dev/null); do
        cp p/$2/segment$number.* "film.movpkg/$1/$number.frag"
        url=; [ -z "$addresses" ] || url="URL=\\"https://example.com/a/$2/$(basename p/$2/segment$number.*)\\""
        list="<SEG Dur=\\"6.0\\" Len=\\"1\\" Off=\\"0\\" PATH=\\"$number.frag\\" SeqNum=\\"$number\\" $url/>$list"
        number=$((number + 1))
      done
      url=; [ -z "$addresses" ] || url="URL=\\"https://example.com/a/$2/init.mp4\\""
      cat > "film.movpkg/$1/StreamInfoBoot.xml" <<END
    <?xml version="1.0" encoding="UTF-8"?>
    <StreamInfo xmlns="http://apple.com/IMG/Schemas/HLSPersistentStreamInfo"><Version>1.0</Version>
      <Complete>YES</Complete>
      <MediaPlaylist><NetworkURL>https://example.com/a/$2/index.m3u8</NetworkURL>
        <PathToLocalCopy>own.m3u8</PathToLocalCopy></MediaPlaylist>
      <MediaInitializationSegments><ISEG Len="1" Off="0" PATH="0.initfrag" SeqNum="0" $url/></MediaInitializationSegments>
      <MediaSegments>$list</MediaSegments>
    </StreamInfo>
    END
      streams="$streams<Stream ID=\\"$1\\" Path=\\"$1\\" NetworkURL=\\"https://example.com/a/$2/index.m3u8\\"><Complete>YES</Complete></Stream>"
    }
    stream "0-AB CD-1000" video-90; stream 1-EF-0 audio
    cat > film.movpkg/boot.xml <<END
    <?xml version="1.0" encoding="UTF-8"?>
    <HLSMoviePackage xmlns="http://apple.com/IMG/Schemas/HLSMoviePackage"><Version>1.0</Version>
      <HLSMoviePackageType>PersistedStore</HLSMoviePackageType>
      <Streams>$streams</Streams>
      <MasterPlaylist><NetworkURL>https://example.com/a/master.m3u8</NetworkURL></MasterPlaylist>
      <DataItems Directory="Data"><DataItem><ID>1</ID><Category>Playlist</Category><Name>master.m3u8</Name>
        <DataPath>Playlist.data</DataPath><Role>Master</Role></DataItem></DataItems>
    </HLSMoviePackage>
    END

    """

  private func made(_ shell: EndToEnd, _ before: String = "") throws -> RunResult {
    try shell("mp4tool hls -q --segment-duration 1 in.mp4 -o p\n\(before)\n\(Self.making)")
  }

  @Test("It is read like the presentation", arguments: ["addresses=1", ""])
  func reads(setting: String) throws {
    let shell = try EndToEnd()
    let prepared = try made(shell, setting)
    #expect(prepared.exitCode == 0, "\(prepared)")
    let result = try shell(
      """
      mp4tool defrag -q p/master.m3u8 -o a.mp4; mp4tool defrag -q film.movpkg -o b.mp4; cmp a.mp4 b.mp4
      mp4tool defrag -q film.movpkg/boot.xml -o c.mp4; cmp a.mp4 c.mp4
      mp4tool hls -q film.movpkg -o q; ls q
      mp4tool info film.movpkg | grep -c 'avc1\\|mp4a'
      mp4tool check film.movpkg | tail -n 1
      """)
    #expect(result.text.hasPrefix("audio\nmaster.m3u8\nvideo-90\n2\nno findings in 12 files"), "\(result)")
    #expect(result.errorText.isEmpty, "\(result)")
  }

  @Test("Without the multivariant playlist, IDs say which streams are variants")
  func listing() throws {
    let shell = try EndToEnd()
    let prepared = try made(shell)
    #expect(prepared.exitCode == 0, "\(prepared)")
    let result = try shell(
      """
      rm film.movpkg/Data/*; sed -i.old '/DataItem/d; /DataPath/d' film.movpkg/boot.xml
      rm film.movpkg/*/own.m3u8; for file in film.movpkg/*/StreamInfoBoot.xml; do
        sed -i.old 's|<PathToLocalCopy>.*</PathToLocalCopy>||' "$file"
      done
      mp4tool defrag -q p/master.m3u8 -o a.mp4; mp4tool defrag -q film.movpkg -o b.mp4
      cmp a.mp4 b.mp4; mp4tool info film.movpkg | head -n 3
      """)
    #expect(result.exitCode == 0 && result.errorText.isEmpty && result.text.contains("1 variant"), "\(result)")
  }

  @Test("An incomplete download has gaps")
  func incomplete() throws {
    let shell = try EndToEnd()
    let prepared = try made(shell)
    #expect(prepared.exitCode == 0, "\(prepared)")
    let result = try shell(
      """
      sed -i.old 's/<SEG [^>]*PATH="3.frag"[^>]*>//' film.movpkg/0-*/StreamInfoBoot.xml
      mp4tool defrag film.movpkg -o b.mp4
      """)
    #expect(result.errorText.contains("a segment is marked as missing (EXT-X-GAP); 2.0 s are missing"), "\(result)")
  }

  @Test("Packages that cannot be read")
  func mistakes() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mkdir a.movpkg; echo '<HLSMoviePackage><Streams/></HLSMoviePackage>' > a.movpkg/boot.xml; mp4tool info a.movpkg; echo $?
      echo '<HLSMoviePackage><Streams><Stream ID="0-A-1" Path="../out" NetworkURL=""/></Streams></HLSMoviePackage>' \\
        > a.movpkg/boot.xml; mp4tool defrag a.movpkg -o a.mp4; echo $?
      echo '<HLSMoviePackage><Streams>' > a.movpkg/boot.xml; mp4tool info a.movpkg; echo $?
      """)
    #expect(result.text == "65\n65\n65\n", "\(result)")
  }
}
