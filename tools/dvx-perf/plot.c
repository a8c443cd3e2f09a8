/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "exits.h"
#include "plot.h"
#include "tools/cli/feed.h"
#include "tools/cli/message.h"

/*
 * State of the drawing. gnuplot draws into memory, because it does not report a full disk; the file
 * keeps its contents until the drawing is complete.
 */
static struct {
	const char *file;
	bool created; /* by plot_begin() */
	int drawing;
	struct feed gnuplot;
} plot;

static int plot_start(int out)
{
	static char name[] = "gnuplot";
	char *argv[] = {name, NULL};

	return feed_start(&plot.gnuplot, argv, out, true);
}

static int plot_failed(int err)
{
	message_print("--plot: %s: %s", plot.file, strerror(err));
	if (plot.created)
		unlink(plot.file);
	return EXIT_INPUT;
}

/* Opens the file before the measurement, to see whether it can be written. */
static int plot_touch(void)
{
	int fd = open(plot.file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	plot.created = fd >= 0;
	if (fd < 0)
		fd = open(plot.file, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return plot_failed(errno);
	close(fd);
	return EXIT_DONE;
}

int plot_begin(const char *file)
{
	int code, err;

	if (!file)
		return EXIT_DONE;
	signal(SIGPIPE, SIG_IGN);
	plot.file = file;
	code = plot_touch();
	if (code)
		return code;
	plot.drawing = memfd_create("drawing", MFD_CLOEXEC);
	if (plot.drawing < 0)
		return plot_failed(errno);
	err = plot_start(plot.drawing);
	if (!err)
		return EXIT_DONE;
	close(plot.drawing);
	if (plot.created)
		unlink(file);
	message_print(err == ENOENT
			      ? "--plot needs gnuplot, which is not installed (Debian: gnuplot-nox)"
			      : "--plot: gnuplot does not start: %s",
		      strerror(err));
	return EXIT_INPUT;
}

FILE *plot_commands(void)
{
	return plot.gnuplot.to;
}

/* Copies the drawing to the file. Returns 0 or an errno. */
static int plot_copy(int to)
{
	char part[16384];
	off_t at = 0;
	ssize_t n;

	while ((n = pread(plot.drawing, part, sizeof(part), at)) > 0) {
		n = write(to, part, (size_t)n);
		if (n <= 0)
			break;
		at += n;
	}
	return n < 0 ? errno : 0;
}

int plot_end(void)
{
	int fd, err;

	if (!plot.gnuplot.to)
		return EXIT_DONE;
	if (!feed_end(&plot.gnuplot)) {
		message_print("--plot: gnuplot could not draw %s", plot.file);
		close(plot.drawing);
		if (plot.created)
			unlink(plot.file);
		return EXIT_INPUT;
	}
	fd = open(plot.file, O_WRONLY | O_TRUNC | O_CLOEXEC);
	err = fd < 0 ? errno : plot_copy(fd);
	if (fd >= 0 && close(fd) && !err)
		err = errno;
	close(plot.drawing);
	return err ? plot_failed(err) : EXIT_DONE;
}

void plot_drop(void)
{
	if (!plot.gnuplot.to)
		return;
	feed_end(&plot.gnuplot);
	close(plot.drawing);
	if (plot.created)
		unlink(plot.file);
}

void plot_title(FILE *f, const char *what, const struct perf_site *s)
{
	fprintf(f, "set title \"%s, %s (%s)%s\" noenhanced\n", what, site_name(s), s->board,
		site_is_emulator(s) ? "\\nfigures of an emulator, not of a NIC" : "");
}

/* Whether a result belongs to a data block. Blocks are named after operation and engine: $d_0_1. */
static bool plot_is_of(const struct perf_result *r, enum perf_op op, size_t engine)
{
	return r->op == op && r->engine == perf_engines[engine];
}

/* Writes the rows of a block. Returns their number; with one size, the rows are percentiles. */
static size_t plot_rows(FILE *f, const struct perf_results *all, enum perf_op op, size_t engine)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct perf_result *r = all->list[i];

		if (!plot_is_of(r, op, engine))
			continue;
		if (!n++)
			fprintf(f, "$d_%d_%zu << EOD\n", op, engine);
		fprintf(f, "%u %g %g %g\n", r->size, r->latency[FIG_P50] / 1e3,
			r->latency[FIG_P99] / 1e3, r->rate / 1e6);
	}
	if (n)
		fprintf(f, "EOD\n");
	return n;
}

