import Serving

/// The page at `/`: what can be played, and a player. It needs nothing from anywhere else.
struct PlayerPage {
  private let title: String
  private let items: [PlayableItem]
  /// What it says when there are none.
  private let advice: String

  init(title: String, items: [PlayableItem], advice: String = noItems) {
    (self.title, self.items, self.advice) = (title, items, advice)
  }

  private static let noItems = "There is nothing here that a browser plays: no `.m3u8`, no `.mp4`."

  var response: Response {
    var response = Response(Resource(Bytes(Array(text.utf8)), mediaType: "text/html; charset=utf-8"))
    response.fields.append(
      (
        name: "Content-Security-Policy",
        value: "default-src 'none'; media-src 'self' blob:; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
          + "base-uri 'none'; form-action 'none'"
      ))
    return response
  }

  private var text: String {
    let title = Self.escaped(self.title)
    let list =
      items.isEmpty
      ? "<p>\(Self.withCode(Self.escaped(advice)))</p>"
      : "<ul>\n" + items.map(Self.row).joined() + "</ul>"
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
      <video id="player" controls playsinline preload="metadata"\(items.isEmpty ? " hidden" : "")></video>
      <p id="state" role="status"></p>
      <p id="help" hidden>This browser does not play HTTP Live Streaming by itself. Safari and new versions of
      Chrome do; <code>ffplay</code>, <code>mpv</code> and VLC play the address of the link.</p>
      \(list)
      </main>
      <script>\(Self.script)</script>
      </body>
      </html>

      """
  }

  private static func row(_ item: PlayableItem) -> String {
    "<li><a href=\"\(escaped(item.link))\" data-type=\"\(escaped(item.mediaType))\">\(escaped(item.text))</a></li>\n"
  }

  /// What is between backticks is what people type.
  private static func withCode(_ text: String) -> String {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .map { $0.offset % 2 == 1 ? "<code>\($0.element)</code>" : String($0.element) }.joined()
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case _ where scalar.value < 0x20: result += " "
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static let style = """

    :root { color-scheme: light dark; }
    body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; }
    main { max-width: 60rem; margin: 0 auto; padding: 1rem; }
    h1 { font-size: 1.25rem; overflow-wrap: anywhere; }
    video { width: 100%; max-height: 70vh; background: black; border-radius: .5rem; }
    #state { min-height: 1.5em; margin: .5rem 0; opacity: .75; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
    #help { padding: .75rem; border: 1px solid; border-radius: .5rem; }
    ul { list-style: none; margin: 0; padding: 0; }
    li { border-top: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
    a { display: block; padding: .75rem 0; color: inherit; text-decoration: none; overflow-wrap: anywhere; }
    a:hover { text-decoration: underline; }
    a[aria-current] { font-weight: bold; }

    """

  /// A name behind `#` in the address is played at once, so that what plays can be shared; the first one waits.
  private static let script = """

    const player = document.getElementById('player')
    const state = document.getElementById('state')
    const help = document.getElementById('help')
    const links = [...document.querySelectorAll('li a')]
    let shown = null
    function show(link, plays) {
      shown = link
      for (const other of links) other.removeAttribute('aria-current')
      link.setAttribute('aria-current', 'true')
      help.hidden = !link.dataset.type.includes('mpegurl') || player.canPlayType(link.dataset.type) !== ''
      state.textContent = ''
      player.src = link.href
      if (plays) player.play().catch(() => {})
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
    function follow(plays) {
      const name = location.hash.slice(1)
      const link = links.find(link => link.getAttribute('href') === name) || links[0]
      if (link && link !== shown) show(link, plays && name !== '')
    }
    for (const link of links) link.addEventListener('click', event => {
      event.preventDefault()
      history.replaceState(null, '', '#' + link.getAttribute('href'))
      show(link, true)
    })
    for (const name of ['loadedmetadata', 'resize', 'durationchange']) player.addEventListener(name, tell)
    player.addEventListener('error', () => {
      if (shown && help.hidden) state.textContent = 'The browser cannot play this: ' + (player.error && player.error.message)
    })
    addEventListener('hashchange', () => follow(true))
    follow(true)

    """
}
