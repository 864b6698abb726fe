#!/usr/bin/env bash
# Compares `mp4tool` with `cp` and ffmpeg on generated files, in interleaved runs. Prints the median and minimum times in
# seconds, the peak memory, and their ratios to the targets. Also measures `fragment` and `dump`: a file with a large number
# of boxes compared with ffprobe, the time per row of long tables, and the startup time with a small file.
#
# The targets relative to `cp --reflink=never` apply to ext4 with all files in the page cache.
#
#   Tests/Benchmarks/run.sh [RUNS]
#
# Needs ffmpeg, jq, python3 and GNU time. The files, about 12 GB with the outputs, are in a folder in TMPDIR and are removed.
set -euo pipefail
cd "$(dirname "$0")/../.."
runs=${1:-5}
swift build -c release -Xswiftc -static-executable --product mp4tool > /dev/null
tool=$(swift build -c release -Xswiftc -static-executable --show-bin-path)/mp4tool
work=$(mktemp -d "${TMPDIR:-/tmp}/mp4tool-benchmark.XXXXXX")
trap 'rm -rf "$work"' EXIT

echo "making files in $work"
fragmented=(-c copy -movflags '+frag_keyframe+empty_moov+default_base_moof')
ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=320x180:r=30 -f lavfi -i sine=f=440:r=44100 -t 60 \
  -c:v libx264 -preset veryfast -bf 2 -g 60 -b:v 60k -c:a aac -b:a 48k -shortest "$work/minute.mp4"
ffmpeg -nostdin -v error -f lavfi -i 'testsrc2=s=1280x720:r=30,noise=alls=40:allf=t' -f lavfi -i sine=f=440:r=44100 \
  -t 10 -c:v libx264 -preset ultrafast -g 60 -b:v 60M -minrate 60M -maxrate 60M -bufsize 60M -c:a aac "$work/ten.mp4"
# many: 10 h, 18,000 fragments of two seconds. big: 2.5 GB at 60 Mbit/s. tiny: 366,000 fragments of one sample. The samples
# are real H.264, because ffmpeg drops samples that it cannot parse and exits with 0.
ffmpeg -nostdin -v error -stream_loop 599 -i "$work/minute.mp4" "${fragmented[@]}" "$work/many.mp4"
ffmpeg -nostdin -v error -stream_loop 32 -i "$work/ten.mp4" "${fragmented[@]}" "$work/big.mp4"
ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=320x180:r=30 -t 60 -c:v libx264 -preset veryfast -bf 0 -g 30 -b:v 360k \
  -minrate 360k -maxrate 360k -bufsize 360k "$work/pictures.mp4"
python3 Tests/Benchmarks/tiny.py "$work/pictures.mp4" "$work/tiny.mp4" 366000

samples() { # file or playlist; prints the number of samples of each track
  # For a playlist, ffprobe prints the streams a second time in their program.
  ffprobe -v quiet -count_packets -show_entries stream=codec_type,nb_read_packets -of json "$1" |
    jq -r '.streams[] | "\(.codec_type),\(.nb_read_packets)"' | sort | paste -sd ' '
}
content() { # file; prints a hash of the data of each stream
  ffmpeg -nostdin -v error -fflags +nofillin+noparse -i "$1" -map 0 -c copy -f streamhash -hash md5 - | sort | cut -d , -f 2- |
    paste -sd ' '
}
verify() { # name, output, input; excludes the name from ratios unless the samples have the same bytes
  local found
  found=$(content "$2")
  if [[ -z $found || $found != "$(content "$3")" ]]; then echo "other bytes" > "$work/wrong.$1"; fi
}
checked() { # name, output; excludes the name from ratios unless the output has the expected number of samples
  local found
  found=$(samples "$2")
  if [[ $found != "$wanted" ]]; then echo "$found" > "$work/wrong.$1"; fi
}

