/* SPDX-License-Identifier: BSD-2-Clause */
#include "dvx-sim.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include "src/sim/link/link.h"

static bool usable(const char *dir)
{
	struct stat st;

	if (mkdir(dir, 0700) && errno != EEXIST) {
		message_print("can't make the folder %s: %s", dir, strerror(errno));
		return false;
	}
	if (!lstat(dir, &st) && S_ISDIR(st.st_mode) && st.st_uid != geteuid()) {
		message_print(
			"%s belongs to user %u: run dvx-sim as that user for its chips, or set "
			"XDG_RUNTIME_DIR to a folder of your own",
			dir, (unsigned int)st.st_uid);
		return false;
	}
	if (lstat(dir, &st) || !S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
	    (st.st_mode & 077)) {
		message_print("%s is not a folder that only you may enter: remove it, or set "
			      "XDG_RUNTIME_DIR",
			      dir);
		return false;
	}
	return true;
}

/*
 * Returns the user's id outside this user namespace: "unshare -r" does not make a user root of the
 * machine.
 */
static unsigned int outer_uid(void)
{
	const unsigned int me = geteuid();
	unsigned int inside, outside, count, uid = me;
	FILE *f = fopen("/proc/self/uid_map", "re");

	while (f && fscanf(f, "%u %u %u", &inside, &outside, &count) == 3)
		if (me >= inside && me - inside < count)
			uid = outside + (me - inside);
	if (f)
		fclose(f);
	return uid;
}

const char *registry(void)
{
	static char dir[PATH_MAX];
	const char *run = getenv("XDG_RUNTIME_DIR");

	if (run && *run == '/' && !access(run, W_OK))
		snprintf(dir, sizeof(dir), "%s/dvx-sim", run);
	else
		snprintf(dir, sizeof(dir), "/tmp/dvx-sim-%u", outer_uid());
	return usable(dir) ? dir : NULL;
}

bool registry_name_fits(const char *name)
{
	size_t len = strlen(name);
	bool ok = len > 0 && len < LINK_NAME_MAX && name[0] != '.' && name[0] != '-';

	for (size_t i = 0; ok && i < len; i++)
		ok = isalnum((unsigned char)name[i]) || strchr("._-", name[i]);
	return ok;
}

bool registry_name_ok(const char *name)
{
	bool ok = registry_name_fits(name);

	if (!ok)
		message_print(
			"\"%s\" is no name for a chip: use up to %d letters, digits, dots, dashes, "
			"underscores, and neither dot nor dash first",
			name, LINK_NAME_MAX - 1);
	return ok;
}

void registry_file(char path[PATH_MAX], const char *name, const char *file)
{
	const char *dir = registry();

	snprintf(path, PATH_MAX, "%s/%s%s%s", dir ? dir : "", name, *file ? "/" : "", file);
}

/* Leaves the lock, which keeps a new server of that name out, and the folder that it is in. */
static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	if (ftw->level > 1 || (ftw->level == 1 && strcmp(path + ftw->base, "lock")))
		remove(path);
	return 0;
}

bool registry_sweep(const char *name)
{
	char lock[PATH_MAX], dir[PATH_MAX];
	struct stat held, named;
	int fd;

	registry_file(lock, name, "lock");
	registry_file(dir, name, "");
	fd = open(lock, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return access(dir, F_OK) != 0;
	/* Another sweeper may have removed the lock, and a new server have made its own. */
	if (flock(fd, LOCK_EX | LOCK_NB) || fstat(fd, &held) || stat(lock, &named) ||
	    held.st_ino != named.st_ino) {
		close(fd);
		return false;
	}
	nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	unlink(lock);
	rmdir(dir);
	close(fd);
	return true;
}

int registry_try(const char *name)
{
	const struct timeval patience = {.tv_sec = ANSWER_SECONDS};
	char path[PATH_MAX];
	int sock;

	registry_file(path, name, "socket");
	sock = link_connect(path);
	if (sock >= 0)
		setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	else
		registry_sweep(name);
	return sock;
}

unsigned int registry_other_version(const char *name, int err)
{
	char path[PATH_MAX];

	registry_file(path, name, "socket");
	return link_version(path, err);
}

void registry_say_version(const char *name, unsigned int version, const char *what_now)
{
	message_print("%s speaks link version %u, this dvx-sim speaks %u: it was started by "
		      "another dvx-sim; "
		      "%s",
		      name, version, LINK_VERSION, what_now);
}

bool registry_is_ours(const char *name, int err)
{
	unsigned int version = registry_other_version(name, err);
	char hint[NAME_MAX + 32];

	snprintf(hint, sizeof(hint), "dvx-sim down %s ends it", name);
	if (version)
		registry_say_version(name, version, hint);
	return !version;
}

int registry_connect(const char *name)
{
	int sock;

	if (!registry_name_ok(name) || !registry())
		return -1;
	sock = registry_try(name);
	if (sock >= 0)
		return sock;
	others_report(name);
	return -1;
}
