/* SPDX-License-Identifier: BSD-2-Clause */
/* dvx-sim show: prints a recording. */
#include "tools/dvx-sim/dvx-sim.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "recording.h"
#include "tools/cli/json.h"

static void show_head(const struct recording *r)
{
	const time_t began = (time_t)(r->reader.file->wall / 1000000000);
	struct tm t;
	char when[64];

	if (!gmtime_r(&began, &t) || !strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &t))
		strcpy(when, "?");
	printf("recorded %s UTC, %zu events\n%14s  %-20s %s\n", when, r->n, "us", "who", "what");
}

static void show_event(const struct recording *r, const struct record_head *h)
{
	static char text[RECORDED_TEXT];
	char who[300];

	recording_who(r, h, who, sizeof(who));
	for (int reply = 0; recorded_text(h, reply, text, sizeof(text)); reply = 1) {
		const uint64_t ns = h->ns - r->reader.file->began;

		printf("%10" PRIu64 ".%03u  %-20s %s", ns / 1000, (unsigned int)(ns % 1000), who,
		       text);
		printf(h->took ? " [%u ns]\n" : "\n", h->took);
		if (reply)
			break;
	}
}

static void show_events(const struct recording *r, bool json)
{
	if (!json)
		show_head(r);
	for (size_t i = 0; i < r->n; i++)
		if (!json)
			show_event(r, r->events[i]);
		else if (json_out_line(recorded_json(r, r->events[i])))
			break;
	fflush(stdout); /* before what it lacks */
}

int cmd_show(const struct sim_args *a)
{
	struct recording r;
	int code = EXIT_INPUT;

	if (!recording_load(&r, a->argv[0]))
		return EXIT_INPUT;
	if (!a->chrome)
		show_events(&r, a->json);
	if (!a->chrome || show_chrome(&r, a->chrome))
		code = recording_judge(&r);
	recording_free(&r);
	return code;
}