once() { # name, command; adds the time and memory of one run to the lists of the name
  local name=$1
  shift
  rm -f "$work/out.mp4"
  /usr/bin/time -f '%e %M' -o "$work/time" "$@" > /dev/null 2>&1 || { echo "failed: $*" >&2; exit 1; }
  tail -n 1 "$work/time" >> "$work/times.$name"
}
median() { # name; prints the median time in seconds
  cut -d ' ' -f 1 "$work/times.$1" | sort -n | sed -n "$(((runs + 1) / 2))p"
}
minimum() { # name; prints the minimum time in seconds
  cut -d ' ' -f 1 "$work/times.$1" | sort -n | head -n 1
}
line() { # name; prints its results
  printf '  %-26s %6.2f s, at least %5.2f s %8d KiB\n' "$1" "$(median "$1")" "$(minimum "$1")" "$(memory "$1")"
}
memory() { # name; prints the peak memory in KiB
  cut -d ' ' -f 2 "$work/times.$1" | sort -n | tail -n 1
}
against() { # name to compare with, target[, name]; prints the ratio of the medians; the default name is `defrag`
  local own=${3:-defrag} name
  for name in "$own" "$1"; do
    [[ -e $work/wrong.$name ]] || continue
    printf '  %-26s not compared: %s wrote "%s" of "%s"\n' "$own / $1" "$name" "$(cat "$work/wrong.$name")" "$wanted"
    return
  done
  awk -v a="$(median "$own")" -v b="$(median "$1")" -v c="$(minimum "$own")" -v d="$(minimum "$1")" \
    -v name="$own / $1" -v aim="$2" 'BEGIN {
      printf "  %-26s %6.2f, of the minima %5.2f    aim: at most %s\n", name, (b > 0 ? a / b : 0), (d > 0 ? c / d : 0), aim
    }'
}

measure() { # file, targets relative to cp and to ffmpeg, memory target in MB; - for none
  local file=$1 cp_aim=$2 ffmpeg_aim=$3 memory_aim=$4 name
  printf '\n%s: %d bytes\n' "$file" "$(stat -c %s "$work/$file.mp4")"
  rm -f "$work"/times.* "$work"/wrong.*
  wanted=$(samples "$work/$file.mp4")
  printf '  samples: %s\n' "$wanted"
  for ((i = 0; i < runs; i++)); do
    once cp cp --reflink=never "$work/$file.mp4" "$work/out.mp4"
    once defrag "$tool" defrag -q "$work/$file.mp4" -o "$work/out.mp4"
    checked defrag "$work/out.mp4"
    if [[ $ffmpeg_aim != - ]]; then
      once ffmpeg ffmpeg -nostdin -v quiet -i "$work/$file.mp4" -c copy "$work/out.mp4"
      checked ffmpeg "$work/out.mp4"
    fi
    once dump "$tool" dump -q "$work/$file.mp4"
  done
  "$tool" defrag -q "$work/$file.mp4" -o "$work/out.mp4"
  verify defrag "$work/out.mp4" "$work/$file.mp4"
  for name in cp defrag ffmpeg dump; do
    if [[ -e $work/times.$name ]]; then line "$name"; fi
  done
  if [[ $cp_aim != - ]]; then against cp "$cp_aim"; fi
  if [[ $ffmpeg_aim != - ]]; then against ffmpeg "$ffmpeg_aim"; fi
  if [[ $memory_aim != - ]]; then
    awk -v kib="$(memory defrag)" -v aim="$memory_aim" \
      'BEGIN { printf "  %-26s %6.1f MB aim: under %s MB\n", "memory of defrag", kib * 1.024 / 1000, aim }'
  fi
}

printf '\nfile system: %s\n' "$(stat -f -c %T "$work")"
measure many 1.5 0.25 64
measure big 0.85 - 16
measure tiny - 0.35 -

# Adds a title to a progressive file of 2.5 GB, in a copy and in place.
printf '\nedit: big, progressive\n'
rm -f "$work"/times.* "$work"/wrong.*
"$tool" defrag -q "$work/big.mp4" -o "$work/whole.mp4"
wanted=$(samples "$work/whole.mp4")
for ((i = 0; i < runs; i++)); do
  once cp cp --reflink=never "$work/whole.mp4" "$work/out.mp4"
  once edit "$tool" edit -q --title "Title $i" "$work/whole.mp4" -o "$work/out.mp4"
  checked edit "$work/out.mp4"
  once ffmpeg ffmpeg -nostdin -v quiet -i "$work/whole.mp4" -c copy -metadata title="Title $i" "$work/out.mp4"
  checked ffmpeg "$work/out.mp4"
  once in-place "$tool" edit -q --in-place --title "Title $i" "$work/whole.mp4"
  checked in-place "$work/whole.mp4"
