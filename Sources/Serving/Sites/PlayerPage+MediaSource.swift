extension PlayerPage {
  /// A player of HLS for browsers that have MediaSource but no HLS of their own: fragmented MP4, with sound in the same
  /// segments or in a rendition, on demand or live, with a choice of variants by measured throughput.
  ///
  /// The presentation starts at 0, as in browsers that have HLS of their own. For each discontinuity sequence number,
  /// the difference between the timeline of the playlist and media times is that of the first segment of the main
  /// playlist that is loaded. It applies to all renditions, whose media times are synchronized (RFC 8216, 6.2.4).
  static let mediaSourceScript = #"""

    const secondsAhead = 30
    const word = (bytes, at) => ((bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]) >>> 0
    const wordOf = (bytes, at, isLong) => isLong ? word(bytes, at) * 4294967296 + word(bytes, at + 4) : word(bytes, at)
    function boxes(bytes, start, end) {
      const found = []
      while (start + 8 <= end) {
        let size = word(bytes, start)
        let head = 8
        if (size === 1 && start + 16 <= end) {
          size = wordOf(bytes, start + 8, true)
          head = 16
        }
        if (size === 0) size = end - start
        if (size < head || start + size > end) break
        found.push({ type: String.fromCharCode(...bytes.subarray(start + 4, start + 8)), start: start + head, end: start + size })
        start += size
      }
      return found
    }
    const below = (bytes, box, path) => path.split('/').reduce(
      (found, type) => found.flatMap(box => boxes(bytes, box.start, box.end).filter(child => child.type === type)), [box])
    const whole = bytes => ({ start: 0, end: bytes.length })
    const hex = (bytes, from, to) => [...bytes.subarray(from, to)].map(byte => byte.toString(16).padStart(2, '0')).join('')

    // The codecs string of a sample entry; that of its playlist is used where this one has no parameters.
    function codecOf(bytes, entry, declared) {
      const known = declared.find(codec => codec.startsWith(entry.type + '.'))
      if (known) return known
      if (entry.type === 'avc1' || entry.type === 'avc3') {
        const box = boxes(bytes, entry.start + 78, entry.end).find(box => box.type === 'avcC')
        return box ? entry.type + '.' + hex(bytes, box.start + 1, box.start + 4) : entry.type
      }
      if (entry.type === 'mp4a') {
        const box = boxes(bytes, entry.start + 28, entry.end).find(box => box.type === 'esds')
        if (!box) return entry.type
        // The descriptors 3, 4 and 5, whose sizes have 1 to 4 bytes.
        let at = box.start + 4
        const open = () => { at += 1; while (bytes[at] & 0x80 && at < box.end) at += 1; at += 1 }
        open()
        at += 3
        open()
        const kind = bytes[at]
        at += 13
        open()
        return kind === 0x40 ? 'mp4a.40.' + (bytes[at] >> 3) : 'mp4a.' + kind.toString(16)
      }
      return { Opus: 'opus', fLaC: 'flac' }[entry.type] || entry.type
    }
    // The tracks that an initialization section declares.
    function tracksOf(bytes, declared) {
      return below(bytes, whole(bytes), 'moov/trak').map(trak => {
        const [header] = below(bytes, trak, 'tkhd')
        const [media] = below(bytes, trak, 'mdia/mdhd')
        const [handler] = below(bytes, trak, 'mdia/hdlr')
        const [table] = below(bytes, trak, 'mdia/minf/stbl/stsd')
        const [edits] = below(bytes, trak, 'edts/elst')
        const entry = table && boxes(bytes, table.start + 8, table.end)[0]
        if (!header || !media || !handler || !entry) return null
        const isLong = edits && bytes[edits.start] === 1
        const shift = edits && word(bytes, edits.start + 4) === 1 ? wordOf(bytes, edits.start + (isLong ? 16 : 12), isLong) : 0
        return {
          id: word(bytes, header.start + (bytes[header.start] ? 20 : 12)),
          scale: word(bytes, media.start + (bytes[media.start] ? 20 : 12)) || 1,
          kind: String.fromCharCode(...bytes.subarray(handler.start + 8, handler.start + 12)),
          type: entry.type, codec: codecOf(bytes, entry, declared), shift: shift < 4294967295 ? shift : 0
        }
      }).filter(track => track)
    }
    // The media time at which a segment starts, in seconds: that of its pictures if it has some.
    function startOf(bytes, list) {
      const [moof] = below(bytes, whole(bytes), 'moof')
      const starts = (moof ? below(bytes, moof, 'traf') : []).map(traf => {
        const [header] = below(bytes, traf, 'tfhd')
        const [time] = below(bytes, traf, 'tfdt')
        const [run] = below(bytes, traf, 'trun')
        const track = header && list.find(track => track.id === word(bytes, header.start + 4))
        if (!track || !time) return null
        let start = wordOf(bytes, time.start + 4, bytes[time.start] === 1)
        if (run) {
          const flags = word(bytes, run.start) & 0xffffff
          const size = mask => (flags & mask ? 4 : 0)
          const at = run.start + 8 + size(1) + size(4) + size(0x100) + size(0x200) + size(0x400)
          if (flags & 0x800) start += word(bytes, at) | 0
        }
        return { kind: track.kind, start: (start - track.shift) / track.scale }
      }).filter(start => start)
      const found = starts.find(start => start.kind === 'vide') || starts[0]
      return found ? found.start : null
    }

    // The segments of a media playlist, with times from 0 on.
    function segmentsOf(text, address) {
      const number = name => Number((text.match('^#EXT-X-' + name + ':(\\d+)') || text.match('\n#EXT-X-' + name + ':(\\d+)') || [])[1] || 0)
      const list = { segments: [], isEnded: /^#EXT-X-ENDLIST/m.test(text), target: number('TARGETDURATION') || 6, problem: '' }
      let [domain, sequence, time] = [number('DISCONTINUITY-SEQUENCE'), number('MEDIA-SEQUENCE'), 0]
      let [map, range, duration, isGap, last] = [null, '', 0, false, { address: '', end: 0 }]
      const place = (uri, range) => {
        const own = { address: new URL(uri, address).href, start: 0, end: 0 }
        if (range) {
          const [count, start] = range.split('@').map(Number)
          own.start = start === undefined ? (last.address === own.address ? last.end : 0) : start
          own.end = own.start + count
        }
        return own
      }
      for (const line of lines(text)) {
        if (line.startsWith('#EXTINF:')) duration = parseFloat(line.slice(8)) || 0
        else if (line.startsWith('#EXT-X-BYTERANGE:')) range = line.slice(17)
        else if (line.startsWith('#EXT-X-MAP:')) map = place(value(line, 'URI') || '', value(line, 'BYTERANGE'))
        else if (line.startsWith('#EXT-X-GAP')) isGap = true
        else if (line.startsWith('#EXT-X-DISCONTINUITY') && !line.startsWith('#EXT-X-DISCONTINUITY-')) domain += 1
        else if (line.startsWith('#EXT-X-KEY:') && value(line, 'METHOD') !== 'NONE') list.problem = 'it is encrypted'
        else if (line.startsWith('#EXT-X-DEFINE:')) list.problem = 'it has variables'
        else if (line && !line.startsWith('#')) {
          last = place(line, range)
          if (!map) list.problem = list.problem || 'its segments are not fragmented MP4'
          list.segments.push({ ...last, map, domain, sequence, isGap, time, duration })
          time += duration
          sequence += 1
          range = ''
          isGap = false
        }
      }
      return list
    }

    // Plays the playlist at a link; `fail` receives the reason if that is impossible.
    function startSource(link, lists, fail) {
      const source = new MediaSource()
      const streams = []
      const offsets = new Map()
      let isStopped = false
      let speed = 0
      let sound = null
      const sleep = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds))
      const isAudio = codec => /^(mp4a|ac-|ec-|flac|opus|alac|apac|\.mp3)/i.test(codec)
      const mime = codecs => (codecs.every(isAudio) ? 'audio' : 'video') + '/mp4; codecs="' + codecs.join(',') + '"'
      const media = lines(lists.text).filter(line => line.startsWith('#EXT-X-MEDIA:') && value(line, 'TYPE') === 'AUDIO')

      // The variants that the browser can play, in the order of the playlist.
      const variants = []
      lines(lists.text).forEach((line, index, all) => {
        if (!line.startsWith('#EXT-X-STREAM-INF:')) return
        const uri = all.slice(index + 1).find(line => line && !line.startsWith('#'))
        const codecs = (value(line, 'CODECS') || '').split(',').map(codec => codec.trim())
          .filter(codec => codec && !/^(wvtt|stpp|tx3g|c608|c708)/.test(codec))
        if (!uri || codecs.length && !MediaSource.isTypeSupported(mime(codecs))) return
        variants.push({ address: new URL(uri, link.href).href, codecs, rate: Number(value(line, 'BANDWIDTH')) || 0,
          audio: value(line, 'AUDIO') || '' })
      })
      const kindOf = variant => variant.audio + ' ' + variant.codecs.map(codec => codec.split('.')[0]).sort().join()

      async function bytesOf(place, signal) {
        for (let attempt = 0; ; attempt += 1) {
          try {
            const headers = place.end ? { Range: 'bytes=' + place.start + '-' + (place.end - 1) } : {}
            const before = performance.now()
            const response = await fetch(place.address, { headers, signal })
            if (!response.ok) throw new Error('status ' + response.status + ' for ' + place.address)
            const bytes = new Uint8Array(await response.arrayBuffer())
            const own = bytes.length * 8000 / Math.max(1, performance.now() - before)
            if (bytes.length > 20000) speed = speed ? speed * 0.7 + own * 0.3 : own
            return place.end && response.status === 200 ? bytes.subarray(place.start, place.end) : bytes
          } catch (problem) {
            if (signal.aborted || attempt === 3) throw problem
            await sleep(500 << attempt)
          }
        }
      }

      // Takes a newer version of a playlist, or that of another variant: segments with the same number have the same time.
      function take(stream, list) {
        const old = stream.list
        if (old && list.segments.length) {
          const first = list.segments[0]
          const same = old.segments.find(segment => segment.sequence === first.sequence)
          const last = old.segments[old.segments.length - 1]
          const shift = same ? same.time : last ? last.time + last.duration + (first.sequence - last.sequence - 1) * list.target : 0
          for (const segment of list.segments) segment.time += shift
        }
        stream.list = list
        const end = list.segments.length ? list.segments[list.segments.length - 1] : null
        if (!stream.isMain || source.readyState !== 'open' || !end) return
        if (!list.isEnded) {
          if (source.duration !== Infinity && !streams.some(stream => stream.buffer.updating)) source.duration = Infinity
          source.setLiveSeekableRange(Math.max(0, list.segments[0].time), end.time + end.duration)
        }
      }
      async function refresh(stream) {
        stream.refreshed = performance.now()
        take(stream, segmentsOf(await fetched(stream.address), stream.address))
      }

      const settled = buffer => new Promise(resolve => buffer.addEventListener('updateend', resolve, { once: true }))
      async function change(buffer, action) {
        while (buffer.updating) await settled(buffer)
        if (isStopped) return
        action()
        if (buffer.updating) await settled(buffer)
      }
      async function append(stream, bytes) {
        for (;;) {
          try { return await change(stream.buffer, () => stream.buffer.appendBuffer(bytes)) } catch (problem) {
            if (problem.name !== 'QuotaExceededError' || isStopped) throw problem
            const end = player.currentTime - 5
            if (end > 0) await change(stream.buffer, () => stream.buffer.remove(0, end))
            await sleep(500)
          }
        }
      }

      function endOfBuffer(stream, time) {
        const ranges = stream.buffer.buffered
        for (let index = 0; index < ranges.length; index += 1) {
          if (ranges.start(index) <= time + 0.3 && ranges.end(index) > time) return ranges.end(index)
        }
        return time
      }
      const segmentAt = (stream, time) => stream.list.segments.find(segment => segment.time + segment.duration > time + 0.05)

      // Chooses the variant of the next segment: the one with the highest rate that arrives 1.5 times as fast as it plays.
      async function choose(stream) {
        if (!stream.isMain || !stream.variant || !speed) return
        const others = variants.filter(variant => kindOf(variant) === kindOf(stream.variant)).sort((a, b) => a.rate - b.rate)
        const best = others.filter(variant => variant.rate * 1.5 <= speed).pop() || others[0]
        if (best === stream.variant) return
        const list = segmentsOf(await fetched(best.address), best.address)
        if (list.problem) return variants.splice(variants.indexOf(best), 1)
        stream.variant = best
        stream.address = best.address
        take(stream, list)
      }

      async function load(stream, segment) {
        const { signal } = stream.cancel
        const key = segment.map.address + ' ' + segment.map.start
        if (stream.map !== key) {
          const bytes = await bytesOf(segment.map, signal)
          stream.tracks = tracksOf(bytes, stream.variant ? stream.variant.codecs : [])
          await append(stream, bytes)
          stream.map = key
        }
        const bytes = await bytesOf(segment, signal)
        const start = startOf(bytes, stream.tracks)
        if (start === null) return
        if (stream.isMain && !offsets.has(segment.domain)) offsets.set(segment.domain, segment.time - start)
        while (!offsets.has(segment.domain) && !isStopped && !signal.aborted) {
          if (streams[0].isDone) offsets.set(segment.domain, segment.time - start)
          else await sleep(50)
        }
        if (signal.aborted) return
        const offset = offsets.get(segment.domain)
        // The playlists of a live stream need not start at the same time.
        const late = start + offset - segment.time
        if (Math.abs(late) > 0.1) for (const other of stream.list.segments) if (other.domain === segment.domain) other.time += late
        await change(stream.buffer, () => {
          if (stream.buffer.timestampOffset !== offset) stream.buffer.timestampOffset = offset
        })
        await append(stream, bytes)
      }

      async function feed(stream) {
        while (!isStopped) {
          if (stream.isHeld) {
            await sleep(20)
            continue
          }
          if (stream.hasMoved) {
            stream.hasMoved = false
            stream.cancel = new AbortController()
            const segment = segmentAt(stream, endOfBuffer(stream, player.currentTime))
            stream.next = segment ? segment.sequence : Infinity
          }
          const time = player.currentTime
          if (endOfBuffer(stream, time) > time + secondsAhead) {
            const ranges = stream.buffer.buffered
            if (ranges.length && ranges.start(0) < time - 2 * secondsAhead) {
              await change(stream.buffer, () => stream.buffer.remove(0, time - secondsAhead))
            }
            await sleep(100)
            continue
          }
          try {
            await choose(stream)
            const { segments, isEnded, target } = stream.list
            // Segments that the playlist no longer has are lost.
            const segment = segments.find(segment => segment.sequence >= stream.next)
            if (!segment) {
              stream.isDone = isEnded
              if (isEnded) finish()
              else if (performance.now() - stream.refreshed > target * 500) await refresh(stream)
              await sleep(100)
              continue
            }
            stream.isDone = false
            if (!segment.isGap) {
              stream.loading = load(stream, segment)
              await stream.loading
            }
            if (!stream.hasMoved) stream.next = segment.sequence + 1
          } catch (problem) {
            if (!stream.cancel.signal.aborted) throw problem
            await sleep(20)
          }
        }
      }
      function finish() {
        if (source.readyState !== 'open' || !streams.every(stream => stream.isDone && !stream.buffer.updating)) return
        source.endOfStream()
      }

      async function open(address, isMain, variant) {
        const stream = { address, isMain, variant, map: '', tracks: [], next: 0, isDone: false, hasMoved: true,
          isHeld: false, loading: null, list: null, cancel: new AbortController(), refreshed: performance.now() }
        take(stream, segmentsOf(await fetched(address), address))
        await describe(stream)
        return stream
      }
      // Reads the codecs from the initialization section.
      async function describe(stream) {
        const segment = stream.list.segments.find(segment => !segment.isGap)
        if (stream.list.problem || !segment) throw new Error(stream.list.problem || 'its playlist has no segments')
        const bytes = await bytesOf(segment.map, stream.cancel.signal)
        stream.tracks = tracksOf(bytes, stream.variant ? stream.variant.codecs : [])
          .filter(track => track.kind === 'vide' || track.kind === 'soun')
        if (stream.tracks.some(track => track.type === 'encv' || track.type === 'enca')) throw new Error('it is encrypted')
        stream.mime = mime(unique(stream.tracks.map(track => track.codec)))
        if (!stream.tracks.length || !MediaSource.isTypeSupported(stream.mime)) throw new Error('it has ' + stream.mime)
      }

      async function run() {
        if (/^#EXT-X-STREAM-INF:/m.test(lists.text) && !variants.length) throw new Error('this browser plays none of its codecs')
        // Variants with pictures come first.
        const variant = variants.find(variant => !variant.codecs.every(isAudio)) || variants[0]
        const main = await open(variant ? variant.address : link.href, true, variant)
        const opened = [main]
        const group = variant ? media.filter(line => value(line, 'GROUP-ID') === variant.audio) : []
        const line = group.find(line => value(line, 'DEFAULT') === 'YES') || group[0]
        if (line && value(line, 'URI') && !main.tracks.some(track => track.kind === 'soun')) {
          sound = await open(new URL(value(line, 'URI'), link.href).href, false, variant)
          opened.push(sound)
        }
        if (isStopped) return
        for (const stream of opened) {
          stream.buffer = source.addSourceBuffer(stream.mime)
          stream.buffer.addEventListener('error', () => end(new Error('the browser refuses a segment')))
          streams.push(stream)
        }
        const { segments, isEnded, target } = main.list
        const last = segments[segments.length - 1]
        if (isEnded) {
          source.duration = last.time + last.duration
        } else {
          source.duration = Infinity
          source.setLiveSeekableRange(0, last.time + last.duration)
          player.currentTime = Math.max(0, last.time + last.duration - 3 * target)
        }
        await Promise.all(streams.map(feed))
      }
      function end(problem) {
        if (isStopped) return
        stop()
        fail(problem.message)
      }
      function stop() {
        isStopped = true
        clearInterval(watch)
        player.removeEventListener('seeking', move)
        for (const stream of streams) stream.cancel.abort()
        URL.revokeObjectURL(address)
      }
      function move() {
        for (const stream of streams) {
          stream.hasMoved = true
          if (endOfBuffer(stream, player.currentTime) === player.currentTime) stream.cancel.abort()
        }
      }
      // Short gaps, such as one before the first picture, are skipped.
      const watch = setInterval(() => {
        if (player.readyState > (player.paused ? 1 : 2) || player.ended) return
        const ranges = player.buffered
        for (let index = 0; index < ranges.length; index += 1) {
          const start = ranges.start(index)
          if (start > player.currentTime && start < player.currentTime + 1) {
            player.currentTime = start + 0.001
            return
          }
        }
      }, 250)
      const address = URL.createObjectURL(source)
      source.addEventListener('sourceopen', () => run().catch(end), { once: true })
      player.addEventListener('seeking', move)
      player.src = address
      return {
        stop,
        get choosesSound() { return Boolean(sound) },
        // Plays the rendition of this name.
        async select(name) {
          const variant = streams[0].variant
          const line = media.find(line => value(line, 'GROUP-ID') === variant.audio && value(line, 'NAME') === name)
          if (!line || !value(line, 'URI')) return
          const other = await open(new URL(value(line, 'URI'), link.href).href, false, variant)
          sound.isHeld = true
          sound.cancel.abort()
          await Promise.resolve(sound.loading).catch(() => {})
          if (other.mime !== sound.mime) await change(sound.buffer, () => sound.buffer.changeType(other.mime))
          await change(sound.buffer, () => sound.buffer.remove(0, Infinity))
          Object.assign(sound, { address: other.address, list: other.list, map: '', mime: other.mime, isDone: false,
            hasMoved: true, isHeld: false })
        }
      }
    }

    """#
}
