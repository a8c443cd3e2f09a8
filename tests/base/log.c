/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/test.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/wait.h>
#include "base/log.h"

static char text[1 << 20];

/* All that was logged since the last call. */
static const char *logged(int fd)
{
	ssize_t n = read(fd, text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = 0;
	return text;
}

static int pipe_in(int p[2])
{
	assert_int_equal(pipe(p), 0);
	sim_log_to(p[1]);
	return p[0];
}

/*
 * DVX_SIM_LOG names the file, until sim_log_to() names another. The environment is read once: each
 * needs a process of its own, before the other tests.
 */
TEST(none, test_environment)
{
	char name[] = "base_log.XXXXXX";
	int fd = mkstemp(name), own[2], status;

	assert_int_equal(pipe(own), 0);
	for (int i = 0; i < 2; i++) {
		pid_t child = fork();

		if (!child) {
			setenv("DVX_SIM_LOG", name, 1);
			if (i)
				sim_log_to(own[1]);
			sim_refuse("child %d", i);
			_exit(0);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
		assert_string_equal(logged(fd), i ? "" : "dvx-sim: child 0\n");
	}
	close(own[1]); /* so that the pipe has an end */
	assert_string_equal(logged(own[0]), "dvx-sim: child 1\n");
	unlink(name);
	close(own[0]);
	close(fd);
}

/* One line per call, with the prefix; errno is left alone. */
TEST(none, test_line)
{
	int p[2], fd = pipe_in(p);

	errno = EXDEV;
	sim_refuse("CREATE_CQ: log_cq_size %d is over %d", 23, 22);
	assert_int_equal(errno, EXDEV);
	assert_string_equal(logged(fd), "dvx-sim: CREATE_CQ: log_cq_size 23 is over 22\n");
	sim_bug("%s", "no such thing");
	assert_string_equal(logged(fd), "dvx-sim: bug in the device: no such thing\n");
}

/* Notes only when asked for. */
TEST(none, test_notes)
{
	int p[2], fd = pipe_in(p);

	sim_log_notes(0);
	sim_note("unseen");
	sim_log_notes(1);
	sim_note("seen");
	assert_string_equal(logged(fd), "dvx-sim: note: seen\n");
}

/* A program's own bytes can't forge a line, and a long one is cut where it can be seen. */
TEST(none, test_hostile)
{
	int p[2], fd = pipe_in(p);
	char big[5000];
	const char *line;

	sim_refuse("name '%s'", "a\ndvx-sim: forged\033[2J");
	assert_string_equal(logged(fd), "dvx-sim: name 'a?dvx-sim: forged?[2J'\n");
	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = 0;
	sim_refuse("%s", big);
	line = logged(fd);
	assert_true(strlen(line) <= 2048);
	assert_string_equal(line + strlen(line) - 5, " ...\n");
}

static void *log_many(void *arg)
{
	int i;

	for (i = 0; i < 200; i++)
		sim_refuse("thread %d says line %d", *(int *)arg, i);
	return NULL;
}

/* Lines of several threads don't mix. */
TEST(none, test_threads)
{
	int p[2], fd = pipe_in(p), id[4] = {0, 1, 2, 3}, i, lines = 0, a, b, end;
	pthread_t thread[4];
	const char *at;

	for (i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, log_many, &id[i]), 0);
	for (i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	for (at = logged(fd); *at; at = strchr(at, '\n') + 1, lines++) {
		end = 0;
		assert_int_equal(sscanf(at, "dvx-sim: thread %d says line %d%n", &a, &b, &end), 2);
		assert_int_equal(at[end], '\n');
	}
	assert_int_equal(lines, 800);
}

/* A file's length has an end; its latest lines are there. */
TEST(none, test_most)
{
	FILE *file = tmpfile();
	int fd = fileno(file);
	off_t size, longest = 0;

	assert_int_equal(fcntl(fd, F_SETFL, O_APPEND), 0);
	sim_log_to(fd);
	sim_log_most(4096);
	for (unsigned int i = 0; i < 10000; i++) {
		sim_refuse("CREATE_CQ: cqe %u is not within 1..4194303", i);
		size = lseek(fd, 0, SEEK_END);
		longest = size > longest ? size : longest;
	}
	sim_log_most(0);
	sim_log_to(2);
	assert_in_range(longest, 4000, 4096);
	size = pread(fd, text, sizeof(text) - 1, 0);
	text[size] = 0;
	assert_int_equal(strncmp(text, "dvx-sim: the log had 4096 bytes", 31), 0);
	assert_non_null(strstr(text, "cqe 9999 is not within 1..4194303\n"));
	fclose(file);
}
