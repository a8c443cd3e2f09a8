/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A screen that stays steady: each report is written over the last one in one write(), and only the
 * rest of a longer line is erased. Clearing first would flicker.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "show.h"
#include "stats.h"

#define HIDE_CURSOR   "\033[?25l"
#define SHOW_CURSOR   "\033[?25h"
#define HOME	      "\033[H"
#define CLEAR_TO_END  "\033[J"
#define CLEAR_TO_EDGE "\033[K"

static int screen_write(const char *p, size_t n)
{
	while (n) {
		ssize_t done = write(STDOUT_FILENO, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return -1;
		p += done;
		n -= (size_t)done;
	}
	return 0;
}

void screen_end(void)
{
	static const char end[] = "\r" CLEAR_TO_EDGE SHOW_CURSOR;

	screen_write(end, sizeof(end) - 1);
}

/* Handles an interrupt, which ends the program as usual: the last report stays on the screen. */
static void screen_interrupted(int number)
{
	(void)number;
	screen_end();
	_exit(0);
}

/* Handles a new size: ends the wait for the next report. */
static void screen_resized(int number)
{
	(void)number;
}

static void screen_on(int number, void (*handler)(int))
{
	struct sigaction act = {.sa_handler = handler};

	sigaction(number, &act, NULL);
}

void screen_begin(void)
{
	static const char begin[] = HIDE_CURSOR HOME CLEAR_TO_END;

	screen_on(SIGINT, screen_interrupted);
	screen_on(SIGTERM, screen_interrupted);
	screen_on(SIGHUP, screen_interrupted);
	screen_on(SIGWINCH, screen_resized);
	screen_write(begin, sizeof(begin) - 1);
}

static void screen_size(unsigned int *rows, unsigned int *columns)
{
	struct winsize size = {0};

	ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	*rows = size.ws_row ? size.ws_row : 24;
	*columns = size.ws_col ? size.ws_col : 80;
}

/*
 * Prints a line, cut to the screen: a longer one would wrap and move all below it. A character is a
 * column, however many bytes it has.
 */
static void screen_put_line(FILE *to, const char *line, size_t len, unsigned int columns)
{
	size_t n = 0;

	while (n < len && columns) {
		n++;
		while (n < len && (line[n] & 0xc0) == 0x80)
			n++;
		columns--;
	}
	fwrite(line, 1, n, to);
	/* In the last column this would erase the last character. */
	fputs(columns ? CLEAR_TO_EDGE "\n" : "\n", to);
}

static void screen_put(FILE *to, const char *text, unsigned int columns)
{
	fputs(HOME, to);
	while (*text) {
		size_t len = strcspn(text, "\n");

		screen_put_line(to, text, len, columns);
		text += len + (text[len] == '\n');
	}
	fputs(CLEAR_TO_END, to);
}

static void screen_put_title(FILE *to, const json_t *now)
{
	time_t t = time(NULL);
	char when[32] = "";
	struct tm tm;

	if (localtime_r(&t, &tm))
		strftime(when, sizeof(when), "%T", &tm);
	fprintf(to, "%s  %s: rules: %zu, applied: %" JSON_INTEGER_FORMAT "; Ctrl-C ends\n\n", when,
		show_text(now, "device"), json_array_size(json_object_get(now, "rules")),
		show_number(now, "applied"));
}

static char *screen_text(const struct stats_pair *s, unsigned int rows)
{
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	if (!to)
		return NULL;
	screen_put_title(to, s->now);
	/* The last line is the cursor's. */
	stats_top(to, s, rows > 3 ? rows - 3 : 0);
	if (!fclose(to))
		return text;
	free(text);
	return NULL;
}

int screen_draw(const struct stats_pair *s)
{
	unsigned int rows, columns;
	char *text, *frame = NULL;
	size_t len = 0;
	FILE *to;
	int ret = -1;

	screen_size(&rows, &columns);
	text = screen_text(s, rows);
	to = text ? open_memstream(&frame, &len) : NULL;
	if (to) {
		screen_put(to, text, columns);
		ret = fclose(to) ? -1 : screen_write(frame, len);
	}
	free(frame);
	free(text);
	return ret;
}
