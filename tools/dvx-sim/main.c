/* SPDX-License-Identifier: BSD-2-Clause */
#include "dvx-sim.h"
#include "stat/stat.h"

#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "src/sim/obj/profile.h"
#include "src/sim/port/fault_rates.h"
#include "tools/cli/complete.h"

#define FUNCTION_OPTION                                                            \
	{                                                                          \
		"function", 'f', "FUNCTION", 0,                                    \
			"function that CMD sees: host, dpu, vf0 (default host)", 0 \
	}

/* Options without a letter. */
enum {
	OPTION_VFS = 0x100,
	OPTION_SFS,
	OPTION_SWITCHDEV,
	OPTION_SWEEP,
	OPTION_HOSTILE,
	OPTION_SEEDS,
	OPTION_PCM,
	OPTION_EXACT,
	OPTION_MPS,
	OPTION_MRRS,
	OPTION_COMPARE,
	OPTION_BUDGET,
	OPTION_SIZE,
	OPTION_NIC,
	OPTION_CHROME
};

#define VFS_OPTION                                                                        \
	{                                                                                 \
		"vfs", OPTION_VFS, "N", 0, "virtual functions vf0, vf1... (default 0)", 0 \
	}
#define SFS_OPTION                                                                    \
	{                                                                             \
		"sfs", OPTION_SFS, "N", 0, "sub-functions sf0, sf1... (default 0)", 0 \
	}
#define SWITCHDEV_OPTION                                                               \
	{                                                                              \
		"switchdev", OPTION_SWITCHDEV, 0, 0,                                   \
			"the e-switch is in switchdev mode: rules and representors", 0 \
	}

#define SET_OPTION                                                                   \
	{                                                                            \
		"set", 's', "NAME=VALUE[,...]", 0,                                   \
			"what the chip has and lacks; --set help lists the names", 0 \
	}

#define FAULT_OPTION                                                                              \
	{                                                                                         \
		"fault", 'F', "FAULTS|FILE", 0,                                                   \
			"a bad wire: drop=P,dup=P,reorder=P,corrupt=P,delay=T,seed=N; or a file " \
			"of "                                                                     \
			"single faults",                                                          \
			0                                                                         \
	}

#define IP_OPTION                                                                              \
	{                                                                                      \
		"ip", 'i', "[FUNCTION=]ADDR/LEN", 0, "address of a function (default host)", 0 \
	}

#define NETDEV_OPTION                                                                           \
	{                                                                                       \
		"netdev", 'N', 0, 0, "a network interface for each function (NAME-FUNCTION)", 0 \
	}

#define HOSTILE_OPTION                                                                          \
	{                                                                                       \
		"hostile", OPTION_HOSTILE, "SEED", OPTION_ARG_OPTIONAL,                         \
			"a device that does all as late and in any order as it may (seed 1)", 0 \
	}

#define CHECK_OPTION(HELP)                     \
	{                                      \
		"check", 'c', NULL, 0, HELP, 0 \
	}

