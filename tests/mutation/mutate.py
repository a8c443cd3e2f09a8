#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Changes one place of a source file at a time and runs the tests of its room: a mutant that passes all of them survives.

	cd b && make check TESTS= && ../tests/mutation/mutate.py [OPTION]... FILE|FOLDER...

It runs in a build directory in which the tests are built (check_PROGRAMS), and writes only into --state. FILE and
FOLDER are relative to the top: tools/dvx-flow/rules, src/sim/queue/doorbell.c.

  --sample N      N mutants, chosen by the seed (default: all)
  --seed N        another choice (default 1)
  --limit SECONDS no further mutant is begun after that
  --jobs N        mutants at a time (default 2)
  --state FOLDER  scratch files and results.tsv (default ./mutation.state). Mutants that have a result are not run again,
                  so that a run can be stopped and resumed; a changed line is a new mutant
  --again         runs those that survived once more, e.g. with new tests
  --tests NAMES   these tests instead of the room's, in the form of the table below: wider ones for those that survived
  --list          prints the mutants and runs none
  --at FILE:LINE  only mutants of this line

What it changes: a statement is deleted; a condition of `if' is 1, or 0; `return X' returns 0 (1, if X is 0); < and <=,
> and >=, == and !=, && and ||, binary + and -, & and |, << and >> are swapped; 0 becomes 1 and a number one more; true
and false. A mutant is compiled with the line that `make -n' prints, linked in front of the library that has its
original, and run with a time limit of five times the test's own time; tests that found more in less time come first.
A test of DEVICE_TESTS (tests/local.mk) runs on a device with the mutant, if the file is of src/sim. A public header's
mutant is compiled into the test itself; what libdvx has of its inline functions stays. Results: the name of the test that failed;
"time" (it ran into the limit, which counts as found), "no" (it does not compile), "same" (the object is the original's),
or "survived". Survivors are printed as FILE:LINE: CHANGE.

A survivor becomes a test, or the line goes. One that is equivalent stands in judged.tsv with a reason, and is not run:
file, the line's text, the change, reason, with tabs between; * stands for anything.
"""
import argparse
import fnmatch
import functools
import hashlib
import os
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))

# The first row that matches a file has its tests. `*' of a test's name is of the programs that are built; arguments
# follow with commas between, and a name of a scratch file begins with @.
ROOMS = [
	("tools/dvx-flow/rules/acl/*", "flow/rules_acl flow/rules_compile flow/rules_entries"),
	("tools/dvx-flow/rules/plan.c", "flow/rules_acl flow/rules_compile flow/rules_edit flow/rules_entries"),
	("tools/dvx-flow/rules/source.c", "flow/rules_edit"),
	("tools/dvx-flow/rules/parse*", "flow/rules_parse flow/rules_mistakes flow/import flow/rules_edit"),
	("tools/dvx-flow/rules/*", "flow/rules_parse flow/rules_mistakes flow/rules_edit flow/rules_compile "
	 "flow/rules_entries flow/rules_acl flow/import"),
	("tools/dvx-flow/daemon/generation_fits.c", "flow/rules_fill"),
	("tools/dvx-flow/daemon/*", "flow/edit,@state,24,2 flow/edit,@state,24,1"),
	("tools/dvx-copy/dest/*", "copy/hostile copy/copy_pull copy/paths copy/msg copy/copy_disk copy/clients copy/workers"),
	("tools/dvx-copy/*", "copy/*"),
	("include/dvx/*", "lib/ring_* lib/ticket lib/lib_queues lib/lib_raw lib/lib_srq lib/lib_ud lib/lib_umr"),
	("src/lib/flow/*", "lib/flow_* lib/lib_flow"),
	("src/lib/*", "lib/ring_* lib/ticket lib/cmd lib/flow_fake lib/adopt lib/bad lib/cq_compressed lib/rxq_strides "
	 "lib/lib_at* lib/lib_[!ag]*"),
	("src/prm/*", "prm/* tools/info_words lib/flow_match"),
	("src/uverbs/*", "kernel/* lib/lib_objects"),
	("src/sim/fw/flow*", "fw/fw_flow kernel/*flow* steer/tables fw/raw_way fw/exec"),
	("src/sim/fw/*", "fw/[!c]* queue/queue_life kernel/[!c]*"),
	("src/sim/obj/*", "fw/[!c]* base/setting queue/functions queue/queue_umr queue/queue_sig queue/rc queue/queue_atomic "
	 "queue/queue_ud queue/queue_life kernel/[!c]*"),
	("src/sim/steer/*", "steer/agree steer/steer_packet steer/tables steer/walk steer/walk_ends queue/*raw* queue/rss fw/raw_way "
	 "kernel/*flow* steer/dr_fields lib/flow_change"),
	("src/sim/kernel/cm/*", "kernel/cm_* kernel/mads"),
	("src/sim/kernel/*", "kernel/[!c]*"),
	("src/sim/port/*", "port/* queue/queue_ud queue/queue_raw queue/functions"),
	("src/sim/host/*", "host/dma host/lockstep host/pins host/share host/host_share host/uar host/wake queue/post queue/rc "
	 "kernel/kernel_share kernel/kernel_dmabuf"),
	("src/sim/base/*", "base/* queue/rc queue/queue_sig queue/trace host/dma port/drops"),
	("src/sim/queue/*", "queue/* kernel/kernel_cq fw/dct lib/lib_sig"),
	("src/sim/transport/dc/*", "queue/queue_dc queue/queue_life queue/functions port/drops port/loss"),
	("src/sim/transport/ud/*", "queue/queue_ud queue/queue_life queue/functions queue/self queue/direct port/drops port/loss "
	 "kernel/mads"),
	("src/sim/transport/raw/*", "queue/*raw* queue/rss queue/lso queue/queue_life queue/functions port/drops steer/tables "
	 "fw/raw_way"),
	("src/sim/transport/*", "queue/* port/drops port/loss port/port"),
	("src/sim/link/*", "chip/link_hostile lib/lib_queues kernel/cm_calls fuzz/link"),
	("src/sim/*", "chip/* kernel/mads preload/netlink queue/queue_life lib/lib_queues lib/lib_raw lib/lib_events"),
]

