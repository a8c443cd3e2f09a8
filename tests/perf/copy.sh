#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Reports what dvx-copy costs beside cp and rsync: the same trees on the same medium in one run, as a table of seconds,
# processor time of both ends and ratios to cp, and the system calls of both, cp and rsync for each file. Each row is
# printed when it is measured. No time fails this test: a copy that is wrong does.
# COPY_FILES: how many small files (100,000); COPY_MIB: size of the large one (1024); COPY_DISK: a directory on a disk
# (/var/tmp). The device is emulated: its copies are this machine's memcpy, on the cores that the copy uses, too.
. "${top_srcdir:?}/tests/copy/copy_lib.sh" || exit 99
[ -z "$DVX_SAN" ] || skip_all "this build has sanitizers ($DVX_SAN)"
[ -n "${DVX_TEST_LONG-}${COPY_FILES-}" ] || skip_all "it takes minutes (DVX_TEST_LONG=1)"
rsync --version >/dev/null 2>&1 || skip_all "rsync is not installed"
files=${COPY_FILES:-100000}
mib=${COPY_MIB:-1024}
disk=$(mktemp -d "${COPY_DISK:-/var/tmp}/dvx-copy-perf.XXXXXX") || bail_out "no directory on a disk"
memory=$(mktemp -d /dev/shm/dvx-copy-perf.XXXXXX) || bail_out "no tmpfs"
trap 'rm -rf "$disk" "$memory"; clean_up' EXIT
exec 3>&1 # past check(), which keeps what its commands print

# Says on a terminal what runs, until the next row is there.
now() { [ ! -t 3 ] || printf '\r\033[K%s... ' "$*" >&3; }
make_small() { # DIR [FILES]: directories of 500 files of 4 KiB
	now "making ${2:-$files} files"
	"$PERL" -e '
		my ($dir, $n) = @ARGV;
		my $bytes = join "", map { chr int rand 256 } 1 .. 4096;
		mkdir $dir;
		for my $i (0 .. $n - 1) {
			my $sub = sprintf "%s/%04d", $dir, $i / 500;
			mkdir $sub unless $i % 500;
			substr $bytes, 0, 8, sprintf "%08d", $i;
			open my $f, ">", "$sub/$i" or die "$sub/$i: $!";
			print $f $bytes;
		}' "$1" "${2:-$files}"
}
row() {
	[ ! -t 3 ] || printf '\r\033[K' >&3
	printf '# %-34s %9s %8s %9s %8s\n' "$@" >&3
}
ratio() { "$PERL" -e 'printf "%.2f", $ARGV[0] / ($ARGV[1] || 1)' "$1" "$2"; }
# Seconds of a processor that the server has taken so far.
served() { "$PERL" -ne 's/.*\) //; my @f = split; printf "%.2f", ($f[11] + $f[12]) / 100' "/proc/$server/stat"; }

# The sum of each file, by name. Reads a tree once; the source's are read once for all its copies.
sums() { (cd "$1" && find . -type f | LC_ALL=C sort | xargs cksum); }

