/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <dvx/cmd.h>
#include <dvx/dev.h>

#include "where.h"
#include "tools/cli/library.h"

/* Makes a directory, or checks that it is private: a writer to it can replace the socket. */
static int own_directory(const char *path)
{
	struct stat st;

	if (mkdir(path, 0700) && errno != EEXIST) {
		message_print("%s: %s", path, strerror(errno));
		return EXIT_INPUT;
	}
	if (lstat(path, &st) || !S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
	    st.st_mode & 077) {
		message_print(
			"%s is not a private directory of this user; set XDG_RUNTIME_DIR or use "
			"--socket",
			path);
		return EXIT_INPUT;
	}
	return EXIT_DONE;
}

static int directory(char *dir, size_t size)
{
	const char *xdg = getenv("XDG_RUNTIME_DIR");

	/* Like dvx-sim: su and sudo keep the other user's XDG_RUNTIME_DIR, which may be gone. */
	if (xdg && *xdg == '/' && !access(xdg, W_OK)) {
		snprintf(dir, size, "%s", xdg);
		return EXIT_DONE;
	}
	if (!geteuid()) {
		snprintf(dir, size, "/run");
		return EXIT_DONE;
	}
	snprintf(dir, size, "/tmp/dvx-flow-%u", geteuid());
	return own_directory(dir);
}

static int where_set(char *out, size_t size, const char *base, const char *end)
{
	if ((size_t)snprintf(out, size, "%s%s", base, end) < size)
		return EXIT_DONE;
	message_print("%s%s: the path is longer than %zu bytes", base, end, size - 1);
	return EXIT_INPUT;
}

int where_to_ask(const struct args *a, struct where *w)
{
	if (!a->socket)
		return where_to_hold(a, w);
	*w = (struct where){0};
	return where_set(w->socket, sizeof(w->socket), a->socket, "");
}

/*
 * Writes a hash (FNV-1a) of SYSFS_PATH, or "". Several dvx-sim chips may have the same GUID, but
 * each has its own sysfs; the hash keeps their daemons apart.
 */
static void sysfs_mark(char out[16])
{
	const char *sysfs = getenv("SYSFS_PATH");
	uint32_t hash = 0x811c9dc5;

	out[0] = 0;
	if (!sysfs || !strcmp(sysfs, "/sys"))
		return;
	for (; *sysfs; sysfs++)
		hash = (hash ^ (unsigned char)*sysfs) * 0x01000193;
	snprintf(out, 16, "-%08" PRIx32, hash);
}

/*
 * Returns whether the committed rules are an older chip's. A reboot empties /run, but a dvx-sim
 * chip can end and another one get its name while the machine runs. Rules older than the chip's
 * sysfs are not its own.
 */
static bool outlived(const char *state)
{
	const char *sysfs = getenv("SYSFS_PATH");
	struct stat rules, chip;

	if (!sysfs || stat(state, &rules) || stat(sysfs, &chip))
		return false;
	return rules.st_mtim.tv_sec != chip.st_mtim.tv_sec
		       ? rules.st_mtim.tv_sec < chip.st_mtim.tv_sec
		       : rules.st_mtim.tv_nsec < chip.st_mtim.tv_nsec;
}

/* Finds the paths. A device has one file of committed rules, whatever the daemon's socket. */
int where_to_hold(const struct args *a, struct where *w)
{
	struct dvx_dev_info info;
	char dir[3000], base[4000], mark[16];
	int ret;

	*w = (struct where){0};
	/* Does not open the device: a client needs no permission on it. */
	if (dvx_dev_find(a->device, &info)) {
		message_print("%s", library_error());
		return EXIT_INPUT;
	}
	ret = directory(dir, sizeof(dir));
	if (ret)
		return ret;
	snprintf(w->device, sizeof(w->device), "%s", info.name);
	sysfs_mark(mark);
	snprintf(base, sizeof(base), "%s/dvx-flow-%s-%016" PRIx64 "%s", dir, info.name, info.guid,
		 mark);
	snprintf(w->service, sizeof(w->service), "/run/dvx-flow/%s%s.sock", info.name, mark);
	ret = where_set(w->socket, sizeof(w->socket), a->socket ? a->socket : base,
			a->socket ? "" : ".sock");
	if (!ret)
		ret = where_set(w->state, sizeof(w->state), a->state ? a->state : base,
				a->state ? "" : ".flow");
	w->outlived = !ret && !a->state && outlived(w->state);
	return ret;
}
