/* SPDX-License-Identifier: BSD-2-Clause */
/* dvx-copy: copies directory trees between a host and its DPU with the device's DMA engine. */
#include <argp.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/workers.h"
#include "base/options.h"
#include "dvx-copy.h"
#include "gate.h"
#include "wire/net.h"

enum {
	OPT_SLOTS = 256,
	OPT_JOBS,
	OPT_SLOT,
	OPT_TIMEOUT,
	OPT_CLIENTS,
	OPT_STARTING,
	OPT_SOURCE,
	OPT_ONCE,
	OPT_WRITABLE,
	OPT_ALLOW,
	OPT_DELETE,
	OPT_INPLACE,
	OPT_PARTIAL,
	OPT_FSYNC,
	OPT_EXCLUDE,
	OPT_INCLUDE,
	OPT_EXCLUDE_FROM,
	OPT_INCLUDE_FROM,
	OPT_BWLIMIT,
	OPT_VIA,
	OPT_PROGRESS,
	OPT_STATS,
	OPT_NUMERIC,
	OPT_HUMAN,
	OPT_INFO,
	OPT_LIST,
	OPT_FILES_FROM,
	OPT_NO = 0x1000, /* plus the key of the option that is turned off */
	OPT_REFUSED = 0x2000,
};

/* The key of a line of refused.def. */
#define REFUSED_KEY(letter) ((letter) ? (letter) : OPT_REFUSED + __LINE__)

/* A "--no-OPTION". --help and the manual explain all of them in one row. */
#define NO(key, name)                                                    \
	{                                                                \
		"no-" name, OPT_NO + (key), NULL, OPTION_HIDDEN, NULL, 0 \
	}

/* An option that "--no-" before its name or letter turns off. */
#define ON(key, name, letter, doc, group) \
	{name, key, NULL, 0, doc, group}, NO(key, name), NO(key, letter)

#define KEY_OPTION                                                                       \
	{                                                                                \
		"key-file", 'k', "FILE", 0, "shared key; required except on loopback", 0 \
	}

static const struct argp_option serve_options[] = {
	{"root", 'r', "DIR", 0, "directory that clients may read (required)", 0},
	{"writable", OPT_WRITABLE, NULL, 0, "clients may push into it, too", 0},
	{"allow", OPT_ALLOW, "LIST", 0, "file of keys, and what each may read or write", 0},
	{"listen", 'l', "ADDR[:PORT]", 0, "address to listen on (127.0.0.1:" TARGET_PORT ")", 0},
	KEY_OPTION,
	CLI_DEVICE,
	{"once", OPT_ONCE, NULL, 0, "end after the first client", 0},
	{"max-clients", OPT_CLIENTS, "N", 0, "clients at a time (8)", 0},
	{"max-starting", OPT_STARTING, "START:RATE:FULL", 0,
	 "connections that have not shown the key: drop one of START with RATE%, of FULL always "
	 "(" GATE_STARTING ")",
	 0},
	{"max-starting-per-source", OPT_SOURCE, "N[:V4BITS[:V6BITS]]", 0,
	 "such connections from one network (" GATE_PER_SOURCE ")", 0},
	{"slots", OPT_SLOTS, "N", 0, "most chunks in flight for a client (8)", 0},
	{"jobs", OPT_JOBS, "N", 0, "threads for each client's files (one a processor, up to 4)", 0},
	{"slot-size", OPT_SLOT, "BYTES", 0, "largest chunk (1M)", 0},
	{"timeout", OPT_TIMEOUT, "SECONDS", 0, "longest wait for a silent client (60)", 0},
	CLI_JSON,
	{0},
};

