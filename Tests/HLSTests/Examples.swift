/// Playlists like those of common packagers and services.
enum Examples {
  static let media: [(name: String, text: String)] = [
    (
      "simple",
      """
      #EXTM3U
      #EXT-X-TARGETDURATION:10
      #EXT-X-VERSION:3
      #EXTINF:9.009,
      http://media.example.com/first.ts
      #EXTINF:9.009,
      http://media.example.com/second.ts
      #EXTINF:3.003,
      http://media.example.com/third.ts
      #EXT-X-ENDLIST

      """
    ),
    (
      "Apple's segmenter",
      """
      #EXTM3U
      #EXT-X-TARGETDURATION:6
      #EXT-X-VERSION:7
      #EXT-X-MEDIA-SEQUENCE:1
      #EXT-X-PLAYLIST-TYPE:VOD
      #EXT-X-INDEPENDENT-SEGMENTS
      #EXT-X-MAP:URI="main.mp4",BYTERANGE="719@0"
      #EXTINF:6.00000,\t
      #EXT-X-BYTERANGE:1508000@719
      main.mp4
      #EXTINF:6.00000,\t
      #EXT-X-BYTERANGE:1510244@1508719
      main.mp4
      #EXTINF:4.53333,\t
      #EXT-X-BYTERANGE:1006102
      main.mp4
      #EXT-X-ENDLIST

      """
    ),
    (
      "ffmpeg",
      """
      #EXTM3U
      #EXT-X-VERSION:7
      #EXT-X-TARGETDURATION:5
      #EXT-X-MEDIA-SEQUENCE:0
      #EXT-X-MAP:URI="init.mp4"
      #EXTINF:4.004000,
      out0.m4s
      #EXTINF:5.005000,
      out1.m4s
      #EXT-X-ENDLIST

      """
    ),
    (
      "a streaming server, live",
      """
      #EXTM3U\r
      #EXT-X-VERSION:3\r
      #EXT-X-TARGETDURATION:11\r
      #EXT-X-MEDIA-SEQUENCE:2680\r
      #EXT-X-DISCONTINUITY-SEQUENCE:3\r
      \r
      # made by hand\r
      #EXT-X-KEY:METHOD=AES-128,URI="https://priv.example.com/key.php?r=52",IV=0x9c7db8778570d05c3177c349fd9236aa\r
      #EXT-X-PROGRAM-DATE-TIME:2024-02-29T23:59:55.500+02:00\r
      #EXTINF:10.0,First, with a comma\r
      media_w1_2680.ts\r
      #EXTINF:9.5,\r
      media_w1_2681.ts\r
      #EXT-X-DISCONTINUITY\r
      #EXT-X-KEY:METHOD=NONE\r
      #EXT-X-CUE-OUT:30\r
      #EXTINF:10.0,\r
      media_w1_2682.ts\r

      """
    ),
    (
      "low latency",
      """
      #EXTM3U
      #EXT-X-TARGETDURATION:4
      #EXT-X-VERSION:9
      #EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.0,CAN-SKIP-UNTIL=24.0
      #EXT-X-PART-INF:PART-TARGET=0.33334
      #EXT-X-MEDIA-SEQUENCE:266
      #EXT-X-SKIP:SKIPPED-SEGMENTS=3
      #EXTINF:4.00008,
      fileSequence269.mp4
      #EXT-X-PROGRAM-DATE-TIME:2019-02-14T02:14:00.106Z
      #EXT-X-PART:DURATION=0.33334,URI="filePart270.a.mp4",INDEPENDENT=YES
      #EXT-X-PART:DURATION=0.33334,URI="filePart270.b.mp4"
      #EXT-X-PART:DURATION=0.2,URI="filePart270.c.mp4"
      #EXTINF:4.00008,
      fileSequence270.mp4
      #EXT-X-GAP
      #EXTINF:4,
      fileSequence271.mp4
      #EXT-X-PART:DURATION=0.33334,URI="all.mp4",BYTERANGE="2000@1000"
      #EXT-X-PART:DURATION=0.33334,URI="all.mp4",BYTERANGE="3000"
      #EXT-X-PRELOAD-HINT:TYPE=PART,URI="all.mp4",BYTERANGE-START=6000
      #EXT-X-RENDITION-REPORT:URI="../1M/waitForMSN.php",LAST-MSN=272,LAST-PART=1
      """
    ),
    (
      "events",
      """
      #EXTM3U
      #EXT-X-VERSION:11
      #EXT-X-DEFINE:NAME="host",VALUE="https://cdn.example.com"
      #EXT-X-DEFINE:QUERYPARAM="token"
      #EXT-X-TARGETDURATION:6
      #EXT-X-PLAYLIST-TYPE:EVENT
      #EXT-X-START:TIME-OFFSET=-4.5,PRECISE=YES
      #EXT-X-PROGRAM-DATE-TIME:2024-05-01T00:00:00Z
      #EXT-X-DATERANGE:ID="break-1",CLASS="ad",START-DATE="2024-05-01T00:00:06Z",PLANNED-DURATION=6,SCTE35-OUT=0xFC002F
      #EXT-X-DATERANGE:ID="quiz",START-DATE="2024-05-01T00:00:08.5Z",DURATION=2,X-COM-EXAMPLE-ID="a,b"
      #EXT-X-BITRATE:1200
      #EXTINF:6,
      {$host}/1.ts?token={$token}
      #EXTINF:6,
      {$host}/2.ts?token={$token}

      """
    ),
    (
      "I-frames",
      """
      #EXTM3U
      #EXT-X-VERSION:5
      #EXT-X-TARGETDURATION:2
      #EXT-X-PLAYLIST-TYPE:VOD
      #EXT-X-I-FRAMES-ONLY
      #EXT-X-MAP:URI="iframes.mp4",BYTERANGE="700@0"
      #EXTINF:2.002,
      #EXT-X-BYTERANGE:20000@700
      iframes.mp4
      #EXTINF:1.5,
      #EXT-X-BYTERANGE:21000
      iframes.mp4
      #EXT-X-ENDLIST

      """
    ),
  ]
  static let multivariant: [(name: String, text: String)] = [
    (
      "variants",
      """
      #EXTM3U
      #EXT-X-STREAM-INF:BANDWIDTH=1280000,AVERAGE-BANDWIDTH=1000000
      http://example.com/low.m3u8
      #EXT-X-STREAM-INF:BANDWIDTH=2560000
      # the better one
      http://example.com/mid.m3u8
      #EXT-X-STREAM-INF:BANDWIDTH=65000,CODECS="mp4a.40.5"
      http://example.com/audio-only.m3u8

      """
    ),
    (
      "Apple's advanced example",
      """
      #EXTM3U
      #EXT-X-VERSION:12
      #EXT-X-INDEPENDENT-SEGMENTS
      #EXT-X-CONTENT-STEERING:SERVER-URI="/steering?video=00012",PATHWAY-ID="CDN-A"
      #EXT-X-SESSION-DATA:DATA-ID="com.example.title",VALUE="Example",LANGUAGE="en"
      #EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI="skd://key65",KEYFORMAT="com.apple.streamingkeydelivery",KEYFORMATVERSIONS="1"

      #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="aac",LANGUAGE="en",NAME="English",AUTOSELECT=YES,DEFAULT=YES,CHANNELS="2",URI="a1.m3u8"
      #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="aac",LANGUAGE="fr",NAME="Français",AUTOSELECT=YES,DEFAULT=NO,CHANNELS="2",URI="a2.m3u8"
      #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="ec3",LANGUAGE="en",NAME="English",AUTOSELECT=YES,DEFAULT=YES,CHANNELS="16/JOC",URI="a3.m3u8"
      #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="ec3",LANGUAGE="fr",NAME="Français",AUTOSELECT=YES,CHANNELS="6",URI="a4.m3u8"
      #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="subs",LANGUAGE="en",NAME="English",DEFAULT=NO,FORCED=NO,URI="s1.m3u8"
      #EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="cc",LANGUAGE="en",NAME="English",INSTREAM-ID="SERVICE1"

      #EXT-X-STREAM-INF:AVERAGE-BANDWIDTH=2168183,BANDWIDTH=2177116,CODECS="avc1.640020,mp4a.40.2",RESOLUTION=960x540,FRAME-RATE=60.000,CLOSED-CAPTIONS="cc",AUDIO="aac",SUBTITLES="subs",PATHWAY-ID="CDN-A"
      v5/prog_index.m3u8
      #EXT-X-STREAM-INF:BANDWIDTH=9000000,SCORE=2.5,CODECS="hvc1.2.4.L153.b0,ec-3",SUPPLEMENTAL-CODECS="dvh1.08.07/db4h",RESOLUTION=3840x2160,FRAME-RATE=23.976,VIDEO-RANGE=HLG,HDCP-LEVEL=TYPE-1,REQ-VIDEO-LAYOUT="CH-STEREO,CH-MONO",STABLE-VARIANT-ID="v9+/=.-_",CLOSED-CAPTIONS="cc",AUDIO="ec3",SUBTITLES="subs",PATHWAY-ID="CDN-B"
      v9/prog_index.m3u8

      #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=187492,AVERAGE-BANDWIDTH=183689,CODECS="avc1.64002a",RESOLUTION=1920x1080,URI="v7/iframe_index.m3u8"

      """
    ),
    (
      "odd but forgiven",
      "#EXTM3U\n#EXT-X-MEDIA: TYPE=AUDIO, GROUP-ID=\"a\" , NAME=\"N\"\n#EXT-X-STREAM-INF:PROGRAM-ID=1, "
        + "BANDWIDTH=0800000,X-OWN=1.50,AUDIO=\"a\",CODECS=\"mp4a.40.2, avc1.4d401e\"\n  sub "
        + "dir/low.m3u8\t\n#EXT-X-WHAT-IS-THIS\n\n\n"
    ),
  ]
  static let all = media + multivariant
}