MEMORY = 4 << 30


def tests_of(path, instead=None):
	for pattern, names in [("*", instead)] if instead else ROOMS:
		if fnmatch.fnmatch(path, pattern):
			found = []
			for name in names.split():
				name, comma, arguments = name.partition(",")
				folder, base = os.path.split("tests/" + name)
				for f in sorted(os.listdir(folder)):
					program = os.path.join(folder, f)
					if fnmatch.fnmatch(f, base) and "." not in f and os.access(program, os.X_OK):
						found.append(program + comma + arguments)
			return found
	return []


def program_of(test):
	return test.partition(",")[0]


# --- mutants ---------------------------------------------------------------------------------------------------------

class Mutant:
	def __init__(self, path, text, begin, end, put, kind):
		self.path, self.begin, self.end, self.put, self.kind = path, begin, end, put, kind
		start = text.rfind("\n", 0, begin) + 1
		stop = text.find("\n", begin)
		self.line = text.count("\n", 0, begin) + 1
		self.text = text[start:stop].strip()
		was = " ".join(text[begin:end].split())
		self.change = f"{kind}: {was}" if kind == "delete" else f"{was} -> {put}"
		before = text[max(0, start - 120):start]
		self.key = hashlib.sha1("\0".join((path, before, text[start:stop], str(begin - start), self.change))
					.encode()).hexdigest()[:16]


def blank(text):
	"""Comments, strings and preprocessor lines are blanks, so that places stay."""
	def spaces(m):
		return re.sub(r"[^\n]", " ", m.group())

	def quoted(m):
		return m.group()[0] + re.sub(r"[^\n]", "_", m.group()[1:-1]) + m.group()[-1]
	text = re.sub(r"/\*.*?\*/|//[^\n]*", spaces, text, flags=re.S)
	text = re.sub(r'"(?:\\.|[^"\\\n])*"' + r"|'(?:\\.|[^'\\\n])+'", quoted, text)
	return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", spaces, text, flags=re.M)


