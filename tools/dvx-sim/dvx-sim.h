/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_SIM_TOOL_H
#define DVX_SIM_TOOL_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#define CLI_ARGS sim_args
#include "tools/cli/cli.h"
#include "tools/cli/message.h"

/* The arguments of the command line. */
struct sim_args {
	const char *function; /* "host", "dpu", "vf0"... */
	const char *trace;    /* FILE, "-" for stderr, or NULL */
	const char *set;      /* NAME=VALUE,..., checked; or NULL */
	const char *fault;    /* drop=P,..., checked; or NULL */
	const char *inject;   /* a file of faults, which inject_read() has read; or NULL */
	const char *wire;     /* checked; or NULL */
	const char *ip;	      /* [FUNCTION=]ADDR/LEN,..., checked; or NULL */
	bool netdev, check;
	uint64_t count; /* packets; 0: no limit */
	uint64_t hang_after; /* seconds; 0: never */
	bool sweep;
	const char *hostile;	   /* a seed, checked; or NULL */
	uint64_t seeds, last_seed; /* --seeds; 0: none */
	bool json, quiet;
	uint64_t repeat, mps, mrrs; /* stat */
	bool pcm, exact, compare;
	const char *budget; /* a file, or NULL */
	const char *output; /* record: a file, or NULL */
	uint64_t size;	    /* record: MiB */
	bool nic;	    /* record: on the machine's NIC */
	const char *chrome; /* show: a file, or NULL */
	int argc; /* NAME, and FILE.pcap or CMD... behind it; run and ls have no NAME */
	char **argv;
};

/*
 * The exit code for dvx-sim's own failures, as env and timeout have one, too; others are the
 * command's.
 */
#define EXIT_FINDINGS  86 /* as dvx-check's */
#define EXIT_SELF      125
#define EXIT_CANT_RUN  126
#define EXIT_NOT_FOUND 127

/* The commands. They return exit codes, after an error message on failure. */
int cmd_run(const struct sim_args *);
int cmd_up(const struct sim_args *);
int cmd_exec(const struct sim_args *);
int cmd_ls(const struct sim_args *);
int cmd_down(const struct sim_args *);
int cmd_replay(const struct sim_args *);
int cmd_capture(const struct sim_args *);
int cmd_fault(const struct sim_args *);
int cmd_link(const struct sim_args *);
int cmd_why(const struct sim_args *);
int cmd_stat(const struct sim_args *);
int sim_cmd_check(const struct sim_args *);
int cmd_record(const struct sim_args *);
int cmd_show(const struct sim_args *);
int cmd_record_diff(const struct sim_args *);
int sweep_run(const struct sim_args *); /* run --sweep */
int seeds_run(const struct sim_args *); /* run --seeds */

/* run.c: runs a command on a device of its own; returns its exit code, or EXIT_SELF. */
struct run_observer {
	bool (*begin)(void *ctx, const char *chip); /* the device is up; false ends it; or NULL */
	void (*end)(void *ctx, const char *chip);   /* the command has ended; or NULL */
	void *ctx;
	const char *counts; /* the file of check/count.h */
	const char *record; /* a recording */
	bool to_stderr;	    /* what the command writes to stdout */
};
int run_observed(const struct sim_args *, char **cmd, const struct run_observer *);
/* Likewise, on a NIC that the machine has. */
int run_on_nic(char **cmd, const struct run_observer *);

/* --- registry.c: the user's folder of chips, with a folder for each --- */
#define ANSWER_SECONDS 10   /* a server that is silent for longer is considered dead */
const char *registry(void); /* NULL after an error message */
bool registry_name_fits(const char *name);
bool registry_name_ok(const char *name); /* false after an error message */
void registry_file(char path[PATH_MAX], const char *name, const char *file);
/* Removes the files of a dead server. true: there is no such chip now. */
bool registry_sweep(const char *name);
/* Connects to the chip's server; receives time out after ANSWER_SECONDS. -1 on failure. */
int registry_try(const char *name);
/* Like registry_try(), but prints an error message on failure. */
int registry_connect(const char *name);