static const struct argp_option run_options[] = {
	{"trace", 't', "FILE", OPTION_ARG_OPTIONAL,
	 "decode each command, doorbell, WQE and CQE to stderr, or to FILE", 0},
	SET_OPTION,
	VFS_OPTION,
	SFS_OPTION,
	SWITCHDEV_OPTION,
	FAULT_OPTION,
	IP_OPTION,
	NETDEV_OPTION,
	FUNCTION_OPTION,
	CHECK_OPTION("run CMD under dvx-check, which reports misuse of verbs and of the device"),
	{"hang-after", 'H', "SECONDS", 0,
	 "look every SECONDS what the queues wait for; print it if it lasts", 0},
	{"sweep", OPTION_SWEEP, 0, 0,
	 "run CMD once for each device command and completion, which fails; print what breaks", 0},
	HOSTILE_OPTION,
	{"seeds", OPTION_SEEDS, "A..B", 0,
	 "run CMD once for each of these seeds of a hostile device; print how many fail", 0},
	CLI_JSON,
	{0},
};
static const struct argp_option stat_options[] = {
	{"repeat", 'r', "N", 0, "run CMD N times, each on a device of its own; print the spread",
	 0},
	{"budget", OPTION_BUDGET, "FILE", 0,
	 "fail if a message costs more than FILE's lines CLASS COLUMN MOST", 0},
	{"compare", OPTION_COMPARE, 0, 0,
	 "print what differs between two files that --json wrote; fail if something got dearer", 0},
	{"pcm", OPTION_PCM, 0, 0,
	 "also in units of Intel PCM: lines read (PCIeRdCur), written (ItoM)", 0},
	{"exact", OPTION_EXACT, 0, 0, "count each store to a doorbell register; slow", 0},
	{"mps", OPTION_MPS, "BYTES", 0, "PCIe's Max_Payload_Size (default 256)", 0},
	{"mrrs", OPTION_MRRS, "BYTES", 0, "PCIe's Max_Read_Request_Size (default 512)", 0},
	SET_OPTION,
	VFS_OPTION,
	SFS_OPTION,
	FAULT_OPTION,
	IP_OPTION,
	NETDEV_OPTION,
	FUNCTION_OPTION,
	CLI_JSON,
	{0},
};
static const struct argp_option record_options[] = {
	{"output", 'o', "FILE", 0, "the recording to write", 0},
	{"size", OPTION_SIZE, "MIB", 0, "room in it, which is made at the start (default 64)", 0},
	{"nic", OPTION_NIC, 0, 0, "no device of software: record CMD's calls on this machine's NIC",
	 0},
	SET_OPTION,
	VFS_OPTION,
	SFS_OPTION,
	FAULT_OPTION,
	IP_OPTION,
	NETDEV_OPTION,
	FUNCTION_OPTION,
	HOSTILE_OPTION,
	{0},
};
static const struct argp_option show_options[] = {
	{"chrome", OPTION_CHROME, "FILE", 0,
	 "write FILE, a Chrome trace, which ui.perfetto.dev shows as tracks", 0},
	{"json", 'j', NULL, 0, "print JSON, an object on a line for each event", 0},
	{0},
};
static const struct argp_option up_options[] = {
	{"trace", 't', "FILE", 0, "decode each command, doorbell, WQE and CQE to FILE", 0},
	SET_OPTION,
	VFS_OPTION,
	SFS_OPTION,
	SWITCHDEV_OPTION,
	FAULT_OPTION,
	IP_OPTION,
	{"wire", 'w', "loop|peer=SWITCH|udp=ADDR|tap=IFACE", 0,
	 "what the port is plugged into (default loop)", 0},
	NETDEV_OPTION,
	CHECK_OPTION("note what programs do wrong; dvx-sim check NAME prints it"),
	HOSTILE_OPTION,
	{0},
};
static const struct argp_option exec_options[] = {
	FUNCTION_OPTION,
	{"quiet", 'q', NULL, 0, "do not print the device's refusals", 0},
	{0},
};
static const struct argp_option ls_options[] = {
	CLI_JSON,
	{0},
};
static const struct argp_option capture_options[] = {
	{"count", 'n', "N", 0, "end after N packets", 0},
	{0},
};
static const struct argp_option no_options[] = {{0}};

