/* SPDX-License-Identifier: BSD-2-Clause */
#include "account.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_LEAST 4096u
#define BYTES_MOST  (16u << 20) /* limit for a group's entry with all its members */

/* A query: by by_name if that is set, else by id. The answer fills id and name. */
struct account_query {
	const char *by_name;
	uint32_t id;
	char name[ACCOUNT_ROOM];
	bool found;
};

static void account_take(struct account_query *a, const char *name, uint32_t id)
{
	a->found = strlen(name) < sizeof(a->name);
	if (a->found)
		strcpy(a->name, name);
	a->id = id;
}

static int account_query_user(struct account_query *a, char *buf, size_t n)
{
	struct passwd pw, *user = NULL;
	int err = a->by_name ? getpwnam_r(a->by_name, &pw, buf, n, &user)
			     : getpwuid_r(a->id, &pw, buf, n, &user);

	if (!err && user)
		account_take(a, user->pw_name, user->pw_uid);
	return err;
}

static int account_query_group(struct account_query *a, char *buf, size_t n)
{
	struct group gr, *group = NULL;
	int err = a->by_name ? getgrnam_r(a->by_name, &gr, buf, n, &group)
			     : getgrgid_r(a->id, &gr, buf, n, &group);

	if (!err && group)
		account_take(a, group->gr_name, group->gr_gid);
	return err;
}

static bool account_query(struct account_query *a, bool group)
{
	int err = ERANGE;

	for (size_t n = BYTES_LEAST; err == ERANGE && n <= BYTES_MOST; n *= 2) {
		char *buf = malloc(n);

		err = !buf    ? ENOMEM
		      : group ? account_query_group(a, buf, n)
			      : account_query_user(a, buf, n);
		free(buf);
	}
	return a->found;
}

bool account_name(uint32_t id, bool group, char name[ACCOUNT_ROOM])
{
	struct account_query a = {.id = id};

	if (!account_query(&a, group) || !*a.name)
		return false;
	strcpy(name, a.name);
	return true;
}

bool account_id(const char *name, bool group, uint32_t *id)
{
	struct account_query a = {.by_name = name};

	if (!account_query(&a, group))
		return false;
	*id = a.id;
	return true;
}
