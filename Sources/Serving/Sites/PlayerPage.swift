import MP4Bytes

/// A page that lists the playable items, with a player. It loads nothing from other servers.
public struct PlayerPage: Sendable {
  private let title: String
  private let items: [PlayableItem]
  /// The text shown if there are no items.
  private let advice: String
  /// Whether there may be more items than listed.
  private let isCut: Bool

  /// A page with this title. `isCut` is true if there may be more items. Without items, the page shows `advice`, where
  /// text between backticks is shown as code.
  public init(title: String, items: [PlayableItem], isCut: Bool = false, advice: String? = nil) {
    let advice = advice ?? Self.noItems
    (self.title, self.items, self.isCut, self.advice) = (title, items, isCut, advice)
  }

  private static let noItems = "There is nothing to play: no `.m3u8` or `.mp4` files."

  /// The page as a response.
  public var response: Server.Response {
    var response = Server.Response(
      Server.Resource(Server.MemoryContent(Array(text.utf8)), mediaType: "text/html; charset=utf-8"))
    response.fields.append(
      (
        name: "Content-Security-Policy",
        value: "default-src 'none'; media-src 'self' blob:; connect-src 'self'; img-src data:; "
          + "style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
      ))
    return response
  }

  private var text: String {
    let title = self.title.escapedForHTML
    let list =
      items.isEmpty
      ? "<p>\(Self.withCode(advice.escapedForHTML))</p>"
      : "<ul>\n" + items.map(Self.row).joined() + "</ul>"
        + (isCut ? "\n<p>Only the first \(items.count) are listed.</p>" : "")
    return """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(title)</title>
      <link rel="icon" href="data:,">
      <style>\(Self.style)</style>
      </head>
      <body>
      <main>
      <h1>\(title)</h1>
      <div id="stage"\(items.isEmpty ? " hidden" : "")>
      <video id="player" controls playsinline preload="metadata"></video>
      <p id="state" role="status"></p>
      <p id="tracks"></p>
      </div>
      <p id="help" hidden>This browser does not support this kind of HTTP Live Streaming. Safari and recent versions of
      Chrome do. You can also open the link in <code>ffplay</code>, <code>mpv</code> or VLC.</p>
      \(list)
      </main>
      <script>\(Self.mediaSourceScript)\(Self.script)</script>
      </body>
      </html>

      """
  }

  private static func row(_ item: PlayableItem) -> String {
    let kind = item.isPlaylist ? "HLS" : item.mediaType.hasPrefix("audio/") ? "Audio" : "File"
    return "<li><a href=\"\(item.link.escapedForHTML)\" data-type=\"\(item.mediaType.escapedForHTML)\">"
      + "<b>\(kind)</b> \(item.text.escapedForHTML)<small></small></a><button type=\"button\">Copy link</button></li>\n"
  }

  /// Text between backticks is shown as code.
  private static func withCode(_ text: String) -> String {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .map { $0.offset % 2 == 1 ? "<code>\($0.element)</code>" : String($0.element) }.joined()
  }

  private static let style = """

    :root { color-scheme: light dark; }
    body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; }
    main { max-width: 60rem; margin: 0 auto; padding: 1rem; }
    h1 { font-size: 1.25rem; overflow-wrap: anywhere; }
    #stage { position: sticky; top: 0; z-index: 1; background: Canvas; padding-bottom: .25rem; }
    video { display: block; width: 100%; max-height: 60vh; background: black; border-radius: .5rem; }
    #state { min-height: 1.5em; margin: .5rem 0; opacity: .75; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
    #tracks { margin: .5rem 0; display: flex; flex-wrap: wrap; gap: .5rem 1rem; }
    #tracks:empty { display: none; }
    #help { padding: .75rem; border: 1px solid; border-radius: .5rem; }
    ul { list-style: none; margin: 0; padding: 0; }
    li { display: flex; align-items: center; gap: .5rem; scroll-margin-top: 50vh;
      border-top: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
    a { flex: 1; min-width: 0; padding: .75rem 0; color: inherit; text-decoration: none; overflow-wrap: anywhere; }
    a:hover { text-decoration: underline; }
    a[aria-current] { font-weight: bold; }
    b { display: inline-block; min-width: 3.5em; margin-right: .25rem; padding: 0 .4em; border: 1px solid; border-radius: .25rem;
      font-size: .75rem; font-weight: normal; text-align: center; }
    small { display: block; font-weight: normal; opacity: .75; }
    button, select { font: inherit; font-size: .875rem; }
    @media (max-width: 40rem) { video { max-height: 40vh; } main { padding: .5rem; } }

    """

