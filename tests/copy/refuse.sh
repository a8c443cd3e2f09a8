# SPDX-License-Identifier: BSD-2-Clause
# Proves: what dvx-copy must refuse is refused in one sentence, with the exit status that the manual gives it.
. "${top_srcdir:?}/tests/copy/copy_lib.sh" || exit 99

src=$work/src
mkdir -p "$src/dir/sub"
echo data >"$src/file"
echo more >"$src/dir/sub/file"
ln -s /etc "$src/leave"
ln -s dir "$src/inside"
mkfifo "$src/dir/fifo"
(umask 077; echo 0123456789abcdef0123456789abcdef >"$work/key"; echo fedcba9876543210 >"$work/other")
echo 0123456789abcdef >"$work/open-key"
chmod 644 "$work/open-key"
(umask 077; echo short >"$work/short")
nothing_came() { [ ! -e "$work/no" ] && [ ! -L "$work/no" ]; }

start "$src"
for path in .. ../src dir/../../etc /etc/passwd leave/passwd inside/../../x; do
	check "path $path is refused" fails 7 "path ${path%/passwd}" pull "127.0.0.1:$port:$path" "$work/no"
done
check "nothing came" nothing_came
check "a link that stays inside is followed on the way" pull --quiet "127.0.0.1:$port:inside/sub/file" "$work/in"
check "a link at the end comes as a link" pull --quiet "127.0.0.1:$port:leave" "$work/link"
is_link() { [ "$(readlink "$work/link")" = /etc ]; }
check "with its target" is_link
check "a path that is not there" fails 3 "No such file" pull "127.0.0.1:$port:none" "$work/no"
partial() {
	fails 1 "dir/fifo" pull --quiet "127.0.0.1:$port:." "$work/partial" && cmp "$src/file" "$work/partial/file"
}
check "a FIFO is named and left out, the rest is copied" partial
rm "$src/dir/fifo"
mkdir -p "$work/taken/file/full" "$work/linked"
check "a file where a full directory is" fails 1 "file: not copied: a directory" \
	pull --quiet "127.0.0.1:$port:file" "$work/taken"
ln -s "$work/taken" "$work/linked/sub"
check "a directory where a link is replaces the link" pull --quiet "127.0.0.1:$port:dir/." "$work/linked"
not_through() { [ ! -L "$work/linked/sub" ] && [ "$(ls "$work/taken")" = file ] && [ "$(ls "$work/taken/file")" = full ]; }
check "and nothing went through it" not_through
mkfifo "$work/fifo"
check "a FIFO is not replaced" fails 3 "neither a file nor a directory" \
	pull "127.0.0.1:$port:file" "$work/fifo"
check "a destination whose directory is not there" fails 3 "opening $work/none" \
	pull "127.0.0.1:$port:file" "$work/none/x"
check "no temporary is left" no_temps "$work"
check "client has a key, server has none" fails 11 "without a key" \
	pull --key-file "$work/key" "127.0.0.1:$port:file" "$work/no"
same_side() { "$dvx_sim" exec "$chip" -- "$copy" pull --via dma "127.0.0.1:$port:file" "$work/no"; }
check "both ends on one function" fails 4 "same function" same_side
check "a way that there isn't" fails 2 "--via is auto, dma or rc" pull --via tcp "127.0.0.1:$port:file" "$work/no"
check "server ends well" stop

start "$src" --key-file "$work/key"
check "same key" pull --quiet --key-file "$work/key" "127.0.0.1:$port:file" "$work/keyed"
check "other key" fails 11 "another key" pull --key-file "$work/other" "127.0.0.1:$port:file" "$work/no"
check "no key" fails 11 "--key-file" pull "127.0.0.1:$port:file" "$work/no"
check "a key that others can read" fails 11 "open to others" \
	pull --key-file "$work/open-key" "127.0.0.1:$port:file" "$work/no"
