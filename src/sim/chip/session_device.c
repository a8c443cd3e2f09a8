/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A client's open file of the device, opened by it or by another process that passed the descriptor
 * (the client is then a guest). The file lives until the last of them has closed it or died.
 */
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "chip.h"
#include "host/client.h"
#include "host/uar.h"
#include "kernel/kernel.h"
#include "obj/device.h"

/* --- opening ---------------------------------------------------------------------------------- */

static void client_died(void *arg, int fd)
{
	(void)fd;
	session_close(arg);
}

int session_watch_death(struct chip_session *c)
{
	int pidfd = (int)syscall(SYS_pidfd_open, c->pid, 0);

	if (pidfd < 0)
		return -errno;
	c->pidfd = pidfd;
	return chip_watch(c->chip, pidfd, client_died, c) ? -ENOMEM : 0;
}

/* Opens the process's memory. Returns NULL with errno on failure. */
static struct mm *session_open_memory(struct chip_session *c)
{
	int guard, err = session_watch_death(c);

	if (err) {
		errno = -err;
		return NULL;
	}
	guard = fcntl(c->pidfd, F_DUPFD_CLOEXEC, 0); /* the mm owns its own descriptor */
	if (guard < 0)
		return NULL;
	errno = ENOMEM;
	return mm_open(chip_host(c->chip), c->pid, guard);
}

static int session_open_device(struct chip_session *c, uint32_t function)
{
	c->mm = session_open_memory(c);
	if (!c->mm)
		return -errno;
	c->function = function;
	errno = ENOMEM;
	c->file = kernel_open(chip_kernel(c->chip), c->mm, function);
	return c->file ? 0 : -errno;
}

const struct vhca *session_function(const struct chip_session *c, const struct link_function *f)
{
	return memchr(f->name, 0, sizeof(f->name))
		       ? device_vhca_by_name(chip_device(c->chip), f->name)
		       : NULL;
}

bool session_open_function(struct chip_session *c, uint32_t *function)
{
	const struct vhca *v = NULL;
	struct link_function name;
	const char *why = NULL;

	if (c->in.m.h.len != sizeof(name)) {
		why = "an open message of a wrong length";
	} else {
		memcpy(&name, c->in.m.body, sizeof(name));
		v = session_function(c, &name);
	}
	if (!why && (c->file || c->cm))
		why = "a second open";
	if (!why && !v)
		why = "an open of a function that the chip doesn't have";
	if (why)
		session_disconnect(c, why);
	else
		*function = v->index;
	return !why;
}

void session_open_file(struct chip_session *c)
{
	uint32_t function;
	int err, fd;

	if (!session_open_function(c, &function))
		return;
	err = session_open_device(c, function);
	fd = err ? -1 : bar_fd(file_bar(c->file));
	if (session_reply(c, err, NULL, 0, &fd, !err) && err)
		session_close(c);
}

/* --- guests ----------------------------------------------------------------------------------- */

/* Finds an open file by its BAR: a holder of that descriptor has the file open. */
static const struct chip_session *session_of_bar(const struct sessions *s, int fd)
{
	const struct chip_session *c;
	struct stat want, st;

	if (fstat(fd, &want))
		return NULL;
	for (c = s->open; c; c = c->next)
		if (c->file && !fstat(bar_fd(file_bar(c->file)), &st) && st.st_ino == want.st_ino &&
		    st.st_dev == want.st_dev)
			return c;
	return NULL;
}

static int session_attach_guest(struct chip_session *c, const struct chip_session *owner)
{
	struct mm *mm = session_open_memory(c);

	if (!mm)
		return -errno;
	c->guest = kernel_attach(owner->file, mm);
	if (!c->guest) {
		mm_close(mm);
		return -ENOMEM;
	}
	c->file = owner->file;
	c->function = owner->function;
	return 0;
}

void session_attach_file(struct chip_session *c)
{
	const struct chip_session *owner;
	int err;

	if (c->file || c->cm || c->in.m.nfds != 1)
		return session_disconnect(c, "an attach without a BAR, or a second open");
	owner = session_of_bar(c->all, c->in.m.fds[0]);
	err = owner ? session_attach_guest(c, owner) : -ENODEV;
	if (session_reply(c, err, NULL, 0, NULL, 0) && err && owner)
		session_close(c); /* it may watch a process already */
}

/* --- mappings and shared pages ---------------------------------------------------------------- */

static bool session_range(struct chip_session *c, struct link_range *range)
{
	if (c->in.m.h.len != sizeof(*range)) {
		session_disconnect(c, "a mapping of a wrong length");
		return false;
	}
	memcpy(range, c->in.m.body, sizeof(*range));
	return true;
}

/* Handles a mapping. One userfaultfd watches one process. */
void session_map(struct chip_session *c)
{
	struct bar *bar = file_bar(c->file);
	struct link_range range;
	int err;

	if (!session_range(c, &range))
		return;
	if (c->guest)
		bar_poll(bar, "another process has mapped them");
	else if (c->in.m.nfds) {
		bar_uffd(bar, c->in.m.fds[0]);
		c->in.m.fds[0] = -1;
	}
	err = c->guest ? 0 : bar_mapped(bar, range.va, range.len, range.offset);
	session_reply(c, err, NULL, 0, NULL, 0);
}

void session_unmap(struct chip_session *c)
{
	struct link_range range;

	if (!session_range(c, &range))
		return;
	if (!c->guest)
		bar_unmapped(file_bar(c->file), range.va, range.len);
	session_reply(c, 0, NULL, 0, NULL, 0);
}

void session_share(struct chip_session *c)
{
	struct link_range range;

	if (c->guest)
		return session_disconnect(c, "shared pages of a file that another process opened");
	if (!session_range(c, &range))
		return;
	if (c->in.m.nfds != 1)
		return session_disconnect(c, "a piece of memory without its file");
	session_reply(c, kernel_share(c->file, range.va, range.len, c->in.m.fds[0]), NULL, 0, NULL,
		      0);
}

/* --- closing ---------------------------------------------------------------------------------- */

/* Returns another client of the same file, or NULL. */
static struct chip_session *session_other(const struct chip_session *c)
{
	struct chip_session *o;

	for (o = c->all->open; o; o = o->next)
		if (o != c && o->file == c->file)
			return o;
	return NULL;
}

/* Closes this client's use of the file. The opener's memory is used as long as the file is open. */
void session_close_file(struct chip_session *c)
{
	struct uverbs_file *file = c->file;
	struct chip_session *other = file ? session_other(c) : NULL;

	if (file && c->guest)
		kernel_detach(c->guest);
	else if (other)
		bar_poll(file_bar(file),
			 "the process that opened the device has left it to others");
	if (other && c->mm) {
		other->mm = c->mm;
		c->mm = NULL;
	} else if (file && !other) {
		kernel_close(file);
	}
	c->guest = NULL;
	c->file = NULL;
}

/* Closes the device; its objects are destroyed before the answer is sent. */
void session_close_device(struct chip_session *c)
{
	int in_use = !c->guest && (session_other(c) || kernel_shared_pages_in_use(c->file));

	if (!c->guest && !session_other(c))
		session_note_left(c);
	session_close_file(c);
	if (session_reply(c, in_use, NULL, 0, NULL, 0))
		session_close(c);
}