done
for name in cp edit ffmpeg in-place; do line "$name"; done
against cp 1.3 edit
awk -v taken="$(median in-place)" 'BEGIN { printf "  %-26s %6.3f s  aim: milliseconds\n", "in-place", taken }'

# Extracts its video as an Annex B byte stream: start codes instead of lengths.
printf '\nextract: big, progressive\n'
rm -f "$work"/times.* "$work"/wrong.*
wanted='the same bytes'
for ((i = 0; i < runs; i++)); do
  once cp cp --reflink=never "$work/whole.mp4" "$work/out.mp4"
  once extract "$tool" extract -q --tracks video "$work/whole.mp4" -o "$work/extracted.h264"
  once ffmpeg ffmpeg -nostdin -v quiet -y -i "$work/whole.mp4" -map 0:v -c copy -f h264 "$work/copied.h264"
  cmp -s "$work/extracted.h264" "$work/copied.h264" || echo 'other bytes' > "$work/wrong.extract"
  rm "$work/extracted.h264" "$work/copied.h264"
done
for name in cp extract ffmpeg; do line "$name"; done
against cp 1.3 extract
against ffmpeg 1 extract

# Cuts off the first ten seconds. ffmpeg starts at the same keyframe, so the output has the same amount of video.
printf '\ncut: big, progressive\n'
rm -f "$work"/times.* "$work"/wrong.*
wanted='the same number of pictures'
pictures() { ffprobe -v quiet -select_streams v:0 -count_packets -show_entries stream=nb_read_packets -of csv=p=0 "$1"; }
for ((i = 0; i < runs; i++)); do
  once cp cp --reflink=never "$work/whole.mp4" "$work/out.mp4"
  once cut "$tool" cut -q --from 10 "$work/whole.mp4" -o "$work/part.mp4"
  once ffmpeg ffmpeg -nostdin -v quiet -y -ss 10 -i "$work/whole.mp4" -map 0 -c copy "$work/copied.mp4"
  [[ $(pictures "$work/part.mp4") == "$(pictures "$work/copied.mp4")" ]] || echo 'other pictures' > "$work/wrong.cut"
  rm "$work/part.mp4" "$work/copied.mp4"
done
for name in cp cut ffmpeg; do line "$name"; done
against cp 1.3 cut
against ffmpeg 1 cut

# Encrypts all samples with AES-CTR and decrypts them, compared with ffmpeg, whose AES is written in assembly. `defrag`
# converts the encrypted fragments to one progressive file, because ffmpeg 5.1 can decrypt several fragments only in a file
# with a single track.
printf '\nencrypt and decrypt: big, progressive\n'
rm -f "$work"/times.* "$work"/wrong.*
id=0123456789abcdef0123456789abcdef key=00112233445566778899aabbccddeeff
ffmpeg -nostdin -v error -i "$work/whole.mp4" -c copy -encryption_scheme cenc-aes-ctr -encryption_key $key \
  -encryption_kid $id "$work/encrypted.mp4"
wanted='the same bytes'
for ((i = 0; i < runs; i++)); do
  once cp cp --reflink=never "$work/encrypted.mp4" "$work/out.mp4"
  once ffmpeg-encrypt ffmpeg -nostdin -v quiet -i "$work/whole.mp4" -c copy -encryption_scheme cenc-aes-ctr \
    -encryption_key $key -encryption_kid $id "$work/out.mp4"
  once encrypt "$tool" encrypt -q --scheme cenc --key $id:$key "$work/whole.mp4" -o "$work/out.mp4"
  "$tool" defrag -q "$work/out.mp4" -o "$work/own.mp4"
  rm "$work/out.mp4"
  ffmpeg -nostdin -v quiet -decryption_key $key -i "$work/own.mp4" -c copy "$work/out.mp4"
  verify encrypt "$work/out.mp4" "$work/whole.mp4"
  rm "$work/own.mp4"
  once ffmpeg ffmpeg -nostdin -v quiet -decryption_key $key -i "$work/encrypted.mp4" -c copy "$work/out.mp4"
  once decrypt "$tool" decrypt -q --key $id:$key "$work/encrypted.mp4" -o "$work/out.mp4"
  verify decrypt "$work/out.mp4" "$work/whole.mp4"