check "a short key" fails 11 "at least" pull --key-file "$work/short" "127.0.0.1:$port:file" "$work/no"
stranger() {
	exec 9<>"/dev/tcp/127.0.0.1/$port" && printf 'GET / HTTP/1.0\r\n\r\n' >&9 && cat <&9 >/dev/null
	pull --quiet --key-file "$work/key" "127.0.0.1:$port:file" "$work/after"
}
[ -z "$BASH_VERSION" ] || check "a stranger's bytes don't disturb the server" stranger
# idle N ADDRESSES: N connections that say nothing, from so many addresses beginning with 127.0.0.1, until the
# descriptor 8 is closed.
idle() {
	rm -f "$work/idle"
	mkfifo "$work/idle"
	(ulimit -n "$(ulimit -Hn)"
		exec "$PERL" -MIO::Socket::INET -e 'my ($port, $n, $addresses) = @ARGV;
		my @s = map { my $a = ($_ - 1) % $addresses + 1;
			IO::Socket::INET->new(PeerAddr => "127.0.0.1:$port",
				LocalAddr => sprintf("127.0.%d.%d", $a >> 8, $a & 255)) or die } 1 .. $n;
		$| = 1; print "connected\n"; <STDIN>' "$port" "$1" "$2" <"$work/idle" >"$work/line") &
	idler=$!
	exec 8>"$work/idle"
	read -r _ <"$work/line"
}
crowd() {
	idle 1000 "$1"
	for n in 1 2 3; do
		pull --quiet --key-file "$work/key" "127.0.0.1:$port:file" "$work/crowd" || break
	done
	status=$?
	exec 8>&-
	wait "$idler"
	return $status
}
check "1,000 silent strangers from the client's own address do not keep it out" crowd 1
check "nor do those from 1,000 other addresses" crowd 1000
quiet_log() {
	wc -l "$work/server.err" && [ "$(wc -l <"$work/server.err")" -lt 100 ]
}
check "nor do they fill the log" quiet_log
check "server ends well with a key" stop

# allowed KEY: as pull or push with this key
mkdir "$src/dir/in box"
(umask 077; echo fedcba9876543210-in >"$work/in.key"; echo fedcba9876543210-web >"$work/web.key"; echo fedcba9876543210-old >"$work/old.key")
cat >"$work/allow" <<END
# who may what
key ops key
key web web.key until 2999-12-31
key in in.key
key old old.key until 2026-01-01
read ops
write in dir/in box
read web dir
END
start "$src" --allow "$work/allow"
push() { on_dpu "$copy" push "$@"; }
whole_root() { pull --quiet --key-file "$work/key" "127.0.0.1:$port:file" "$work/ops" && cmp "$src/file" "$work/ops"; }
check "a key for all of the root" whole_root
its_dir() { pull --quiet --key-file "$work/web.key" "127.0.0.1:$port:dir" "$work/web" && cmp "$src/dir/sub/file" "$work/web/dir/sub/file"; }
check "a key for a directory" its_dir
check "not for what is beside it" fails 7 "key web may not read file" \
	pull --key-file "$work/web.key" "127.0.0.1:$port:file" "$work/no"
pushed() { push --quiet --key-file "$work/in.key" "$src/file" "127.0.0.1:$port:dir/in box/" && cmp "$src/file" "$src/dir/in box/file"; }
check "a key that may write a directory" pushed
check "and nothing else" fails 7 "key in may not write dir/sub" \
	push --key-file "$work/in.key" "$src/file" "127.0.0.1:$port:dir/sub"
check "not by a tree that holds it" fails 7 "key in may not write dir" \
	push --key-file "$work/in.key" "$src/dir/" "127.0.0.1:$port:dir"
check "a key that may only read" fails 7 "key ops may not write" push --key-file "$work/key" "$src/file" "127.0.0.1:$port:dir"
check "a key that is no longer valid" fails 11 "key old is no longer valid" \
	pull --key-file "$work/old.key" "127.0.0.1:$port:file" "$work/no"
check "a key that is not in the list" fails 11 "another key" \
	pull --key-file "$work/other" "127.0.0.1:$port:file" "$work/no"
named() { grep -q '(key web): 1 file' "$work/server.err"; }
check "the log names the key" named
# hup WORDS: the list is read again, and the server says so
hup() {
	kill -HUP "$server"
	until grep -q "$1" "$work/server.err"; do kill -0 "$server" || return 1; sleep 0.02; done
}
reread() {
	head -c 131072 /dev/zero >"$src/dir/zeros"
	exec_paused --slots 1 --slot-size 4K --key-file "$work/web.key" "127.0.0.1:$port:dir/zeros" "$work/cut" 2>"$work/err" &
	client=$!
	paused || return 1
	(umask 077; echo 0123456789abcdef-new >"$work/new.key")
	sed -i '/web/d' "$work/allow" && echo "key new new.key" >>"$work/allow" && echo "read new dir" >>"$work/allow"
	hup "keys were read again" || return 1
	go_on
	wait "$client"
	status=$?
	cat "$work/err"
	[ "$status" = 8 ] && [ ! -e "$work/cut" ] && grep -q "its key was taken out" "$work/server.err" &&
		pull --quiet --key-file "$work/new.key" "127.0.0.1:$port:dir/zeros" "$work/zeros" && cmp "$src/dir/zeros" "$work/zeros"
}
check "SIGHUP reads the list again: a key that is gone ends its copy, a new one is served" reread
check "the one that was taken out is unknown" fails 11 "another key" \
	pull --key-file "$work/web.key" "127.0.0.1:$port:dir/zeros" "$work/no"
further() {
	sed -i "s/^read new dir/write new/" "$work/allow"
	hup "keys stay as they are: key new: nobody could write all of the root at the start" &&
		pull --quiet --key-file "$work/new.key" "127.0.0.1:$port:dir/zeros" "$work/zeros"
}
check "rights beyond those at the start need a restart, and the old list stays" further
second() {
	echo "read new dir" >>"$work/allow"
	hup "keys stay as they are: .*a key has one directory and one mode"
}
check "nor is there a second right of a key" second
check "server ends well with a list" stop
if command -v systemd-analyze >"$work/which"; then
	unit() {
		mkdir "$work/units" && sed "s|^ExecStart=[^ ]*|ExecStart=$(command -v true)|" \
			"$top_builddir/tools/dvx-copy/systemd/dvx-copy@.service" >"$work/units/dvx-copy@.service" &&
			systemd-analyze verify --man=no "$work/units/dvx-copy@images.service" >"$work/out" 2>&1
		status=$?
		cat "$work/out"
		return $status
	}
	check "systemd takes the unit" unit
else
	skip "systemd takes the unit" "no systemd-analyze"
fi

many_keys() {
	mkdir "$src/many" "$work/keys" || return 1
	(cd "$src/many" && mkdir $(seq 300)) && mask=$(umask) && umask 077
	for n in $(seq 300); do
		echo "0123456789abcdef-$n" >"$work/keys/$n"
		echo "key k$n keys/$n" && echo "read k$n many/$n"
	done >"$work/many"
	umask "$mask"
	echo served >"$src/many/1/f" && echo served >"$src/many/300/f"
	start "$src" --allow "$work/many"
	for n in 1 300; do
		pull --quiet --key-file "$work/keys/$n" "127.0.0.1:$port:many/$n/f" "$work/many.$n" && cmp "$src/many/$n/f" "$work/many.$n" || return 1
	done
	fails 7 "key k1 may not read" pull --key-file "$work/keys/1" "127.0.0.1:$port:many/300/f" "$work/no" && rm -r "$src/many" && stop
}
check "a list of 300 keys serves the first and the last" many_keys

start "$src" --max-clients 1 --slots 1 --slot-size 4K
second() {
	dd if=/dev/zero of="$src/long" bs=1M count=1 status=none
	exec_paused --quiet "127.0.0.1:$port:long" "$work/first" &
	first=$!
	paused || return 1
	fails 10 "as many clients" pull "127.0.0.1:$port:file" "$work/no"
	status=$?
	go_on
	wait "$first" && return $status
}
check "no more clients than allowed" second
check "server ends well after a crowd" stop

once() {
	start "$src" --once
	"$copy" pull --device none "127.0.0.1:$port:file" "$work/no" # never connects
	fails 7 "absolute" pull "127.0.0.1:$port:/etc" "$work/no" || return 1
	wait "$server"
	status=$?
	server=
	[ "$status" = 7 ]
}
check "--once ends with the first client's status" once
json() {
	weird=$(printf 'fifo \377"\\\001')
	mkfifo "$src/$weird"
	start "$src"
	pull --json "127.0.0.1:$port:none" "$work/no" >"$work/json.1" 2>/dev/null
	[ $? = 3 ] || return 1
	pull --json "127.0.0.1:$port:." "$work/json" >"$work/json.2" 2>/dev/null
	[ $? = 1 ] || return 1
	stop
	cat "$work/json.1" "$work/json.2"
	"$PERL" -MJSON::PP -e 'local $/; my ($a, $b) = map { open my $f, "<", $_; decode_json(<$f>) } @ARGV;
		exit !($a->{exit} == 3 && $a->{result} eq "io" && $a->{error}{message} =~ /No such file/ && $a->{error}{exit} == 3 &&
		$b->{exit} == 1 && $b->{result} eq "partial" && $b->{skipped} == 1 &&
		$b->{skips}[0]{path} =~ /^fifo \\xff/ && $b->{skips}[0]{reason} =~ /neither/)' \
		"$work/json.1" "$work/json.2"
}
check "--json reports failures, also of names that are not UTF-8" json
check "connection refused" fails 10 "cannot connect" pull "127.0.0.1:$port:file" "$work/no"
check "not loopback without a key: pull" fails 11 "not a loopback" pull "192.0.2.1:file" "$work/no"
serve() { "$dvx_sim" exec "$chip" -- "$copy" serve "$@"; }
check "not loopback without a key: serve" fails 11 "not a loopback" serve --root "$src" --listen 0.0.0.0
check "no such root" fails 3 "No such file" serve --root "$work/none"
check "no such device" fails 3 "no mlx5 device mlx5_99" serve --root "$src" --listen 127.0.0.1:0 --device mlx5_99
usage() {
	for args in "" "pull" "pull x" "push" "push x" "pull --fsync=now a:b c" "serve" "serve --root . x" "fly" \
		"pull --slots 0 a:b c" "pull --slot-size 3 a:b c" "serve --root . --max-clients=-1"; do
		# Words are to be split here.
		"$copy" $args >/dev/null 2>&1
		[ $? = 2 ] || { echo "dvx-copy $args"; return 1; }
	done
	fails 2 "ADDR" "$copy" pull nocolon "$work/no" && fails 2 "65535" "$copy" pull h:70000:x "$work/no"
}
check "wrong usage ends with 2" usage
manual() {
	for verb in serve pull push; do
		"$copy" "$verb" --help | grep -o -- '--[a-z-]*'
	done | grep -vxE -- '--(help|usage|version)' | sort -u >"$work/options"
	sed 's/\\-/-/g' "$top_srcdir/doc/man/dvx-copy.1" | grep -o -- '--[a-z-]*[a-z]' |
		grep -vxE -- '--(help|function)' | sort -u >"$work/manual"
	diff "$work/options" "$work/manual"
}
check "the manual has the options that the program has" manual
start "$src"
device_gone() {
	"$dvx_sim" down "$chip" && chips=
	wait "$server"
	status=$?
	server=
	cat "$work/server.err"
	[ "$status" = 4 ] && [ "$(tail -n 1 "$work/server.err")" = "dvx-copy: mlx5_0 is gone" ]
}
check "a device that goes away ends the server" device_gone
check "nothing came after all" nothing_came
plan
