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

/*
 * Removes the marked rules between two indexes, of which there are some. If one is needed (it is the
 * last one of a table), tries each half alone, the second first, as a removal changes the indexes
 * behind it. Rules that can't be removed stay for as long again. `part` has a place for each rule.
 */
static void expire_remove(struct holder *h, const bool *gone, size_t from, size_t to, bool *part)
{
	struct flow_fault f = {0};
	size_t half;

	while (!gone[from])
		from++;
	while (!gone[to - 1])
		to--;
	memset(part, 0, holder_rules(h)->n);
	memcpy(part + from, gone + from, to - from);
	if (!holder_edit(h, part, (struct holder_place){0}, NULL, NULL, NULL, &f))
		return;
	half = from + (to - from) / 2;
	if (f.code == EXIT_RULES && half > from) {
		expire_remove(h, gone, half, to, part);
		expire_remove(h, gone, from, half, part);
		return;
	}
	message_print("rules whose time is over can't be removed: %s", f.text);
	generation_renew(h->now, part);
}

/* Returns in how many ms it is to be called again; -1: never. */
static int holder_expire(struct holder *h, uint64_t now)
{
	struct flow_fault f = {0};
	bool *gone;
	size_t n;

	if (!h->now || !generation_expires(h->now))
		return -1;
	if (now < h->look)
		return (int)(h->look - now);
	h->look = now + EXPIRE_MS;
	n = holder_rules(h)->n;
	gone = calloc(2 * n, sizeof(*gone));
	if (gone && generation_look(h->now, now, gone, &f) > 0)
		expire_remove(h, gone, 0, n, gone + n);
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