def closing(code, at):
	depth = 0
	for i in range(at, len(code)):
		depth += (code[i] in "([{") - (code[i] in ")]}")
		if not depth:
			return i
	return len(code) - 1


def bodies(code):
	"""The functions' bodies: a { at the beginning of a line."""
	for m in re.finditer(r"^\{", code, re.M):
		yield m.start() + 1, closing(code, m.start())


LEAD = re.compile(r"\s*(?:(else|do)\b|(if|for|while|switch|json_array_foreach|json_object_foreach)\s*(?=\()|"
		  r"(case\b[^:?]*:|default\s*:|[a-z_]+:(?!:)))")
DECLARED = re.compile(r"(?:static|const|struct|enum|union|unsigned|signed|char|int|short|long|bool|float|double|void|"
		      r"size_t|ssize_t|u?int\d+_t|json_t|FILE|va_list|[a-z_]+_t|[a-z_]+_fn)\b[^()]*?[\s*]\w+\s*(?:\[|=|,|;|$)")


def statements(code, begin, end):
	"""Simple statements of a body, without the if, for ... in front of them."""
	at = begin
	while at < end:
		lead = LEAD.match(code, at, end)
		if lead and lead.group(2):
			at = closing(code, code.index("(", lead.end())) + 1
			continue
		if lead:
			at = lead.end()
			continue
		while at < end and code[at] in " \t\n{};":
			at += 1
		if LEAD.match(code, at, end):
			continue
		start = at
		while at < end and code[at] not in ";{}":
			at = closing(code, at) + 1 if code[at] in "([" else at + 1
			if at < end and code[at] == "{" and code[start:at].rstrip().endswith(("=", ")", "]", ",")):
				at = closing(code, at) + 1
		if at < end and code[at] == ";" and at > start:
			yield start, at


SWAP = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&", "+": "-", "-": "+",
	"+=": "-=", "-=": "+=", "&": "|", "|": "&", "<<": ">>", ">>": "<<", "&=": "|=", "|=": "&="}


def in_body(path, text, code, begin, end):
	for a, b in statements(code, begin, end):
		words = code[a:b]
		value = re.match(r"return\b\s*(.+)", words, re.S)
		if value:
			put = "return 1" if value.group(1) == "0" else "return 0"
			if value.group(1) not in ("NULL", "true", "false"):
				yield Mutant(path, text, a, b, put, "return")
		elif not DECLARED.match(words) and words not in ("break", "return"):
			yield Mutant(path, text, a, b, "", "delete")
	for m in re.compile(r"\b(if|while)\s*\(").finditer(code, begin, end):
		a, b = m.end(), closing(code, m.end() - 1)
		memory = re.match(r"\)\s*return (-ENOMEM|NULL)\b", code[b:end])
		for put in ("0", "1") if m.group(1) == "if" and not memory else ("1",) if memory else ("0",):
			yield Mutant(path, text, a, b, put, "condition")
	for m in re.compile(r"(?<=[\w)\]] )(<<|>>|[<>=!]=|[+&|-]=|&&|\|\||[<>+&|-])(?= )|"
			    r"(?<=[\w)\]]\n)\t+(<<|>>|&&|\|\|)(?= )").finditer(code, begin, end):
		n = 1 if m.group(1) else 2
		yield Mutant(path, text, m.start(n), m.end(n), SWAP[m.group(n)], "operator")
	for m in re.compile(r"(?<=[\w)\]])\s*\n\s*(&&|\|\||[+-])(?= )").finditer(code, begin, end):
		yield Mutant(path, text, m.start(1), m.end(1), SWAP[m.group(1)], "operator")


