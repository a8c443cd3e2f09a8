/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_SIM_TOOL_H
#define DVX_SIM_TOOL_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#define CLI_ARGS sim_args
#include "tools/cli/cli.h"
#include "tools/cli/say.h"

/* What a command line asks for. */
struct sim_args {
	const char *function; /* "host" or "dpu" */
	const char *trace;    /* FILE, "-" for stderr, or NULL */
	const char *set;      /* NAME=VALUE,..., checked; or NULL */
	const char *fault;    /* drop=P,..., checked; or NULL */
	const char *wire;     /* checked; or NULL */
	const char *ip;	      /* [FUNCTION=]ADDR/LEN,..., checked; or NULL */
	bool netdev;
	uint64_t count; /* packets; 0: no end */
	bool json, quiet;
	int argc; /* NAME and FILE.pcap or CMD... behind it; run and ls have no NAME */
	char **argv;
};

/* dvx-sim's own failure, apart from what a command returns (as env and timeout have it). */
#define EXIT_SELF      125
#define EXIT_CANT_RUN  126
#define EXIT_NOT_FOUND 127

/* Return exit codes. A failure has printed a sentence. */
int cmd_run(const struct sim_args *);
int cmd_up(const struct sim_args *);
int cmd_exec(const struct sim_args *);
int cmd_ls(const struct sim_args *);
int cmd_down(const struct sim_args *);
int cmd_replay(const struct sim_args *);
int cmd_capture(const struct sim_args *);
int cmd_fault(const struct sim_args *);
int cmd_link(const struct sim_args *);

/* registry.c: the user's folder of chips, one folder each. */
#define ANSWER_SECONDS 10   /* a server that is silent for longer does not answer */
const char *registry(void); /* NULL after a sentence */
bool registry_name_fits(const char *name);
bool registry_name_ok(const char *name); /* false after a sentence */
void registry_file(char path[PATH_MAX], const char *name, const char *file);
/* Removes the files of a dead server. true: there is no such chip. */
bool registry_sweep(const char *name);
/* A connection to the chip's server, whose receives time out after ANSWER_SECONDS; -1. */
int registry_try(const char *name);
/* The same; -1 after a sentence. */
int registry_connect(const char *name);

/* others.c: no chip NAME in the user's folder: who has one, and what to do. */
void others_say(const char *name);

/* The protocol version of a chip that refused a request with err; 0: that is not the reason. */
unsigned int registry_other_version(const char *name, int err);
void registry_say_version(const char *name, unsigned int version, const char *what_now);
/* false after a sentence: the chip refused with err because it speaks another version. */
bool registry_is_ours(const char *name, int err);

/* wire.c: prints where the chip's switch is, if no other chip is on it. */
void wire_note_alone(const char *name);

/* server.c: a server, ready to take clients when this returns. -1 after a sentence. */
struct start {
	const char *name, *trace, *set, *fault, *wire, *ip;
	bool netdev; /* network interfaces */
	bool detach;
	int lifeline; /* the server ends when the other end of this pipe closes; -1 */
};
pid_t start_server(const struct start *);

/* install.c: files that belong to this program, installed or in the build tree. */
const char *preload_path(void);
const char *server_path(void);

/* exec.c: sets the environment and execs the command. Returns an exit code only on failure. */
struct chip_command {
	const char *chip, *function;
	char **cmd;  /* ends with NULL */
	bool traced; /* by an option without a file */
};
int exec_on_chip(const struct chip_command *);
/* preloadable.c: says so if the dynamic linker will not preload anything into a program. */
void preloadable_say(const char *program);

#endif
