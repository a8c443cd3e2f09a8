# SPDX-License-Identifier: BSD-2-Clause
# Proves: what a copy that ended early left of a file is taken up only as far as it is the source's, however that copy
# ended, whichever end wrote, and whatever the next copy is asked for. Name, size and time of the two versions are the same.
. "${top_srcdir:?}/tests/copy/copy_lib.sh" || exit 99

mkdir "$work/v1" "$work/v2" "$work/to"
# What is taken up is of files above 4 MiB. Most of theirs is a hole, which is not copied.
for version in v1 v2; do head -c 1M /dev/urandom >"$work/$version/disk.img" && truncate -s 5M "$work/$version/disk.img"; done
touch -d @0 "$work/v1/disk.img" "$work/v2/disk.img"

# serve SECONDS: a server that runs with this --timeout goes on
serve() {
	[ -n "$server" ] && [ "$serving" = "$1" ] && return
	serving=$1
	start "$work" --writable --slots 1 --slot-size 64K --timeout "$1"
}
# The end that writes waits at its tenth chunk. For a push that is the server.
paused_serve() {
	exec 6<>"$work/here"
	LD_PRELOAD=$asan$work/pause.so
	export LD_PRELOAD
	serving=
	serve 60
	serving=paused
	unset LD_PRELOAD
}
exec_push() { exec "$dvx_sim" exec "$chip" --function dpu -- "$copy" push "$@"; }
again() { on_dpu "$copy" "$@"; }

# ends WHO SIGNAL: the end that writes is in the middle of the file
ends() {
	paused || return 1
	case $1 in
	client) pid=$client ;;
	server) pid=$server ;;
	esac
	kill "-$2" "$pid"
	[ "$1 $2" != "client STOP" ] || { shows_up "$work/server.err" silent "$server" && kill -CONT "$client"; } || return 1
	# The other end knows before this one goes on: else a server that is slow to stop might finish the file.
	case "$way $1 $2" in
	"pull server TERM") wait "$server" ;;
	"push server TERM") wait "$client" ;;
	esac
	[ "$way $1 $2" = "pull client KILL" ] || [ "$way $1 $2" = "push server KILL" ] || go_on
	wait "$client"
	[ "$1" = client ] || { wait "$server"; server=; }
}

# left_by WAY WHO SIGNAL [OPTION...]: what a copy of v1 leaves of its file; a server runs afterwards
left_by() {
	way=$1 who=$2 signal=$3
	shift 3
	rm -f "$work/to/disk.img" "$work"/to/.dvx-copy.*
	if [ "$way" = pull ]; then
		case $signal in STOP) serve 1 ;; *) serve 60 ;; esac
		exec_paused -a "$@" "127.0.0.1:$port:v1/" "$work/to" >/dev/null 2>"$work/err" &
	else
		paused_serve
		exec_push -a "$@" "$work/v1/" "127.0.0.1:$port:to" >/dev/null 2>"$work/err" &
	fi
	client=$!
	ends "$who" "$signal" || return 1
	if [ -z "$server" ]; then
		serve 60
	elif [ "$way" = push ]; then
		shows_up "$work/server.err" "client " "$server" || return 1
	fi
	case $* in
	*--inplace*) half='disk.img' ;;
	*) half='.dvx-copy.*.part' ;;
	esac
	for half in "$work"/to/$half; do [ -s "$half" ]; done || { echo "no part: $(ls -la "$work/to")"; return 1; }
}

# then_copy VERSION [OPTION...]: the file is that version's; $taken: bytes of the part that were taken up
then_copy() {
	version=$1
	shift
	if [ "$way" = pull ]; then
		again pull --json -a "$@" "127.0.0.1:$port:$version/" "$work/to" >"$work/json"
	else
		again push --json -a "$@" "$work/$version/" "127.0.0.1:$port:to" >"$work/json"
	fi || { cat "$work/json"; return 1; }
	while read -r key value; do [ "$key" != '"bytes_taken_up":' ] || taken=${value%,}; done <"$work/json"
	cmp "$work/$version/disk.img" "$work/to/disk.img" && [ "$(echo "$work"/to/.dvx-copy.*)" = "$work/to/.dvx-copy.*" ]
}