def plus_one(number):
	"""As C writes it: a leading 0 is octal."""
	octal = re.fullmatch(r"0[0-7]+", number)
	return f"0{int(number, 8) + 1:o}" if octal else str(int(number, 0) + 1)


def numbers(path, text, code):
	for m in re.compile(r"(?<![\w.\"'])(0x[0-9a-fA-F]+|\d+)([uUlL]*)\b(?!\.)|\b(true|false)\b").finditer(code):
		if m.group(3):
			yield Mutant(path, text, m.start(), m.end(), "false" if m.group(3) == "true" else "true", "constant")
		else:
			put = "0" if m.group(1) == "1" else plus_one(m.group(1))
			yield Mutant(path, text, m.start(), m.end(), put + m.group(2), "constant")


def mutants(path):
	with open(os.path.join(TOP, path), encoding="utf-8") as f:
		text = f.read()
	code, found = blank(text), []
	for begin, end in bodies(code):
		found += in_body(path, text, code, begin, end)
		found += [m for m in numbers(path, text, code) if begin <= m.begin < end]
	for m in re.finditer(r"^#define\s+\w+\s+\(?(\d+)(?=[uUlL]*\b)", text, re.M):
		found.append(Mutant(path, text, m.start(1), m.end(1), plus_one(m.group(1)), "constant"))
	once = {m.key: m for m in found}
	return text, sorted(once.values(), key=lambda m: m.begin)


# --- compiling ----------------------------------------------------------------------------------------------------

def output(argv):
	return subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


LINKER = ["-Wl,-s"] + ["-fuse-ld=lld"] * bool(shutil.which("ld.lld"))
DEVICE = ["src/sim/libdvx-sim.la", "src/sim/dvx-sim-server"]


@functools.cache
def device_tests():
	return output(["make", "-s", "--eval", "device-tests: ; @echo $(DEVICE_TESTS)", "device-tests"]).split()


def is_on_device(test, path):
	return program_of(test) in device_tests() and path.startswith("src/sim/")


@functools.cache
def make_lines(targets, files):
	"""What make would run for these targets if the files had changed: one question for all files of a run."""
	changed = [word for f in files for word in ("-W", os.path.join(os.environ["top_srcdir"], f))]
	return output(["make", "-n", "V=1", "IN_PLACE=1"] + changed + list(targets)).replace("\\\n", " ").splitlines()


@functools.cache
def linked_by(target, line):
	"""The compiler's words that libtool would run."""
	words = shlex.split(line)
	printed = output(words[:2] + ["-n"] + words[2:]).splitlines()
	folder, base = os.path.split(target)
	names = r" -o " + re.escape(folder) + r"/(\.libs/)?" + re.escape(base.replace(".la", ".so")) + "( |$)"
	words = shlex.split(next(l for l in printed if re.search(names, l)).split("link: ", 1)[1])
	while words[0] != "gcc" and not words[0].endswith(("gcc", "clang", "cc")):
		words.pop(0)
	return words


class Source:
	"""How a file is compiled and its tests are linked, as make says."""
	def __init__(self, path, files, tests, state):
		self.path, self.tests, self.found = path, tests, {t: 0 for t in tests}
		self.units = {t: program_of(t) + ".c" if path.endswith(".h") else path for t in tests}
		units = sorted(set(self.units.values()))
		programs = [program_of(t) for t in tests if not is_on_device(t, path)]
		devices = DEVICE if len(programs) < len(tests) else []
		lines = make_lines(tuple(programs + devices), tuple(units) if path.endswith(".h") else files)
		self.flags, self.objects = {}, set()
		for unit in units:
			self.compiled(unit, [l for l in lines if re.search(r" -c .*" + re.escape(unit) + r"\b", l)])
		device = [self.link(name, lines, state) for name in devices]
		self.links = {t: device if is_on_device(t, path) else [self.link(program_of(t), lines, state)] for t in tests}

	def compiled(self, unit, lines):
		for line in lines:
			words = shlex.split(next(p for p in line.split(";") if " -c " in p).split("`")[0])
			self.objects.add(re.search(r" -o (\S+)", line).group(1))
			if unit not in self.flags or "mode=compile" in line:
				self.flags[unit] = [w for w in words if re.match(r"-[DIfm].|-std=", w)]

	def link(self, target, lines, state):
		"""The file's name in a scratch folder, the compiler with flags, what follows the mutant's object."""
		line = next((l for l in lines if re.search(r" -o " + re.escape(target) + r" ", l) and "mode=link" in l), None)
		if not line:
			return None
		words, rest = linked_by(target, line), []
		at = words.index("-o")
		for word in words[1:at] + words[at + 2:]:
			shared = word.startswith("src/") and word.endswith(".so")
			if word.replace(".libs/", "").replace(".o", ".lo") not in self.objects and word not in self.objects:
				rest += archive(word, state) if shared else [word]
		flags = LINKER + (["-Wl,-z,muldefs"] if target.endswith(".la") else [])
		return words[at + 1] if target in DEVICE else os.path.basename(target), [words[0]] + flags, rest