done
for name in cp encrypt ffmpeg-encrypt decrypt ffmpeg; do line "$name"; done
against ffmpeg-encrypt 1.3 encrypt
against ffmpeg 1.3 decrypt
rm "$work/encrypted.mp4"

# Concatenates the file with itself, compared with a copy of as many bytes and with ffmpeg's concat demuxer.
printf '\nconcat: big, progressive, twice\n'
rm -f "$work"/times.* "$work"/wrong.*
wanted=$(samples "$work/whole.mp4" |
  awk -F '[, ]' '{ for (i = 1; i < NF; i += 2) printf "%s%s,%d", (i > 1 ? " " : ""), $i, 2 * $(i + 1) }')
printf "file '%s'\nfile '%s'\n" "$work/whole.mp4" "$work/whole.mp4" > "$work/list"
for ((i = 0; i < runs; i++)); do
  # shellcheck disable=SC2016 # the inner bash expands them
  once cat bash -c 'cat "$1" "$1" > "$2"' - "$work/whole.mp4" "$work/out.mp4"
  once concat "$tool" concat -q "$work/whole.mp4" "$work/whole.mp4" -o "$work/out.mp4"
  checked concat "$work/out.mp4"
  once ffmpeg ffmpeg -nostdin -v quiet -f concat -safe 0 -i "$work/list" -map 0 -c copy "$work/out.mp4"
  checked ffmpeg "$work/out.mp4"
done
for name in cat concat ffmpeg; do line "$name"; done
against cat 1.3 concat
rm "$work/whole.mp4"

# Lists 2.6 million samples, compared with ffprobe listing packets.
printf '\nsamples and info: many\n'
rm -f "$work"/times.* "$work"/wrong.*
wanted=$(ffprobe -v quiet -show_packets -of csv "$work/many.mp4" | wc -l)
for format in csv jsonl; do
  found=$("$tool" samples -q --format "$format" "$work/many.mp4" | grep -vc '^track,')
  if [[ $found != "$wanted" ]]; then echo "$found" > "$work/wrong.$format"; fi
done
for ((i = 0; i < runs; i++)); do
  once ffprobe ffprobe -v quiet -show_packets -of csv "$work/many.mp4"
  once csv "$tool" samples -q --format csv "$work/many.mp4"
  once jsonl "$tool" samples -q --format jsonl "$work/many.mp4"
  once info "$tool" info -q "$work/many.mp4"
done
for name in ffprobe csv jsonl info; do line "$name"; done
against ffprobe 0.1 csv
awk -v taken="$(median jsonl)" 'BEGIN { printf "  %-26s %6.2f s  aim: at most 3 s\n", "jsonl", taken }'

# Compares two files with the same 2.6 million samples.
printf '\ndiff: many\n'
rm -f "$work"/times.* "$work"/wrong.*
cp --reflink=never "$work/many.mp4" "$work/again.mp4"
for ((i = 0; i < runs; i++)); do
  once cmp cmp "$work/many.mp4" "$work/again.mp4"
  once diff "$tool" diff -q "$work/many.mp4" "$work/again.mp4"
  once diff--samples "$tool" diff -q --samples "$work/many.mp4" "$work/again.mp4"
done
for name in cmp diff diff--samples; do line "$name"; done
against cmp 3 diff
against cmp 3 diff--samples
rm "$work/again.mp4"

