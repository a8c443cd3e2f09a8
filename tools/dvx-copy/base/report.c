/* SPDX-License-Identifier: BSD-2-Clause */
#include "report.h"
#include "alive.h"
#include "tools/cli/json.h"
#include "tools/cli/message.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define REDRAW_SECONDS 0.2
#define EVENT_SECONDS  1
#define SKIPS_LISTED   1000u /* entries in the JSON; all are counted */

static double report_now(void)
{
	return (double)clock_now_ns() / 1e9;
}

void report_begin(struct report *r, bool quiet, bool json)
{
	memset(r, 0, sizeof(*r));
	r->quiet = quiet;
	r->json = json;
	r->live = !quiet && isatty(STDERR_FILENO);
	r->began = r->shown = report_now();
	r->skips = json_array();
	r->entries = json_array();
}

void report_enable(struct report *r, bool progress, bool stats)
{
	r->events = progress && r->json;
	r->live = !r->events && (r->live || (progress && !r->quiet));
	r->stats = stats;
}

/* Clears the progress line before a message is printed. */
static void clear_line(struct report *r)
{
	if (r->live)
		fputs("\r\033[K", stderr);
}

void report_skip(struct report *r, struct copy_bytes path, struct copy_bytes why)
{
	const char *p = path.n ? (const char *)path.p : ".";
	size_t n = path.n ? path.n : 1;

	clear_line(r);
	message_print("%s: %s", QUOTED(p, n), QUOTED(why.p, why.n));
	if (r->skipped++ < SKIPS_LISTED)
		json_array_append_new(r->skips,
				      json_pack("{s:o, s:o}", "path", json_text(p, n), "reason",
						json_text((const char *)why.p, why.n)));
}

/* Prints the reason once, though each source has a connection of its own. */
void report_via(struct report *r, const char *why)
{
	if (!r)
		return;
	if (why && !r->rc && !r->quiet && !r->json) {
		clear_line(r);
		message_print("copies by RDMA READ over a connection: %s", why);
	}
	r->rc = why;
	r->via = why ? "rc" : "dma";
}

void report_gone(struct report *r, struct copy_bytes path)
{
	if (r->items && !r->quiet && !r->json) {
		clear_line(r);
		printf(r->items > 1 ? "*deleting   %s\n" : "deleting %s\n", QUOTED(path.p, path.n));
	}
}

bool report_wants_items(const struct report *r)
{
	return r->items && !r->quiet && !r->json;
}

void report_item(struct report *r, uint32_t verdict, uint32_t mode, const char *path,
		 const char *target)
{
	const uint32_t copied = VERDICT_DATA | VERDICT_MADE | VERDICT_HARD;
	char item[ITEM_BYTES];

	if (!(r->items > 1 ? verdict : verdict & copied) ||
	    verdict & (VERDICT_LEFT | VERDICT_NEWER))
		return;
	clear_line(r);
	verdict_itemize(item, verdict, mode, r->sending);
	if (r->items > 1)
		printf("%s ", item);
	fputs(*path ? SHOWN(path) : ".", stdout);
	if (S_ISDIR(mode))
		putchar('/');
	if (target)
		printf(" -> %s", SHOWN(target));
	putchar('\n');
}

static void report_mode(char to[11], uint32_t mode)
{
	static const char kinds[16] = "?pc?d?b?-?l?s???";

	to[0] = kinds[mode >> 12 & 15];
	for (unsigned int i = 0; i < 9; i++)
		to[1 + i] = mode >> (8 - i) & 1 ? "rwx"[i % 3] : '-';
	if (mode & 04000)
		to[3] = to[3] == 'x' ? 's' : 'S';
	if (mode & 02000)
		to[6] = to[6] == 'x' ? 's' : 'S';
	if (mode & 01000)
		to[9] = to[9] == 'x' ? 't' : 'T';
	to[10] = '\0';
}

static void report_list_json(struct report *r, const char *path, const char *mode, uint64_t size,
			     int64_t mtime, const char *target)
{
	json_t *e = json_pack("{s:o, s:s, s:o, s:I}", "path", json_text(path, strlen(path)), "mode",
			      mode, "size", json_number(size), "mtime", (json_int_t)mtime);

	if (e && target)
		json_object_set_new(e, "target", json_text(target, strlen(target)));
	json_array_append_new(r->entries, e);
}

void report_entry(struct report *r, const char *path, uint32_t bits, uint64_t size, int64_t mtime,
		  const char *target)
{
	char mode[11], when[32] = "";
	const time_t t = mtime;
	struct tm tm;

	report_mode(mode, bits);
	path = *path ? path : ".";
	if (r->json) {
		report_list_json(r, path, mode, size, mtime, target);
		return;
	}
	if (localtime_r(&t, &tm))
		strftime(when, sizeof(when), "%Y/%m/%d %H:%M:%S", &tm);
	if (r->quiet)
		return;
	printf("%s %14llu %s %s", mode, (unsigned long long)size, when, SHOWN(path));
	if (target)
		printf(" -> %s", SHOWN(target));
	putchar('\n');
}

