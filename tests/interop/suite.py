# SPDX-License-Identifier: BSD-2-Clause
"""Runs the tests of rdma-core's suite (their folder is the working directory) that the report does
not have yet, on a port, and appends lines to the report: a test's name, its result, the suite's reason, separated
by tabs. A test's first line is "begun": it remains the last one when the test ends the process. Unless DVX_TEST_LONG or
DVX_UPDATE is set, it runs a third of each class: the first test, the fourth..."""
import faulthandler
import os
import random
import sys
import unittest

sys.path[:0] = ['.', 'tests']
from args_parser import parser

HANG = 240  # seconds; the process ends then, and the next one goes on with the next test


def short(name):
    return name.removeprefix('tests.')


class Report(unittest.TextTestResult):
    def startTest(self, test):
        super().startTest(test)
        faulthandler.dump_traceback_later(HANG, exit=True)
        # Sizes, flags and sequence numbers are the same in each run and in any order of tests.
        random.seed(test.id())
        self.line(test, 'begun')

    def stopTest(self, test):
        faulthandler.cancel_dump_traceback_later()
        super().stopTest(test)

    def line(self, test, result, reason=''):
        for name in names_of(test):
            report.write(f"{name}\t{result}\t{' '.join(str(reason).split())}\n")

    def addSuccess(self, test):
        super().addSuccess(test)
        self.line(test, 'pass')

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.line(test, 'skip', reason)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.line(test, 'fail', err[1])

    def addError(self, test, err):
        super().addError(test, err)
        self.line(test, 'error', err[1])


def tests_of(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from tests_of(test)
        else:
            yield test


def sample_of(suite):
    before = {}
    for test in suite:
        before[type(test)] = before.get(type(test), 0) + 1
        if before[type(test)] % 3 == 1:
            yield test
        elif short(test.id()) not in done:
            report.write(f'{short(test.id())}\tskip\tcheck long runs it\n')


def names_of(test):
    """What a class's setup says ("setUpClass (tests.test_x.Class)") is said of all its tests."""
    name = test.id()
    if '(' not in name:
        return [short(name)]
    prefix = short(name[name.index('(') + 1:-1]) + '.'
    return [n for n in names if n.startswith(prefix)]


with open(sys.argv[1], 'a+', buffering=1) as report:
    report.seek(0)
    done = {line.split('\t')[0] for line in report}
    sys.argv[1:] = ['--dev', 'mlx5_0', '--port', sys.argv[2]]
    parser.parse_args()
    import tests
    suite = tests_of(unittest.defaultTestLoader.loadTestsFromModule(tests))
    if not os.environ.get('DVX_TEST_LONG') and not os.environ.get('DVX_UPDATE'):
        suite = sample_of(suite)
    suite = [t for t in suite if short(t.id()) not in done]
    names = [short(t.id()) for t in suite]
    faulthandler.enable()
    unittest.TextTestRunner(resultclass=Report, verbosity=2).run(unittest.TestSuite(suite))
