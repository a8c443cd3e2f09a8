/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/dvx-sim/dvx-sim.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "src/sim/link/link.h"
#include "pcap.h"
#include "tools/cli/json.h"

#define REPLAY_BATCH (256u << 10)
#define PROGRESS_NS  200000000u

static volatile sig_atomic_t stopped;

struct replaying {
	const struct sim_args *args;
	struct pcap_in *in;
	int sock;
	uint8_t *batch;
	size_t have;
	uint64_t sent; /* packets that were answered */
	struct port_results results;
	uint64_t began, shown; /* ns */
};

static void replaying_on_signal(int sig)
{
	stopped = sig;
}

static uint64_t replaying_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The texts of the rows, in the order of port_results. */
static const struct {
	const char *name, *text;
	size_t offset;
} rows[] = {
	{"queued", "in receive queues", offsetof(struct port_results, queued)},
	{"no_buffer", "no receive was posted", offsetof(struct port_results, no_buffer)},
	{"failed", "longer than the receive, or its memory is gone",
	 offsetof(struct port_results, failed)},
	{"dropped", "dropped by rules", offsetof(struct port_results, dropped)},
	{"missed", "no rule took it: for the function's kernel",
	 offsetof(struct port_results, missed)},
	{"unclaimed", "no function has its address or an RX root table",
	 offsetof(struct port_results, unclaimed)},
	{"transport", "RoCE, for a function's queue pairs",
	 offsetof(struct port_results, transport)},
	{"lost", "lost by broken steering: see the device's log",
	 offsetof(struct port_results, lost)},
};
#define NROWS (sizeof(rows) / sizeof(rows[0]))

static uint64_t result(const struct port_results *f, unsigned int row)
{
	uint64_t n;

	memcpy(&n, (const uint8_t *)f + rows[row].offset, sizeof(n));
	return n;
}

static void replaying_show_progress(struct replaying *r)
{
	uint64_t now = replaying_now_ns();
	int percent;

	if (!isatty(STDERR_FILENO) || now - r->shown < PROGRESS_NS)
		return;
	r->shown = now;
	percent = pcap_in_percent(r->in);
	fprintf(stderr, "\r%" PRIu64 " packets", r->sent);
	if (percent >= 0)
		fprintf(stderr, ", %d %%", percent);
	fputs("\033[K", stderr);
}

