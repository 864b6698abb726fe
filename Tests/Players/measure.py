#!/usr/bin/env python3
"""Measures how late sound is in players: pictures carry their number, and sound is a chirp that carries its time.

measure.py source FILE SECONDS [FFMPEG OPTIONS]   create a source whose content tells its own time
measure.py play PLAYER LIST...                    play lists; print one line for each

PLAYER is chromium, hls.js (a bundle at MP4TOOL_HLSJS), gstreamer, or an ffmpeg executable.

A line has the list, how late sound is at the start and after a seek (in seconds, `-` if there was none), the content
time of the first picture, and of the first sound. A player that shows nothing has no numbers.
"""
import bisect, ctypes, http.server, json, math, os, re, shutil, statistics, struct, subprocess, sys, tempfile, threading
import time, urllib.parse

RATE, WIDTH, HEIGHT, BITS, SOUND = 25, 320, 64, 10, 48000
# The chirp rises by SLOPE Hz per second from BASE, and repeats after PERIOD seconds.
BASE, SLOPE, PERIOD = 400, 200, 20


def source(name, seconds, options):
    """Creates a movie; `options` replace those of the encoders."""
    boxes = ','.join(
        f"drawbox=x={32 * bit}:y=0:w=32:h={HEIGHT}:color=white:t=fill:enable='mod(floor(n/{1 << bit}),2)'"
        for bit in range(BITS))
    chirp = f'0.5*sin(2*PI*({BASE}*mod(t,{PERIOD})+{SLOPE / 2}*mod(t,{PERIOD})*mod(t,{PERIOD})))'
    subprocess.run(
        ['ffmpeg', '-nostdin', '-v', 'error', '-y', '-f', 'lavfi', '-i',
         f'color=black:size={WIDTH}x{HEIGHT}:rate={RATE}:duration={seconds},{boxes}', '-f', 'lavfi', '-i',
         f"aevalsrc='{chirp}':s={SOUND}:d={seconds}", '-pix_fmt', 'yuv420p']
        + (options or ['-c:v', 'libx264', '-preset', 'veryfast', '-g', '50', '-c:a', 'aac', '-b:a', '128k'])
        + [name], check=True)


def number(row):
    """The number of a picture, from a row of luma."""
    step = len(row) / BITS
    return sum(1 << bit for bit in range(BITS) if row[int(step * (bit + 0.5))] > 128)


def heard(samples, rate=SOUND):
    """The content time in the middle of some samples, from the distance of zero crossings; None for silence."""
    if max(map(abs, samples), default=0) < 0.05:
        return None
    ups = [i - 1 + samples[i - 1] / (samples[i - 1] - samples[i])
           for i in range(1, len(samples)) if samples[i - 1] < 0 <= samples[i]]
    if len(ups) < 4:
        return None
    frequency = (len(ups) - 1) * rate / (ups[-1] - ups[0])
    middle = (ups[0] + ups[-1]) / 2 - len(samples) / 2
    value = (frequency - BASE) / SLOPE - middle / rate
    return value if -0.1 < value < PERIOD + 0.1 else None


def wrapped(difference):
    return (difference + PERIOD / 2) % PERIOD - PERIOD / 2


def late(pictures, sounds):
    """How late sound is: `pictures` and `sounds` are pairs of a player's time and the content time."""
    times = [at for at, _ in pictures]
    differences = []
    for at, content in sounds:
        shown = bisect.bisect_right(times, at) - 1
        # Sound goes on while a picture is shown.
        if 0 <= shown < len(times) - 1 and times[shown + 1] - times[shown] < 2 / RATE:
            differences.append(wrapped(pictures[shown][1] + at - times[shown] - content))
    return statistics.median(differences) if differences else None


# Readers without a clock: what they present, with its time.


