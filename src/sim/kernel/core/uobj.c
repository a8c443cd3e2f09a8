/* SPDX-License-Identifier: BSD-2-Clause */
/* Objects of an open file, and their handles: the 32-bit numbers that programs use. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cmd.h"
#include "events.h"
#include "pins.h"
#include "room.h"
#include "base/log.h"
#include "fw/fw.h"

void *uobj_new(struct uverbs_file *f, const struct uobj_class *class, size_t size)
{
	struct uobj *u = calloc(1, size);

	if (!u || id_table_add(&f->handles, u, &u->id)) {
		free(u);
		return NULL;
	}
	u->file = f;
	u->class = class;
	u->uid = f->uid;
	u->older = f->newest;
	if (f->newest)
		f->newest->newer = u;
	f->newest = u;
	f->holder = f->made = u;
	return u;
}

void uobj_hold_instead(struct uobj *u, struct uobj *held, struct uobj *other)
{
	unsigned int i = 0;

	while (u->held[i] != held)
		i++;
	u->held[i] = other;
	other->users++;
	if (held)
		held->users--;
}

void uobj_hold(struct uobj *u, struct uobj *other)
{
	if (other)
		uobj_hold_instead(u, NULL, other);
}

void uobj_drop(struct uobj *u)
{
	struct uverbs_file *f = u->file;

	for (unsigned int i = 0; i < UOBJ_HELD && u->held[i]; i++)
		u->held[i]->users--;
	if (u->newer)
		u->newer->older = u->older;
	else
		f->newest = u->older;
	if (u->older)
		u->older->newer = u->newer;
	id_table_del(&f->handles, u->id);
	if (f->holder == u)
		f->holder = NULL;
	if (f->made == u)
		f->made = NULL;
	pins_drop(u);
	free(u);
}

/* Handles above INT64_MAX are -EINVAL, as ib_uverbs takes the 64 bits for a signed number. */
int uobj_find(struct uverbs_file *f, uint64_t handle, const struct uobj_class *class, void *obj)
{
	struct uobj *u = id_table_find(&f->handles, handle);

	if (handle > INT64_MAX)
		return refuse(-EINVAL, "%s handle %lld: handles are not negative",
			      class ? class->name : "object", (long long)handle);
	if (!u)
		return refuse(-ENOENT, "%s handle %llu: this file has no such object",
			      class ? class->name : "object", (unsigned long long)handle);
	if (class && u->class->object != class->object)
		return refuse(-EINVAL, "%s handle %llu: it is a %s", class->name,
			      (unsigned long long)handle, u->class->name);
	memcpy(obj, &u, sizeof(u));
	return 0;
}

void uobj_swap(struct uobj *a, struct uobj *b)
{
	const uint32_t id = a->id;

	a->id = b->id;
	b->id = id;
	a->file->handles.at[a->id] = a;
	b->file->handles.at[b->id] = b;
}

static int uobj_end(struct uobj *u)
{
	const struct uobj_class *c = u->class;
	int err = c->opcode ? mbox_destroy(u->file->vhca, c->opcode, u->uid, u->number) : 0;

	return err || !c->destroy ? err : c->destroy(u);
}

static int uobj_destroy_counted(struct uobj *u, uint32_t events[2])
{
	int err;

	if (u->users)
		return refuse(-EBUSY, "%s handle %u: %u other objects still refer to it",
			      u->class->name, u->id, u->users);
	err = uobj_end(u);
	if (err)
		return err;
	memcpy(events, u->events, sizeof(u->events));
	if (events[0] || events[1]) {
		u->file->destroyed.name = u->class->name;
		u->file->destroyed.number = u->number;
		u->file->destroyed.events = events[0] + events[1];
	}
	uobj_drop(u);
	return 0;
}

int uobj_destroy(struct uobj *u)
{
	uint32_t events[2];

	return uobj_destroy_counted(u, events);
}

int uobj_destroy_handle(struct uverbs_file *f, uint64_t handle, const struct uobj_class *class,
			uint32_t events[2])
{
	struct uobj *u;

	return uobj_find(f, handle, class, &u) ?: uobj_destroy_counted(u, events);
}

const struct uobj_class *uobj_class_of(const struct kernel *k, uint16_t object)
{
	for (const struct kernel_room *const *r = k->rooms; *r; r++) {
		for (const struct uobj_class *const *c = (*r)->classes; *c; c++) {
			if ((*c)->object == object)
				return *c;
		}
	}
	return NULL;
}

/* Destroys objects, the newest first, but those that others refer to: they need another round. */
static bool uobj_destroy_round(struct uverbs_file *f)
{
	bool progress = false;

	for (struct uobj *u = f->newest, *older; u; u = older) {
		older = u->older;
		if (u->users || uobj_end(u))
			continue;
		uobj_drop(u);
		progress = true;
	}
	return progress;
}

void uobj_destroy_all(struct uverbs_file *f)
{
	f->closing = true;
	if (f->uid)
		fw_flow_tables_unlink(f->vhca, f->uid);
	/* An older object may refer to a newer one, whose first refusals mean nothing then. */
	sim_refuse_silently(1);
	while (f->newest && uobj_destroy_round(f))
		;
	sim_refuse_silently(0);
	if (f->newest)
		uobj_destroy_round(f);
	/* The firmware still has these queues and may send events of them. */
	if (f->newest)
		hw_refs_forget(f);
	/* They are dropped in any order, so an object that one holds may be gone before it. */
	for (struct uobj *u = f->newest; u; u = u->older)
		memset(u->held, 0, sizeof(u->held));
	while (f->newest) {
		sim_bug("%s handle %u could not be destroyed at close", f->newest->class->name,
			f->newest->id);
		uobj_drop(f->newest);
	}
	id_table_free(&f->handles);
}