static const struct argp_option copy_options[] = {
	KEY_OPTION,
	CLI_DEVICE,
	CLI_JSON,
	{"archive", 'a', NULL, 0, "-rlptgoD; after it --no-o, --no-times and the like", 1},
	ON('r', "recursive", "r", "directories and their contents", 1),
	ON('l', "links", "l", "symbolic links, as links", 1),
	ON('p', "perms", "p", "modes", 1),
	ON('t', "times", "t", "modification times", 1),
	ON('o', "owner", "o", "owners (root only)", 1),
	ON('g', "group", "g", "groups", 1),
	{"numeric-ids", OPT_NUMERIC, NULL, 0, "owners and groups by number, not by name", 1},
	ON('D', "devices", "D", "devices (root only), FIFOs and sockets", 1),
	ON('H', "hard-links", "H", "hard links between the files", 1),
	ON('A', "acls", "A", "ACLs; implies -p", 1),
	ON('X', "xattrs", "X", "extended attributes", 1),
	ON('S', "sparse", "S", "make holes of zeros", 1),
	ON('u', "update", "u", "leave files that are newer at the destination", 2),
	ON('c', "checksum", "c", "compare contents, not size and time", 2),
	{"modify-window", '@', "SECONDS", 0, "times that differ by no more are equal", 2},
	{"delete", OPT_DELETE, NULL, 0, "delete what the source does not have", 2},
	{"relative", 'R', NULL, 0, "keep the paths of the sources; the part before /./ is left out",
	 2},
	{"files-from", OPT_FILES_FROM, "FILE", 0, "copy the paths of this list, of one source", 2},
	{"list-only", OPT_LIST, NULL, 0, "list the source (pull); so does pull without DEST", 2},
	ON('x', "one-file-system", "x", "do not enter file systems mounted below the source", 2),
	{"exclude", OPT_EXCLUDE, "PATTERN", 0, "leave out what matches, as in rsync", 2},
	{"include", OPT_INCLUDE, "PATTERN", 0, "keep what matches; the first match decides", 2},
	{"exclude-from", OPT_EXCLUDE_FROM, "FILE", 0, "patterns to leave out, one a line", 2},
	{"include-from", OPT_INCLUDE_FROM, "FILE", 0, "patterns not to leave out", 2},
	{"dry-run", 'n', NULL, 0, "only print what would be done", 2},
	{"itemize-changes", 'i', NULL, 0, "print what is done to each entry", 2},
	ON('v', "verbose", "v", "print what is copied", 2),
	ON(OPT_HUMAN, "human-readable", "h", "no effect: sizes are always readable", 2),
	{"partial", OPT_PARTIAL, NULL, 0, "keep half files for the next run when interrupted", 3},
	{"partial-progress", 'P', NULL, 0, "--partial --progress", 3},
	{"inplace", OPT_INPLACE, NULL, 0, "write files under their own names", 3},
	{"whole-file", 'W', NULL, 0, "no effect: files are always copied whole", 3},
	ON('z', "compress", "z", "no effect, with a note: DMA and RDMA do not compress", 3),
	{"fsync", OPT_FSYNC, "WHEN", 0, "each, group (default), end, none: see the manual", 3},
	{"bwlimit", OPT_BWLIMIT, "RATE", 0, "at most this many KiB a second, or with a unit", 3},
	{"progress", OPT_PROGRESS, NULL, 0, "show progress, with --json as objects", 2},
	{"stats", OPT_STATS, NULL, 0, "print all counters at the end", 2},
	{"info", OPT_INFO, "WORDS", 0, "progress2, stats or name: as --progress, --stats, -v", 2},
	{"via", OPT_VIA, "WAY", 0, "dma, rc, or auto (default): see the manual", 3},
	{"slots", OPT_SLOTS, "N", 0, "slots in flight (8)", 3},
	{"jobs", OPT_JOBS, "N", 0, "threads for files (one a processor, up to 4)", 3},
	{"slot-size", OPT_SLOT, "BYTES", 0, "size of a slot (1M)", 3},
	{"timeout", OPT_TIMEOUT, "SECONDS", 0, "longest wait for a silent peer (60)", 3},
	NO('D', "specials"),
	NO(OPT_PROGRESS, "progress"),
	NO(OPT_INPLACE, "inplace"),
	NO(OPT_PARTIAL, "partial"),
	NO(OPT_NUMERIC, "numeric-ids"),
#define REFUSED(name, letter, value, instead) \
	{name, REFUSED_KEY(letter), (value) ? "VALUE" : NULL, OPTION_HIDDEN, NULL, 0},
#include "refused.def"
#undef REFUSED
	{0},
};

