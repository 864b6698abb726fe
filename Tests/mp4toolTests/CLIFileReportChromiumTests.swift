import Support
import Testing

@Suite(
  "Chromium shows report pages",
  .enabled(if: Chromium.isThere, "needs MP4TOOL_TESTS=all, chromium and python3"))
struct CLIFileReportChromiumTests {
  @Test(
    "The page fits on a phone and a desktop, handles keys, zooms, prints, and leaves the console empty",
    arguments: ["progressive.mp4", "fragmented.mp4", "hevc-fragmented.mp4"])
  func shows(file: String) throws {
    let shell = try EndToEnd()
    try shell.folder.write("look.py", ascii(Self.look))
    let result = try shell("mp4tool report $V/\(file) -o report.html && python3 look.py report.html")
    let lines = result.lines.map { $0.split(separator: "\t").map(String.init) }
    #expect(result.exitCode == 0, "\(result)")
    // The width of the page content, the width of the viewport, and the size of a picture that is not blank.
    for width in ["390", "1280"] {
      let line = try #require(lines.first { $0[0] == width }, "\(result)")
      #expect(line[1] == line[2] && Int(line[3]).map { $0 > 20_000 } == true, "\(line)")
    }
    let key = try #require(lines.first { $0[0] == "key" }, "\(result)")
    #expect(key[1].contains("sample 2, decoded at 0:00.040"), "\(key)")
    let zoom = try #require(lines.first { $0[0] == "zoom" }, "\(result)")
    #expect(zoom[1] == "500", "\(zoom)")
    #expect(lines.first { $0[0] == "pdf" }?[1] == "%PDF", "\(result)")
    #expect(!lines.contains { $0[0] == "console" }, "\(result)")
  }

  @Test("The same applies to the page of a presentation")
  func presentation() throws {
    let shell = try EndToEnd()
    try shell.folder.write("look.py", ascii(Self.look))
    let result = try shell(
      """
      mp4tool hls -q $V/progressive.mp4 -o out && mp4tool report out -o report.html
      python3 look.py report.html '.plot[data-chart=buffer]'
      """)
    let lines = result.lines.map { $0.split(separator: "\t").map(String.init) }
    #expect(result.exitCode == 0 && !lines.contains { $0[0] == "console" }, "\(result)")
    for width in ["390", "1280"] {
      let line = try #require(lines.first { $0[0] == width }, "\(result)")
      #expect(line[1] == line[2] && Int(line[3]).map { $0 > 20_000 } == true, "\(line)")
    }
    #expect(lines.first { $0[0] == "key" }?[1].contains(", in the buffer: ") == true, "\(result)")
    #expect(lines.first { $0[0] == "zoom" }?[1] == "500", "\(result)")
  }

  @Test("The page of a presentation with a gap gives the reason why a segment is unplayable")
  func hole() throws {
    let shell = try EndToEnd()
    try shell.folder.write("look.py", ascii(Self.look))
    let result = try shell(
      """
      mp4tool hls -q $V/progressive.mp4 -o out && rm out/video-90/segment2.m4s
      mp4tool report out -o report.html 2> /dev/null; python3 look.py report.html '.plot[data-chart=segments]'
      """)
    let lines = result.lines.map { $0.split(separator: "\t").map(String.init) }
    #expect(result.exitCode == 0 && !lines.contains { $0[0] == "console" }, "\(result)")
    for width in ["390", "1280"] {
      let line = try #require(lines.first { $0[0] == width }, "\(result)")
      #expect(line[1] == line[2], "\(line)")
    }
    let key = try #require(lines.first { $0[0] == "key" }, "\(result)")
    #expect(key[1].hasPrefix("segment 2, from 0:06.000 to 0:12.000, "), "\(key)")
    #expect(key[1].hasSuffix("cannot be played: out/video-90/segment2.m4s: cannot open: no such file or directory"))
  }