# timed NAME COMMAND...: with the source in memory and nothing waiting for the disk. What it copied is compared.
timed() {
	what=$1
	shift
	sync -f "$(dirname "$to")"
	now "$what"
	before=$(served)
	took=$("$PERL" -MTime::HiRes=time -e '
		open my $out, ">&", *STDOUT; open STDOUT, ">&", *STDERR;
		my $t = time;
		exit 1 if system @ARGV;
		my (undef, undef, $user, $sys) = times;
		printf $out "%.3f %.2f", time - $t, $user + $sys' "$@" 2>"$scratch/err") || { cat "$scratch/err"; return 1; }
	cpu=$("$PERL" -e 'printf "%.2f", $ARGV[0] + $ARGV[1] - $ARGV[2]' "${took#* }" "$(served)" "$before")
	took=${took% *}
	[ -n "$base" ] || { base=$took base_cpu=$cpu; }
	row "$what" "$took" "$(ratio "$took" "$base")" "$cpu" "$(ratio "$cpu" "$base_cpu")"
	now "comparing"
	sums "$to" | diff "$scratch/sums" - >"$scratch/err" || { head "$scratch/err"; return 1; }
	away
}
# Makes room for the next copy. On a disk that is put off to the end: ext4 without a journal passes over the inodes
# that were freed in the last minutes one by one, and makes each new file in a millisecond then.
away() {
	copies=$((copies + 1))
	if [ "$to" = "$disk/to" ]; then mv "$to" "$disk/$copies"; else rm -rf "$to"; fi
}
client() { echo "$dvx_sim exec $chip --function dpu -- $copy"; }

# medium WORDS DIR: cp, rsync, and dvx-copy with and without syncing, of $from to DIR
medium() {
	to=$2/to base=
	copies=0
	now "reading the source"
	sums "$from" >"$scratch/sums" || return 1
	row "$1" seconds "of cp" cpu "of cp"
	timed "cp -r" cp -r "$from" "$to" &&
		timed "cp -r, sync -f" sh -c 'cp -r "$1" "$2" && sync -f "$2"' - "$from" "$to" &&
		timed "rsync -a" rsync -a "$from/" "$to/" || return 1
	for how in --fsync=none "--fsync=none --jobs=1" --fsync=group "--fsync=group --jobs=1"; do
		# shellcheck disable=SC2046,SC2086
		timed "pull $how" $(client) pull --quiet $how "127.0.0.1:$port:." "$to" || return 1
	done
}

small_on_disk() { start "$from" && medium "$files files of 4 KiB, disk" "$disk" && stop; }
small_in_memory() { start "$from" && medium "$files files of 4 KiB, tmpfs" "$memory" && stop; }
large() { start "$from" && medium "a file of $mib MiB, tmpfs" "$memory" && stop; }

from=$disk/small
make_small "$from"
check "small files on a disk" small_on_disk
from=$memory/small
make_small "$from"
check "small files in memory" small_in_memory

# Of few files: a traced program is slow, and each file costs the same calls.
few=$((files < 2000 ? files : 2000))

# calls FILE: of strace -c, for each file
calls() { awk -v n="$few" '$NF == "total" { printf "%.1f", $4 / n }' "$1"; }
traced() { # NAME COMMAND...
	now "system calls of $1"
	program=$1
	shift
	strace -qq -f -c -o "$scratch/$program.calls" "$@" && rm -rf "$memory/to"
}
counted() {
	# shellcheck disable=SC2086
	background "$scratch/serve.err" strace -qq -f -c -o "$scratch/serve.calls" $dvx_sim exec "$chip" -- "$copy" serve --root "$from" --listen 127.0.0.1:0 --once || return 1
	port=${line##*127.0.0.1:}
	port=${port%%[!0-9]*}
	# shellcheck disable=SC2046
	traced pull $(client) pull --quiet --fsync=none "127.0.0.1:$port:." "$memory/to" || return 1
	wait "$child"
	traced cp cp -r "$from" "$memory/to" && traced rsync rsync -a "$from/" "$memory/to/" || return 1
	row "system calls for a small file" pull serve cp rsync
	set -- "$scratch/pull.calls" "$scratch/serve.calls" "$scratch/cp.calls" "$scratch/rsync.calls"
	row "all (with the start of programs)" "$(calls "$1")" "$(calls "$2")" "$(calls "$3")" "$(calls "$4")"
	awk -v n="$few" 'FNR > 2 && $4 >= n / 20 && $NF != "total" { many[$NF, FILENAME] = $4 / n; name[$NF] }
		END { for (c in name) printf "# %-34s %9.1f %8.1f %9.1f %8.1f\n", c, many[c, ARGV[1]], many[c, ARGV[2]], many[c, ARGV[3]], many[c, ARGV[4]] }' \
		"$@" | sort >&3
}
rm -rf "$from"
make_small "$from" "$few"
if strace -V >/dev/null 2>&1; then
	check "system calls" counted
else
	skip "system calls" "strace is not installed"
fi
rm -rf "$from"
from=$memory/large
mkdir "$from"
dd if=/dev/urandom of="$from/large" bs=1M count="$mib" status=none
check "a large file in memory" large
plan