void report_lost(struct report *r, const struct copy_lost *lost)
{
	r->lost.acls += lost->acls;
	r->lost.xattrs += lost->xattrs;
	r->lost.hard += lost->hard;
}

void report_want(struct report *r, uint64_t files, uint64_t bytes)
{
	r->want_files = r->before.files + r->before.same + files;
	r->want_bytes = r->before.bytes + r->before.same_bytes + bytes;
}

void report_source(struct report *r)
{
	r->before = r->counts;
	r->want_files = r->want_bytes = 0;
}

static const char *human(char to[16], double bytes)
{
	static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
	unsigned int u = 0;

	while (bytes >= 1024 && u < 5) {
		bytes /= 1024;
		u++;
	}
	snprintf(to, 16, u && bytes < 100 ? "%.1f %s" : "%.0f %s", bytes, unit[u]);
	return to;
}

static double rate(const struct report *r, double at)
{
	double t = at - r->began;

	return t > 0 && !r->dry ? (double)r->counts.bytes / t : 0;
}

/* One file costs about as much time as this many bytes. */
#define FILE_WORK (64u << 10)

static uint64_t report_work(uint64_t files, uint64_t bytes)
{
	return files * FILE_WORK + bytes;
}

/* A moving average over about four seconds; the first interval is its start. */
static double smooth(double old, uint64_t more, double seconds)
{
	double fresh = (double)more / seconds;

	return old > 0 ? old + (fresh - old) * (seconds < 4 ? seconds / 4 : 1) : fresh;
}

static void report_measure(struct report *r, double t)
{
	const struct copy_counts *n = &r->counts;
	uint64_t done = report_work(n->files + n->same + n->newer,
				    n->bytes + n->same_bytes + n->newer_bytes);

	r->speed = smooth(r->speed, r->counts.bytes - r->shown_bytes, t - r->shown);
	r->pace = smooth(r->pace, done - r->shown_work, t - r->shown);
	r->shown_bytes = r->counts.bytes;
	r->shown_work = done;
	r->shown = t;
}

/* Returns the seconds left, 0 if unknown. */
static unsigned long report_left(const struct report *r)
{
	uint64_t all = report_work(r->want_files, r->want_bytes), done = r->shown_work;

	return r->pace > 0 && done < all ? (unsigned long)((double)(all - done) / r->pace) : 0;
}

static void draw_files(const struct report *r)
{
	uint64_t files = r->counts.files + r->counts.same;

	if (r->want_files)
		fprintf(stderr, ", %llu of %llu file%s", (unsigned long long)files,
			(unsigned long long)r->want_files, r->want_files == 1 ? "" : "s");
	else
		fprintf(stderr, " in %llu file%s", (unsigned long long)r->counts.files,
			r->counts.files == 1 ? "" : "s");
}

static void draw(const struct report *r)
{
	uint64_t all = report_work(r->want_files, r->want_bytes), done = r->shown_work;
	char size[16], of[16], speed[16];
	unsigned long left = report_left(r);

	human(size, (double)(r->counts.bytes + (all ? r->counts.same_bytes : 0)));
	human(speed, r->speed);
	if (done > all) /* the tree has grown */
		done = all;
	fprintf(stderr, "\r%s", size);
	if (all)
		fprintf(stderr, " of %s (%.0f%%)", human(of, (double)r->want_bytes),
			100 * (double)done / (double)all);
	draw_files(r);
	fprintf(stderr, ", %s/s", speed);
	if (left)
		fprintf(stderr, ", %lu:%02lu left", left / 60, left % 60);
	fputs("\033[K", stderr);
}

static void report_event(const struct report *r)
{
	const struct copy_counts *n = &r->counts;

	json_out_line(json_pack(
		"{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:I}", "event", "progress", "files",
		(json_int_t)n->files, "unchanged", (json_int_t)n->same, "want_files",
		(json_int_t)r->want_files, "bytes", (json_int_t)n->bytes, "want_bytes",
		(json_int_t)r->want_bytes, "skipped", (json_int_t)r->skipped, "bytes_per_second",
		r->speed, "seconds_left", (json_int_t)report_left(r)));
}

void report_progress(struct report *r)
{
	double t;

	if (!r->live && !r->events)
		return;
	t = report_now();
	if (t - r->shown < (r->events ? EVENT_SECONDS : REDRAW_SECONDS))
		return;
	report_measure(r, t);
	if (r->events)
		report_event(r);
	else
		draw(r);
}