  /// The item named after `#` in the URL is played immediately, so that links can be shared.
  ///
  /// The contents of an item are read from its playlist, or from the sample descriptions at the start and end of a
  /// file.
  private static let script = """

    const player = document.getElementById('player')
    const state = document.getElementById('state')
    const help = document.getElementById('help')
    const tracks = document.getElementById('tracks')
    const links = [...document.querySelectorAll('li a')]
    const names = {
      avc1: 'H.264', avc3: 'H.264', hvc1: 'HEVC', hev1: 'HEVC', dvh1: 'Dolby Vision', dvhe: 'Dolby Vision', av01: 'AV1',
      vp09: 'VP9', vp08: 'VP8', vvc1: 'VVC', vvi1: 'VVC', mp4v: 'MPEG-4 Visual', apco: 'ProRes', apcs: 'ProRes', apcn: 'ProRes',
      apch: 'ProRes', ap4h: 'ProRes', ap4x: 'ProRes', mp4a: 'AAC', 'ac-3': 'Dolby Digital', 'ec-3': 'Dolby Digital Plus',
      'ac-4': 'Dolby AC-4', fLaC: 'FLAC', Opus: 'Opus', alac: 'Apple Lossless', apac: 'APAC', '.mp3': 'MP3', wvtt: 'WebVTT',
      stpp: 'TTML', tx3g: 'timed text', c608: 'CEA-608', c708: 'CEA-708', encv: 'encrypted video', enca: 'encrypted audio'
    }
    let shown = null
    const isList = link => link.dataset.type.includes('mpegurl')
    const nameOf = codec => names[codec.slice(0, 4)] || codec
    const unique = values => [...new Set(values.filter(value => value))]

    const value = (line, name) => (line.match('[:,]' + name + '=(?:"([^"]*)"|([^,]*))') || []).slice(1).find(part => part)
    // What a playlist says.
    function read(text) {
      const lists = { codecs: [], sizes: [], audio: [], subtitles: [], text }
      for (const line of text.split(/\\r?\\n/)) {
        if (line.startsWith('#EXT-X-STREAM-INF:')) {
          lists.codecs.push(...(value(line, 'CODECS') || '').split(','))
          lists.sizes.push((value(line, 'RESOLUTION') || '').replace('x', ' × '))
        } else if (line.startsWith('#EXT-X-MEDIA:')) {
          const kind = { AUDIO: lists.audio, SUBTITLES: lists.subtitles }[value(line, 'TYPE')]
          if (kind) kind.push(value(line, 'NAME') || value(line, 'LANGUAGE'))
        }
      }
      return lists
    }
    // The sample descriptions in a part of a file.
    function entries(bytes) {
      const found = []
      for (let at = bytes.indexOf(0x73); at >= 0 && at + 20 <= bytes.length; at = bytes.indexOf(0x73, at + 1)) {
        const text = String.fromCharCode(...bytes.subarray(at, at + 20))
        if (text.startsWith('stsd')) found.push(text.slice(16))
      }
      return found
    }
    async function part(link, range) {
      const response = await fetch(link.href, { headers: { Range: 'bytes=' + range } })
      return response.status === 206 ? new Uint8Array(await response.arrayBuffer()) : new Uint8Array()
    }
    async function about(link) {
      if (link.about) return link.about
      link.about = (async () => {
        if (isList(link)) return read(await (await fetch(link.href)).text())
        if (!/mp4|quicktime/.test(link.dataset.type)) return { codecs: [], sizes: [], audio: [], subtitles: [] }
        let codecs = entries(await part(link, '0-262143'))
        if (!codecs.length) codecs = entries(await part(link, '-1048576'))
        return { codecs, sizes: [], audio: [], subtitles: [] }
      })()
      const lists = await link.about
      const words = [
        unique(lists.sizes).join(', '), unique(lists.codecs.map(nameOf)).join(', '),
        lists.audio.length ? 'audio: ' + unique(lists.audio).join(', ') : '',
        lists.subtitles.length ? 'subtitles: ' + unique(lists.subtitles).join(', ') : ''
      ]
      link.querySelector('small').textContent = words.filter(word => word).join(' · ')
      return lists
    }

    // Where a browser does not list the tracks of a presentation, this page offers the choice: of sound by a playlist that
    // has no other, and of subtitles by their files. Chromium starts at 0 whatever the times of the media are.
    const listsTracks = Boolean(player.audioTracks)
    let sounds = []
    let sound = ''
    const lines = text => text.split(/\\r?\\n/)
    const fetched = async address => {
      const response = await fetch(address)
      if (!response.ok) throw new Error(address)
      return response.text()
    }
    // The playlist at the link without sounds of another name, where a group has one of this name.
    function withSound(text, link, name) {
      const isSound = line => line.startsWith('#EXT-X-MEDIA:') && value(line, 'TYPE') === 'AUDIO'
      const all = lines(text)
      const groups = all.filter(line => isSound(line) && value(line, 'NAME') === name).map(line => value(line, 'GROUP-ID'))
      const kept = all.filter(line => !isSound(line) || value(line, 'NAME') === name || !groups.includes(value(line, 'GROUP-ID')))
      return kept.map(line => {
        if (!line.startsWith('#')) return line && new URL(line, link.href).href
        if (isSound(line)) line = line.replace(/,(DEFAULT|AUTOSELECT)=(YES|NO)/g, '') + ',DEFAULT=YES,AUTOSELECT=YES'
        return line.replace(/URI="([^"]*)"/, (_, uri) => 'URI="' + new URL(uri, link.href).href + '"')
      }).join('\\n')
    }
    function play(name, lists, link) {
      if (playing) {
        sound = name
        return playing.select(name).catch(() => {})
      }
      const at = player.currentTime
      const plays = !player.paused
      sound = name
      player.src = URL.createObjectURL(new Blob([withSound(lists.text, link, name)], { type: link.dataset.type }))
      player.addEventListener('loadedmetadata', () => {
        if (isFinite(player.duration)) player.currentTime = at
        if (plays) player.play().catch(() => {})
      }, { once: true })
    }
    // The files of a rendition of WebVTT as one; empty where they are something else, or times differ from file to file.
    async function subtitleFiles(address) {
      const text = await fetched(address)
      const isOne = /^#EXT-X-ENDLIST/m.test(text) && !/^#EXT-X-(MAP|BYTERANGE|DISCONTINUITY|KEY)\\b/m.test(text)
      return isOne ? lines(text).filter(line => line && !line.startsWith('#')).map(line => new URL(line, address).href) : []
    }
    async function subtitleText(files) {
      const texts = await Promise.all(files.map(fetched))
      const maps = texts.map(text => (text.match(/^X-TIMESTAMP-MAP=.*/m) || [''])[0].trim())
      if (new Set(maps).size > 1) return 'WEBVTT'
      const blocks = texts.flatMap(text => text.replace(/\\r\\n?/g, '\\n').split(/\\n{2,}/).slice(1))
      return ['WEBVTT', ...new Set(blocks.map(block => block.trim()).filter(block => block))].join('\\n\\n') + '\\n'
    }
    async function complete() {
      const link = shown
      if (!link || listsTracks || !isList(link)) return
      const lists = await about(link)
      // What begins with a variable may be any address.
      if (link !== shown || sounds.link === link || /^#EXT-X-DEFINE/m.test(lists.text)) return
      const media = lines(lists.text).filter(line => line.startsWith('#EXT-X-MEDIA:'))
      const named = media.filter(line => value(line, 'TYPE') === 'AUDIO' && (!playing || playing.choosesSound))
      sound = value(named.find(line => value(line, 'DEFAULT') === 'YES') || named[0] || '', 'NAME')
      sounds = unique(named.map(line => value(line, 'NAME'))).map(name => ({
        label: name, get enabled() { return name === sound },
        set enabled(on) { if (on && name !== sound) play(name, lists, link) }
      }))
      sounds.link = link
      offer()
      let isShown = false
      for (const line of player.textTracks.length ? [] : media) {
        if (value(line, 'TYPE') !== 'SUBTITLES' || !value(line, 'URI')) continue
        const files = await subtitleFiles(new URL(value(line, 'URI'), link.href).href).catch(() => [])
        if (link !== shown) return
        const label = value(line, 'NAME') || ''
        if (!files.length || [...player.children].some(other => other.label === label)) continue
        const track = document.createElement('track')
        Object.assign(track, { kind: 'subtitles', label, srclang: value(line, 'LANGUAGE') || '' })
        track.fill = async () => {
          track.fill = async () => {}
          track.src = URL.createObjectURL(new Blob([await subtitleText(files)], { type: 'text/vtt' }))
        }
        player.append(track)
        // Chromium shows the first track, unless its mode has changed before.
        for (const mode of ['hidden', 'disabled']) track.track.mode = mode
        if (value(line, 'DEFAULT') === 'YES' && !isShown) {
          isShown = true
          track.track.mode = 'showing'
          track.fill().catch(() => {})
        }
        offer()
      }
    }

    let playing = null
    const hasHLS = link => player.canPlayType(link.dataset.type) !== ''
    function show(link, plays) {
      shown = link
      if (playing) playing.stop()
      playing = null
      sounds = []
      player.replaceChildren()
      for (const other of links) other.removeAttribute('aria-current')
      link.setAttribute('aria-current', 'true')
      const usesSource = isList(link) && !hasHLS(link) && Boolean(window.MediaSource)
      help.hidden = !isList(link) || hasHLS(link) || usesSource
      state.textContent = ''
      tracks.replaceChildren()
      if (usesSource) {
        about(link).then(lists => {
          if (link === shown) playing = startSource(link, lists, reason => { if (link === shown) refuse(reason) })
        }).catch(() => refuse('it cannot be loaded'))
      } else {
        player.src = link.href
        about(link).catch(() => {})
      }
      if (plays) player.play().catch(() => {})
    }
    function refuse(reason) {
      help.hidden = false
      state.textContent = 'This browser cannot play this: ' + reason + '.'
    }
    function clock(seconds) {
      if (!isFinite(seconds)) return 'live'
      const whole = Math.round(seconds)
      return Math.floor(whole / 60) + ':' + String(whole % 60).padStart(2, '0')
    }
    function tell() {
      const size = player.videoWidth ? player.videoWidth + ' × ' + player.videoHeight + ', ' : ''
      state.textContent = size + clock(player.duration)
    }
    // A choice of tracks, where the browser gives one.
    function choose(title, list, none, isOn, turn) {
      const all = [...(list || [])].filter(track => !track.kind || track.kind !== 'metadata')
      if (all.length < (none ? 1 : 2)) return
      const select = document.createElement('select')
      if (none) select.add(new Option(none, '-1'))
      all.forEach((track, index) =>
        select.add(new Option(track.label || track.language || title + ' ' + (index + 1), index, false, isOn(track))))
      select.addEventListener('change', () => all.forEach((track, index) => turn(track, index === Number(select.value))))
      const label = document.createElement('label')
      label.append(title + ' ', select)
      tracks.append(label)
    }
    function offer() {
      tracks.replaceChildren()
      choose('Audio', listsTracks ? player.audioTracks : sounds, '', track => track.enabled, (track, on) => { track.enabled = on })
      choose('Subtitles', player.textTracks, 'off', track => track.mode === 'showing',
        (track, on) => {
          track.mode = on ? 'showing' : 'disabled'
          const own = [...player.children].find(child => child.track === track)
          if (on && own) own.fill().catch(() => {})
        })
    }
    async function explain() {
      const link = shown
      if (!link || !help.hidden) return
      const lists = await about(link).catch(() => null)
      const type = codec => (/^(mp4a|ac-|ec-|fLaC|Opus|alac|apac|\\.mp3)/.test(codec) ? 'audio' : 'video') + '/mp4; codecs="'
      const full = { hvc1: 'hvc1.1.6.L93.B0', hev1: 'hev1.1.6.L93.B0', avc1: 'avc1.42E01E', avc3: 'avc3.42E01E',
        av01: 'av01.0.04M.08', mp4a: 'mp4a.40.2', vp09: 'vp09.00.10.08' }
      const plays = codec => /^(wvtt|stpp|tx3g|c608|c708|tmcd|text|me)/.test(codec) || player.canPlayType(type(codec) + (full[codec] || codec) + '"')
      const missing = unique((lists ? lists.codecs : []).filter(codec => codec && !plays(codec)).map(nameOf))
      const message = player.error && player.error.message
      if (link !== shown) return
      state.textContent = missing.length ? 'This browser does not play ' + missing.join(' and ') + '.'
        : 'This browser cannot play this' + (message ? ': ' + message : '.')
    }
    function follow(plays) {
      const name = location.hash.slice(1)
      const link = links.find(link => link.getAttribute('href') === name) || links[0]
      if (link && link !== shown) show(link, plays && name !== '')
    }
    for (const link of links) {
      link.addEventListener('click', event => {
        event.preventDefault()
        history.replaceState(null, '', '#' + link.getAttribute('href'))
        show(link, true)
        document.getElementById('stage').scrollIntoView({ block: 'nearest' })
      })
      const button = link.nextElementSibling
      button.addEventListener('click', async () => {
        try {
          await navigator.clipboard.writeText(link.href)
          button.textContent = 'Copied'
          setTimeout(() => { button.textContent = 'Copy link' }, 2000)
        } catch { prompt('The address', link.href) }
      })
    }
    for (const name of ['loadedmetadata', 'resize', 'durationchange']) player.addEventListener(name, tell)
    player.addEventListener('loadedmetadata', () => {
      offer()
      complete().catch(() => {})
    })
    for (const list of [player.audioTracks, player.textTracks]) {
      if (list) for (const name of ['addtrack', 'removetrack']) list.addEventListener(name, offer)
    }
    player.addEventListener('error', () => { if (shown) explain() })
    addEventListener('hashchange', () => follow(true))
    follow(true)
    // Those that are in sight say what they hold.
    const sight = new IntersectionObserver(seen => {
      for (const entry of seen) if (entry.isIntersecting) {
        sight.unobserve(entry.target)
        about(entry.target).catch(() => {})
      }
    })
    for (const link of links) sight.observe(link)

    """
}
