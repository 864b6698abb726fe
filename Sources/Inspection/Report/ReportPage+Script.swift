/// The interactive features of the page: numbers at the pointer or the selection of the arrow keys, and zooming.
extension ReportPage {
  static let script = #"""

    'use strict'
    const data = JSON.parse(document.getElementById('data').textContent)
    const { axis = { start_seconds: 0, end_seconds: 0, bin_seconds: 1, bins: 0 }, map, tracks = [], playlists = [], buffers = [] } = data
    const whole = { start: axis.start_seconds, length: axis.end_seconds - axis.start_seconds }
    let view = { ...whole }
    const tip = document.getElementById('tip')
    const plots = [...document.querySelectorAll('.plot[data-chart]')]

    const grouped = number => String(number).replace(/\B(?=(\d{3})+$)/g, '\u202f')
    const bytes = number => grouped(number) + (number === 1 ? ' byte' : ' bytes')
    function quantity(value, unit) {
      let prefix = 0
      while (value >= 999.5 && prefix < 5) { value /= 1000; prefix += 1 }
      const digits = prefix === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2
      return Number(value.toFixed(digits)) + ' ' + ' kMGTP'[prefix].trim() + unit
    }
    function clock(seconds, digits = 3) {
      const scale = 10 ** digits
      const units = Math.floor(Math.abs(seconds) * scale + 1e-6)
      const whole = Math.floor(units / scale)
      const two = number => String(number).padStart(2, '0')
      const minutes = Math.floor(whole / 60) % 60
      const start = whole >= 3600 ? Math.floor(whole / 3600) + ':' + two(minutes) : String(minutes)
      const rest = digits ? '.' + String(units % scale).padStart(digits, '0') : ''
      return (seconds < 0 ? '-' : '') + start + ':' + two(whole % 60) + rest
    }
    const seconds = value => value.toFixed(3) + ' s'
    const span = (least, most, text) => least === most ? text(least) : text(least) + ' to ' + text(most)

    // A place in all inputs, one after another, as one in its input.
    function place(offset) {
      const starts = map.input_starts
      const input = lastOf(starts, offset)
      return (starts.length > 1 ? 'input ' + (input + 1) + ', ' : '') + 'byte ' + grouped(offset - starts[input])
    }

