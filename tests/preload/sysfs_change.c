/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that a change of the tree that finds a full disk does not hinder the next one. */
#include "tests/test.h"
#include "sysfs/sysfs_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

TEST(none, test_full_disk)
{
	char root[] = "/tmp/dvx-sysfs.XXXXXX", path[128], text[16] = "";
	struct rlimit old, none;
	int fd;

	assert_non_null(mkdtemp(root));
	assert_int_equal(sysfs_link(root, 1, true), 0);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	none = (struct rlimit){0, old.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	assert_int_equal(sysfs_link(root, 1, false), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(sysfs_link(root, 1, false), 0);
	snprintf(path, sizeof(path), "%s/" PORTS "/1/state", root);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	assert_string_equal(text, STATE_DOWN);
	close(fd);
	sysfs_remove(root);
}