static const struct cli_command commands[] = {
	{"serve", 0, 0, "--root DIR", "Serves DIR to dvx-copy on the other function of the device.",
	 serve_options, copy_cmd_serve},
	{"pull", 1, CLI_ANY, "ADDR[:PORT]:PATH... DEST",
	 "Copies files and directory trees from a dvx-copy server to DEST; lists them without "
	 "DEST.",
	 copy_options, copy_cmd_pull},
	{"push", 2, CLI_ANY, "SRC... ADDR[:PORT]:PATH",
	 "Copies files and directory trees to a dvx-copy server.", copy_options, copy_cmd_push},
};

static const char overview[] =
	"Copies directory trees between a host and its DPU with the device's DMA engine.\v"
	"Commands (dvx-copy COMMAND --help says more):\n"
	"  serve --root DIR [--listen ADDR[:PORT]]   serves DIR to the other two\n"
	"  pull ADDR[:PORT]:PATH... DEST             copies from a server to DEST\n"
	"  push SRC... ADDR[:PORT]:PATH              copies to a server\n";

/* Options of serve that take a value, under letters that are flags elsewhere. */
static const struct {
	int key;
	bool chooses;
	uint32_t bits;
} letters[] = {
	{'a', true, OPTIONS_ARCHIVE},
	{'r', true, OPTION_RECURSE},
	{'l', true, OPTION_LINKS},
	{'p', true, OPTION_PERMS},
	{'t', true, OPTION_TIMES},
	{'o', true, OPTION_OWNER},
	{'g', true, OPTION_GROUP},
	{'D', true, OPTION_SPECIALS},
	{'H', false, OPTION_HARD},
	{'A', false, OPTION_ACLS},
	{'X', false, OPTION_XATTRS},
	{'S', false, OPTION_SPARSE},
	{'u', false, OPTION_UPDATE},
	{'c', false, OPTION_CHECKSUM},
	{'n', false, OPTION_DRY},
	{OPT_DELETE, false, OPTION_DELETE},
	{OPT_INPLACE, false, OPTION_INPLACE},
	{OPT_PARTIAL, false, OPTION_PARTIAL},
	{OPT_NUMERIC, false, OPTION_NUMERIC},
	{'x', false, OPTION_ONE_FS},
	{'P', false, OPTION_PARTIAL},
	{'W', false, 0},
	{OPT_HUMAN, false, 0},
};

static error_t take_no(int key, struct copy_args *a)
{
	a->verbose &= key != 'v';
	a->progress &= key != OPT_PROGRESS;
	a->compress &= key != 'z';
	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
		if (letters[i].key == key) {
			a->bits &= ~letters[i].bits;
			a->off |= letters[i].bits;
		}
	return 0;
}