def ffmpeg(tool, name):
    folder = tempfile.mkdtemp()
    def kept(kind, filters, codec, form):
        """Options for the decoded data of a stream, and for its times."""
        encoder = [f'-filter:{kind}', filters, f'-c:{kind}', codec] + (['-fps_mode', 'passthrough'] if kind == 'v' else [])
        base = ['-enc_time_base', '1/90000' if kind == 'v' else f'1/{SOUND}']
        return (['-map', f'0:{kind}:0'] + encoder + ['-f', form, f'{folder}/{kind}']
                + ['-map', f'0:{kind}:0'] + encoder + base + ['-f', 'framecrc', f'{folder}/{kind}.times'])
    def data(kind):
        try: return open(f'{folder}/{kind}', 'rb').read()
        except OSError: return b''
    def times(kind):
        try: lines = open(f'{folder}/{kind}.times').read().splitlines()
        except OSError: return []
        base = next((line.split()[-1] for line in lines if line.startswith('#tb')), '1/1').split('/')
        rows = [line.split(',') for line in lines if not line.startswith('#')]
        return [(int(row[2]) * int(base[0]) / int(base[1]), int(row[4])) for row in rows]
    try:
        picture = f'scale={WIDTH}:{HEIGHT},crop={WIDTH}:1:0:{HEIGHT // 2},format=gray'
        sound = f'aformat=flt:channel_layouts=mono:sample_rates={SOUND}'
        subprocess.run(
            [tool, '-nostdin', '-v', 'error', '-copyts', '-i', name] + kept('v', picture, 'rawvideo', 'rawvideo')
            + kept('a', sound, 'pcm_f32le', 'f32le'), stderr=subprocess.DEVNULL)
        rows, floats, shown, played = data('v'), data('a'), times('v'), times('a')
    finally:
        shutil.rmtree(folder)
    pictures = [(time, number(rows[i * WIDTH:(i + 1) * WIDTH]) / RATE)
                for i, (time, _) in enumerate(shown) if (i + 1) * WIDTH <= len(rows)]
    samples = struct.unpack(f'<{len(floats) // 4}f', floats[:len(floats) // 4 * 4])
    sounds, start = [], 0
    for time, size in played:
        own = samples[start:start + size // 4]
        content = heard(own)
        if content is not None: sounds.append((time + len(own) / 2 / SOUND, content))
        start += size // 4
    return split(pictures, sounds)


def split(pictures, sounds):
    """The results at the start and in the second half."""
    if not pictures or not sounds:
        return (None, None, pictures[0][1] if pictures else None, sounds[0][1] if sounds else None)
    pictures.sort()
    # The first picture may be shown early.
    first, last = pictures[min(1, len(pictures) - 1)][0], pictures[-1][0]
    def part(pairs, low, high):
        return [pair for pair in pairs if low <= pair[0] <= high]
    # Sound can start later.
    begin = max(first, sounds[0][0])
    middle = max((first + last) / 2, begin)
    return (late(part(pictures, begin, begin + 3), part(sounds, begin, begin + 3)),
            late(part(pictures, middle, last), part(sounds, middle, last)), pictures[0][1], sounds[0][1])


def gstreamer(name):
    result = subprocess.run([sys.executable, __file__, 'gst', name], capture_output=True, text=True, timeout=300)
    if result.returncode != 0:
        return (None, None, None, None)
    pictures, sounds = json.loads(result.stdout)
    return split(pictures, sounds)


def gst(name):
    """Decodes with playbin; prints running times, which decide what is played together."""
    core, app = ctypes.CDLL('libgstreamer-1.0.so.0'), ctypes.CDLL('libgstapp-1.0.so.0')
    objects = ctypes.CDLL('libgobject-2.0.so.0')
    pointer, u64 = ctypes.c_void_p, ctypes.c_uint64
    def function(library, name, result, *arguments):
        f = getattr(library, name)
        f.restype, f.argtypes = result, arguments
        return f
    function(core, 'gst_init', None, pointer, pointer)(None, None)
    launch = function(core, 'gst_parse_launch', pointer, ctypes.c_char_p, pointer)
    by_name = function(core, 'gst_bin_get_by_name', pointer, pointer, ctypes.c_char_p)
    pull = function(app, 'gst_app_sink_try_pull_sample', pointer, pointer, u64)
    is_end = function(app, 'gst_app_sink_is_eos', ctypes.c_int, pointer)
    buffer_of = function(core, 'gst_sample_get_buffer', pointer, pointer)
    segment_of = function(core, 'gst_sample_get_segment', pointer, pointer)
    running = function(core, 'gst_segment_to_running_time', u64, pointer, ctypes.c_int, u64)
    size_of = function(core, 'gst_buffer_get_size', ctypes.c_size_t, pointer)
    extract = function(core, 'gst_buffer_extract', ctypes.c_size_t, pointer, ctypes.c_size_t, pointer, ctypes.c_size_t)
    free = function(core, 'gst_mini_object_unref', None, pointer)
    play = function(core, 'gst_element_set_state', ctypes.c_int, pointer, ctypes.c_int)
    uri = name if '://' in name else 'file://' + urllib.parse.quote(os.path.abspath(name))
    video = f'videoconvert ! videoscale ! video/x-raw,format=GRAY8,width={WIDTH},height={HEIGHT} ! appsink name=v sync=false'
    audio = f'audioconvert ! audioresample ! audio/x-raw,format=F32LE,rate={SOUND},channels=1 ! appsink name=a sync=false'
    pipe = launch(f'playbin uri={uri} flags=3 video-sink="{video}" audio-sink="{audio}"'.encode(), None)
    sinks = {}
    get = objects.g_object_get
    for key, prop in (('v', b'video-sink'), ('a', b'audio-sink')):
        value = pointer()
        get(pointer(pipe), prop, ctypes.byref(value), None)
        sinks[key] = by_name(value, key.encode())
    play(pipe, 4)
    found, ends, last = {'v': [], 'a': []}, set(), time.monotonic()
    while len(ends) < 2 and time.monotonic() - last < 8:
        for key in 'va':
            sample = pull(sinks[key], 20_000_000)
            if not sample:
                if is_end(sinks[key]):
                    ends.add(key)
                continue
            last = time.monotonic()
            buffer, segment = buffer_of(sample), segment_of(sample)
            pts = ctypes.cast(buffer + 72, ctypes.POINTER(u64))[0]
            at = running(segment, 3, pts)
            data = ctypes.create_string_buffer(size_of(buffer))
            extract(buffer, 0, data, len(data))
            free(sample)
            if at >= 1 << 63:
                continue
            if key == 'v':
                row = data.raw[WIDTH * (HEIGHT // 2):WIDTH * (HEIGHT // 2 + 1)]
                found['v'].append((at / 1e9, number(row) / RATE))
            else:
                samples = struct.unpack(f'<{len(data) // 4}f', data.raw[:len(data) // 4 * 4])
                content = heard(samples)
                if content is not None:
                    found['a'].append((at / 1e9 + len(samples) / 2 / SOUND, content))
    print(json.dumps([found['v'], found['a']]), flush=True)
    os._exit(0)


# Chromium.

PAGE = '''
<video id=v width=%(width)d height=%(height)d></video><canvas id=c width=%(width)d height=%(height)d></canvas>
<script type=module>
const [player, list] = location.hash.slice(1).split('|')
const v = document.getElementById('v')
const tell = (...words) => fetch('/report?' + words.map(encodeURIComponent).join('+'))
const pause = time => new Promise(resolve => setTimeout(resolve, time))
const until = async (claim, limit) => {
  const start = performance.now()
  while (!claim() && performance.now() - start < limit) await pause(20)
  return claim()
}
v.addEventListener('error', () => tell('note', v.error.message))
const canvas = document.getElementById('c').getContext('2d', {willReadFrequently: true})
const context = new AudioContext({sampleRate: %(sound)d})
await context.resume()
const analyser = new AnalyserNode(context, {fftSize: 2048})
context.createMediaElementSource(v).connect(analyser)
const samples = new Float32Array(2048)
function heard() {
  analyser.getFloatTimeDomainData(samples)
  let [first, last, count, loud] = [0, 0, 0, 0]
  for (let i = 1; i < samples.length; i++) {
    loud = Math.max(loud, Math.abs(samples[i]))
    if (!(samples[i - 1] < 0 && samples[i] >= 0)) continue
    last = i - 1 + samples[i - 1] / (samples[i - 1] - samples[i])
    if (!count++) first = last
  }
  if (count < 4 || loud < 0.05) return NaN
  // The end of the samples is now.
  return ((count - 1) * %(sound)d / (last - first) - %(base)d) / %(slope)d + (2048 - (first + last) / 2) / %(sound)d
}
let looks = []
const look = (now, frame) => {
  canvas.drawImage(v, 0, 0, %(width)d, %(height)d)
  let picture = 0
  for (let bit = 0; bit < %(bits)d; bit++)
    if (canvas.getImageData(32 * bit + 16, 32, 1, 1).data[0] > 128) picture |= 1 << bit
  looks.push([picture / %(rate)d, heard(), frame.mediaTime, (frame.expectedDisplayTime - now) / 1000])
  v.requestVideoFrameCallback(look)
}
v.requestVideoFrameCallback(look)
const problems = []
if (player == 'hls.js') {
  const text = await (await fetch('/hls.js')).text()
  const module = await import(URL.createObjectURL(new Blob([text], {type: 'text/javascript'})))
  const exported = Object.values(module)
  const known = globalThis.Hls ?? exported.find(value => value.isSupported)
  const made = known ? null : exported.find(value => value.length == 3)(v, '/none.m3u8')
  const Hls = known ?? made.constructor
  made?.destroy()
  const hls = new Hls({maxBufferLength: 6, maxMaxBufferLength: 6})
  hls.on(Hls.Events.ERROR, (_, data) => { if (data.fatal) tell('note', data.details) })
  hls.loadSource(list)
  hls.attachMedia(v)
} else v.src = list
v.play().catch(problem => tell('note', String(problem)))
const enough = limit => until(() => v.ended || looks.filter(l => !isNaN(l[1])).length > %(rate)d * 2.4, limit)
await enough(%(limit)d)
await tell('start', JSON.stringify(looks))
looks = []
if (v.seekable.length && v.currentTime > 0) {
  const end = v.seekable.end(v.seekable.length - 1)
  v.currentTime = Math.max(0, (isFinite(end) ? end : v.currentTime + 6) - 5)
  await until(() => !v.seeking, 8000)
  if (v.paused) v.play().catch(() => {})
  looks = []
  await enough(9000)
}
const ranges = r => [...Array(r.length).keys()].map(i => r.start(i).toFixed(3) + '-' + r.end(i).toFixed(3)).join(',')
await tell('seek', JSON.stringify(looks), v.duration, ranges(v.buffered))
tell('done')
</script>
'''


def served(folder, reports):
    types = {'.m3u8': 'application/vnd.apple.mpegurl', '.mp4': 'video/mp4', '.m4s': 'video/iso.segment',
             '.vtt': 'text/vtt', '.js': 'text/javascript'}
    page = PAGE % dict(width=WIDTH, height=HEIGHT, bits=BITS, rate=RATE, sound=SOUND, base=BASE, slope=SLOPE, limit=15000)
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = 'HTTP/1.1'
        def log_message(self, *arguments): pass
        def answer(self, code, kind, body, headers=()):
            self.send_response(code)
            for name, value in (('Content-Type', kind), ('Content-Length', str(len(body))), *headers):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)
        def do_GET(self):
            url = urllib.parse.urlparse(self.path)
            if url.path == '/page.html': return self.answer(200, 'text/html', page.encode())
            if url.path == '/report':
                self.answer(200, 'text/plain', b'')
                return reports([urllib.parse.unquote(word) for word in url.query.split('+')])
            path = os.environ.get('MP4TOOL_HLSJS', '') if url.path == '/hls.js' else folder + urllib.parse.unquote(url.path)
            if not os.path.isfile(path): return self.answer(404, 'text/plain', b'')
            data, kind = open(path, 'rb').read(), types.get(os.path.splitext(path)[1], 'application/octet-stream')
            match = re.match(r'bytes=(\d+)-(\d*)', self.headers.get('Range') or '')
            if not match: return self.answer(200, kind, data, (('Accept-Ranges', 'bytes'),))
            start, end = int(match[1]), min(int(match[2] or len(data)), len(data) - 1)
            self.answer(206, kind, data[start:end + 1], (('Content-Range', f'bytes {start}-{end}/{len(data)}'),))
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def chromium(player, name):
    events, done = [], threading.Event()
    def report(words):
        events.append(words)
        if words[0] == 'done': done.set()
    folder = '' if '://' in name else os.path.dirname(os.path.dirname(os.path.abspath(name)))
    address = served(folder, report)
    place = name if '://' in name else os.path.abspath(name)[len(folder):]
    profile = tempfile.mkdtemp()
    browser = subprocess.Popen(
        ['chromium', '--headless=new', '--no-sandbox', '--disable-gpu', '--autoplay-policy=no-user-gesture-required',
         f'--user-data-dir={profile}', f'http://127.0.0.1:{address}/page.html#{player}|{place}'],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    done.wait(60)
    browser.terminate()
    try: browser.wait(5)
    except subprocess.TimeoutExpired: browser.kill()
    shutil.rmtree(profile, ignore_errors=True)
    for words in events:
        if words[0] == 'note': print('#', name, player, *words[1:], file=sys.stderr)
        if words[0] == 'seek': print('#', name, player, 'duration', words[2], 'buffered', words[3], file=sys.stderr)
    def result(kind):
        looks = next((json.loads(words[1]) for words in events if words[0] == kind), [])
        pairs = [wrapped(picture - sound) for picture, sound, _, _ in looks if sound is not None]
        pairs = pairs[len(pairs) // 4:]
        return (statistics.median(pairs) if pairs else None, looks)
    (start, looks), (seek, _) = result('start'), result('seek')
    sounds = [look[1] for look in looks if look[1] is not None]
    return (start, seek, looks[0][0] if looks else None, sounds[0] if sounds else None)


def main():
    if sys.argv[1] == 'source': return source(sys.argv[2], sys.argv[3], sys.argv[4:])
    if sys.argv[1] == 'gst': return gst(sys.argv[2])
    for name in sys.argv[3:]:
        player = sys.argv[2]
        if player in ('chromium', 'hls.js'): result = chromium(player, name)
        elif player == 'gstreamer': result = gstreamer(name)
        else: result = ffmpeg(player, name)
        print(name, *('-' if value is None else f'{value:.3f}' for value in result), flush=True)


main()
