#!/usr/bin/env bash
# Measures `mp4tool` beside `cp` and ffmpeg on files that it makes, all in one run: seconds (median) and peak memory.
#
#   Tests/Benchmarks/run.sh [RUNS]
#
# Needs ffmpeg, python3 and GNU time. The files, about 3 GB with the outputs, go to a folder of TMPDIR and are removed.
set -euo pipefail
cd "$(dirname "$0")/../.."
runs=${1:-5}
swift build -c release --static-swift-stdlib --product mp4tool > /dev/null
tool=$(swift build -c release --static-swift-stdlib --show-bin-path)/mp4tool
work=$(mktemp -d "${TMPDIR:-/tmp}/mp4tool-benchmark.XXXXXX")
trap 'rm -rf "$work"' EXIT

echo "making files in $work"
ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=320x180:r=30 -f lavfi -i sine=f=440:r=44100 -t 60 \
  -c:v libx264 -preset veryfast -bf 2 -g 60 -b:v 60k -c:a aac -b:a 48k -shortest "$work/minute.mp4"
# many: 10 h, 18,000 fragments of two seconds. tiny: 366,000 fragments of one sample.
ffmpeg -nostdin -v error -stream_loop 599 -i "$work/minute.mp4" -c copy \
  -movflags +frag_keyframe+empty_moov+default_base_moof "$work/many.mp4"
python3 Tests/Benchmarks/tiny.py "$work/minute.mp4" "$work/tiny.mp4" 366000

measure() { # a name and a command: the median of the seconds, and the largest memory
  local name=$1 seconds=() memory=0 i
  shift
  for ((i = 0; i < runs; i++)); do
    rm -f "$work/out.mp4"
    /usr/bin/time -f '%e %M' -o "$work/time" "$@" > /dev/null 2>&1
    read -r s m < "$work/time"
    seconds+=("$s")
    if ((m > memory)); then memory=$m; fi
  done
  printf '%-28s %6.2f s %8d KiB\n' "$name" \
    "$(printf '%s\n' "${seconds[@]}" | sort -n | sed -n "$(((runs + 1) / 2))p")" "$memory"
}

for file in many tiny; do
  printf '\n%s: %d bytes\n' "$file" "$(stat -c %s "$work/$file.mp4")"
  measure "cp" cp "$work/$file.mp4" "$work/out.mp4"
  measure "mp4tool defrag" "$tool" defrag "$work/$file.mp4" -o "$work/out.mp4"
  measure "ffmpeg -c copy" ffmpeg -nostdin -v error -i "$work/$file.mp4" -c copy "$work/out.mp4"
  measure "mp4tool dump" "$tool" dump "$work/$file.mp4"
  measure "ffprobe -show_format" ffprobe -v error -show_format "$work/$file.mp4"
done
