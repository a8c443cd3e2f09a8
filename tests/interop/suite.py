# SPDX-License-Identifier: BSD-2-Clause
"""Runs modules of rdma-core's test suite (their folder is the working directory) and writes one
line per test to the file named first: name, result, reason, separated by tabs. The test named
second is left out. What programs and device say goes wherever it went."""
import random
import sys
import unittest

sys.path[:0] = ['.', 'tests']
from args_parser import parser

report = open(sys.argv[1], 'w', buffering=1)


class Lines(unittest.TextTestResult):
    def startTest(self, test):
        super().startTest(test)
        if test.id().endswith('.' + left_out):
            setattr(test, left_out, lambda: test.skipTest('left out'))

    def line(self, test, result, reason=''):
        name = test.id() if hasattr(test, 'id') else str(test)
        name = name.removeprefix('tests.')
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
        self.line(test, 'fail', err[1])


left_out, modules = sys.argv[2], sys.argv[3:]
sys.argv[1:] = ['--dev', 'mlx5_0']
parser.parse_args()
random.seed(1)  # sizes, flags and sequence numbers: the same in each run
tests = unittest.defaultTestLoader.loadTestsFromNames(['tests.' + m for m in modules])
unittest.TextTestRunner(resultclass=Lines, verbosity=2).run(tests)