@functools.cache
def archive(library, state):
	"""A shared library's objects as an archive, so that a mutant can stand before it; and what the library has in it."""
	name = os.path.join(state, os.path.basename(library) + ".a")
	folder, stem = os.path.dirname(library), os.path.basename(library)[:-3] + "_la-"
	if os.path.exists(name):
		os.unlink(name)
	objects = sorted(f for f in os.listdir(folder) if f.startswith(stem) and f.endswith(".o"))
	subprocess.run(["ar", "rcs", name] + [os.path.join(folder, f) for f in objects], check=True)
	return [name, "src/prm/.libs/libprmmatch.a", "-lnuma"]


def headers(path, scratch, text):
	"""A folder for -I that has all public headers, and TEXT for one of them."""
	folder = os.path.join(scratch, "include")
	for root, _, files in os.walk(os.path.join(TOP, "include/dvx")):
		to = os.path.join(folder, os.path.relpath(root, os.path.join(TOP, "include")))
		os.makedirs(to, exist_ok=True)
		for f in files:
			if not os.path.lexists(os.path.join(to, f)):
				os.symlink(os.path.join(root, f), os.path.join(to, f))
	name = os.path.join(scratch, path)
	os.unlink(name)
	with open(name, "w", encoding="utf-8") as f:
		f.write(text)
	return folder


def compile_one(source, unit, scratch, text):
	top, name = os.environ["top_srcdir"], os.path.join(scratch, os.path.basename(unit))
	if source.path == unit:
		with open(name, "w", encoding="utf-8") as f:
			f.write(text)
		first, compiled = os.path.dirname(os.path.join(top, unit)), name
	else:
		first, compiled = headers(source.path, scratch, text), os.path.join(top, unit)
	done = subprocess.run(["gcc", "-c", "-O1", "-w", "-fPIC", "-I" + first] + source.flags[unit] + ["-o", name[:-2] + ".o", compiled],
			      stderr=subprocess.PIPE, text=True)
	return name[:-2] + ".o" if not done.returncode else None, done.stderr


def link_one(source, test, obj, scratch):
	for name, compiler, rest in source.links[test]:
		program = os.path.join(scratch, name)
		os.makedirs(os.path.dirname(program), exist_ok=True)
		done = subprocess.run(compiler + ["-o", program, obj] + rest, stderr=subprocess.PIPE, text=True)
		if done.returncode:
			return None, done.stderr
	if not is_on_device(test, source.path):
		return program, ""
	launcher = os.path.join(scratch, "tools/dvx-sim/dvx-sim")
	if not os.path.exists(launcher):
		os.makedirs(os.path.dirname(launcher))
		shutil.copy("tools/dvx-sim/dvx-sim", launcher)
	return program_of(test), ""


# --- running ------------------------------------------------------------------------------------------------------