# Checks and reports, for the file and for a presentation of 3 GB in about 2,000 segments.
printf '\ncheck and report: many\n'
rm -f "$work"/times.*
within() { # name, maximum time in seconds
  awk -v taken="$(median "$1")" -v name="$1" -v aim="$2" \
    'BEGIN { printf "  %-26s %6.2f s      aim: at most %s s\n", name, taken, aim }'
}
for ((i = 0; i < runs; i++)); do
  once check "$tool" check -q "$work/many.mp4"
  rm -f "$work/page.html"
  once report "$tool" report -q "$work/many.mp4" -o "$work/page.html"
done
for name in check report; do line "$name"; done
within report 2
printf '  %-26s %6d bytes  aim: at most 1000000\n' "page of report" "$(stat -c %s "$work/page.html")"
mkdir "$work/presentation"
ffmpeg -nostdin -v error -f lavfi -i 'testsrc2=s=640x360:r=30,noise=alls=40:allf=t' -f lavfi -i sine=f=440:r=48000 -t 10 \
  -c:v libx264 -preset ultrafast -g 60 -b:v 6M -minrate 6M -maxrate 6M -bufsize 6M -c:a aac "$work/seconds.mp4"
ffmpeg -nostdin -v error -stream_loop 399 -i "$work/seconds.mp4" -c copy -f hls -hls_time 2 -hls_playlist_type vod \
  -hls_segment_type fmp4 "$work/presentation/index.m3u8"
printf '\ncheck: a presentation of %d segments, %d MB\n' "$(find "$work/presentation" -name '*.m4s' | wc -l)" \
  "$(du -sm "$work/presentation" | cut -f 1)"
rm -f "$work"/times.*
for ((i = 0; i < runs; i++)); do once check "$tool" check -q "$work/presentation/index.m3u8"; done
line check
within check 10
rm -rf "$work/presentation"

# Converts a progressive file of 2.5 GB to segments.
"$tool" defrag -q "$work/big.mp4" -o "$work/prog.mp4"
printf '\nprog: %d bytes\n' "$(stat -c %s "$work/prog.mp4")"
rm -f "$work"/times.* "$work"/wrong.*
wanted=$(samples "$work/prog.mp4")
for ((i = 0; i < runs; i++)); do
  once cp cp --reflink=never "$work/prog.mp4" "$work/out.mp4"
  rm -rf "$work/segments" "$work/out.mp4"
  once segments "$tool" fragment -q "$work/prog.mp4" --segments "$work/segments"
done
(cd "$work/segments" && find . -name 'segment*' | sort -V | xargs cat init.mp4) > "$work/out.mp4"
checked segments "$work/out.mp4"
verify segments "$work/out.mp4" "$work/prog.mp4"
for name in cp segments; do line "$name"; done
against cp 1.2 segments
rm -rf "$work/segments" "$work/prog.mp4" "$work/out.mp4"

# Fragments the progressive file of 366,000 samples, and ten hours into about 2,500 files.
"$tool" defrag -q "$work/tiny.mp4" -o "$work/samples.mp4"
"$tool" defrag -q "$work/many.mp4" -o "$work/hours.mp4"
printf '\nfragment: 366,000 samples, %d bytes\n' "$(stat -c %s "$work/samples.mp4")"
rm -f "$work"/times.* "$work"/wrong.*
wanted=$(samples "$work/samples.mp4")
hours=$(samples "$work/hours.mp4")
printf '  samples: %s, and of hours %s\n' "$wanted" "$hours"
for ((i = 0; i < runs; i++)); do
  once cp cp --reflink=never "$work/samples.mp4" "$work/out.mp4"
  once fragment "$tool" fragment -q "$work/samples.mp4" -o "$work/out.mp4"
  checked fragment "$work/out.mp4"
  once ffmpeg ffmpeg -nostdin -v quiet -i "$work/samples.mp4" -c copy -movflags frag_keyframe "$work/out.mp4"
  checked ffmpeg "$work/out.mp4"
  rm -rf "$work/segments" && mkdir "$work/playlist"
  once segments "$tool" fragment -q --segment-duration 14 "$work/hours.mp4" --segments "$work/segments"
  once hls ffmpeg -nostdin -v quiet -i "$work/hours.mp4" -c copy -f hls -hls_time 14 -hls_playlist_type vod \
    -hls_segment_type fmp4 "$work/playlist/index.m3u8"
  (cd "$work/segments" && find . -name 'segment*' | sort -V | xargs cat init.mp4) > "$work/out.mp4"
  wanted=$hours checked segments "$work/out.mp4"
  wanted=$hours checked hls "$work/playlist/index.m3u8"
  rm -rf "$work/playlist"