    // Bins by time: when each of them starts in the charts, and what is in it as lines of text.
    const lastOf = (times, time) => {
      let [low, high] = [0, times.length]
      while (low < high) {
        const middle = (low + high) >> 1
        if (times[middle] <= time) low = middle + 1
        else high = middle
      }
      return Math.max(0, low - 1)
    }
    function series(track, part) {
      const times = part.decode_seconds.map(time => time + track.shift_seconds)
      const last = tracks.length ? data.summary.tracks[tracks.indexOf(track)].media_seconds : 0
      return { times, end: times.length ? times[0] + last : 0 }
    }
    function sampleLines(track, index) {
      const { samples } = track
      const total = data.summary.tracks[tracks.indexOf(track)].samples
      const first = index * samples.per_bin + 1
      const last = Math.min(total, first + samples.per_bin - 1)
      const lines = [
        (first === last ? 'sample ' + grouped(first) : 'samples ' + grouped(first) + ' to ' + grouped(last))
          + ', decoded at ' + clock(samples.decode_seconds[index])
      ]
      if (first === last) lines.push(bytes(samples.bytes[index]) + ' at ' + place(samples.first_offset[index]))
      else lines.push(bytes(samples.bytes[index]) + ', each ' + span(samples.smallest[index], samples.largest[index], bytes))
      return lines
    }
    const kinds = ['keyframe', 'forward', 'backward']
    const charts = {
      rate: track => ({
        times: Array.from({ length: axis.bins }, (_, index) => axis.start_seconds + index * axis.bin_seconds),
        end: axis.end_seconds,
        lines: index => [
          'from ' + clock(axis.start_seconds + index * axis.bin_seconds),
          quantity(Math.floor(track.rates.bytes[index] * 8 / axis.bin_seconds), 'b/s') + ', ' + bytes(track.rates.bytes[index]),
          'highest second: ' + quantity(track.rates.peak_bytes[index] * 8, 'b/s')
        ]
      }),
      frames: track => ({
        ...series(track, track.samples),
        lines: index => {
          const lines = sampleLines(track, index)
          const largest = (track.samples.largest_of_kind || []).map(sizes => sizes[index])
          const own = kinds.filter((_, kind) => largest[kind] > 0)
          if (track.samples.per_bin === 1) return [...lines, ...own]
          return [...lines, ...own.map(kind => kind + ': at most ' + bytes(largest[kinds.indexOf(kind)]))]
        }
      }),
      groups: track => ({
        ...series(track, track.groups),
        lines: index => {
          const { groups } = track
          return [
            'decoded at ' + clock(groups.decode_seconds[index]),
            span(groups.fewest_samples[index], groups.most_samples[index], grouped) + ' samples, '
              + span(groups.shortest_seconds[index], groups.longest_seconds[index], seconds),
            bytes(groups.bytes[index]) + (groups.leading[index] ? ', leading samples: ' + grouped(groups.leading[index]) : '')
          ]
        }
      }),
      composition: track => ({
        ...series(track, track.samples),
        lines: index => {
          const least = track.samples.least_composition[index]
          const most = track.samples.most_composition[index]
          return [
            sampleLines(track, index)[0],
            'composition offset ' + span(least, most, value => grouped(value)) + ' of ' + grouped(track.timescale) + ' in a second',
            span(least, most, value => (value * 1000 / track.timescale).toFixed(1) + ' ms')
          ]
        }
      }),
      timeline: track => ({
        ...series(track, track.samples),
        lines: (index, time) => ['at ' + clock(time), ...sampleLines(track, index)]
      }),
      interleaving: () => {
        const all = tracks.filter(track => track.samples.decode_seconds.length)
        const parts = all.map(track => series(track, track.samples))
        const longest = parts.reduce((a, b) => a.times.length >= b.times.length ? a : b)
        return {
          ...longest,
          lines: (_, time) => ['at ' + clock(time), ...all.map((track, number) => {
            const index = lastOf(parts[number].times, time)
            const { first_offset: first, last_offset: last } = track.samples
            return track.name + ': ' + span(first[index], last[index], place)
          })]
        }
      },
      segments: playlist => ({
        times: playlist.segments.start_seconds,
        end: axis.end_seconds,
        lines: index => {
          const { segments } = playlist
          const first = index * segments.per_bin + 1
          const last = Math.min(playlist.segment_count, first + segments.per_bin - 1)
          const start = segments.start_seconds[index]
          const lines = [
            (first === last ? 'segment ' + grouped(first) : 'segments ' + grouped(first) + ' to ' + grouped(last))
              + ', from ' + clock(start) + ' to ' + clock(start + segments.duration_seconds[index])
          ]
          if (segments.bytes) lines.push(bytes(segments.bytes[index]) + ', ' + quantity(segments.bit_rates[index], 'b/s'))
          for (const hole of playlist.unusable_segments) {
            if (hole.number >= first && hole.number <= last) lines.push('cannot be played: ' + hole.reason)
          }
          if (segments.bytes && first < last) lines.push('highest segment: ' + quantity(segments.peak_bit_rates[index], 'b/s'))
          return lines
        }
      }),
      buffer: buffer => ({
        times: buffer.least_seconds.map((_, index) => axis.start_seconds + index * axis.bin_seconds),
        end: Math.min(axis.end_seconds, axis.start_seconds + buffer.least_seconds.length * axis.bin_seconds),
        lines: index => [
          'while ' + clock(axis.start_seconds + index * axis.bin_seconds) + ' is played',
          'in the buffer: ' + span(buffer.least_seconds[index], buffer.most_seconds[index], seconds)
        ]
      }),
      events: () => {
        const timed = data.events.filter(event => event.seconds !== undefined)
        return {
          times: timed.map(event => event.seconds),
          end: axis.end_seconds,
          lines: index => [
            clock(timed[index].seconds) + ', ' + timed[index].kind
              + (timed[index].duration_seconds === undefined ? '' : ', lasts ' + seconds(timed[index].duration_seconds)),
            timed[index].summary
          ]
        }
      },
      map: () => {
        const count = map.uses.length ? map.uses[0].bytes.length : 0
        const width = map.bytes / count
        return {
          times: Array.from({ length: count }, (_, index) => index / count),
          end: 1,
          lines: index => [
            'from ' + place(Math.floor(index * width)) + ' to ' + place(Math.floor((index + 1) * width) - 1),
            ...map.uses.filter(use => use.bytes[index] > 0).map(use => use.use + ': ' + bytes(use.bytes[index]))
          ]
        }
      }
    }