static void end_progress(void)
{
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

static const char *why(int err)
{
	if (err == -EPIPE || err == -ECONNRESET)
		return "it is gone";
	return err == -ETIMEDOUT ? "it does not answer" : strerror(-err);
}

/*
 * Sends a batch. The server answers when all its packets were steered, so the file is sent at the
 * device's pace.
 */
static int send_batch(struct replaying *r)
{
	struct link_message answer;
	struct port_results results;
	int err;

	if (!r->have)
		return 0;
	err = link_ask(r->sock, LINK_REPLAY, r->batch, r->have, -1, &answer);
	r->have = 0;
	if (!err && answer.h.len != sizeof(results))
		err = -EPROTO;
	if (!err) {
		memcpy(&results, answer.body, sizeof(results));
		port_results_add(&r->results, &results);
		r->sent += results.frames;
		err = answer.h.result;
		link_message_free(&answer);
	}
	if (err) {
		end_progress();
		if (!r->sent && !registry_is_ours(r->args->argv[0], err))
			return err;
		message_print("%s stopped taking packets after packet %" PRIu64 ": %s",
			      r->args->argv[0], r->sent, why(err));
	}
	replaying_show_progress(r);
	return err;
}

static int replaying_add(struct replaying *r, const struct pcap_packet *p)
{
	const struct port_packet head = {.len = p->len};
	size_t padded = (p->len + 7u) & ~7u;

	if (r->have + sizeof(head) + padded > REPLAY_BATCH && send_batch(r))
		return -1;
	memcpy(r->batch + r->have, &head, sizeof(head));
	memcpy(r->batch + r->have + sizeof(head), p->bytes, p->len);
	memset(r->batch + r->have + sizeof(head) + p->len, 0, padded - p->len);
	r->have += sizeof(head) + padded;
	return 0;
}

/* Checks the whole file before a packet is sent. */
static int replaying_check_file(const char *path)
{
	struct pcap_packet p;
	struct pcap_in *in;
	struct stat st;
	int rc = 1;

	if (stat(path, &st) || !S_ISREG(st.st_mode) || !strcmp(path, "-"))
		return 0;
	in = pcap_in_open(path);
	if (!in)
		return -1;
	while (rc == 1 && !stopped)
		rc = pcap_in_next(in, &p);
	pcap_in_close(in);
	if (rc < 0)
		message_print("nothing was sent");
	return rc;
}

static int replaying_send_file(struct replaying *r)
{
	struct pcap_packet p;
	int rc = 1;

	while (!stopped && (rc = pcap_in_next(r->in, &p)) == 1)
		if (replaying_add(r, &p))
			return -1;
	if (send_batch(r))
		return -1;
	end_progress();
	if (rc < 0)
		message_print("%" PRIu64 " packets before it were sent", r->sent);
	if (stopped)
		message_print("interrupted: %" PRIu64 " packets were sent", r->sent);
	return rc < 0 || stopped ? -1 : 0;
}

static void print_text(const struct replaying *r, double seconds)
{
	printf("%s: %" PRIu64 " packets, %" PRIu64 " bytes replayed in %.3f s\n", r->args->argv[0],
	       r->results.frames, r->results.bytes, seconds);
	for (unsigned int i = 0; i < NROWS; i++)
		if (result(&r->results, i))
			printf("%10" PRIu64 "  %s\n", result(&r->results, i), rows[i].text);
}

static int replaying_print_json(const struct replaying *r, double seconds, bool complete)
{
	json_t *o =
		json_pack("{s:I, s:I, s:f, s:b}", "frames", (json_int_t)r->results.frames, "bytes",
			  (json_int_t)r->results.bytes, "seconds", seconds, "complete", complete);

	for (unsigned int i = 0; i < NROWS; i++)
		json_object_set_new(o, rows[i].name,
				    json_integer((json_int_t)result(&r->results, i)));
	return json_out(o) ? -1 : 0;
}

static int replaying_report(const struct replaying *r, bool complete)
{
	double seconds = (double)(replaying_now_ns() - r->began) / 1e9;

	if (r->args->json)
		return replaying_print_json(r, seconds, complete);
	print_text(r, seconds);
	return 0;
}

static void replaying_take_signals(void)
{
	struct sigaction stop = {.sa_handler = replaying_on_signal};

	sigaction(SIGTERM, &stop, NULL);   /* timeout(1) sends it twice */
	stop.sa_flags = (int)SA_RESETHAND; /* a second Ctrl-C ends the program */
	sigaction(SIGINT, &stop, NULL);
}

static int replaying_run(struct replaying *r)
{
	int rc;

	r->batch = malloc(REPLAY_BATCH);
	if (!r->batch) {
		message_print("out of memory");
		return -1;
	}
	r->began = replaying_now_ns();
	rc = replaying_send_file(r);
	free(r->batch);
	return replaying_report(r, !rc) ? -1 : rc;
}

int cmd_replay(const struct sim_args *a)
{
	struct replaying r = {.args = a, .sock = registry_connect(a->argv[0])};
	int rc = -1;

	if (r.sock < 0)
		return EXIT_INPUT;
	replaying_take_signals();
	if (!replaying_check_file(a->argv[1]) && !stopped)
		r.in = pcap_in_open(a->argv[1]);
	if (r.in)
		rc = replaying_run(&r);
	pcap_in_close(r.in);
	close(r.sock);
	if (stopped)
		return 128 + stopped;
	return rc ? EXIT_INPUT : EXIT_DONE;
}