done
for name in cp fragment ffmpeg segments hls; do line "$name"; done
against cp 1.5 fragment
against ffmpeg 0.5 fragment
wanted=$hours against hls 0.25 segments
rm -rf "$work/segments" "$work/samples.mp4" "$work/hours.mp4"

# To determine the duration, ffprobe reads all boxes of the file, like `dump`.
printf '\ndump: tiny\n'
rm -f "$work"/times.*
for ((i = 0; i < runs; i++)); do
  once ffprobe ffprobe -v quiet -show_format "$work/tiny.mp4"
  once dump "$tool" dump -q "$work/tiny.mp4"
done
for name in ffprobe dump; do line "$name"; done
against ffprobe 0.4 dump
awk -v kib="$(memory dump)" 'BEGIN { printf "  %-26s %6.1f MB aim: under 16 MB\n", "memory of dump", kib * 1.024 / 1000 }'

# Long tables: the time per row for a million rows, minus the time for a file with one row.
table() { # kind of table, options of dump, target in nanoseconds per row
  python3 Tests/Benchmarks/rows.py "$1" "$work/one.mp4" 1
  python3 Tests/Benchmarks/rows.py "$1" "$work/million.mp4" 1000000
  local one million
  # shellcheck disable=SC2086
  one=$(python3 Tests/Benchmarks/median.py "$runs" "$tool" dump -q $2 "$work/one.mp4")
  # shellcheck disable=SC2086
  million=$(python3 Tests/Benchmarks/median.py "$runs" "$tool" dump -q $2 "$work/million.mp4")
  awk -v one="${one% *}" -v million="${million% *}" -v name="$1 $2" -v aim="$3" \
    'BEGIN { printf "  %-26s %6.0f ns aim: at most %s\n", name, (million - one) * 1000, aim }'
}
printf '\ndump: an entry of a table with a million\n'
table trun '--verbosity 2' '150 ns'
table stsz '--verbosity 2' '150 ns'
table trun '--format json' '-'
table stsz '--format json' '-'

printf '\nfrom start to end\n'
python3 Tests/Benchmarks/rows.py stsz "$work/small.mp4" 230
start() { # name, command
  local name=$1
  shift
  local taken
  taken=$(python3 Tests/Benchmarks/median.py 100 "$@")
  awk -v taken="${taken% *}" -v name="$name" 'BEGIN { printf "  %-26s %6.2f ms aim: under 3 ms\n", name, taken * 1000 }'
}
start 'mp4tool --version' "$tool" --version
start 'dump of 1 kB' "$tool" dump -q "$work/small.mp4"
start "true, to compare" true

# Twice as many fragments should take twice as long.
python3 Tests/Benchmarks/tiny.py "$work/pictures.mp4" "$work/half.mp4" 183000
rm -f "$work"/times.* "$work"/wrong.*
for ((i = 0; i < runs; i++)); do
  once half "$tool" defrag -q "$work/half.mp4" -o "$work/out.mp4"
  once defrag "$tool" defrag -q "$work/tiny.mp4" -o "$work/out.mp4"
done
printf '\ntiny, and half as many fragments\n'
against half '2.2 (linear)'

if "$tool" defrag --help | grep -q -e --in-place; then
  printf '\nin place: big\n'
  rm -f "$work"/times.* "$work/out.mp4"
  for ((i = 0; i < runs; i++)); do
    cp "$work/big.mp4" "$work/place.mp4"
    sync "$work/place.mp4"
    once place "$tool" defrag -q --in-place "$work/place.mp4"
  done
  printf '  %-26s %6.2f s      aim: under 0.10 s\n' "defrag --in-place" "$(median place)"
fi
