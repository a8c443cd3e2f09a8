#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that page.pl finds each lie of a page, and takes what differs from run to run.
. "${top_srcdir:?}/tests/tap.sh" || exit 99

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
$ echo late &
early
$ (exit 4) &
$ wait
$ echo is &
is
$ wait
was
```

```console until: false
$ true &
```

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
cat >"$scratch/02-lies.md" <<'END'
# 2. A page whose picture is another's

![A picture](02-lies.svg)
[a headline](#nowhere)

## Exercise

<summary>Answer</summary>

## On real hardware

```console
$ : | cat || jq .
```
END
printf 'title: One\nlanes: a, b\na -> b: two\n' >"$scratch/02-lies.pic"
echo '<svg/>' >"$scratch/02-lies.svg"
cat >"$scratch/want" <<'END'
has a numbered title, an exercise with its answer, notes on real hardware
links lead somewhere
has a picture
the excerpt of true.txt in line 55 is in it
the block in line 60 names its file
names the packages that it needs
line 10: echo late &
line 13: wait
line 16: wait
line 21: true &
line 27: false
line 28: echo 5 cars
line 33: echo more; echo than that
line 37: echo 0x12 64 bytes
no chip is left
nothing is left running
links lead somewhere
02-lies.svg is the picture of 02-lies.pic
names the packages that it needs
END
lies() {
	for page in "$scratch"/0?-lies.md; do
		"$PERL" "$top_srcdir/tests/tutorial/page.pl" "$page"
	done >"$scratch/said"
	cat "$scratch/said"
	sed -n 's/^not ok [0-9]* - //p' "$scratch/said" | diff "$scratch/want" -
}
check "all of these and no others fail" lies
plan