/*
 * Writes percentiles over x, where one in x messages is slower: each further nine has the same
 * width.
 */
static void plot_percentiles(FILE *f, const struct perf_result *r, enum perf_op op, size_t engine)
{
	const struct histogram *h = &r->histogram;
	uint64_t seen = 0;

	fprintf(f, "$d_%d_%zu << EOD\n", op, engine);
	for (uint32_t i = 0; i < HIST_BUCKETS; i++) {
		if (!h->bucket[i])
			continue;
		fprintf(f, "%g %g\n", (double)h->n / (double)(h->n - seen),
			(double)hist_high(i) * r->ns_per_tick / 1e3);
		seen += h->bucket[i];
	}
	fprintf(f, "EOD\n");
}

/* Writes "plot" with a line for each block; `columns` is in gnuplot's syntax. */
static void plot_lines(FILE *f, const struct perf_results *all, const char *columns,
		       const char *what)
{
	const char *comma = "plot ";

	for (enum perf_op op = 0; op < PERF_OPS; op++)
		for (size_t e = 0; e < PERF_ENGINES; e++)
			for (size_t i = 0; i < all->n; i++)
				if (plot_is_of(all->list[i], op, e)) {
					fprintf(f,
						"%s$d_%d_%zu using %s with linespoints title "
						"\"%s %s%s\" noenhanced",
						comma, op, e, columns, perf_ops[op].name,
						perf_engines[e]->name, what);
					comma = ", ";
					break;
				}
	fprintf(f, "\n");
}

static void plot_sizes(FILE *f, const struct report_of *of, const struct perf_results *all)
{
	for (enum perf_op op = 0; op < PERF_OPS; op++)
		for (size_t e = 0; e < PERF_ENGINES; e++)
			plot_rows(f, all, op, e);
	fprintf(f, "set multiplot layout 2,1\nset logscale xy\nset format x \"%%.0s%%c\"\n"
		   "set xlabel \"bytes of a message\" offset 0,0.5\nset ylabel \"median latency, "
		   "us\"\n");
	plot_title(f, "Latency and rate", of->site);
	plot_lines(f, all, "1:2", "");
	fprintf(f, "unset title\nset ylabel \"messages, M/s\"\n");
	plot_lines(f, all, "1:4", "");
	fprintf(f, "unset multiplot\n");
}

static void plot_one_size(FILE *f, const struct report_of *of, const struct perf_results *all)
{
	char what[64];

	for (size_t i = 0; i < all->n; i++)
		for (size_t e = 0; e < PERF_ENGINES; e++)
			if (all->list[i]->engine == perf_engines[e])
				plot_percentiles(f, all->list[i], all->list[i]->op, e);
	snprintf(what, sizeof(what), "Latency of %u bytes", options_size(of->args));
	plot_title(f, what, of->site);
	fprintf(f, "set logscale xy\nset xlabel \"percentile\" offset 0,0.5\nset ylabel \"latency, "
		   "us\"\n"
		   "set xtics (\"0\" 1, \"50\" 2, \"90\" 10, \"99\" 100, \"99.9\" 1e3, "
		   "\"99.99\" 1e4, \"99.999\" 1e5)\n");
	plot_lines(f, all, "1:2", "");
}

int plot_results(const struct report_of *of, const struct perf_results *all)
{
	FILE *f = plot_commands();

	if (!f)
		return EXIT_DONE;
	fprintf(f,
		"set terminal svg size 900,%d background \"white\"\nset grid\n"
		"set key outside bottom center horizontal\n",
		of->args->all_sizes ? 1000 : 600);
	if (of->args->all_sizes)
		plot_sizes(f, of, all);
	else
		plot_one_size(f, of, all);
	return plot_end();
}
