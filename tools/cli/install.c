/* SPDX-License-Identifier: BSD-2-Clause */
#include "install.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "message.h"

const char *install_find(char path[PATH_MAX], const char *built, const char *moved,
			 const char *installed)
{
	const char *const near[] = {built, moved};
	char self[PATH_MAX / 2], found[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[n > 0 ? n : 0] = 0;
	if (strrchr(self, '/'))
		*strrchr(self, '/') = 0;
	for (unsigned int i = 0; n > 0 && i < sizeof(near) / sizeof(near[0]); i++) {
		snprintf(found, sizeof(found), "%s/%s", self, near[i]);
		if (realpath(found, path))
			return path;
	}
	snprintf(path, PATH_MAX, "%s", installed);
	if (!access(path, R_OK))
		return path;
	message_print("%s is missing: is dvx installed as a whole?", installed);
	return NULL;
}