/* json_out() leaves out members without a value. */
static int report_print_json(struct report *r, int code, const struct copy_fault *f, double seconds)
{
	const struct copy_counts *n = &r->counts;

	return json_out(json_pack(
		"{s:s, s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:O, "
		"s:I, s:I, s:f, s:s?, s:o?, s:s?, s:o?}",
		"result", fault_word(code), "exit", code, "files", (json_int_t)n->files,
		"directories", (json_int_t)n->dirs, "symlinks", (json_int_t)n->links, "specials",
		(json_int_t)n->specials, "hard_links", (json_int_t)n->hard, "unchanged",
		(json_int_t)n->same, "deleted", (json_int_t)n->gone, "bytes", (json_int_t)n->bytes,
		"chunks_verified", (json_int_t)n->chunks, "dma_copies", (json_int_t)n->copies,
		"skipped", (json_int_t)r->skipped, "seconds", seconds, "bytes_per_second",
		rate(r, r->began + seconds), "skips", r->skips, "newer", (json_int_t)n->newer,
		"bytes_taken_up", (json_int_t)n->taken, "crc_seconds", (double)n->crc_ns / 1e9,
		"via", r->via, "entries", r->list ? json_incref(r->entries) : NULL, "via_reason",
		r->rc, "error", f->code ? json_error(f->text, code) : NULL));
}

static void print_count(uint64_t n, const char *one, const char *many, const char *before)
{
	if (n)
		printf("%s%llu %s", before, (unsigned long long)n, n == 1 ? one : many);
}

static void print_line(struct report *r, double seconds)
{
	const struct copy_counts *n = &r->counts;
	char size[16], speed[16];

	printf("%llu file%s", (unsigned long long)n->files, n->files == 1 ? "" : "s");
	print_count(n->dirs, "directory", "directories", ", ");
	print_count(n->links, "symbolic link", "symbolic links", ", ");
	print_count(n->hard, "hard link", "hard links", ", ");
	print_count(n->specials, "special file", "special files", ", ");
	print_count(n->gone, "entry deleted", "entries deleted", ", ");
	print_count(n->same, "file unchanged", "files unchanged", ", ");
	print_count(n->newer, "newer file left alone", "newer files left alone", ", ");
	printf(": %s", human(size, (double)n->bytes));
	if (r->dry)
		fputs("; nothing was changed (dry run)", stdout);
	else
		printf(" in %.2f s (%s/s)", seconds, human(speed, rate(r, r->began + seconds)));
	if (n->chunks)
		fputs(", every slot's CRC32C verified", stdout);
	if (n->taken)
		printf(", %s of earlier copies compared with the source by SHA-256",
		       human(size, (double)n->taken));
	print_count(r->skipped, "not copied completely", "not copied completely", "; ");
	putchar('\n');
}

static void print_stats(const struct report *r, double seconds)
{
	const struct copy_counts *n = &r->counts;
	const struct {
		const char *name;
		uint64_t value;
	} rows[] = {
		{"files copied", n->files},
		{"bytes copied", n->bytes},
		{"bytes taken up", n->taken},
		{"files unchanged", n->same},
		{"newer files left alone", n->newer},
		{"bytes unchanged", n->same_bytes},
		{"directories", n->dirs},
		{"symbolic links", n->links},
		{"hard links", n->hard},
		{"special files", n->specials},
		{"entries deleted", n->gone},
		{"not copied completely", r->skipped},
		{"slots verified", n->chunks},
		{"copies by the device", n->copies},
		{"bytes a second", (uint64_t)rate(r, r->began + seconds)},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		printf("%-22s %llu\n", rows[i].name, (unsigned long long)rows[i].value);
	printf("%-22s %.3f (%.1f%% of the time)\n", "seconds for CRC32C", (double)n->crc_ns / 1e9,
	       (double)n->crc_ns / 1e7 / (seconds > 0 ? seconds : 1));
	printf("%-22s %s\n", "way", r->rc ? "RDMA READ" : "DMA engine");
}

static void print_lost(const struct report *r)
{
	const struct {
		uint64_t n;
		const char *one, *many;
	} rows[] = {
		{r->lost.acls, "entry's ACL (-A keeps it)\n", "entries' ACLs (-A keeps them)\n"},
		{r->lost.xattrs, "entry's extended attributes (-X keeps them)\n",
		 "entries' extended attributes (-X keeps them)\n"},
		{r->lost.hard, "link to a file with several (-H keeps it)\n",
		 "links to files with several (-H keeps them)\n"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		print_count(rows[i].n, rows[i].one, rows[i].many, "not kept: ");
}

int report_end(struct report *r, const struct copy_fault *f)
{
	int code = f->code ? f->code : r->skipped ? COPY_PARTIAL : COPY_OK;
	double seconds = report_now() - r->began;

	clear_line(r);
	if (r->events) /* a program gets the last state, however short the copy was */
		report_event(r);
	if (f->code)
		message_print("%s", f->text);
	if (r->json)
		code = report_print_json(r, code, f, seconds) ? COPY_IO : code;
	else if (!r->quiet && !f->code && !r->list) {
		print_line(r, seconds);
		print_lost(r);
		if (r->stats)
			print_stats(r, seconds);
	}
	return code;
}

void report_free(struct report *r)
{
	json_decref(r->skips);
	json_decref(r->entries);
	r->skips = r->entries = NULL;
}
