import Support
import Testing

@Suite("DASH manifests as input")
struct CLIManifestInputTests {
  @Test("Every form of segments that a manifest can have gives the movie that the playlists give")
  func forms() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool hls -q --dash --segment-duration 2 "$V"/progressive.mp4 -o a
      mp4tool hls -q --dash --single-file --segment-duration 2 "$V"/progressive.mp4 -o b
      mp4tool defrag -q a/master.m3u8 -o wanted.mp4
      # Segments of equal duration, with numbers.
      sed -e '/<SegmentTimeline>/,/<.SegmentTimeline>/d' -e 's/<SegmentTemplate \\([^>]*\\)>/<SegmentTemplate duration="1" \\1\\/>/' \\
        -e '/<.SegmentTemplate>/d' a/manifest.mpd > a/equal.mpd
      for scale in $(grep -o 'timescale="[0-9]*"' a/manifest.mpd | tr -dc '0-9\\n'); do
        sed -i "s/duration=\\"1\\" timescale=\\"$scale\\"/duration=\\"$((2 * scale))\\" timescale=\\"$scale\\"/" a/equal.mpd
      done
      # Files with an index, and without one.
      for set in video-90 audio-en; do
        cat a/$set/init.mp4 $(ls -v a/$set/segment*.m4s) > b/$set.plain.mp4
        mp4tool fragment -q --sidx b/$set.plain.mp4 -o b/$set.index.mp4 2> log || cat log
      done
      for kind in plain index; do
        { echo '<MPD mediaPresentationDuration="PT24.1S"><Period>'
          for set in video-90 audio-en; do
            case $set in v*) type=video;; *) type=audio;; esac
            echo "<AdaptationSet mimeType='$type/mp4'><Representation id='$set' bandwidth='90000'>"
            echo "<BaseURL>$set.$kind.mp4</BaseURL></Representation></AdaptationSet>"
          done; echo '</Period></MPD>'; } > b/$kind.mpd
      done
      for mpd in a/manifest a/equal b/manifest b/plain b/index; do
        mp4tool defrag -q $mpd.mpd -o out.mp4 || echo failed $mpd
        for f in wanted out; do mp4tool hash $f.mp4 | cut -c 1-64; done | sort | uniq -c | awk '{ print $1 }' | tr '\\n' ' '
        mp4tool check -q --level error $mpd.mpd > log || cat log
      done
      mp4tool defrag -q a/manifest.mpd -o same.mp4; cmp same.mp4 wanted.mp4 && echo same
      mp4tool info a/manifest.mpd | head -n 1
      mp4tool info --format json a/manifest.mpd | grep -o '"kind":"DASH[^"]*"'
      """)
    let expected = """
      2 2 2 2 2 2 2 2 2 2 same
      a/manifest.mpd  DASH manifest  0:24.046  VOD  1 variant, 1 rendition
      "kind":"DASH manifest"

      """
    #expect(result.text == expected, "\(Array(result.text.utf8)) \(Array(expected.utf8))")
  }

  @Test("Periods are joined; representations are continued by their IDs or their properties")
  func periods() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mkdir out; mp4tool hls -q --dash --segment-duration 2 "$V"/progressive.mp4 -o out/a
      mp4tool hls -q --dash --segment-duration 2 "$V"/progressive.mp4 -o out/b
      period() {
        sed -n '/<Period/,/<.Period>/p' out/$1/manifest.mpd \\
          | sed -e "s|<Period[^>]*>|<Period id='$1' duration='PT24S'><BaseURL>$1/</BaseURL>|"
      }
      head='<MPD mediaPresentationDuration="PT48S" minBufferTime="PT4S">'
      { echo "$head"; period a; period b; echo '</MPD>'; } > out/two.mpd
      { echo "$head"; period a
        period b | sed -e '/contentType="audio"/,/<.AdaptationSet>/d' -e 's/id="video-90"/id="x"/' \\
          -e 's/[$]RepresentationID[$]/video-90/g'; echo '</MPD>'; } > out/silent.mpd
      for f in two silent; do
        mp4tool defrag out/$f.mpd -o $f.mp4; echo $?
        mp4tool check -q out/$f.mpd
      done
      """)
    #expect(result.lines.filter { $0 == "0" }.count == 2, "\(result)")
    #expect(
      result.errorText.contains("silent.mpd#audio-en: line 22: nothing continues it in 1 period; 24.0 s are missing"),
      "\(result)")
    #expect(try SampleReader.read(shell.bytes("two.mp4")).tracks.map(\.samples.count) == [1200, 1036], "\(result)")
    #expect(try SampleReader.read(shell.bytes("silent.mp4")).tracks.map(\.samples.count) == [1200, 518], "\(result)")
  }

  @Test("What cannot be read is an error that names the manifest and its line")
  func errors() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool hls -q --dash "$V"/progressive.mp4 -o a; cd a
      sed 's/<S /<S x:y=1 /' manifest.mpd > broken.mpd; sed '1a<!DOCTYPE MPD [<!ENTITY a "b">]>' manifest.mpd > bomb.mpd
      sed 's/<Period/<Period xlink:href="x.xml"/' manifest.mpd > link.mpd
      sed 's/<BaseURL>[^<]*/<BaseURL>..\\/..\\//' manifest.mpd > outside.mpd
      rm video-90/segment2.m4s
      for f in broken bomb link outside; do mp4tool defrag $f.mpd -o $f.mp4; echo $?; done
      mp4tool defrag -q manifest.mpd -o lost.mp4; echo $?
      mp4tool check --level error manifest.mpd; ls *.mp4
      mp4tool hash manifest.mpd; printf 'WEBVTT\\n' > en.vtt
      mp4tool subtitles manifest.mpd --subtitles en=en.vtt -o out; echo "subtitles $?"; ls out
      """)
    #expect(result.errorText.contains("manifest.mpd: this is a DASH manifest, not an MP4 file; hash"), "\(result)")
    #expect(result.errorText.contains("manifest.mpd: subtitles cannot be added to a DASH manifest"), "\(result)")
    #expect(result.text.contains("subtitles 65") && result.errorText.contains("'out'"), "\(result)")
    #expect(result.lines.prefix(4) == ["65", "65", "65", "65"], "\(result)")
    #expect(result.errorText.contains("broken.mpd: line "), "\(result)")
    #expect(result.errorText.contains("bomb.mpd: line 2: column 1: a document type is not supported"), "\(result)")
    #expect(result.errorText.contains("are in another document (xlink:href=\"x.xml\"), which is not read"), "\(result)")
    #expect(result.errorText.contains("is not allowed: it is outside the folder of the first playlist"), "\(result)")
  }

  @Test("Playlists and manifests are packaged again, with all variants, renditions and WebVTT")
  func repackaged() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      printf 'WEBVTT\\n\\n00:01.000 --> 00:03.000 line:0\\nHi\\n' > en.vtt
      mp4tool hls -q --segment-duration 2 "$V"/progressive.mp4 -o a
      mp4tool subtitles -q --in-place --subtitles en=en.vtt a/master.m3u8
      mp4tool hls -q --dash --segment-duration 4 a/master.m3u8 -o b; echo $?
      mp4tool hls -q --segment-duration 3 b/manifest.mpd -o c; echo $?
      for folder in a b c; do
        ls $folder/*/*.m4s | wc -l
        mp4tool defrag -q --with-subtitles $folder/master.m3u8 -o $folder.mp4
        mp4tool hash $folder.mp4 | cut -d ' ' -f 1 > $folder.hash
        grep -h -A 1 -e '-->' $(ls -v $folder/*/*.vtt $folder/subtitles/*/*.vtt 2> none | grep -v dash) | tr '\\n' ' '
      done
      cmp a.hash b.hash; cmp a.hash c.hash
      mp4tool check -q --level warning b/manifest.mpd; mp4tool check -q --level warning c/master.m3u8
      mp4tool hls a/master.m3u8 a.mp4 -o d; echo $?
      """)
    #expect(result.lines.contains("64") && result.lines.filter { $0 == "0" }.count == 2, "\(result)")
    #expect(result.lines.filter { $0.contains("00:00:01.000 --> 00:00:03.000 line:0 Hi") }.count == 3, "\(result)")
    #expect(!result.text.contains("error: ") && !result.text.contains("differ"), "\(result)")
    #expect(
      result.errorText.contains("'a/master.m3u8' is a playlist, which lists all its segments; it must be the only"),
      "\(result)")
  }

  @Test("A representation is continued in its language, whatever its ID; an advertisement does not hide the film")
  func continuation() throws {
    let shell = try EndToEnd()
    let result = try shell(
      """
      mp4tool hls -q --segment-duration 2 "$V"/progressive.mp4 -o a
      segments() { for n in $2; do echo "<SegmentURL media='a/$1/segment$n.m4s'/>"; done; }
      set() {
        echo "<AdaptationSet mimeType='$2' lang='$3'><Representation id='$1' bandwidth='50000'><SegmentList duration='2'>"
        echo "<Initialization sourceURL='a/$4/init.mp4'/>$(segments $4 "$5")</SegmentList></Representation></AdaptationSet>"
      }
      audio() { set $1 audio/mp4 $2 audio-en "$3"; }
      video() { set $1 video/mp4 '' video-90 "$2"; }
      { echo '<MPD mediaPresentationDuration="PT8S"><Period duration="PT4S">'; video v '1 2'; audio x en '1 2'
        audio y de '1 2'; echo '</Period><Period>'; video v '3 4'; audio x de '5 6'; audio y en '3 4'
        echo '</Period></MPD>'; } > languages.mpd
      { echo '<MPD mediaPresentationDuration="PT8S"><Period duration="PT4S">'; video ad '1 2'
        echo '</Period><Period>'; video v '3 4'; audio x en '3 4'; echo '</Period></MPD>'; } > ad.mpd
      sed 's/<Period>/<Period start="PT10S">/' languages.mpd > late.mpd
      sed 's/<SegmentList/& timescale="0"/' ad.mpd > zero.mpd
      for f in languages ad late zero; do mp4tool defrag $f.mpd -o $f.mp4; echo $?; done
      mp4tool defrag -q a/audio-en/init.mp4 a/audio-en/segment[1-4].m4s -o wanted.mp4
      mkdir folder; cp -r a languages.mpd folder; rm folder/a/*.m3u8 folder/a/*/*.m3u8; mp4tool info folder | head -n 1
      """)
    #expect(result.lines.filter { $0 == "0" }.count == 3 && result.lines.contains("65"), "\(result)")
    let wanted = try SampleReader.read(shell.bytes("wanted.mp4")).tracks[0].samples.map(\.payload)
    #expect(try SampleReader.read(shell.bytes("languages.mp4")).tracks[1].samples.map(\.payload) == wanted)
    #expect(result.lines.last?.contains("DASH manifest") == true, "\(result)")
    #expect(
      result.errorText.contains("ad.mpd#x: line 9: nothing continues it in 1 period; 4.0 s are missing"), "\(result)")
    #expect(result.errorText.contains("period 2 starts 6000 ms after the end of the previous one"), "\(result)")
    #expect(result.errorText.contains("zero.mpd#ad: line 2: its timescale is not positive"), "\(result)")
    #expect(try SampleReader.read(shell.bytes("ad.mp4")).tracks.map(\.samples.count).first == 200, "\(result)")
  }
}