/* Takes the words of rsync's --info that have a meaning here. */
static error_t take_info(char *words, struct argp_state *state, struct copy_args *a)
{
	char *save;

	for (char *w = strtok_r(words, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
		if (!strcmp(w, "progress2") || !strcmp(w, "progress"))
			a->progress = true;
		else if (!strncmp(w, "stats", 5))
			a->stats = true;
		else if (!strcmp(w, "name"))
			a->verbose = true;
		else
			argp_error(state,
				   "--info has the words progress2, stats and name, not \"%s\"", w);
	}
	return 0;
}

/* Refuses an option of rsync that dvx-copy lacks, and prints what to do instead. */
static error_t take_refused(int key, struct argp_state *state)
{
	static const struct {
		int key;
		const char *name, *instead;
	} refused[] = {
#define REFUSED(name, letter, value, instead) {REFUSED_KEY(letter), name, instead},
#include "refused.def"
#undef REFUSED
	};

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (refused[i].key == key) {
			argp_error(state, "there is no --%s here: %s", refused[i].name,
				   refused[i].instead);
			return 0;
		}
	return ARGP_ERR_UNKNOWN;
}

static error_t take_rule(int key, const char *arg, struct argp_state *state, struct copy_args *a)
{
	bool include = key == OPT_INCLUDE || key == OPT_INCLUDE_FROM;
	bool file = key == OPT_EXCLUDE_FROM || key == OPT_INCLUDE_FROM;
	struct copy_fault f = {0};

	if (file ? filter_add_file(&a->filter, arg, include, &f)
		 : filter_add(&a->filter, arg, include, &f))
		argp_error(state, "%s", f.text);
	return 0;
}

static error_t take_letter(int key, char *arg, struct argp_state *state, struct copy_args *a)
{
	if (key >= OPT_EXCLUDE && key <= OPT_INCLUDE_FROM)
		return take_rule(key, arg, state, a);
	if (arg && (key == 'r' || key == 'l')) {
		*(key == 'r' ? &a->root : &a->listen) = arg;
		return 0;
	}
	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
		if (letters[i].key == key) {
			a->bits |= letters[i].bits;
			a->off &= ~letters[i].bits;
			a->chosen |= letters[i].chooses;
			a->progress |= key == 'P';
			a->explicit_r |= key == 'r';
			return 0;
		}
	if (key == OPT_INFO)
		return take_info(arg, state, a);
	if (key >= OPT_NO && key < OPT_REFUSED)
		return take_no(key - OPT_NO, a);
	return take_refused(key, state);
}

static const struct cli_option values[] = {
	CLI_TRUE('j', json),
	CLI_TRUE('q', quiet),
	CLI_TRUE(OPT_ONCE, once),
	CLI_TRUE(OPT_WRITABLE, writable),
	CLI_TEXT(OPT_ALLOW, allow),
	CLI_TRUE('v', verbose),
	CLI_TRUE('z', compress),
	CLI_TRUE('R', relative),
	CLI_TRUE(OPT_LIST, list_only),
	CLI_TEXT(OPT_FILES_FROM, files_from),
	CLI_TRUE('i', itemize),
	CLI_TEXT(OPT_FSYNC, fsync),
	CLI_TEXT(OPT_BWLIMIT, bwlimit),
	CLI_TEXT('@', window),
	CLI_TRUE(OPT_PROGRESS, progress),
	CLI_TRUE(OPT_STATS, stats),
	CLI_TEXT('k', key_file),
	CLI_TEXT('d', device),
	CLI_TEXT(OPT_VIA, via),
	CLI_TEXT(OPT_STARTING, max_starting),
	CLI_TEXT(OPT_SOURCE, max_per_source),
	CLI_NUMBER(OPT_CLIENTS, max_clients, 1, 1000),
	CLI_NUMBER(OPT_SLOTS, slots, 1, 4096),
	CLI_NUMBER(OPT_JOBS, jobs, 1, WORKERS_MOST),
	CLI_SIZE(OPT_SLOT, slot_bytes, 4096, 1u << 30),
	CLI_NUMBER(OPT_TIMEOUT, timeout, 1, 86400),
};

static struct copy_args args = {
	.slot_bytes = 1u << 20,
	.timeout = 60,
	.listen = "127.0.0.1:" TARGET_PORT,
	.max_clients = 8,
	.max_starting = GATE_STARTING,
	.max_per_source = GATE_PER_SOURCE,
};

static const struct cli cli = {
	.tool = "dvx-copy",
	.overview = overview,
	CLI_TABLES(commands, values, args),
	.option = take_letter,
};

volatile sig_atomic_t stop_asked;

static void ask_stop(int sig)
{
	(void)sig;
	stop_asked = 1;
}

/* Without SA_RESTART a signal ends a wait. SIGXFSZ is ignored: write() reports the limit. */
static void set_signals(void)
{
	struct sigaction stop = {.sa_handler = ask_stop}, ignore = {.sa_handler = SIG_IGN};

	sigaction(SIGINT, &stop, NULL);
	sigaction(SIGTERM, &stop, NULL);
	/* Under nohup(1) SIGHUP stays ignored. */
	if (signal(SIGHUP, SIG_IGN) != SIG_IGN)
		sigaction(SIGHUP, &stop, NULL);
	sigaction(SIGPIPE, &ignore, NULL);
	sigaction(SIGXFSZ, &ignore, NULL);
}

static void raise_limit(__rlimit_resource_t resource)
{
	struct rlimit lim;

	if (getrlimit(resource, &lim))
		return;
	lim.rlim_cur = lim.rlim_max;
	setrlimit(resource, &lim);
}

uint32_t copy_umask(void)
{
	mode_t mask = umask(022);

	umask(mask);
	return mask;
}

int main(int argc, char **argv)
{
	set_signals();
	raise_limit(RLIMIT_NOFILE);  /* a deep tree needs a descriptor for each level */
	raise_limit(RLIMIT_MEMLOCK); /* registered slots count against it */
	return cli_main(&cli, argc, argv);
}
