/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reports chips in other folders. A chip belongs to the user who started it, in the folder that
 * XDG_RUNTIME_DIR named then.
 */
#include "dvx-sim.h"

#include <glob.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *others_user(uid_t uid, char number[16])
{
	const struct passwd *p = getpwuid(uid);

	snprintf(number, 16, "%u", (unsigned int)uid);
	return p ? p->pw_name : number;
}

/* Reports the chip if it is, or may be, in this folder. */
static bool others_look(const char *dir, const char *name)
{
	const char *mine = registry();
	char chip[PATH_MAX], number[16];
	struct stat st;
	bool closed;

	if (lstat(dir, &st) || !S_ISDIR(st.st_mode) || (mine && !strcmp(dir, mine)))
		return false;
	closed = access(dir, X_OK) != 0;
	snprintf(chip, sizeof(chip), "%s/%s/socket", dir, name);
	if (!closed && access(chip, F_OK))
		return false;
	if (st.st_uid == geteuid())
		message_print("no chip named %s is up in %s, but one is in %s: set XDG_RUNTIME_DIR "
			      "as it was "
			      "when dvx-sim up %s ran",
			      name, mine ? mine : "?", dir, name);
	else
		message_print("no chip named %s is up for user %s; user %s %s: run dvx-sim as that "
			      "user, or "
			      "start a chip of your own with dvx-sim up %s",
			      name, others_user(geteuid(), (char[16]){0}),
			      others_user(st.st_uid, number), closed ? "has chips" : "has one",
			      name);
	return true;
}

void others_report(const char *name)
{
	static const char *const folders[] = {"/run/user/*/dvx-sim", "/tmp/dvx-sim-[0-9]*"};
	bool said = false;
	glob_t dirs;

	for (unsigned int f = 0; f < sizeof(folders) / sizeof(folders[0]) && !said; f++) {
		if (glob(folders[f], 0, NULL, &dirs))
			continue;
		for (size_t i = 0; i < dirs.gl_pathc && !said; i++)
			said = others_look(dirs.gl_pathv[i], name);
		globfree(&dirs);
	}
	if (!said)
		message_print("no chip named %s is up: start it with dvx-sim up %s", name, name);
}
