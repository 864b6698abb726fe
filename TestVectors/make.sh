#!/usr/bin/env bash
# Generates the media in files/ from ffmpeg's synthetic sources. Written by ffmpeg 5.1.9 (libx264 164, libx265 3.5).
#
#   make.sh           generates the files again and writes files/SHA256SUMS
#   make.sh --check   verifies the files against files/SHA256SUMS
#
# The same ffmpeg writes the same bytes: one thread, no dates and no muxer version in the files.
set -euo pipefail
cd "$(dirname "$0")/files"

if [[ ${1:-} == --check ]]; then
  sha256sum --check --strict --quiet SHA256SUMS
  diff <(sed 's/^[0-9a-f]*  //' SHA256SUMS) <(find . -type f -not -name SHA256SUMS | LC_ALL=C sort)
  exit 0
fi
[[ $# == 0 ]] || { echo "usage: make.sh [--check]" >&2; exit 64; }

version=$(ffmpeg -hide_banner -version | sed -n '1s/^ffmpeg version \([^ ]*\).*/\1/p')
[[ $version == 5.1.* ]] || echo "make.sh: the files were made with ffmpeg 5.1.9, this is $version" >&2

rm -rf ./*
mkdir hls video audio

exact=(-fflags +bitexact -flags:v +bitexact -flags:a +bitexact -map_metadata -1)
run() { ffmpeg -nostdin -hide_banner -loglevel error -y "$@"; }
copy() { run -i progressive.mp4 -map 0 -c copy "${exact[@]}" "$@"; }

# The source of the other files: 24 s, an H.264 track with B-frames (timescale 12,800) and an AAC track.
sources=(-f lavfi -i "testsrc2=size=160x90:rate=25:duration=24" -f lavfi -i "sine=frequency=440:sample_rate=22050:duration=24")
audio=(-c:a aac -b:a 16k -ac 1)
x264=(-c:v libx264 -preset medium -crf 42 -pix_fmt yuv420p -threads 1
  -x264-params "threads=1:lookahead-threads=1:sliced-threads=0:bframes=2:b-adapt=0:keyint=50:min-keyint=50:scenecut=0:info=0")
run "${sources[@]}" -map 0:v -map 1:a "${x264[@]}" "${audio[@]}" "${exact[@]}" \
  -metadata:s:a language=eng -movflags +faststart progressive.mp4

# HLS: an init segment and twelve media segments of 2 s, each with both tracks.
copy -f hls -hls_time 2 -hls_playlist_type vod -hls_segment_type fmp4 -hls_fmp4_init_filename init.mp4 \
  -start_number 1 -hls_segment_filename hls/segment%d.m4s hls/playlist.m3u8

# As for DASH: one track per set, segments with styp and sidx.
dash() { # stream specifier, folder
  run -t 8 -i progressive.mp4 -map "$1" -c copy "${exact[@]}" -f dash -seg_duration 2 -use_template 1 -use_timeline 1 \
    -init_seg_name init.mp4 -media_seg_name "segment\$Number\$.m4s" "$2/manifest.mpd"
  rm "$2/manifest.mpd"
}
dash 0:v video
dash 0:a audio

# One fragmented file for each property in the name. By default, ffmpeg writes an explicit base_data_offset.
fragments=+frag_keyframe+empty_moov
short=(-t 6)
copy "${short[@]}" -movflags $fragments+default_base_moof fragmented.mp4
copy "${short[@]}" -movflags $fragments base-data-offset.mp4
copy "${short[@]}" -movflags $fragments+omit_tfhd_offset omit-tfhd-offset.mp4
copy "${short[@]}" -movflags $fragments+default_base_moof+negative_cts_offsets negative-cts.mp4
copy "${short[@]}" -movflags $fragments+default_base_moof+separate_moof separate-moof.mp4
copy "${short[@]}" -movflags +frag_keyframe+default_base_moof hybrid.mp4
copy "${short[@]}" -movflags $fragments+default_base_moof+global_sidx global-sidx.mp4
copy "${short[@]}" -movflags $fragments+default_base_moof+delay_moov -write_prft pts -f mp4 prft.mp4
copy "${short[@]}" -movflags $fragments+isml -f ismv ismv.ismv

# Progressive files of other kinds.
copy "${short[@]}" progressive-moov-last.mp4
copy "${short[@]}" progressive.mov
run -t 2 -i progressive.mp4 -map 0 -c:v copy -c:a pcm_s16le "${exact[@]}" pcm.mov

# Encrypted: progressive, because ffmpeg 5.1 writes no senc into fragments, and fragmented by encrypt.py.
copy "${short[@]}" -encryption_scheme cenc-aes-ctr \
  -encryption_key 00112233445566778899aabbccddeeff -encryption_kid 0123456789abcdef0123456789abcdef encrypted-cenc.mp4
../encrypt.py fragmented.mp4 encrypted-cbcs.mp4

# HEVC, tagged hvc1.
run -f lavfi -i "testsrc2=size=160x90:rate=25:duration=4" -c:v libx265 -preset medium -crf 42 -pix_fmt yuv420p -tag:v hvc1 -threads 1 \
  -x265-params "log-level=error:pools=none:frame-threads=1:wpp=0:keyint=50:min-keyint=50:scenecut=0:bframes=2:info=0" \
  "${exact[@]}" -movflags $fragments+default_base_moof hevc-fragmented.mp4

sums=$(find . -type f | LC_ALL=C sort | xargs -d '\n' sha256sum)
printf '%s\n' "$sums" > SHA256SUMS