def bound():
	os.setsid()
	resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
	resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run_test(test, program, seconds, log):
	"""The exit status, or None: it ran into the limit. A test on a changed device is not in a scratch folder."""
	argv = [program] + [a if a[0] != "@" else os.path.join(os.path.dirname(program), a[1:])
			    for a in test.split(",")[1:]]
	if program_of(test) in device_tests():
		changed = program == program_of(test)
		argv = [os.path.join(os.path.dirname(log) if changed else "", "tools/dvx-sim/dvx-sim"), "run", "--"] + argv
	with open(log, "w") as out:
		p = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=out, stderr=out, preexec_fn=bound)
		try:
			return p.wait(timeout=seconds)
		except subprocess.TimeoutExpired:
			return None
		finally:
			try:
				os.killpg(p.pid, signal.SIGKILL)
			except ProcessLookupError:
				pass
			p.wait()


class Worker:
	def __init__(self, state, n):
		self.scratch = os.path.join(state, f"work{n}")
		os.makedirs(self.scratch, exist_ok=True)

	def log(self):
		return os.path.join(self.scratch, "log")

	def result(self, source, text, limits, mutant, plain):
		changed, objects = text[:mutant.begin] + mutant.put + text[mutant.end:], {}
		linked = False
		for test in sorted(limits, key=lambda t: limits[t] / (1 + source.found[t])):
			unit = source.units[test]
			if unit not in objects:
				objects[unit], _ = compile_one(source, unit, self.scratch, changed)
			if not objects[unit]:
				return "no"
			if contents(objects[unit]) == plain[unit]:
				continue
			program, _ = link_one(source, test, objects[unit], self.scratch)
			if not program:
				continue
			linked = True
			status = run_test(test, program, limits[test], self.log())
			source.found[test] += status != 0
			if status is None:
				return "time"
			if status:
				return test
		if all(contents(o) == plain[u] for u, o in objects.items()):
			return "same"
		return "survived" if linked else "no"


def contents(name):
	with open(name, "rb") as f:
		return f.read()


def baseline(source, text, worker):
	"""The original, by the same way: its objects' bytes, and each test's limit."""
	plain, objects, limits = {}, {}, {}
	for test in source.tests:
		unit = source.units[test]
		if None in source.links[test] or unit not in source.flags:
			continue
		if unit not in plain:
			objects[unit], why = compile_one(source, unit, worker.scratch, text)
			if not objects[unit]:
				sys.exit(f"{source.path} does not compile here:\n{why}")
			plain[unit] = contents(objects[unit])
		if test not in LIMITS:
			program, why = link_one(source, test, objects[unit], worker.scratch)
			if not program:
				print(f"# {test} can't be linked with {source.path}: {why.splitlines()[-1:]}", file=sys.stderr)
				continue
			begin = time.monotonic()
			status = run_test(test, program, 60, worker.log())
			LIMITS[test] = 5 * (time.monotonic() - begin) + 2 if status == 0 else None
			if status != 0:
				print(f"# {test} fails without a change: left out", file=sys.stderr)
		if LIMITS[test]:
			limits[test] = LIMITS[test]
	return plain, limits


LIMITS = {}  # each test's, by its first run without a change


# --- all ----------------------------------------------------------------------------------------------------------

def judged():
	"""The rows of judged.tsv as one expression."""
	rows = ["(?!)"]
	with open(os.path.join(HERE, "judged.tsv"), encoding="utf-8") as f:
		for line in f:
			if line.strip() and not line.startswith("#"):
				rows.append(re.escape("\t".join(line.split("\t")[:3])).replace(r"\*", ".*"))
	return re.compile("|".join(rows))


class Results:
	def __init__(self, state):
		self.path, self.lock, self.of = os.path.join(state, "results.tsv"), threading.Lock(), {}
		if os.path.exists(self.path):
			with open(self.path, encoding="utf-8") as f:
				for line in f:
					key, result = line.split("\t")[:2]
					self.of[key] = result

	def add(self, m, result):
		with self.lock:
			self.of[m.key] = result
			with open(self.path, "a", encoding="utf-8") as f:
				f.write("\t".join((m.key, result, f"{m.path}:{m.line}", m.text, m.change)) + "\n")
			if result == "survived":
				print(f"{m.path}:{m.line}: {m.change}\n    {m.text}", flush=True)


