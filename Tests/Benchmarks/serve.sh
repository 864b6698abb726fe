#!/usr/bin/env bash
# Compares `mp4tool serve` with nginx in interleaved runs: requests per second for a small playlist, and bytes per second for
# ranges of 1 MB, on 64 persistent connections. Prints the medians, their ratios to the targets, and the processor time per
# request.
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
finish() {
  for name in "${!process[@]}"; do kill "${process[$name]}" 2> /dev/null || true; done
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
declare -A port=([nginx]=18181 [serve]=18182 [logging]=18183) process
nginx -c "$work/nginx.conf" -e "$work/error.log" &
process[nginx]=$!
"$tool" serve -q --port 18182 "$work/site" > "$work/url" &
process[serve]=$!
"$tool" serve --port 18183 "$work/site" > "$work/log" &
process[logging]=$!
cat > "$work/ranges.lua" <<'END'
function request()
  local start = math.random(0, 255) * 1048576
  return wrk.format("GET", "/big.mp4", { Range = string.format("bytes=%d-%d", start, start + 1048575) })
end
END
for name in nginx serve logging; do
  until curl -s -o /dev/null "http://127.0.0.1:${port[$name]}/stream/master.m3u8"; do sleep 0.05; done
done

ticks() { # server; prints the processor time of the server and its workers in hundredths of a second
  local total=0 pid
  for pid in "${process[$1]}" $(pgrep -P "${process[$1]}"); do
    total=$((total + $(awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$pid/stat")))
  done
  echo "$total"
}
once() { # small|ranges, server; adds the result of wrk to the list of both
  local url=http://127.0.0.1:${port[$2]}/stream/master.m3u8 script=()
  if [[ $1 == ranges ]]; then script=(-s "$work/ranges.lua"); fi
  local before
  before=$(ticks "$2")
  wrk -t 2 -c 64 -d "${seconds}s" "${script[@]}" "$url" > "$work/out"
  if grep -E 'Socket errors|Non-2xx' "$work/out" >&2; then exit 1; fi
  if [[ $1 == small ]]; then
    awk '/^Requests\/sec/ { print $2 }' "$work/out"
  else
    awk '/^Transfer\/sec/ { n = $2; print n ~ /GB/ ? n * 1024 : n * 1 }' "$work/out"
  fi >> "$work/$1.$2"
  # The processor time per request in microseconds, which depends little on other programs on the machine.
  awk -v spent=$(($(ticks "$2") - before)) '/requests in/ { print spent * 10000 / $1 }' "$work/out" >> "$work/cpu.$1.$2"
}
for ((i = 0; i < runs; i++)); do
  for kind in small ranges; do
    for name in nginx serve logging; do once "$kind" "$name"; done
  done
done
median() { sort -n "$work/$1.$2" | sed -n "$(((runs + 1) / 2))p"; }
report() { # small|ranges, unit, target
  local name
  for name in nginx serve logging; do
    awk -v name="$name" -v a="$(median "$1" "$name")" -v b="$(median "$1" nginx)" -v unit="$2" -v aim="$3" \
      -v own="$(median "cpu.$1" "$name")" -v other="$(median "cpu.$1" nginx)" 'BEGIN {
        printf "  %-8s %8.0f %-10s %5.2f of nginx", name, a, unit, a / b
        printf "   processor: %6.1f us a request, %5.2f of nginx", own, own / other
        print name == "serve" ? "   aim: at least " aim : ""
      }'
  done
}
printf 'small playlists, 64 connections\n'
report small requests/s 0.6
printf 'ranges of 1 MB, 64 connections\n'
report ranges MiB/s 0.9
for name in serve logging; do
  awk -v name="$name" '/VmHWM/ { print "memory of " name ": at most " $2 " kB" }' "/proc/${process[$name]}/status"
done