another() { left_by "$@" && then_copy v2 $next && [ "$taken" = 0 ]; }
same_one() { left_by "$@" && then_copy v1 $next && [ "$taken" -gt 0 ]; }
endings="pull client KILL
pull client INT --partial
pull client STOP
pull server KILL
pull server TERM
push client KILL
push client INT --partial
push server KILL
push server TERM"
# What a copy leaves depends on its ending, what is taken up on the next copy's options: check long has all pairs.
few="pull client KILL
push server TERM"
offsets="0 65535 65536"
[ -z "${DVX_TEST_LONG-}" ] || { few=$endings && offsets="$offsets 200000 524287"; }
old_ifs=$IFS
# after ENDINGS WORDS COMMAND: a check for each ending
after() {
	IFS='
'
	for ending in $1; do
		IFS=$old_ifs
		check "$ending, then $2" "$3" $ending
	done
	IFS=$old_ifs
}
next=
after "$endings" "another file" another
for next in --inplace --partial -c "-c --partial"; do after "$few" "another file with $next" another; done
next=
after "$endings" "the same" same_one
next=-c
after "$few" "the same with -c" same_one

# Half a file is not newer than the whole one. Sources may be as old as can be, too.
older() { left_by "$@" --inplace && then_copy v1 -u $next; }
next=--inplace
touch -d @1000000000 "$work/v1/disk.img"
after "$few" "-u --inplace" older
next=
for time in @1000000000 @0 @-1000; do
	touch -d "$time" "$work/v1/disk.img"
	check "a pull --inplace of time $time, then -u" older pull client KILL
	check "and a push" older push client KILL
done
touch -d @0 "$work/v1/disk.img"

# differs_at OFFSET: another version differs in one byte only; what is before its block is taken up.
next=
differs_at() {
	left_by "$2" client KILL || return 1
	cp -p "$work/v1/disk.img" "$work/v2/disk.img" &&
		head -c 1 /dev/zero | dd of="$work/v2/disk.img" bs=1 seek="$1" conv=notrunc status=none &&
		touch -d @0 "$work/v2/disk.img" && ! cmp -s "$work/v1/disk.img" "$work/v2/disk.img" || return 1
	then_copy v2 && echo "taken up: $taken" && [ "$taken" = $(($1 / 65536 * 65536)) ]
}
# Bytes that are not 0, so that a zero is a difference.
head -c 1M "$work/v1/disk.img" | tr '\0' '\1' >"$work/nonzero" && truncate -s 5M "$work/nonzero" && cp "$work/nonzero" "$work/v1/disk.img" && touch -d @0 "$work/v1/disk.img"
for offset in $offsets; do
	check "a difference in byte $offset, by pull" differs_at "$offset" pull
	check "and by push" differs_at "$offset" push
done

# A hole of the first version is data in the other, and the other way round.
holes() {
	left_by "$1" client KILL && then_copy v2
}
for way in pull push; do
	cp "$work/nonzero" "$work/v2/disk.img"
	cp "$work/nonzero" "$work/v1/disk.img"
	fallocate -p -o 131072 -l 131072 "$work/v1/disk.img" || break
	touch -d @0 "$work/v1/disk.img" "$work/v2/disk.img"
	check "data where the first version had a hole, by $way" holes "$way"
	cp "$work/nonzero" "$work/v1/disk.img"
	fallocate -p -o 131072 -l 131072 "$work/v2/disk.img"
	touch -d @0 "$work/v1/disk.img" "$work/v2/disk.img"
	check "and a hole where it had data" holes "$way"
done
plan
