# SPDX-License-Identifier: BSD-2-Clause
"""Compares a report of rdma-core's suite (suite.py) with the list in doc/ and prints TAP, or writes
that list's table: scoreboard.py REPORT REASONS LIST [update]. REASONS has lines of a pattern for "result name:
the suite's reason", a group, and words, separated by tabs; the first that matches explains a result.
Groups: vacuous (a pass that proves nothing), hardware (a NIC gives the same), machine (this computer
lacks something), lacks (dvx-sim does), long (check long runs it)."""
import re
import sys

UPDATE = 'DVX_UPDATE=1 make check TESTS=tests/interop/rdma_core.sh'
HEAD_END = '|---|---|---|---|\n'


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
    """Anew below the head of its table."""
    with open(path, encoding='utf-8') as file:
        head = file.read().partition(HEAD_END)[0] + HEAD_END
    with open(path, 'w', encoding='utf-8') as file:
        file.write(head)
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
    elif result == 'skip' and (was.get(name) != 'pass' or group in ('machine', 'long')):
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
