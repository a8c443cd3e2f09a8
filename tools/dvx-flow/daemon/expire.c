/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules that go after some time without packets. The device has a first-hit bit for each, which the
 * daemon reads and clears once a second. Rules whose time is over are removed by one edit, as by
 * `del`: the file of the committed rules loses them in the same moment as the device.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dvx-flow.h"
#include "holder.h"
#include "track/track.h"

#define EXPIRE_MS 1000

/* Removes the marked rules. If that fails, they stay for as long again. */
static void expire_remove(struct holder *h, const bool *gone)
{
	struct flow_fault f = {0};

	if (!holder_edit(h, gone, (struct holder_place){0}, NULL, NULL, NULL, &f))
		return;
	message_print("rules whose time is over can't be removed: %s", f.text);
	generation_renew(h->now, gone);
}

/* Returns in how many ms it is to be called again; -1: never. */
static int holder_expire(struct holder *h, uint64_t now)
{
	struct flow_fault f = {0};
	bool *gone;

	if (!h->now || !generation_expires(h->now))
		return -1;
	if (now < h->look)
		return (int)(h->look - now);
	h->look = now + EXPIRE_MS;
	gone = calloc(holder_rules(h)->n, sizeof(*gone));
	if (gone && generation_look(h->now, now, gone, &f) > 0)
		expire_remove(h, gone);
	else if (f.code)
		message_print("first-hit bits can't be read: %s", f.text);
	free(gone);
	return h->now && generation_expires(h->now) ? EXPIRE_MS : -1;
}

int holder_tick(void *holder, int *fd)
{
	struct holder *h = holder;
	uint64_t now = generation_now();
	int ms = holder_expire(h, now), also = -1;

	if (h->base.track) {
		also = track_run(h->base.track, now);
		*fd = track_fd(h->base.track);
	}
	return ms < 0 || (also >= 0 && also < ms) ? also : ms;
}