static const struct cli_command commands[] = {
	{"run", 1, CLI_PROGRAM, "-- CMD [ARG...]",
	 "Starts a device, runs CMD on it, takes the device down; returns what CMD returns.",
	 run_options, cmd_run},
	{"up", 1, 1, "NAME",
	 "Starts a device that stays up; returns when it is ready for programs.", up_options,
	 cmd_up},
	{"exec", 2, CLI_PROGRAM, "NAME -- CMD [ARG...]",
	 "Runs CMD on the device NAME, in this process.", exec_options, cmd_exec},
	{"ls", 0, 0, "", "Lists the devices that are up, their programs and their objects.",
	 ls_options, cmd_ls},
	{"why", 1, 1, "NAME",
	 "Prints what each queue of NAME waits for, and what waits for its program.", ls_options,
	 cmd_why},
	{"check", 1, 1, "NAME",
	 "Prints what programs did wrong on NAME, which was started with up --check.", ls_options,
	 sim_cmd_check},
	{"stat", 1, CLI_PROGRAM, "-- CMD [ARG...]",
	 "Runs CMD as run does; prints what the messages of each queue cost on PCIe.", stat_options,
	 cmd_stat},
	{"record", 1, CLI_PROGRAM, "-- CMD [ARG...]",
	 "Runs CMD as run does; writes its commands, doorbells, WQEs, CQEs and events to a file.",
	 record_options, cmd_record},
	{"show", 1, 1, "FILE", "Prints a recording: when, who, what.", show_options, cmd_show},
	{"diff", 2, 2, "FILE FILE",
	 "Compares two recordings, queue by queue; prints each queue's first difference.",
	 no_options, cmd_record_diff},
	{"replay", 2, 2, "NAME FILE.pcap",
	 "Sends a file's packets into the port of NAME; prints what happened to them.", ls_options,
	 cmd_replay},
	{"capture", 2, 2, "NAME FILE.pcap",
	 "Writes what is on the wire of NAME to a file (- for a pipe), until Ctrl-C.",
	 capture_options, cmd_capture},
	{"fault", 1, 2, "NAME [FAULTS|FILE|off]",
	 "Makes the wire of NAME lose, double, reorder, damage or delay packets, or FILE's "
	 "commands, "
	 "packets and completions go wrong; prints what it does.",
	 ls_options, cmd_fault},
	{"link", 1, 2, "NAME [up|down]",
	 "Takes the link of NAME's port up or down; prints its state and its wire.", ls_options,
	 cmd_link},
	{"down", 1, 1, "NAME", "Takes a device down; its programs lose it.", no_options, cmd_down},
};

static const char overview[] =
	"A software mlx5 NIC under the real, unmodified libibverbs and libmlx5.\v"
	"Commands (dvx-sim COMMAND --help says more):\n"
	"  run [--trace] -- CMD     start a device, run CMD on it, take it down\n"
	"  up NAME; down NAME       start a device that stays up; take it down\n"
	"  exec NAME -- CMD         run CMD on it (--function host|dpu|vf0)\n"
	"  ls [--json]              devices, their programs and objects\n"
	"  why NAME [--json]        what its queues wait for\n"
	"  check NAME [--json]      what its programs did wrong (up --check)\n"
	"  stat -- CMD              run CMD; what its messages cost\n"
	"  record -o FILE -- CMD    run CMD and record it (show FILE; diff FILE FILE)\n"
	"  replay NAME FILE.pcap    send a file's packets into its port\n"
	"  capture NAME FILE.pcap   write what is on its wire to a file\n"
	"  fault NAME; link NAME    make its wire a bad one; take its port down or up\n"
	"\n"
	"Examples:\n"
	"  dvx-sim run -- ibv_devinfo -v\n"
	"  dvx-sim up a; dvx-sim exec a -- ib_write_lat &\n"
	"  dvx-sim exec a -f dpu -- ib_write_lat localhost; dvx-sim down a\n";

/* Appends to a list, which is NULL or was made here. */
static const char *join_list(const char *before, const char *arg, struct argp_state *state)
{
	char *all;

	if (asprintf(&all, "%s%s%s", before ? before : "", before ? "," : "", arg) < 0)
		argp_failure(state, argp_err_exit_status, errno, "%s", arg);
	free((void *)(uintptr_t)before);
	return all;
}

/* Checks the value here, so that a wrong one is an error of the command line. */
static void take_settings(struct sim_args *a, const char *arg, const char *option,
			  struct argp_state *state)
{
	char why[SETTING_WHY];

	if (settings_check(arg, why))
		argp_error(state, "%s: %s", option, why);
	a->set = join_list(a->set, arg, state);
}

static void take_set(struct sim_args *a, const char *arg, struct argp_state *state)
{
	if (!strcmp(arg, "help")) {
		settings_print(stdout);
		exit(fflush(stdout) ? EXIT_INPUT : EXIT_DONE);
	}
	take_settings(a, arg, "--set", state);
}