    // What a plot shows: the map all bytes, the others the times of the view.
    const shown = plot => plot.dataset.chart === 'map' ? { start: 0, length: 1 } : view
    const chart = plot => plot.chart ||= charts[plot.dataset.chart](({ segments: playlists, buffer: buffers }[plot.dataset.chart] || tracks)[plot.dataset.track])
    const placeOf = (plot, value) => (value - shown(plot).start) / shown(plot).length
    let current = null
    function hide() {
      if (current) current.querySelector('.cursor').remove()
      current = null
      tip.hidden = true
    }
    function show(plot, value) {
      const { times, end, lines } = chart(plot)
      if (!times.length) return
      const index = lastOf(times, value)
      if (current !== plot) hide()
      let cursor = plot.querySelector('.cursor')
      if (!cursor) {
        cursor = document.createElement('div')
        cursor.className = 'cursor'
        plot.append(cursor)
      }
      current = plot
      plot.value = value
      plot.index = index
      const isPoint = ['timeline', 'interleaving'].includes(plot.dataset.chart)
      const from = Math.max(0, placeOf(plot, isPoint ? value : times[index]))
      const to = isPoint ? from : Math.min(1, placeOf(plot, index + 1 < times.length ? times[index + 1] : end))
      cursor.style.left = Math.min(1, from) * 100 + '%'
      cursor.style.width = Math.max(0, to - from) * 100 + '%'
      const text = lines(index, value).join('\n')
      tip.textContent = text
      tip.hidden = false
      plot.setAttribute('aria-valuenow', index)
      plot.setAttribute('aria-valuetext', text)
      const box = plot.getBoundingClientRect()
      const width = tip.offsetWidth
      const room = document.documentElement.clientWidth
      const left = box.left + (from + to) / 2 * box.width - width / 2
      tip.style.left = Math.max(8, Math.min(room - width - 8, left)) + scrollX + 'px'
      const above = box.top - tip.offsetHeight - 6
      tip.style.top = (above > 48 ? above : box.bottom + 6) + scrollY + 'px'
    }
    const valueAt = (plot, event) => {
      const box = plot.getBoundingClientRect()
      const part = Math.max(0, Math.min(1, (event.clientX - box.left) / box.width))
      return shown(plot).start + part * shown(plot).length
    }

