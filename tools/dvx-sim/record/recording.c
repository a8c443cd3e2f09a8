/* SPDX-License-Identifier: BSD-2-Clause */
#include "recording.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tools/dvx-sim/dvx-sim.h"

/* Reads the file's bytes; returns NULL with errno. */
static uint64_t *recording_bytes(int fd, size_t *len)
{
	struct stat st;
	uint64_t *bytes;
	ssize_t n;

	if (fstat(fd, &st))
		return NULL;
	errno = EINVAL;
	bytes = S_ISREG(st.st_mode) ? malloc((size_t)st.st_size + sizeof(*bytes)) : NULL;
	for (*len = 0; bytes && *len < (size_t)st.st_size; *len += (size_t)n) {
		n = read(fd, (uint8_t *)bytes + *len, (size_t)st.st_size - *len);
		if (!n)
			break;
		if (n < 0) {
			free(bytes);
			return NULL;
		}
	}
	return bytes;
}

static int recording_order(const void *a, const void *b)
{
	const struct record_head *const *x = a, *const *y = b;

	if ((*x)->ns != (*y)->ns)
		return (*x)->ns < (*y)->ns ? -1 : 1;
	return *x < *y ? -1 : 1;
}

static int recording_pid_order(const void *a, const void *b)
{
	const struct record_head *const *x = a, *const *y = b;

	if ((*x)->pid != (*y)->pid)
		return (*x)->pid < (*y)->pid ? -1 : 1;
	return recording_order(a, b);
}

/* Appends to a list, whose room doubles. */
static bool recording_add(const struct record_head ***list, size_t *n, const struct record_head *h)
{
	void *more;

	if (!(*n & (*n - 1))) {
		more = realloc(*list, (*n ? 2 * *n : 1) * sizeof(**list));
		if (!more)
			return false;
		*list = more;
	}
	(*list)[(*n)++] = h;
	return true;
}

static bool recording_read(struct recording *r)
{
	const struct record_head *h;
	bool ok = true;

	while (ok && (h = record_next(&r->reader))) {
		ok = recording_add(&r->events, &r->n, h);
		if (ok && h->kind == RECORD_PROCESS)
			ok = recording_add(&r->processes, &r->nprocesses, h);
	}
	if (!ok)
		message_print("out of memory for %s", r->path);
	if (r->n)
		qsort(r->events, r->n, sizeof(*r->events), recording_order);
	if (r->nprocesses)
		qsort(r->processes, r->nprocesses, sizeof(*r->processes), recording_pid_order);
	return ok;
}

bool recording_load(struct recording *r, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;

	*r = (struct recording){.path = path};
	r->bytes = fd < 0 ? NULL : recording_bytes(fd, &len);
	if (!r->bytes)
		message_print("can't read %s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	if (r->bytes && !record_read(&r->reader, r->bytes, len)) {
		message_print("%s: %s", path, r->reader.why);
		recording_free(r);
		return false;
	}
	if (r->bytes && recording_read(r))
		return true;
	recording_free(r);
	return false;
}

void recording_free(struct recording *r)
{
	free(r->events);
	free(r->processes);
	free(r->bytes);
	*r = (struct recording){0};
}

int recording_judge(const struct recording *r)
{
	const struct record_reader *f = &r->reader;

	if (*f->why)
		message_print("%s: %s; the %zu events before it are good", r->path, f->why, r->n);
	if (f->cut)
		message_print("%s is cut short at offset %llu: it had %llu bytes", r->path,
			      (unsigned long long)f->at, (unsigned long long)f->file->used);
	else if (!f->file->ended)
		message_print("%s has no end: its dvx-sim record runs, or was killed", r->path);
	if (f->torn)
		message_print("%s lacks %llu events whose writer was killed while it wrote",
			      r->path, (unsigned long long)f->torn);
	if (f->file->lost)
		message_print("%s was full: %llu later events are not in it (record --size)",
			      r->path, (unsigned long long)f->file->lost);
	if (*f->why)
		return EXIT_INPUT;
	return f->cut || !f->file->ended || f->torn || f->file->lost ? EXIT_NO : EXIT_DONE;
}

/* Numbers come again: returns the name of the last one that began before the event, else the first. */
static const char *recording_name(const struct recording *r, const struct record_head *h)
{
	const struct record_head *const *p = r->processes;
	size_t from = 0, to = r->nprocesses, at;

	while (from < to) {
		at = (from + to) / 2;
		if (p[at]->pid < h->pid || (p[at]->pid == h->pid && p[at]->ns <= h->ns))
			from = at + 1;
		else
			to = at;
	}
	if (from && p[from - 1]->pid == h->pid)
		return record_body(p[from - 1]);
	return from < r->nprocesses && p[from]->pid == h->pid ? record_body(p[from]) : "?";
}

void recording_who(const struct recording *r, const struct record_head *h, char *text, size_t size)
{
	const char *name = recording_name(r, h);

	if (*name)
		snprintf(text, size, "%s:%u", name, h->pid);
	else
		snprintf(text, size, "device");
	recorded_clean(text);
}