def files_of(names):
	for name in names:
		full = os.path.join(TOP, name)
		if os.path.isfile(full):
			yield name
		for folder, _, files in os.walk(full):
			for f in sorted(files):
				if f.endswith(".c") or folder.startswith(os.path.join(TOP, "include/dvx")):
					yield os.path.relpath(os.path.join(folder, f), TOP)


def choose(args, results):
	all_of, known = [], judged()
	for path in files_of(args.files):
		if not tests_of(path, args.tests):
			print(f"# {path}: no test of its room is built", file=sys.stderr)
			continue
		text, found = mutants(path)
		all_of += [(path, text, m) for m in found if not known.fullmatch(f"{m.path}\t{m.text}\t{m.change}")]
	if args.at:
		all_of = [x for x in all_of if f"{x[0]}:{x[2].line}" == args.at]
	if args.sample and args.sample < len(all_of):
		all_of = random.Random(args.seed).sample(all_of, args.sample)
	wanted = (lambda r: r == "survived") if args.again else (lambda r: r is None)
	return len(all_of), sorted((x for x in all_of if wanted(results.of.get(x[2].key))), key=lambda x: (x[0], x[2].begin))


def run_file(args, path, files, group, workers, results, until):
	source = Source(path, files, tests_of(path, args.tests), args.state)
	plain, limits = baseline(source, group[0][0], workers[0])
	if not limits:
		print(f"# {path}: no test that is linked with it passes without a change: are they built after the last one?", file=sys.stderr)
		return
	queue, lock = list(group), threading.Lock()

	def work(worker):
		while True:
			with lock:
				if not queue or time.monotonic() > until:
					return
				text, m = queue.pop(0)
			results.add(m, worker.result(source, text, limits, m, plain))
	threads = [threading.Thread(target=work, args=(w,)) for w in workers]
	for t in threads:
		t.start()
	for t in threads:
		t.join()


def main():
	p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
	p.add_argument("files", nargs="+")
	p.add_argument("--sample", type=int)
	p.add_argument("--seed", type=int, default=1)
	p.add_argument("--limit", type=float, default=float("inf"))
	p.add_argument("--jobs", type=int, default=2)
	p.add_argument("--state", default="mutation.state")
	p.add_argument("--again", action="store_true")
	p.add_argument("--tests")
	p.add_argument("--list", action="store_true")
	p.add_argument("--at")
	args = p.parse_args()
	if not os.path.exists("libtool"):
		sys.exit("mutate.py: run it in a build directory")
	os.environ["top_srcdir"] = os.environ["srcdir"] = os.path.relpath(TOP)
	os.environ["top_builddir"] = "."
	os.environ.setdefault("CMOCKA_TEST_ABORT", "1")
	os.makedirs(args.state, exist_ok=True)
	results = Results(args.state)
	chosen, todo = choose(args, results)
	if args.list:
		for path, _, m in todo:
			print(f"{path}:{m.line}: {m.change}")
		return
	until = time.monotonic() + args.limit
	workers = [Worker(args.state, n) for n in range(args.jobs)]
	files = tuple(sorted({x[0] for x in todo}))
	for path in files:
		if time.monotonic() < until:
			run_file(args, path, files, [x[1:] for x in todo if x[0] == path], workers, results, until)
	ran = [results.of[x[2].key] for x in todo if x[2].key in results.of and results.of[x[2].key] is not None]
	count = {name: sum(r == name for r in ran) for name in ("survived", "time", "no", "same")}
	print(f"# {chosen} mutants chosen, {len(todo)} of them without a result before; {len(ran)} have one now: "
	      f"{count['survived']} survived, {len(ran) - sum(count.values())} fail a test, {count['time']} run into the limit, "
	      f"{count['no']} do not compile, {count['same']} are the same code")


if __name__ == "__main__":
	main()
