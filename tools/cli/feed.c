/* SPDX-License-Identifier: BSD-2-Clause */
#include "feed.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Starts the program with the pipe's end as its input. Returns 0 or an errno. */
static int feed_spawn(struct feed *f, char *const argv[], int out, int pipe_end, bool apart)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	int err = posix_spawn_file_actions_init(&actions);

	posix_spawnattr_init(&attr);
	if (apart) /* group 0, the default, is a new one */
		posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP);
	if (!err)
		err = posix_spawn_file_actions_adddup2(&actions, pipe_end, STDIN_FILENO);
	if (!err)
		err = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	if (!err)
		err = posix_spawnp(&f->pid, argv[0], &actions, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	return err;
}

int feed_start(struct feed *f, char *const argv[], int out, bool apart)
{
	int ends[2], err;

	if (pipe2(ends, O_CLOEXEC))
		return errno;
	err = feed_spawn(f, argv, out, ends[0], apart);
	close(ends[0]);
	f->to = err ? NULL : fdopen(ends[1], "w");
	if (f->to)
		return 0;
	err = err ? err : errno;
	close(ends[1]);
	return err;
}

bool feed_end(struct feed *f)
{
	int status = 0, failed = fclose(f->to);

	f->to = NULL;
	return waitpid(f->pid, &status, 0) == f->pid && !failed && !status;
}
