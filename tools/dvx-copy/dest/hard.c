/* SPDX-License-Identifier: BSD-2-Clause */
#include "dest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"

#define IDS_MAX (1u << 24)

struct dest_hard {
	char *path; /* of the first entry, from the copy's base */
	bool same;  /* it was up to date, and stays */
	bool lost;  /* it was not copied: another entry has its name */
};

struct dest_late {
	struct dest_late *next;
	char *path;
	uint32_t id;
};

static int hard_path(struct dest *d, char **to, const char *name)
{
	char path[PATH_MAX];

	*to = strdup(path_join(path, d->now->path, name));
	return *to ? dest_remember(d, strlen(*to)) : copy_no_memory(d->f);
}

static void hard_leave(struct dest *d, char *path)
{
	if (path)
		d->remembered -= dest_weight(strlen(path));
	free(path);
}

static int hard_room(struct dest *d, uint32_t id)
{
	struct dest_hard **more;
	uint32_t n = d->n_hard ? d->n_hard : 64;

	if (id >= IDS_MAX)
		return dest_breach(d, "sent more hard links than it may");
	if (id < d->n_hard)
		return 0;
	while (n <= id)
		n *= 2;
	more = reallocarray(d->hard, n, sizeof(struct dest_hard *));
	if (!more)
		return copy_no_memory(d->f);
	memset(more + d->n_hard, 0, (n - d->n_hard) * sizeof(struct dest_hard *));
	d->hard = more;
	d->n_hard = n;
	return 0;
}

static int hard_first(struct dest *d, uint32_t id, const char *name)
{
	struct dest_hard *h = d->hard[id];

	if (h)
		hard_leave(d, h->path);
	else
		h = d->hard[id] = malloc(sizeof(*h));
	if (!h)
		return copy_no_memory(d->f);
	*h = (struct dest_hard){.same = false};
	return hard_path(d, &h->path, name);
}

/* Opens the directory of a path, and finds the name in it. */
static int hard_open(const struct dest *d, const char *path, const char **name)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_MAX];

	*name = slash ? slash + 1 : path;
	snprintf(dir, sizeof(dir), "%.*s", slash ? (int)(slash - path) : 0, path);
	return beneath_open_steps(d->base, dir, O_RDONLY | O_DIRECTORY);
}

/* Whether the entry is a link to the first one already. */
static bool hard_is_linked(const struct dest *d, const struct dest_hard *h, const struct stat *st)
{
	const char *name;
	int dir = h->same ? hard_open(d, h->path, &name) : -1;
	struct stat first;
	bool yes;

	if (dir < 0)
		return false;
	yes = !fstatat(dir, name, &first, AT_SYMLINK_NOFOLLOW) && first.st_dev == st->st_dev &&
	      first.st_ino == st->st_ino;
	close(dir);
	return yes;
}

static int hard_add_late(struct dest *d, const struct copy_msg *m, const char *name)
{
	struct dest_late *late = calloc(1, sizeof(*late));

	if (!late)
		return copy_no_memory(d->f);
	late->id = m->id;
	late->next = d->late;
	d->late = late;
	return hard_path(d, &late->path, name);
}

int hard_later(struct dest *d, const struct copy_msg *m, const char *name, struct dest_found *found)
{
	bool there;
	struct stat st;
	int way = 1;

	if (!m->id || !(d->options.bits & OPTION_HARD))
		return 0;
	if (hard_room(d, m->id))
		return -1;
	if (!d->hard[m->id] || d->hard[m->id]->lost)
		return hard_first(d, m->id, name);
	there = d->now->fd >= 0 && !fstatat(d->now->fd, name, &st, AT_SYMLINK_NOFOLLOW);
	if (there && hard_is_linked(d, d->hard[m->id], &st))
		return 1;
	if (there && file_is_newer(d, &st, m)) {
		found->verdict = VERDICT_NEWER;
		return 1;
	}
	if (there && S_ISDIR(st.st_mode) && (way = delete_in_way(d, name)) <= 0) {
		found->verdict = VERDICT_LEFT;
		return way < 0 ? -1 : 1;
	}
	there = there && !S_ISDIR(st.st_mode);
	found->verdict = VERDICT_HARD | (there ? 0 : VERDICT_NEW);
	if (!(d->options.bits & OPTION_DRY))
		return hard_add_late(d, m, name) ? -1 : 1;
	d->counts->hard++;
	return 1;
}

