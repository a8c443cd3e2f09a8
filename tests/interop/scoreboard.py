# SPDX-License-Identifier: BSD-2-Clause
"""Compares a report of rdma-core's suite (suite.py) with the list in doc/ and prints TAP, or writes
that list: scoreboard.py REPORT REASONS LIST [update]. REASONS has lines of a pattern for "result name:
the suite's reason", a group, and words, separated by tabs; the first that matches explains a result.
Groups: vacuous (a pass that proves nothing), hardware (a NIC gives the same), machine (this computer
lacks something), lacks (dvx-sim does)."""
import re
import sys

UPDATE = 'DVX_UPDATE=1 make check TESTS=tests/interop/rdma_core.sh'
HEAD = f'''# rdma-core's own tests on dvx-sim

What each test of rdma-core 44's suite (Debian's `python3-pyverbs`, `/usr/share/doc/rdma-core/tests`) does on dvx-sim, as
root. `tests/interop/rdma_core.sh` runs them, fails when one that passes here stops passing, and writes this page:
`{UPDATE}`.

The reasons are those of `tests/interop/reasons.tsv`. **hardware**: a ConnectX-6 Dx or a BlueField-2 gives the same
result. **machine**: the computer lacks what the test needs. **lacks**: dvx-sim does not have it yet. **vacuous**: passes
without proving anything.

| test | result | group | why |
|---|---|---|---|
'''


def lines_of(path):
    with open(path, encoding='utf-8') as file:
        return file.read().splitlines()


def read_report(path):
    """The last line of a test is its result."""
    return {name: (result, reason) for name, result, reason in
            (line.split('\t') for line in lines_of(path)) if result != 'begun'}


def read_list(path):
    rows = (line.split(' | ') for line in lines_of(path) if line.startswith('| test_'))
    return {row[0].removeprefix('| '): row[1] for row in rows}


def explain(rules, name, result, reason):
    for pattern, group, words in rules:
        if re.search(pattern, f'{result} {name}: {reason}'):
            return group, words
    return ('', '') if result == 'pass' else ('unexplained', reason)


def write_list(path, report, rules):
    with open(path, 'w', encoding='utf-8') as file:
        file.write(HEAD)
        for name, (result, reason) in sorted(report.items()):
            group, words = explain(rules, name, result, reason)
            file.write(f'| {name} | {result} | {group} | {words} |\n'.replace('|  |', '| |'))


def compare(number, name, was, result, reason, group):
    """Whether a result is worse than the list's. What this computer lacks is no fault of the device."""
    if name in was and was[name] == result:
        note = '' if result == 'pass' else f' # SKIP {result}, as listed: {reason}'
        print(f'ok {number} - {name}{note}')
    elif result == 'pass':
        print(f'ok {number} - {name}: not listed as pass; update the list with: {UPDATE}')
    elif result == 'skip' and (was.get(name) != 'pass' or group == 'machine'):
        print(f'ok {number} - {name} # SKIP {reason}')
    else:
        print(f'not ok {number} - {name}: {result}, listed as {was.get(name, "nothing")}: {reason}')
        return False
    return True


def main(report_path, reasons_path, list_path, update=None):
    report = read_report(report_path)
    rules = [line.split('\t') for line in lines_of(reasons_path) if line and line[0] != '#']
    if update:
        write_list(list_path, report, rules)
    was = read_list(list_path)
    good = True
    counts = {}
    names = sorted(report.keys() | was.keys())
    for number, name in enumerate(names, 1):
        result, reason = report.get(name, ('missing', 'the suite did not run it'))
        group = explain(rules, name, result, reason)[0]
        counts[result, group] = counts.get((result, group), 0) + 1
        good &= compare(number, name, was, result, reason, group)
    for (result, group), count in sorted(counts.items()):
        print(f'# {count:3} {result} {group}')
    print(f'1..{len(names)}')
    return 0 if good else 1


sys.exit(main(*sys.argv[1:]))
