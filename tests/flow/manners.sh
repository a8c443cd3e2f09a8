#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves what dvx-flow(1) says of words and paths that a user types: del takes a rule's words however they
# are spaced and leaves the other rules on their lines, --state is a regular file or left alone, --interval
# watches, and a daemon always answers, in words.
. "${top_srcdir:?}/tests/flow/flow_lib.sh" || exit 99
"$dvx_sim" up "$chip" || exit 99
check "a daemon starts" start --queues 2

cat >"$work/rules" <<'END'
# a comment
drop  in udp dst port 53 count

send in ipv4 \
	src 10.9.0.0/16 to queue 1
drop in tcp
count in
END
client apply --quiet "$work/rules"
check "rules are on the lines of the file" is '[.rules[].line] | join(",")' 2,4,6,7
spaced() { client del "drop  in	udp dst  port 53 count" && client del drop in "tcp " && is '[.rules[].id] | join(",")' 2,4; }
check "del by words with the file's blanks" spaced
check "the others stay on their lines" is '[.rules[].line] | join(",")' 4,7
check "a blank is no rule" fails 1 "no such rule" client del " "
lines() { kill -9 "$daemon" && wait "$daemon"; start --queues 2 && is '[.rules[].line] | join(",")' 4,7; }
check "after a restart, too" lines
check "a queue that no daemon can have is a mistake" sh -c "! echo 'send in to queue 64' | '$flow' check - 2>'$work/err' && grep -q '0 to 63' '$work/err'"

