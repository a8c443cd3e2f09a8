/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves: after confine() the process and its threads can open only what it was given. */
#include "tests/test.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/confine.h"

static char work[] = "copy_confine.XXXXXX";
static int at;

static int set_up(UNUSED void **state)
{
	if (!mkdtemp(work))
		return -1;
	at = open(work, O_RDONLY | O_DIRECTORY);
	mkdirat(at, "in", 0700);
	mkdirat(at, "out", 0700);
	mkdirat(at, "wr", 0700);
	close(openat(at, "in/file", O_CREAT | O_WRONLY, 0600));
	close(openat(at, "out/file", O_CREAT | O_WRONLY, 0600));
	return symlinkat("../out/file", at, "in/leave");
}

static int tear_down(UNUSED void **state)
{
	char cmd[64];

	close(at);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", work);
	return system(cmd);
}

/* Skips the test on kernels before 5.13, without Landlock, and in containers that deny it. */
static void need_landlock(void)
{
	if (syscall(444 /* landlock_create_ruleset */, NULL, 0, 1 /* its version */) >= 1)
		return;
	print_message("# no Landlock in this kernel: %s\n", strerror(errno));
	skip();
}

/* Runs confined steps in a process of its own. Fails with the number of the first wrong step. */
static void confined(int (*steps)(void))
{
	int status;
	pid_t pid;

	need_landlock();
	pid = fork();
	if (!pid)
		_exit(steps());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (status)
		fail_msg("step %d (status 0x%x)", status >> 8, (unsigned int)status);
}

static int opens(const char *path, int flags)
{
	int fd = openat(at, path, flags, 0600);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static int connects(void)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_port = htons(9), .sin_addr = {htonl(INADDR_LOOPBACK)}};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	return !connect(fd, (struct sockaddr *)&to, sizeof(to)) || errno != EACCES;
}

static void *thread_opens(void *arg)
{
	*(int *)arg = opens("out/file", O_RDONLY);
	return NULL;
}

static int server_steps(void)
{
	struct confine_dir dirs[] = {{openat(at, "in", O_PATH), false},
				     {openat(at, "wr", O_PATH), true}};
	struct confine c = {dirs, 2, true, true};
	char told[CONFINE_TEXT];
	pthread_t t;
	int got = 1, version;

	if (sscanf(confine(&c, told), "by Landlock (version %d)", &version) != 1)
		return 8;
	if (!opens("in/file", O_RDONLY) || !opens("wr/new", O_CREAT | O_RDWR))
		return 1;
	if (opens("in/file", O_WRONLY) || opens("in/new", O_CREAT | O_WRONLY) ||
	    !unlinkat(at, "in/file", 0))
		return 2;
	if (opens("out/file", O_RDONLY) || opens("in/leave", O_RDONLY) || opens("out", O_RDONLY))
		return 3;
	if (!renameat(at, "wr/new", at, "out/new") || !renameat(at, "wr/new", at, "in/new"))
		return 4;
	pthread_create(&t, NULL, thread_opens, &got);
	pthread_join(t, NULL);
	if (got)
		return 5;
	if (version >= 4 && connects())
		return 6;
	execl("/bin/true", "true", NULL);
	return errno == EACCES ? 0 : 7;
}

TEST(none, server)
{
	confined(server_steps);
}

/* DEST does not exist yet: its parent may be written, and everything may be read. */
static int client_steps(void)
{
	char path[64], told[CONFINE_TEXT];

	snprintf(path, sizeof(path), "%s/wr/dest", work);
	if (strncmp(confine_client(path, told), "by ", 3))
		return 8;
	if (!opens("wr/dest", O_CREAT | O_WRONLY) || !opens("out/file", O_RDONLY))
		return 1;
	return opens("out/file", O_WRONLY) || opens("in/new", O_CREAT | O_WRONLY) ? 2 : 0;
}

TEST(none, client)
{
	confined(client_steps);
}

TEST_GROUP(set_up, tear_down)