/* Takes an option that is short for a setting of this name. */
static void take_functions(struct sim_args *a, const char *name, const char *arg,
			   struct argp_state *state)
{
	char setting[32], option[8];

	snprintf(setting, sizeof(setting), "%s=%.20s", name, arg);
	snprintf(option, sizeof(option), "--%s", name);
	take_settings(a, setting, option, state);
}

static void take_fault(struct sim_args *a, const char *arg, struct argp_state *state)
{
	struct fault_rates rates;
	char why[FAULT_WHY];

	char file_why[INJECT_SENTENCE];

	if (inject_names_file(arg)) {
		if (!inject_read(arg, file_why))
			argp_error(state, "--fault: %s", file_why);
		a->inject = arg;
		return;
	}
	if (fault_rates_parse(&rates, arg, why))
		argp_error(state, "--fault: %s", why);
	a->fault = arg;
}

/* Returns a chip with all functions that a chip can have; the server knows those of its own. */
static struct profile any_chip(void)
{
	struct profile p = profile_bluefield2;

	p.vfs = p.sfs = PROFILE_MAX_VFS;
	return p;
}

static void take_ip(struct sim_args *a, const char *arg, struct argp_state *state)
{
	const struct profile p = any_chip();
	unsigned int function;
	char why[SETTING_WHY];
	uint8_t gid[16], prefix;

	if (profile_ip(&p, arg, strlen(arg), &function, gid, &prefix, why))
		argp_error(state, "--ip: %s", why);
	a->ip = join_list(a->ip, arg, state);
}

static bool wire_fits(const char *text)
{
	return !strcmp(text, "loop") || !strcmp(text, "udp") || !strncmp(text, "udp=", 4) ||
	       (!strncmp(text, "tap=", 4) && text[4]) ||
	       (!strncmp(text, "peer=", 5) && registry_name_fits(text + 5));
}

/*
 * Takes the wire. A switch's name follows the rules of chips' names; the server checks addresses.
 */
static void take_wire(struct sim_args *a, const char *arg, struct argp_state *state)
{
	if (!wire_fits(arg))
		argp_error(state, "--wire is loop, peer=SWITCH, udp=ADDR or tap=IFACE, not \"%s\"",
			   arg);
	a->wire = arg;
}

/* Reads a number of at most 18 digits; NULL: there is none, or what follows is not `end`. */
static const char *seed_of(const char *text, uint64_t *seed, char end)
{
	const size_t digits = strspn(text, "0123456789");

	*seed = strtoull(text, NULL, 10);
	return digits && digits <= 18 && text[digits] == end ? text + digits : NULL;
}

static void take_hostile(struct sim_args *a, const char *arg, struct argp_state *state)
{
	uint64_t seed;

	if (!seed_of(arg, &seed, 0))
		argp_error(state, "--hostile: expected a seed, a number, not \"%s\"", arg);
	a->hostile = arg;
}

static void take_seeds(struct sim_args *a, const char *arg, struct argp_state *state)
{
	const char *dots = seed_of(arg, &a->seeds, '.');

	if (!dots || dots[1] != '.' || !seed_of(dots + 2, &a->last_seed, 0) || !a->seeds ||
	    a->last_seed < a->seeds || a->last_seed - a->seeds >= 1000000)
		argp_error(state, "--seeds: expected A..B, numbers from 1, as 1..100, not \"%s\"",
			   arg);
}

/* Takes a size of PCIe's settings. 64 stands for completions at read completion boundaries. */
static void take_size(uint64_t *to, const char *arg, const char *option, struct argp_state *state)
{
	char *end;

	*to = strtoull(arg, &end, 10);
	if (*end || *to < 64 || *to > 4096 || *to & (*to - 1))
		argp_error(state, "%s: expected 64, 128, 256... 4096, not \"%s\"", option, arg);
}

