/* SPDX-License-Identifier: BSD-2-Clause */
#include "dvx-sim.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "config.h"
#include "obj/setting.h"

const char *argp_program_version = "dvx-sim (" PACKAGE_STRING ")";

enum needs { NAME = 1, CMD = 2, PACKETS = 4 };

struct command {
	const char *name;
	unsigned int needs;
	const char *usage, *doc;
	const struct argp_option *options;
	int (*run)(const struct args *);
};

#define FUNCTION_OPTION                                                                            \
	{                                                                                          \
		"function", 'f', "host|dpu", 0, "which side of the chip CMD is on (default host)", \
			0                                                                          \
	}

#define SET_OPTION                                                                   \
	{                                                                            \
		"set", 's', "NAME=VALUE[,...]", 0,                                   \
			"what the chip has and lacks; --set help lists the names", 0 \
	}

static const struct argp_option run_options[] = {
	{"trace", 't', "FILE", OPTION_ARG_OPTIONAL,
	 "decode each command, doorbell, WQE and CQE to stderr, or to FILE", 0},
	SET_OPTION,
	FUNCTION_OPTION,
	{0},
};
static const struct argp_option up_options[] = {
	{"trace", 't', "FILE", 0, "decode each command, doorbell, WQE and CQE to FILE", 0},
	SET_OPTION,
	{0},
};
static const struct argp_option exec_options[] = {FUNCTION_OPTION, {0}};
static const struct argp_option ls_options[] = {
	{"json", 'j', NULL, 0, "for programs", 0},
	{0},
};
static const struct argp_option capture_options[] = {
	{"count", 'n', "N", 0, "end after N packets", 0},
	{0},
};
static const struct argp_option no_options[] = {{0}};

static const struct command commands[] = {
	{"run", CMD, "-- CMD [ARG...]",
	 "Starts a device, runs CMD on it, takes the device down; returns what CMD returns.",
	 run_options, cmd_run},
	{"up", NAME, "NAME", "Starts a device that stays; returns when programs may come.",
	 up_options, cmd_up},
	{"exec", NAME | CMD, "NAME -- CMD [ARG...]", "Turns into CMD, with the device NAME.",
	 exec_options, cmd_exec},
	{"ls", 0, "", "Lists the devices that are up, their programs and their objects.",
	 ls_options, cmd_ls},
	{"replay", NAME | PACKETS, "NAME FILE.pcap",
	 "Sends a file's packets into the port of NAME; prints what became of them.", ls_options,
	 cmd_replay},
	{"capture", NAME | PACKETS, "NAME FILE.pcap",
	 "Writes what is on the wire of NAME to a file (- for a pipe), until Ctrl-C.",
	 capture_options, cmd_capture},
	{"down", NAME, "NAME", "Takes a device down; its programs lose it.", no_options, cmd_down},
};
#define NCOMMANDS (sizeof(commands) / sizeof(commands[0]))

static const char overview[] =
	"A software mlx5 NIC under the real, unmodified libibverbs and libmlx5.\v"
	"Commands (dvx-sim COMMAND --help says more):\n"
	"  run [--trace] -- CMD     start a device, run CMD on it, take it down\n"
	"  up NAME                  start a device that stays\n"
	"  exec NAME -- CMD         run CMD on it (--function host|dpu)\n"
	"  ls [--json]              devices, their programs and objects\n"
	"  replay NAME FILE.pcap    send a file's packets into its port\n"
	"  capture NAME FILE.pcap   write what is on its wire to a file\n"
	"  down NAME                take it down\n"
	"\n"
	"Examples:\n"
	"  dvx-sim run -- ibv_devinfo -v\n"
	"  dvx-sim up a; dvx-sim exec a -- ib_write_lat &\n"
	"  dvx-sim exec a -f dpu -- ib_write_lat localhost; dvx-sim down a\n";