/*
 * --- others.c --- Reports that no chip NAME is in the user's folder, who has one, and what to do.
 */
void others_report(const char *name);

/*
 * Returns the protocol version of a chip that refused a request with err; 0 if the version is not
 * the reason.
 */
unsigned int registry_other_version(const char *name, int err);
void registry_say_version(const char *name, unsigned int version, const char *what_now);
/*
 * Returns false, after an error message, if the chip refused with err because it has another
 * version.
 */
bool registry_is_ours(const char *name, int err);

/* wire.c: prints where the chip's switch is, if no other chip is connected to it. */
void wire_note_alone(const char *name);

/* --- why.c: the findings of a chip --- */
struct lab_finding;
struct why {
	struct lab_finding *rows;
	size_t n;
};
/* Asks this LINK_ question, which rows of findings answer. Returns as why_query(). */
bool why_ask(const char *name, uint16_t question, const void *body, size_t len, struct why *);
/* Asks the chip once. Returns false, after an error message if there is a chip. */
bool why_query(const char *name, struct why *);
/* Asks twice, and keeps what has not moved in between: 100 ms, or until this descriptor is readable. */
bool why_query_lasting(const char *name, int until, struct why *);
/* Removes findings that an earlier answer does not have, except of programs that ended. */
void why_keep_lasting(struct why *later, const struct why *earlier);
/* Counts findings without those that are so in idle programs, too. */
size_t why_count(const struct why *);
/* Removes findings of programs that run, or of those that ended. */
void why_drop(struct why *, bool ended);
/* Removes what the program has not taken, and keeps what the device can't finish. */
void why_drop_left(struct why *);
struct why why_copy(const struct why *);
void why_print(FILE *, struct why *);
int why_print_json(const char *name, const struct why *);
void why_forget(struct why *);

/* --- check.c: the rules of a chip, as a run_observer has them --- */
bool check_begin(void *none, const char *chip);
void check_end(void *found, const char *chip); /* bool *found: there are findings */

/* --- inject.c: faults that are requested one by one, in a file --- */
/* Whether an argument names a file, not rates (drop=P) or "off". */
bool inject_names_file(const char *arg);
/* Reads the file's faults. Returns false after setting why, a sentence that begins with the place. */
#define INJECT_SENTENCE (PATH_MAX + 200)
bool inject_read(const char *path, char why[INJECT_SENTENCE]);
/* Gives a chip the faults that were read, or none. Returns false after an error message. */
bool inject_send(const char *name);
/* Gives it these instead; reads the n that it has, with their counts. */
struct inject_fault;
bool inject_set_all(const char *name, const struct inject_fault *, size_t n);
bool inject_get_all(const char *name, struct inject_fault *, size_t n);
bool inject_clear(const char *name);
/* Print the chip's faults and how many events each has counted. */
void inject_print_text(const char *name);
struct json_t *inject_json(const char *name);

/* server.c: starts a server, which accepts clients when this returns. -1 after an error message. */
struct start {
	const char *name, *trace, *set, *fault, *wire, *ip, *hostile, *record;
	bool netdev; /* with network interfaces */
	bool detach;
	int lifeline; /* a pipe: the server ends when its other end closes; or -1 */
};
pid_t start_server(const struct start *);

/* install.c: paths of this program's files, installed or in the build tree. */
const char *preload_path(void);
const char *server_path(void);
const char *install_check_path(void); /* dvx-check */
const char *check_preload_path(void);

/*
 * exec.c: sets the environment and executes the command. It returns an exit code only on failure.
 */
struct chip_command {
	const char *chip, *function; /* NULL: the machine's own device */
	char **cmd;		     /* ends with NULL */
	bool traced; /* an option without a file asked for a trace */
	const char *counts; /* the program's calls are counted in this file; or NULL */
	const char *record; /* they are appended to this recording; or NULL */
};
int exec_on_chip(const struct chip_command *);

#endif
