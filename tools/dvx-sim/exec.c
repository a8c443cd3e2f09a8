/* SPDX-License-Identifier: BSD-2-Clause */
#include "dvx-sim.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include "src/check/kinds.h"
#include "src/sim/link/link.h"
#include "tools/cli/preload.h"

static bool is_preload(const char *entry, size_t len)
{
	static const char name[] = "libdvx-sim.so";
	const size_t n = sizeof(name) - 1;

	return len >= n && !memcmp(entry + len - n, name, n) &&
	       (len == n || entry[len - n - 1] == '/');
}

/*
 * Removes this preload, if a client starts a client, and those of other dvx-sims, which would take
 * this one's open devices for another process's.
 */
static void drop_preloads(char *list)
{
	size_t len;
	char *to = list;

	for (const char *at = list; *at; at += len + (at[len] != 0)) {
		len = strcspn(at, " :");
		if (!len || is_preload(at, len))
			continue;
		if (to != list)
			*to++ = ':';
		memmove(to, at, len);
		to += len;
	}
	*to = 0;
}

static int add_preload(const char *lib)
{
	const char *old = getenv("LD_PRELOAD");
	char *rest;
	int err;

	if (strpbrk(lib, " :")) {
		message_print(
			"%s can't be preloaded: LD_PRELOAD takes no path with spaces or colons",
			lib);
		errno = EINVAL;
		return -1;
	}
	rest = strdup(old ? old : "");
	if (!rest)
		return -1;
	drop_preloads(rest);
	err = setenv("LD_PRELOAD", rest, 1);
	free(rest);
	return err ? err : preload_prepend(lib);
}

/* Preloads what counts calls (src/check/count.h) or records them, if that is asked for. */
static int preload_calls(const struct chip_command *c)
{
	const char *lib = c->counts || c->record ? check_preload_path() : NULL;

	if (!c->counts && !c->record)
		return 0;
	if (!lib || (c->counts && setenv(CHECK_COUNTS, c->counts, 1)) ||
	    (c->record && setenv(CHECK_RECORD, c->record, 1)))
		return -1;
	return preload_prepend(lib);
}

/* A program without the preload runs, but finds no device. */
static void exec_warn(const char *program)
{
	char path[PATH_MAX];
	const enum preload_reach reach = preload_reaches(program, path);

	if (reach == PRELOAD_STATIC)
		message_print("%s is statically linked: it does not see the device, which is "
			      "preloaded into dynamically linked programs only",
			      path);
	else if (reach == PRELOAD_PRIVILEGED)
		message_print(
			"%s gains privileges (setuid, setgid or file capabilities): the dynamic "
			"linker preloads nothing into it and its children, so they do not see the "
			"device; start dvx-sim with these privileges instead",
			path);
}

/* Sets what makes the program a client of the chip. Returns 0, or -1 with errno 0 after a message. */
static int exec_choose_chip(const struct chip_command *c)
{
	const char *lib = preload_path();
	char socket[PATH_MAX], tree[PATH_MAX];

	errno = 0;
	if (!lib)
		return -1;
	registry_file(socket, c->chip, "socket");
	registry_file(tree, c->chip, c->function);
	if (access(tree, F_OK)) {
		message_print("chip %s has no function %s", c->chip, c->function);
		errno = 0;
		return -1;
	}
	return add_preload(lib) || setenv("DVX_SIM_SOCKET", socket, 1) ||
			       setenv("DVX_SIM_CHIP", c->chip, 1) ||
			       setenv("DVX_SIM_FUNCTION", c->function, 1) ||
			       setenv("SYSFS_PATH", tree, 1)
		       ? -1
		       : 0;
}

int exec_on_chip(const struct chip_command *c)
{
	if ((c->chip && exec_choose_chip(c)) || preload_calls(c) || preload_add_sanitizer() ||
	    preload_allow_asan()) {
		if (errno)
			message_print("can't set the environment: %s", strerror(errno));
		return EXIT_SELF;
	}
	exec_warn(c->cmd[0]);
	execvp(c->cmd[0], c->cmd);
	message_print("can't run %s: %s%s", c->cmd[0], strerror(errno),
		      c->traced ? " (the file of a trace is joined by =: --trace=FILE)" : "");
	return errno == ENOENT ? EXIT_NOT_FOUND : EXIT_CANT_RUN;
}

/*
 * Whether the server has this program's version. A slow server is accepted: the command waits for
 * it.
 */
static bool exec_is_ours(const char *name, int sock)
{
	const struct timeval patience = {.tv_sec = 1};
	struct link_message answer = {0};
	int err;

	setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	err = link_ask(sock, LINK_STATUS, NULL, 0, -1, &answer);
	if (!err)
		link_message_free(&answer);
	return !err || registry_is_ours(name, err);
}

int cmd_exec(const struct sim_args *a)
{
	const struct chip_command c = {
		.chip = a->argv[0], .function = a->function, .cmd = a->argv + 1};
	int sock = registry_connect(c.chip);
	bool ours;

	if (sock < 0)
		return EXIT_SELF;
	ours = exec_is_ours(c.chip, sock);
	close(sock);
	if (a->quiet && setenv("DVX_SIM_LOG", "/dev/null", 0)) {
		message_print("can't set the environment: %s", strerror(errno));
		return EXIT_SELF;
	}
	return ours ? exec_on_chip(&c) : EXIT_SELF;
}