void hard_lose(struct dest *d, uint32_t id)
{
	if (id && id < d->n_hard && d->hard[id])
		d->hard[id]->lost = true;
}

void hard_judged(struct dest *d, uint32_t id, uint32_t verdict)
{
	if (verdict & (VERDICT_LEFT | VERDICT_NEWER))
		hard_lose(d, id);
	else if (!(verdict & (VERDICT_DATA | VERDICT_MADE)) && id && id < d->n_hard && d->hard[id])
		d->hard[id]->same = true;
}

/* Links under a temporary name and renames, to replace an entry. Returns 0 or an errno. */
static int hard_link(int from, const char *first, int to, const char *name, const char *temp)
{
	int err;

	if (linkat(from, first, to, temp, 0))
		return errno;
	err = renameat(to, temp, to, name) ? errno : 0;
	unlinkat(to, temp, 0); /* rename() does nothing if both are links to one file */
	return err;
}

/* Makes the link in a directory that may be finished, and read-only. */
static int hard_make(int from, const char *first, int to, const char *name)
{
	struct stat st;
	char temp[TEMP_BYTES];
	bool opened;
	int err;

	if (fstat(to, &st) || temp_name(temp))
		return -1;
	opened = dest_make_writable(to, &st);
	err = hard_link(from, first, to, name, temp);
	futimens(to, (const struct timespec[2]){st.st_atim, st.st_mtim});
	if (opened && fchmod(to, st.st_mode & 07777) && !err)
		err = errno;
	errno = err;
	return err ? -1 : 0;
}

static int hard_fault(struct dest *d, const struct dest_late *late)
{
	if (d->hard[late->id]->lost)
		return role_skip(d->role, late->path,
				 "the file that it is a link to could not be copied");
	return dest_fault_at(d, d->base, late->path, "linked to the first of its names") < 0 ? -1
											     : 0;
}

static int hard_late(struct dest *d, const struct dest_late *late)
{
	const struct dest_hard *h = d->hard[late->id];
	const char *first, *name;
	int from = h->lost ? -1 : hard_open(d, h->path, &first);
	int to = hard_open(d, late->path, &name), ret = -1, err;

	if (from >= 0 && to >= 0)
		ret = hard_make(from, first, to, name);
	err = errno;
	d->renamed += !ret;
	/* The directory may have been synced before the link was made. */
	if (!ret && commit_dir(d, to, name))
		ret = -1;
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	d->counts->hard += !ret;
	if (!ret || d->f->code)
		return ret;
	errno = err;
	return hard_fault(d, late);
}

static void hard_forget_late(struct dest *d)
{
	while (d->late) {
		struct dest_late *late = d->late;

		d->late = late->next;
		hard_leave(d, late->path);
		free(late);
	}
}

int hard_finish(struct dest *d)
{
	for (const struct dest_late *late = d->late; late; late = late->next)
		if (hard_late(d, late) || alive_tick(&d->alive))
			return -1;
	hard_forget_late(d);
	return 0;
}

void hard_forget(struct dest *d)
{
	hard_forget_late(d);
	for (uint32_t i = 0; i < d->n_hard; i++) {
		if (!d->hard[i])
			continue;
		hard_leave(d, d->hard[i]->path);
		free(d->hard[i]);
	}
	free(d->hard);
	d->hard = NULL;
	d->n_hard = 0;
}