costs() {
	i=0
	while [ $i -lt 70 ]; do
		echo "drop in ipv4 src 10.0.0.0/$((8 + i % 24)) tcp dst port $i count"
		echo "pass in tcp src port $((1024 + i)) count"
		i=$((i + 1))
	done >"$work/costly"
	"$flow" check --json "$work/costly" >"$work/out" && cat "$work/out" && [ "$(jq '.in.compiled == "codes" and
		.in.longest_path <= 64 and .in.mean_path < .in.longest_path and (.most_expensive | length) == 5' "$work/out")" = true ]
}
check "check tells the longest and the mean path, and the most expensive rules" costs
told() {
	echo 'drop in reg_c1 7' >>"$work/costly"
	"$flow" check --json "$work/costly" 2>"$work/err" >"$work/out" && cat "$work/err" && [ "$(grep -c expensive "$work/err")" = 5 ] &&
		grep -q 'costly:141: this rule keeps .* in one list' "$work/err" &&
		[ "$(jq '.in.compiled == "list" and .in.longest_path == .in.matchers + 1 and .in.longest_path > 64' "$work/out")" = true ]
}
check "... and warns of a long path, and tells which rule prevents a shorter one" told

esc=$(printf '\033')
no_escapes() {
	echo "drop in $esc[31mudp" | "$flow" check - 2>"$work/err"
	[ $? = 1 ] && grep -qF 'drop in ?[31mudp' "$work/err" && ! grep -qF "$esc" "$work/err"
}
check "a file's escape sequences don't reach the terminal" no_escapes

watches() {
	client stats --json --interval 0.01 | head -n 3 >"$work/out"
	[ "$(jq -s length "$work/out")" = 3 ]
}
check "--interval watches" watches

# asks N BODY: what the daemon answers to an apply of BODY while N clients are there
asks() {
	"$PERL" -MIO::Socket::UNIX -e '
		my ($path, $n, $body) = @ARGV;
		my @there = map { IO::Socket::UNIX->new(Peer => $path) || die } 1 .. $n;
		my $s = IO::Socket::UNIX->new(Peer => $path) or die;
		$SIG{PIPE} = "IGNORE";
		syswrite $s, "DVXF" . pack("NN", 14, length $body) . "{\"do\":\"apply\"}$body";
		shutdown $s, 1;
		print while sysread $s, $_, 65536;
	' "$socket" "$@" >"$work/answer"
}
says() { # WORDS N BODY
	asks "$2" "$3"
	cat "$work/answer"
	grep -aq "$1" "$work/answer"
}
check "bytes that are no UTF-8 are reported" says 'is not allowed in a rule.*"line": *1, *"column": *6' 0 "$(printf 'drop \377')"
check "one client too many is refused with a reason" says "64 clients are connected already" 64 "drop in"
check "and the daemon goes on" is '.rules | length' 2

# More tags than a queue counts apart are still counted.
tags() {
	tcpdump -Z "$(id -un)" -nr "$traffic" 'ip and (tcp or udp)' 2>"$work/err" | sed -n 's/.* IP [0-9.]*\.\([0-9]*\) > .*/\1/p' | sort -un | head -n 60 >"$work/ports"
	while read -r port; do echo "send in ipv4 src port $port to queue 0 tag $port"; done <"$work/ports" >"$work/tagged"
	client apply --quiet "$work/tagged" && "$dvx_sim" replay "$chip" "$traffic" && client stats && is '.queues[0].tags | length' 32 \
			'.queues[0] | .packets == ([.tags[].packets] | add) + .other_tags' true && client stats | grep -q ', others: [1-9]'
}
if command -v tcpdump >/dev/null; then
	check "packets of more tags than are counted separately" tags
else
	skip "packets of more tags than are counted separately" "no tcpdump"
fi
"$PERL" -e 'for (1 .. 40000) { printf "count in ipv4 src 10.%d.%d.%d\n", $_ >> 16, $_ >> 8 & 255, $_ & 255 }' >"$work/many"
memory() { awk '/^RssAnon/ { print $2 }' "/proc/$daemon/status"; }
small=$(memory)
names() { # ids have a gap then
	head -n 2000 "$work/many" | client apply --quiet - && client del 1 && client explain "in ipv4 src 10.0.1.0" >"$work/told" &&
		grep -q 'hits: ipv4 src 10.0.1.0' "$work/told"
}
check "rules are called by their words after a deletion, too" names
gives_back() { # the second one waits until the old rules are gone
	client apply --quiet "$work/many" && large=$(memory) && client flush && client flush || return 1
	echo "$small KiB, with rules $large KiB, without $(memory) KiB"
	[ $((large - small)) -gt 30000 ] && [ $(($(memory) - small)) -lt 4000 ]
}
if [ "$asan" ]; then
	skip "memory of rules that are gone is given back" "a sanitizer keeps it"
else
	check "memory of rules that are gone is given back" gives_back
fi
ends_amid() { # SIGTERM once the first of the rules are in
	client flush
	"$PERL" -MIO::Socket::UNIX -e '
		my ($path, $daemon, $file) = @ARGV;
		open my $f, "<", $file or die;
		my $body = do { local $/; <$f> };
		my $s = IO::Socket::UNIX->new(Peer => $path) or die;
		print $s "DVXF" . pack("NN", 14, length $body) . "{\"do\":\"apply\"}$body";
		$s->flush;
		sysread $s, $_, 1;
		kill TERM => $daemon;
		print while sysread $s, $_, 65536;
	' "$socket" "$daemon" "$work/many" >"$work/answer"
	stop || return 1
	want=0
	! grep -a '"exit"' "$work/answer" || want=40000
	start --queues 2 && is '.rules | length' $want
}
check "SIGTERM while rules go in: the daemon ends, with the rules before or after" ends_amid
stop

# A capture that can't be written is a file's fault (3), not the device's (4).
: >"$work/file"
mkdir -p "$work/dir/queue0.pcap"
no_capture() { # DIR WORDS
	start --capture "$1"
	status=$?
	cat "$work/daemon.err"
	[ $status = 3 ] && grep -q "$2" "$work/daemon.err"
}
check "--capture on a file" no_capture "$work/file" "file/queue0.pcap: Not a directory"
check "--capture where a directory has the file's name" no_capture "$work/dir" "queue0.pcap: Is a directory"

left_alone() { # WORDS PATH OPTION...: a daemon doesn't keep rules there
	words=$1 path=$2
	shift 2
	before=$(stat -c '%F %i' "$path" 2>&1)
	start --state "$path" "$@"
	status=$?
	cat "$work/daemon.err"
	[ $status = 3 ] && grep -q "$path: $words" "$work/daemon.err" && [ "$(stat -c '%F %i' "$path" 2>&1)" = "$before" ]
}
mkfifo "$work/pipe"
check "--state on a pipe" left_alone "the committed rules need a regular file" "$work/pipe"
check "--state on a pipe, --fresh" left_alone "the committed rules need a regular file" "$work/pipe" --fresh
check "--state on a directory" left_alone "the committed rules need a regular file" "$work"
check "--state where no directory is" left_alone "No such file or directory" "$work/none/rules"
neighbour() { # a name that a user may well have given
	echo precious >"$work/mine.new"
	start --state "$work/mine" && echo "drop in" | client apply - && [ "$(sed 1d "$work/mine")" = "drop in" ] &&
		[ "$(cat "$work/mine.new")" = precious ] && stop
}
check "files beside --state stay" neighbour
gone_runtime() { # as su leaves it: a daemon is looked for elsewhere
	fails 3 "no daemon holds" "$dvx_sim" exec "$chip" -- env XDG_RUNTIME_DIR="$work/none" "$flow" list &&
		! grep -q "$work/none" "$work/err"
}
check "a runtime directory that is gone is not insisted on" gone_runtime

# --- as a service ---------------------------------------------------------------------------------
# A manager made by hand: a listening socket as descriptor 3, and the variables.
launch='
	use IO::Socket::UNIX;
	my ($path, @command) = @ARGV;
	$^F = 99;
	my $s = IO::Socket::UNIX->new(Local => $path, Listen => 5) or die;
	require POSIX;
	POSIX::dup2(fileno $s, 3);
	@ENV{qw(LISTEN_PID LISTEN_FDS)} = ($$, 1);
	exec @command;'
service() { # OPTION...: $daemon has a socket at $work/service
	rm -f "$work/service"
	background "$work/daemon.err" "$PERL" -e "$launch" "$work/service" "$dvx_sim" exec "$chip" -- "$flow" daemon --json "$@"
	daemon=$child
	socket=$(printf '%s' "$line" | jq -er .socket)
}
activated() {
	service && [ "$socket" = "$work/service" ] && client list --socket "$work/service" && stop && [ -S "$work/service" ]
}
check "a socket that the service manager passes is served, and stays" activated
if command -v systemd-socket-activate >/dev/null; then
	by_systemd() { # the client's connection starts the daemon
		systemd-socket-activate -E XDG_RUNTIME_DIR="$XDG_RUNTIME_DIR" -l "$work/activate" \
			"$dvx_sim" exec "$chip" -- "$flow" daemon 2>"$work/manager.err" >"$work/manager.out" &
		daemon=$!
		shows_up "$work/manager.err" "Listening on" $daemon && "$flow" list --socket "$work/activate" && stop
	}
	check "systemd's own activation works" by_systemd
else
	skip "systemd's own activation works" "no systemd-socket-activate"
fi
other_socket() {
	fails 3 "takes one listening Unix socket" "$PERL" -e '$^F = 99; open my $f, "<", "/dev/null"; require POSIX; POSIX::dup2(fileno $f, 3);
		@ENV{qw(LISTEN_PID LISTEN_FDS)} = ($$, 1); exec @ARGV' "$dvx_sim" exec "$chip" -- "$flow" daemon
}
check "a descriptor that is no such socket is refused" other_socket
mkfifo "$work/states"
"$PERL" -MIO::Socket::UNIX -e '$| = 1; my $s = IO::Socket::UNIX->new(Local => $ARGV[0], Type => SOCK_DGRAM) or die; print "bound\n";
	do { defined $s->recv($_, 4096) or die; print "$_\n" } until /STOPPING/' "$work/notify" >"$work/states" &
manager=$!
exec 8<"$work/states"
read -r _ <&8
notifies() {
	export NOTIFY_SOCKET="$work/notify"
	start
	unset NOTIFY_SOCKET
	read -r first <&8 && [ "$first" = READY=1 ] && client list &&
		stop && read -r last <&8 && [ "$last" = STOPPING=1 ]
}
check "the service manager is told when the daemon is ready, and when it stops" notifies
kill $manager 2>/dev/null
wait $manager 2>/dev/null
waits() { # the next daemon has the device when the last one has ended
	start || return 1
	rm -f "$work/line3"
	mkfifo "$work/line3"
	"$dvx_sim" exec "$chip" -- "$flow" daemon --json --wait 300 >"$work/line3" 2>"$work/next.err" &
	next=$!
	fails 5 "holds mlx5_0's rules" client daemon && kill "$daemon" && wait "$daemon" && read -r line <"$work/line3"
	status=$?
	daemon=$next
	[ $status = 0 ] && client list && stop
}
check "daemon --wait starts when the other one has ended" waits

one_screen() { "$flow" "$@" --help >"$work/out" && [ "$(wc -l <"$work/out")" -le 24 ]; }
check "--help fits a screen" one_screen
daemon_screen() { one_screen daemon && grep -q -e --group "$work/out"; }
check "daemon --help fits a screen" daemon_screen

# --- a group --------------------------------------------------------------------------------------
fails_group() { fails 3 "there is no group no-such-group" client daemon --group no-such-group; }
check "a group that does not exist" fails_group
ask_as() { # USER-OPTIONS...: whether this user gets an answer
	setpriv "$@" "$PERL" -MIO::Socket::UNIX -e '
		my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die "connect: $!\n";
		syswrite $s, "DVXF" . pack("NN", 13, 0) . "{\"do\":\"list\"}";
		exit !sysread $s, $_, 1;' "$socket"
}
group_asks() {
	chmod 711 "$scratch" "$work"
	start --group daemon --socket "$work/group" && [ "$(stat -c '%a %G' "$socket")" = "660 daemon" ] &&
		ask_as --reuid 65534 --regid 65534 --groups 1 && ask_as --reuid 65534 --regid 1 --clear-groups &&
		! ask_as --reuid 65534 --regid 65534 --clear-groups && chmod 666 "$socket" && ! ask_as --reuid 65534 --regid 65534 --clear-groups && stop
}
machines() { # where a client looks if the user has no daemon of its own
	mark=$(printf '%s' "$own" | sed -n 's/.*\(-[0-9a-f]*\)\.sock$/\1/p')
	there=/run/dvx-flow/mlx5_0$mark.sock
	mkdir -p /run/dvx-flow && start --socket "$there" && on_chip env XDG_RUNTIME_DIR="$work/none" "$flow" list
	status=$?
	stop && rmdir --ignore-fail-on-non-empty /run/dvx-flow && [ $status = 0 ]
}
if [ "$(id -u)" = 0 ] && setpriv --reuid 65534 --regid 65534 --clear-groups true 2>/dev/null; then
	check "--group lets its members ask, by first and supplementary group, and nobody else" group_asks
	start && own=$socket && stop >/dev/null
	check "a client finds the machine's daemon" machines
else
	skip "--group lets its members ask, by first and supplementary group, and nobody else" "not root"
	skip "a client finds the machine's daemon" "not root"
fi
units() {
	mkdir "$work/units" && cp "$top_srcdir/tools/dvx-flow/systemd/dvx-flow@.socket" "$work/units" &&
		sed "s|^ExecStart=[^ ]*|ExecStart=$(command -v true)|" "$top_builddir/tools/dvx-flow/systemd/dvx-flow@.service" >"$work/units/dvx-flow@.service" &&
		systemd-analyze verify --man=no "$work/units/dvx-flow@mlx5_0.service" "$work/units/dvx-flow@mlx5_0.socket"
}
if command -v systemd-analyze >/dev/null; then
	check "systemd takes the units" units
else
	skip "systemd takes the units" "no systemd-analyze"
fi
plan