void say(const char *fmt, ...)
{
	va_list args;

	fputs("dvx-sim: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
}

struct parse {
	const struct command *command;
	struct args args;
};

static void take_rest(struct parse *p, struct argp_state *state)
{
	if ((p->command->needs & NAME) && !p->args.name) {
		p->args.name = state->argv[state->next++];
		return;
	}
	if ((p->command->needs & PACKETS) && !p->args.file) {
		p->args.file = state->argv[state->next++];
		return;
	}
	if (!(p->command->needs & CMD))
		argp_error(state, "%s is one argument too many", state->argv[state->next]);
	p->args.cmd = &state->argv[state->next];
	state->next = state->argc;
}

static void check(const struct parse *p, struct argp_state *state)
{
	if ((p->command->needs & NAME) && !p->args.name)
		argp_error(state, "%s needs the NAME of a chip", p->command->name);
	if ((p->command->needs & CMD) && !p->args.cmd)
		argp_error(state, "%s needs a command to run", p->command->name);
	if ((p->command->needs & PACKETS) && !p->args.file)
		argp_error(state, "%s needs a FILE of packets", p->command->name);
	if (strcmp(p->args.function, "host") && strcmp(p->args.function, "dpu"))
		argp_error(state, "--function is host or dpu, not \"%s\"", p->args.function);
}

/* Checked here, where a mistake is one of the command line; the server takes it as it is. */
static void take_set(struct parse *p, char *arg, struct argp_state *state)
{
	static char *all; /* for as long as the program runs */
	char why[SETTING_WHY], *before = all;

	if (!strcmp(arg, "help")) {
		settings_print(stdout);
		exit(fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS);
	}
	if (settings_check(arg, why))
		argp_error(state, "--set: %s", why);
	if (asprintf(&all, "%s%s%s", before ? before : "", before ? "," : "", arg) < 0)
		argp_failure(state, argp_err_exit_status, errno, "--set");
	free(before);
	p->args.set = all;
}

static void take_count(struct parse *p, const char *arg, struct argp_state *state)
{
	char *end;

	errno = 0;
	p->args.count = strtoull(arg, &end, 10);
	if (errno || *end || *arg < '0' || *arg > '9' || !p->args.count)
		argp_error(state, "--count is a number of packets, not \"%s\"", arg);
}

static error_t parse_one(int key, char *arg, struct argp_state *state)
{
	struct parse *p = state->input;

	switch (key) {
	case 't':
		p->args.trace = arg ? arg : "-";
		return 0;
	case 'f':
		p->args.function = arg;
		return 0;
	case 's':
		take_set(p, arg, state);
		return 0;
	case 'n':
		take_count(p, arg, state);
		return 0;
	case 'j':
		p->args.json = true;
		return 0;
	case ARGP_KEY_ARG:
		state->next--;
		take_rest(p, state);
		return 0;
	case ARGP_KEY_END:
		check(p, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int run_command(const struct command *c, int argc, char **argv)
{
	const struct argp argp = {c->options, parse_one, c->usage, c->doc, NULL, NULL, NULL};
	struct parse p = {.command = c, .args = {.function = "host"}};
	char name[64];

	snprintf(name, sizeof(name), "dvx-sim %s", c->name);
	argv[0] = name;
	argp_err_exit_status = c->needs & CMD ? EXIT_SELF : 2;
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &p);
	if (p.args.name && !registry_name_ok(p.args.name))
		return c->needs & CMD ? EXIT_SELF : EXIT_FAILURE;
	return c->run(&p.args);
}

static error_t parse_main(int key, char *arg, struct argp_state *state)
{
	int *rc = state->input;

	if (key == ARGP_KEY_NO_ARGS)
		argp_usage(state);
	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	for (unsigned int i = 0; i < NCOMMANDS; i++) {
		if (strcmp(arg, commands[i].name))
			continue;
		*rc = run_command(&commands[i], state->argc - state->next + 1,
				  state->argv + state->next - 1);
		state->next = state->argc;
		return 0;
	}
	argp_error(state, "there is no command \"%s\"", arg);
	return EINVAL;
}

/*
 * Whoever starts this with stdin, stdout or stderr closed: no pipe or socket may land there. CMD
 * gets them as they were.
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
	static const struct argp argp = {NULL, parse_main, "COMMAND [ARG...]", overview, NULL,
					 NULL, NULL};
	int rc = EXIT_FAILURE;

	occupy_stdio();
	argp_err_exit_status = 2;
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &rc);
	return rc;
}
