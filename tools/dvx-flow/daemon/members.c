/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dvx-flow.h"
#include "members.h"

int members_find(const char *group, gid_t *out, struct flow_fault *f)
{
	const struct group *g = getgrnam(group);

	if (!g)
		return flow_fault_set(f, EXIT_INPUT, "there is no group %s", group);
	*out = g->gr_gid;
	return 0;
}

gid_t members_of_path(const char *path)
{
	struct stat st;

	return !stat(path, &st) && (st.st_mode & 0060) == 0060 ? st.st_gid : NO_GROUP;
}

/*
 * Changes the group before the mode: the socket was made for its owner alone, so nobody else gets
 * in meanwhile.
 */
int members_let_in(const char *path, gid_t group)
{
	return chown(path, (uid_t)-1, group) || chmod(path, 0660) ? -errno : 0;
}

static bool members_has(const gid_t *groups, size_t n, gid_t group)
{
	for (size_t i = 0; i < n; i++)
		if (groups[i] == group)
			return true;
	return false;
}

bool members_has_peer(int fd, gid_t group)
{
	struct ucred peer;
	socklen_t len = sizeof(peer), bytes = 0;
	gid_t *groups;
	bool has;

	if (group == NO_GROUP || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len))
		return false;
	if (peer.gid == group)
		return true;
	/* ERANGE: bytes is the size needed. */
	if (!getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, NULL, &bytes) || errno != ERANGE)
		return false;
	groups = malloc(bytes);
	has = groups && !getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &bytes) &&
	      members_has(groups, bytes / sizeof(*groups), group);
	free(groups);
	return has;
}
