/* SPDX-License-Identifier: BSD-2-Clause */
/* dvx-flow stats: prints the counts of rules and queues, once or repeatedly. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "client.h"
#include "show.h"
#include "stats.h"

struct stats_way {
	double seconds; /* to the next report; 0: there is only one */
	bool screen;
};

static double stats_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Parses the operand: "stats --watch 2" is "stats --interval 2". */
static int stats_operand(const struct args *a, double *seconds)
{
	char *end;

	if (!a->argc)
		return EXIT_DONE;
	*seconds = strtod(a->argv[0], &end);
	if (a->watch && end != a->argv[0] && !*end && *seconds >= 0.01 && *seconds <= 86400)
		return EXIT_DONE;
	if (a->watch)
		message_print("--watch %s: not a number of seconds from 0.01 to 86400", a->argv[0]);
	else
		message_print("\"%s\" is one argument too many; SECONDS belong to --watch",
			      a->argv[0]);
	return EXIT_USAGE;
}

static int stats_choose(const struct args *a, struct stats_way *w)
{
	int code;

	w->seconds = a->interval > 0 ? a->interval : a->watch;
	code = stats_operand(a, &w->seconds);
	if (code)
		return code;
	w->screen = w->seconds > 0 && !a->json && isatty(STDOUT_FILENO);
	if (!a->prometheus || (!a->json && w->seconds <= 0))
		return EXIT_DONE;
	message_print("--prometheus prints one report for a scraper: leave out %s",
		      a->json ? "--json" : "--watch");
	return EXIT_USAGE;
}

static int stats_print(const struct args *a, const struct stats_way *w, const struct stats_pair *s)
{
	if (a->json)
		return (w->seconds > 0 ? json_out_line
				       : json_out)(json_incref((json_t *)(uintptr_t)s->now));
	if (w->screen)
		return screen_draw(s) ? EXIT_INPUT : EXIT_DONE;
	if (a->prometheus) {
		stats_prometheus(stdout, s->now);
	} else {
		if (s->before)
			putchar('\n');
		stats_table(stdout, s);
	}
	return fflush(stdout) || ferror(stdout) ? EXIT_INPUT : EXIT_DONE;
}

static int stats_repeat(const struct args *a, const struct stats_way *w, int fd)
{
	struct stats_pair s = {.rates = w->seconds > 0};
	json_t *now = NULL, *before = NULL;
	struct flow_msg answer;
	double at = 0, last;
	int code;

	while (!(code = client_ask(fd, json_pack("{s:s}", "do", "stats"), NULL, &answer, NULL,
				   NULL))) {
		json_decref(before);
		before = now;
		last = at;
		at = stats_clock();
		now = show_take(&answer);
		s = (struct stats_pair){now, before, at - last, s.rates,
					show_tables_width(json_object_get(now, "rules"))};
		code = stats_print(a, w, &s);
		if (code || w->seconds <= 0)
			break;
		poll(NULL, 0, (int)(w->seconds * 1000));
	}
	json_decref(before);
	json_decref(now);
	return code;
}

int cmd_stats(const struct args *a)
{
	struct stats_way w;
	int fd, code = stats_choose(a, &w);

	if (code)
		return code;
	fd = client_connect(a, &code);
	if (fd < 0)
		return code;
	if (w.screen)
		screen_begin();
	code = stats_repeat(a, &w, fd);
	if (w.screen)
		screen_end();
	close(fd);
	return code;
}