    // Zooming changes what the drawings show of themselves, and the times below them.
    const steps = [.001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200,
      14400, 43200, 86400]
    const first = new Map(plots.map(plot => [plot, plot.parentElement.querySelector('.x').innerHTML]))
    function zoom(start, length) {
      length = Math.max(Math.min(whole.length, .01), Math.min(whole.length, length))
      view = { start: Math.max(whole.start, Math.min(whole.start + whole.length - length, start)), length }
      hide()
      const isWhole = view.length === whole.length
      const step = steps.find(step => view.length / step <= 8) || view.length / 8
      const ticks = []
      for (let time = Math.ceil(view.start / step) * step; time <= view.start + view.length && ticks.length < 9; time += step) {
        ticks.push(time)
      }
      for (const plot of plots.filter(plot => plot.dataset.chart !== 'map')) {
        const left = (view.start - whole.start) / whole.length * 1000
        plot.querySelector('svg').setAttribute('viewBox', left + ' 0 ' + view.length / whole.length * 1000 + ' 100')
        const labels = plot.parentElement.querySelector('.x')
        if (!first.get(plot)) continue
        if (isWhole) { labels.innerHTML = first.get(plot); continue }
        labels.replaceChildren(...ticks.map((time, index) => {
          const label = document.createElement('span')
          const place = (time - view.start) / view.length
          label.className = (index % 2 ? 'odd' : 'even') + (place < .03 ? ' start' : place > .96 ? ' end' : '')
          label.style.left = place * 100 + '%'
          label.textContent = clock(time, step < .01 ? 3 : step < .1 ? 2 : step < 1 ? 1 : 0)
          return label
        }))
      }
      const words = document.getElementById('shown')
      if (words) words.textContent = clock(view.start, 1) + ' – ' + clock(view.start + view.length, 1)
    }
    const zoomBy = (factor, at) => factor
      ? zoom(at - (at - view.start) / factor, view.length / factor) : zoom(whole.start, whole.length)
    const tools = document.getElementById('tools')
    if (tools) {
      tools.hidden = false
      for (const button of tools.querySelectorAll('button')) {
        button.addEventListener('click', () => zoomBy(Number(button.dataset.zoom), view.start + view.length / 2))
      }
      zoom(whole.start, whole.length)
    }

    for (const plot of plots) {
      const isMap = plot.dataset.chart === 'map'
      plot.setAttribute('role', 'slider')
      plot.setAttribute('aria-valuemin', 0)
      plot.setAttribute('aria-valuemax', Math.max(0, chart(plot).times.length - 1))
      plot.setAttribute('aria-valuenow', 0)
      for (const title of plot.querySelectorAll('path:not(.finding) > title')) title.remove()
      let from = null
      const chosen = document.createElement('div')
      chosen.className = 'chosen'
      plot.addEventListener('pointermove', event => {
        show(plot, valueAt(plot, event))
        if (from === null) return
        const [a, b] = [placeOf(plot, from), placeOf(plot, valueAt(plot, event))]
        chosen.style.left = Math.min(a, b) * 100 + '%'
        chosen.style.width = Math.abs(b - a) * 100 + '%'
        plot.append(chosen)
      })
      plot.addEventListener('pointerdown', event => {
        show(plot, valueAt(plot, event))
        if (event.pointerType === 'mouse' && event.button === 0 && !isMap) {
          from = valueAt(plot, event)
          plot.setPointerCapture(event.pointerId)
        }
      })
      plot.addEventListener('pointerup', event => {
        const to = valueAt(plot, event)
        chosen.remove()
        if (from !== null && Math.abs(placeOf(plot, to) - placeOf(plot, from)) > .01) zoom(Math.min(from, to), Math.abs(to - from))
        from = null
      })
      plot.addEventListener('pointerleave', hide)
      plot.addEventListener('blur', hide)
      plot.addEventListener('keydown', event => {
        const { times } = chart(plot)
        const by = event.shiftKey ? 10 : 1
        const last = lastOf(times, shown(plot).start + shown(plot).length)
        const begin = Math.min(last, lastOf(times, shown(plot).start))
        const index = current === plot ? plot.index : begin - 1
        const at = current === plot ? plot.value : view.start + view.length / 2
        let next = null
        switch (event.key) {
          case 'ArrowRight': case 'ArrowUp': next = index + by; break
          case 'ArrowLeft': case 'ArrowDown': next = index - by; break
          case 'Home': next = begin; break
          case 'End': next = last; break
          case 'Escape': hide(); break
          case '+': if (!isMap) zoomBy(2, at); break
          case '-': if (!isMap) zoomBy(.5, at); break
          case '0': if (!isMap) zoomBy(0); break
          default: return
        }
        event.preventDefault()
        if (next === null) return
        show(plot, times[Math.max(begin, Math.min(last, next))])
      })
    }

    """#
}
