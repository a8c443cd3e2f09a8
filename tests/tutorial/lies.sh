#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that page.pl finds each lie of a page, and takes what differs from run to run.
. "${top_srcdir:?}/tests/sim/tap.sh" || exit 99

cat >"$scratch/true.txt" <<'END'
one
two
END
cat >"$scratch/01-lies.md" <<'END'
# 1. A page that lies

[a link](nowhere.md)

## Exercise

## On real hardware

```console
$ dvx-sim up left
$ tail -f /dev/null &
$ false
$ echo 5 cars
6 cars
$ printf 'a\nb\nc\n'
a
...
$ echo more; echo than that
more
$ echo 0x12345 12 us 3.5 MiB/s 64 bytes
0xfffff 1.5 s 900 KiB/s 64 bytes
$ echo 0x12 64 bytes
0x13 64 bytes
$ (exit 3) # exit 3
```

```console needs: no-such-program
$ no-such-program
```

```console numbers
$ echo 5 cars
6 cars
```

```text file=true.txt
anything
```

```sh file=true.txt
one
2
```

```c
int x;
```
END
cat >"$scratch/want" <<'END'
has a numbered title, an exercise with its answer, notes on real hardware
links lead somewhere
has a picture
the excerpt of true.txt in line 40 is in it
the block in line 45 names its file
line 12: false
line 13: echo 5 cars
line 18: echo more; echo than that
line 22: echo 0x12 64 bytes
no chip is left
nothing is left running
END
lies() {
	"$PERL" "$top_srcdir/tests/tutorial/page.pl" "$scratch/01-lies.md" >"$scratch/said"
	cat "$scratch/said"
	sed -n 's/^not ok [0-9]* - //p' "$scratch/said" | diff "$scratch/want" -
}
check "all of these and no others fail" lies
plan
