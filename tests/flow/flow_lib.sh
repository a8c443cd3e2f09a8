# SPDX-License-Identifier: BSD-2-Clause
# For the flow_*.sh tests: a chip, a daemon on it, clients, TAP.
. "${top_srcdir:?}/tests/tap.sh" || exit 99
flow=${top_builddir:?}/tools/dvx-flow/dvx-flow
traffic=$top_srcdir/examples/traffic/traffic.pcap
chip=flow-$$
chips=$chip
work=${scratch:?}/flow
daemon=
mkdir "$work"
# hws_*.sh set it: the same tests over hardware steering, on a chip that has it.
steering=${steering-}
up() {
	"$dvx_sim" up ${steering:+--set chip=bf3} "$@"
}

clean_up() {
	[ -z "$daemon" ] || kill -9 "$daemon" 2>/dev/null
	umount "$work/tmpfs" 2>/dev/null
	finish
}
trap clean_up EXIT
trap 'exit 1' INT TERM

on_chip() {
	run_on "$chip" host "$@"
}
client() {
	on_chip "$flow" "$@"
}

# start [OPTION...]: sets $daemon and $socket. The line that the daemon prints is the signal.
start() {
	[ -z "$daemon" ] || { kill -9 "$daemon" && wait "$daemon"; } 2>/dev/null
	daemon=
	background "$work/daemon.err" "$dvx_sim" exec "$chip" -- "$flow" daemon --json ${steering:+--steering "$steering"} "$@"
	daemon=$child
	socket=${line#*'"socket":"'}
	[ "$socket" = "$line" ] || { socket=${socket%%\"*} && return; }
	wait "$daemon"
	status=$?
	daemon=
	return $status
}

# Ends the daemon; its status is the result.
stop() {
	kill "$daemon"
	wait "$daemon"
	status=$?
	daemon=
	cat "$work/daemon.err"
	return $status
}

# fails STATUS WORDS COMMAND...: it ends with this status, and says these words on stderr.
fails() {
	wanted=$1
	words=$2
	shift 2
	"$@" 2>"$work/err"
	status=$?
	cat "$work/err"
	[ "$status" = "$wanted" ] && grep -q -- "$words" "$work/err"
}

# What `stats --json` says: a jq program.
stat_of() {
	client stats --json | jq -r "$1"
}
# is FILTER VALUE...: each of these filters gives its value, all of one `stats`
is() {
	filters= wanted=
	while [ $# -ge 2 ]; do
		filters="${filters:+$filters, }($1)" wanted="${wanted:+$wanted
}$2"
		shift 2
	done
	got=$(stat_of "$filters")
	[ "$got" = "$wanted" ] || { echo "$filters is $got, not $wanted"; return 1; }
}
# jq takes as long to start as three of these programs, so what is asked often goes without it.
rule_texts() { client list --json | sed -n '/^ *"text": "\(.*\)",\{0,1\}$/{s//\1/;s/\\\(.\)/\1/g;p;}'; }
# field KEY FILE: $value is what the first such line of JSON has
field() {
	while read -r key value; do
		[ "$key" != "\"$1\":" ] || { value=${value%,} && return; }
	done <"$2"
	return 1
}
holds() { # TEXT: the rules that hold, one a line
	rule_texts >"$work/holds"
	printf '%s' "$1" | diff - "$work/holds"
}
