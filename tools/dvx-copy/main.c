/* SPDX-License-Identifier: BSD-2-Clause */
#include <argp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "cli.h"
#include "config.h"

const char *argp_program_version = "dvx-copy " PACKAGE_VERSION;

volatile sig_atomic_t stop_asked;

static void ask_stop(int sig)
{
	(void)sig;
	stop_asked = 1;
}

/* No SA_RESTART: a wait has to end. A file-size limit is to be an error of write, not our death. */
static void set_signals(void)
{
	struct sigaction stop = {.sa_handler = ask_stop}, ignore = {.sa_handler = SIG_IGN};

	sigaction(SIGINT, &stop, NULL);
	sigaction(SIGTERM, &stop, NULL);
	sigaction(SIGPIPE, &ignore, NULL);
	sigaction(SIGXFSZ, &ignore, NULL);
}

/* A deep tree holds a descriptor per level. */
static void raise_descriptor_limit(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim))
		return;
	lim.rlim_cur = lim.rlim_max;
	setrlimit(RLIMIT_NOFILE, &lim);
}

static void usage(FILE *to)
{
	fputs("Usage: dvx-copy serve --root DIR [--listen ADDR[:PORT]] [OPTION...]\n"
	      "       dvx-copy pull ADDR[:PORT]:PATH... DEST [OPTION...]\n"
	      "Copies a directory tree between a host and its DPU by the device's DMA engine.\n"
	      "`dvx-copy serve --help' and `dvx-copy pull --help' list the options.\n",
	      to);
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";

	argp_err_exit_status = COPY_USAGE;
	set_signals();
	raise_descriptor_limit();
	if (!strcmp(verb, "serve"))
		return cli_serve(argc - 1, argv + 1);
	if (!strcmp(verb, "pull"))
		return cli_pull(argc - 1, argv + 1);
	if (!strcmp(verb, "--version") || !strcmp(verb, "-V")) {
		puts(argp_program_version);
		return COPY_OK;
	}
	if (!strcmp(verb, "--help") || !strcmp(verb, "-?")) {
		usage(stdout);
		return COPY_OK;
	}
	if (*verb)
		fprintf(stderr, "dvx-copy: \"%s\" is neither serve nor pull\n", verb);
	usage(stderr);
	return COPY_USAGE;
}