static const struct cli_option values[] = {
	CLI_TRUE('j', json),
	CLI_TRUE('q', quiet),
	CLI_TRUE('N', netdev),
	CLI_TRUE(OPTION_SWEEP, sweep),
	CLI_TRUE('c', check),
	CLI_TEXT('f', function),
	CLI_NUMBER('n', count, 1, UINT64_MAX),
	CLI_NUMBER('r', repeat, 1, STAT_RUNS),
	CLI_TRUE(OPTION_PCM, pcm),
	CLI_TRUE(OPTION_EXACT, exact),
	CLI_TRUE(OPTION_COMPARE, compare),
	CLI_TEXT(OPTION_BUDGET, budget),
	CLI_TEXT('o', output),
	CLI_TRUE(OPTION_NIC, nic),
	CLI_TEXT(OPTION_CHROME, chrome),
	CLI_NUMBER(OPTION_SIZE, size, 1, 1048576),
	CLI_NUMBER('H', hang_after, 1, 1000000),
};

static error_t option(int key, char *arg, struct argp_state *state, struct sim_args *a)
{
	switch (key) {
	case 't':
		a->trace = arg ? arg : "-";
		return 0;
	case 's':
		take_set(a, arg, state);
		return 0;
	case 'i':
		take_ip(a, arg, state);
		return 0;
	case OPTION_VFS:
		take_functions(a, "vfs", arg, state);
		return 0;
	case OPTION_SFS:
		take_functions(a, "sfs", arg, state);
		return 0;
	case OPTION_MPS:
		take_size(&a->mps, arg, "--mps", state);
		return 0;
	case OPTION_MRRS:
		take_size(&a->mrrs, arg, "--mrrs", state);
		return 0;
	case OPTION_SWITCHDEV:
		take_settings(a, "switchdev=1", "--switchdev", state);
		return 0;
	case OPTION_HOSTILE:
		take_hostile(a, arg ? arg : "1", state);
		return 0;
	case OPTION_SEEDS:
		take_seeds(a, arg, state);
		return 0;
	case 'w':
		take_wire(a, arg, state);
		return 0;
	case 'F':
		take_fault(a, arg, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void options_check(struct argp_state *state, const struct sim_args *a)
{
	const struct profile p = any_chip();
	char names[FUNCTION_NAMES];

	if (profile_function(&p, a->function, names) < 0)
		argp_error(state, "--function is %s, not \"%s\"", names, a->function);
}

/* Completes names of running chips; "up" needs a new name. */
static void offer_chips(const char *command, const char *first, const char *field)
{
	const char *dir = registry();
	DIR *chips = dir && strcmp(command, "up") ? opendir(dir) : NULL;
	struct dirent *e;

	(void)first, (void)field;
	while (chips && (e = readdir(chips)))
		if (*e->d_name != '.')
			complete_offer(e->d_name, "");
	if (chips)
		closedir(chips);
}

/* Completes names of functions: those of the running chip, or all but most VFs. */
static void offer_functions(const char *command, const char *first, const char *field)
{
	const bool running = first && !strcmp(command, "exec") && registry();
	const struct profile p = any_chip();
	char path[PATH_MAX];

	(void)field;
	for (unsigned int i = 0; i < profile_functions(&p) && (running || i < 4); i++) {
		const struct function_row row = profile_row(&p, i);

		if (running)
			registry_file(path, first, row.name);
		if (!running || !access(path, F_OK))
			complete_offer(row.name, "");
	}
}

static const struct cli_words words[] = {{"NAME", offer_chips}, {"FUNCTION", offer_functions}};

static struct sim_args args = {
	.function = "host", .repeat = 1, .mps = 256, .mrrs = 512, .size = 64};

static const struct cli cli = {
	.tool = "dvx-sim",
	.overview = overview,
	CLI_TABLES(commands, values, args),
	.option = option,
	.check = options_check,
	.words = words,
	.word_count = sizeof(words) / sizeof(words[0]),
	.wrong_program = EXIT_SELF,
};

/*
 * Opens /dev/null in place of a closed stdin, stdout or stderr, so that no pipe or socket gets its
 * number. CMD finds it closed again.
 */
static void occupy_stdio(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	occupy_stdio();
	return cli_main(&cli, argc, argv);
}
