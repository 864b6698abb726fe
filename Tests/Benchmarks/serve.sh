#!/usr/bin/env bash
# Measures `mp4tool serve` beside nginx, in turns within one run: requests a second for a small playlist, and bytes a
# second for ranges of 1 MB, by 64 connections that stay open. Prints medians, and how these stand to what is aimed at.
#
#   Tests/Benchmarks/serve.sh [RUNS [SECONDS]]
#
# Needs wrk and nginx.
set -euo pipefail
cd "$(dirname "$0")/../.."
runs=${1:-3}
seconds=${2:-5}
tool=${MP4TOOL:-}
if [[ -z $tool ]]; then
  swift build -c release --static-swift-stdlib --product mp4tool > /dev/null
  tool=$(swift build -c release --static-swift-stdlib --show-bin-path)/mp4tool
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/mp4tool-benchmark.XXXXXX")
servers=()
finish() {
  for server in "${servers[@]}"; do kill "$server" 2> /dev/null || true; done
  wait
  rm -rf "$work"
}
trap finish EXIT
chmod 755 "$work"

mkdir "$work/site"
"$tool" hls -q TestVectors/files/progressive.mp4 -o "$work/site/stream"
head -c 268435456 /dev/urandom > "$work/site/big.mp4"
cat > "$work/nginx.conf" <<END
daemon off;
worker_processes auto;
pid $work/nginx.pid;
error_log $work/error.log;
events { worker_connections 4096; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000;
  types { application/vnd.apple.mpegurl m3u8; video/mp4 mp4; }
  client_body_temp_path $work/body; proxy_temp_path $work/proxy; fastcgi_temp_path $work/fastcgi;
  uwsgi_temp_path $work/uwsgi; scgi_temp_path $work/scgi;
  server { listen 127.0.0.1:18181; root $work/site; }
}
END
nginx -c "$work/nginx.conf" -e "$work/error.log" &
servers+=($!)
"$tool" serve -q --port 18182 "$work/site" > "$work/url" &
servers+=($!)
"$tool" serve --port 18183 "$work/site" > "$work/log" &
servers+=($!)
cat > "$work/ranges.lua" <<'END'
function request()
  local start = math.random(0, 255) * 1048576
  return wrk.format("GET", "/big.mp4", { Range = string.format("bytes=%d-%d", start, start + 1048575) })
end
END
declare -A port=([nginx]=18181 [serve]=18182 [logging]=18183)
for name in nginx serve logging; do
  until curl -s -o /dev/null "http://127.0.0.1:${port[$name]}/stream/master.m3u8"; do sleep 0.05; done
done

once() { # small or ranges, and a server: adds what wrk measured to the list of both
  local url=http://127.0.0.1:${port[$2]}/stream/master.m3u8 script=()
  if [[ $1 == ranges ]]; then script=(-s "$work/ranges.lua"); fi
  wrk -t 2 -c 64 -d "${seconds}s" "${script[@]}" "$url" > "$work/out"
  if grep -E 'Socket errors|Non-2xx' "$work/out" >&2; then exit 1; fi
  if [[ $1 == small ]]; then
    awk '/^Requests\/sec/ { print $2 }' "$work/out"
  else
    awk '/^Transfer\/sec/ { n = $2; print n ~ /GB/ ? n * 1024 : n * 1 }' "$work/out"
  fi >> "$work/$1.$2"
}
for ((i = 0; i < runs; i++)); do
  for kind in small ranges; do
    for name in nginx serve logging; do once "$kind" "$name"; done
  done
done
median() { sort -n "$work/$1.$2" | sed -n "$(((runs + 1) / 2))p"; }
report() { # small or ranges, what is counted, and the aim
  local name
  for name in nginx serve logging; do
    awk -v name="$name" -v a="$(median "$1" "$name")" -v b="$(median "$1" nginx)" -v unit="$2" -v aim="$3" \
      'BEGIN { printf "  %-8s %10.0f %-12s %5.2f of nginx%s\n", name, a, unit, a / b, name == "serve" ? "   aim: at least " aim : "" }'
  done
}
printf 'small playlists, 64 connections\n'
report small requests/s 0.6
printf 'ranges of 1 MB, 64 connections\n'
report ranges MiB/s 0.9
for server in "${servers[@]:1}"; do
  awk '/VmHWM/ { print "  memory of serve at most " $2 " kB" }' "/proc/$server/status"
done