  @Test("The page of images has a map of their bytes")
  func images() throws {
    let shell = try EndToEnd()
    try shell.folder.write("look.py", ascii(Self.look))
    let item = fullBox("infe", version: 2, big(UInt16(1)), big(UInt16(0)), ascii("hvc1"), [0])
    // Version 0: the item has one extent, the 4000 bytes after the header of `mdat`.
    func meta(_ start: UInt32) -> [UInt8] {
      let place = fullBox(
        "iloc", [0x44, 0], big(UInt16(1)), big(UInt16(1)), big(UInt16(0)), big(UInt16(1)), big(start),
        big(UInt32(4000)))
      return fullBox(
        "meta", fullBox("hdlr", zeros(4), ascii("pict"), zeros(13)), fullBox("pitm", big(UInt16(1))),
        fullBox("iinf", big(UInt16(1)), item), place)
    }
    let start = box("ftyp", ascii("heic"), zeros(4), ascii("mif1heic"))
    let size = start.count + meta(0).count
    try shell.folder.write("i.heic", start + meta(UInt32(size + 8)) + box("mdat", zeros(4000)))
    let result = try shell(
      "mp4tool report i.heic -o report.html; python3 look.py report.html '.plot[data-chart=map]'")
    let lines = result.lines.map { $0.split(separator: "\t").map(String.init) }
    #expect(result.exitCode == 0 && !lines.contains { $0[0] == "console" }, "\(result)")
    for width in ["390", "1280"] {
      let line = try #require(lines.first { $0[0] == width }, "\(result)")
      #expect(line[1] == line[2], "\(line)")
    }
    let key = try #require(lines.first { $0[0] == "key" }, "\(result)")
    #expect(key[1].hasPrefix("from byte ") && key[1].contains("other boxes: "), "\(key)")
  }

  /// Opens a page as a phone and as a desktop, through the debugging pipe of Chromium: JSON messages that end with a
  /// zero byte.
  private static let look = """
    import base64, fcntl, json, os, subprocess, sys, tempfile
    page = os.path.abspath(sys.argv[1])
    reads, writes = os.pipe(), os.pipe()
    # Chromium reads from 3 and writes to 4.
    there = [fcntl.fcntl(end, fcntl.F_DUPFD, 20) for end in (reads[0], writes[1])]
    def connect():
        os.dup2(there[0], 3)
        os.dup2(there[1], 4)
    chromium = subprocess.Popen(['chromium', '--headless=new', '--no-sandbox', '--disable-gpu', '--remote-debugging-pipe',
        '--user-data-dir=' + tempfile.mkdtemp(dir='.'), 'about:blank'], preexec_fn=connect, close_fds=False,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for end in (reads[0], writes[1], *there): os.close(end)
    buffer, number, events, session = b'', 0, [], None
    def message():
        global buffer
        while b'\\0' not in buffer:
            part = os.read(writes[0], 1 << 16)
            if not part: raise SystemExit('chromium ended')
            buffer += part
        first, buffer = buffer.split(b'\\0', 1)
        return json.loads(first)
    def send(method, **parameters):
        global number
        number += 1
        request = {'id': number, 'method': method, 'params': parameters}
        if session: request['sessionId'] = session
        os.write(reads[1], json.dumps(request).encode() + b'\\0')
        while True:
            answer = message()
            if answer.get('id') == number:
                if 'error' in answer: raise SystemExit(method + ': ' + str(answer['error']))
                return answer['result']
            events.append(answer)
    def run(expression):
        return send('Runtime.evaluate', expression=expression, returnByValue=True)['result'].get('value')
    def press(key, **parameters):
        for kind in ('rawKeyDown', 'keyUp'): send('Input.dispatchKeyEvent', type=kind, key=key, **parameters)
    target = send('Target.createTarget', url='about:blank')['targetId']
    session = send('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
    for domain in ('Page', 'Runtime', 'Log'): send(domain + '.enable')
    for width in (390, 1280):
        send('Emulation.setDeviceMetricsOverride', width=width, height=900, deviceScaleFactor=1, mobile=width < 500)
        send('Page.navigate', url='file://' + page)
        while not any(event.get('method') == 'Page.loadEventFired' for event in events): events.append(message())
        events = [event for event in events if event.get('method') != 'Page.loadEventFired']
        picture = base64.b64decode(send('Page.captureScreenshot')['data'])
        print(width, *[run('document.documentElement.' + part) for part in ('scrollWidth', 'clientWidth')], len(picture), sep='\\t')
    chart = sys.argv[2] if len(sys.argv) > 2 else '.plot[data-chart=frames]'
    run('document.querySelector("' + chart + '").focus()')
    press('ArrowRight')
    press('ArrowRight')
    print('key', run('document.activeElement.getAttribute("aria-valuetext")').replace('\\n', ', '), sep='\\t')
    run('document.querySelector("#tools button").click()')
    print('zoom', run('document.querySelector("#rates svg").viewBox.baseVal.width'), sep='\\t')
    print('pdf', base64.b64decode(send('Page.printToPDF')['data'])[:4].decode(), sep='\\t')
    for event in events:
        if event.get('method') in ('Runtime.exceptionThrown', 'Runtime.consoleAPICalled', 'Log.entryAdded'):
            print('console', json.dumps(event), sep='\\t')
    session = None
    send('Browser.close')
    chromium.wait()
    """
}
