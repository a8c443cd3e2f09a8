/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/dvx-sim/dvx-sim.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "src/sim/link/link.h"
#include "pcap.h"

static volatile sig_atomic_t signalled;

struct capturing {
	const struct sim_args *args;
	int sock;
	struct link_in in;
	unsigned int pending; /* number of requests without an answer */
	bool stopping, ended;
	uint64_t lost;
	struct pcap_out out;
	sigset_t before; /* signal mask of waits; elsewhere signals that end them are blocked */
};

static void capturing_on_signal(int sig)
{
	signalled = sig;
}

static void capturing_take_signals(struct capturing *c)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
	sigset_t set;

	sigemptyset(&set);
	for (unsigned int i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		/* A second Ctrl-C ends the program; timeout(1) sends each SIGTERM twice. */
		const struct sigaction stop = {.sa_handler = capturing_on_signal,
					       .sa_flags =
						       ends[i] == SIGINT ? (int)SA_RESETHAND : 0};

		sigaddset(&set, ends[i]);
		sigaction(ends[i], &stop, NULL);
	}
	sigprocmask(SIG_BLOCK, &set, &c->before);
	for (unsigned int i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		sigdelset(&c->before, ends[i]);
}

static int capturing_gone(const struct capturing *c, int err)
{
	if (!registry_is_ours(c->args->argv[0], err))
		return -1;
	if (err == -EPIPE || err == -ECONNRESET)
		message_print("%s is gone: what was on its wire last may be missing",
			      c->args->argv[0]);
	else
		message_print("%s can't be captured: %s", c->args->argv[0], strerror(-err));
	return -1;
}

static int capturing_request(struct capturing *c, uint32_t what)
{
	int err = link_write(c->sock, LINK_CAPTURE, 0, &what, sizeof(what), NULL, 0, 0);

	if (err)
		return capturing_gone(c, err);
	c->pending++;
	return 0;
}

static int capturing_stop(struct capturing *c)
{
	c->stopping = true;
	return capturing_request(c, LINK_CAPTURE_STOP);
}

static bool capturing_enough(const struct capturing *c)
{
	return c->args->count && c->out.packets == c->args->count;
}

/* Writes an answer's packets. They are checked, although the server has this version. */
static int capturing_write_packets(struct capturing *c, const uint8_t *at, const uint8_t *end,
				   uint32_t n)
{
	struct port_packet p;
	size_t padded;

	while (n-- && !capturing_enough(c)) {
		if ((size_t)(end - at) < sizeof(p))
			return capturing_gone(c, -EPROTO);
		memcpy(&p, at, sizeof(p));
		at += sizeof(p);
		padded = (p.len + 7u) & ~7u;
		if (p.len > PORT_PACKET_MAX || (size_t)(end - at) < padded)
			return capturing_gone(c, -EPROTO);
		if (pcap_out_add(&c->out, p.ns, at, p.len))
			return -1;
		at += padded;
	}
	return pcap_out_flush(&c->out);
}

static int capturing_take(struct capturing *c, const struct link_message *m)
{
	struct port_captured head;

	if (m->h.type != LINK_CAPTURE || (!m->h.result && m->h.len < sizeof(head)))
		return capturing_gone(c, -EPROTO);
	if (m->h.result)
		return capturing_gone(c, m->h.result);
	memcpy(&head, m->body, sizeof(head));
	c->pending--;
	c->lost = head.lost;
	c->ended = head.ended;
	return capturing_write_packets(c, m->body + sizeof(head), m->body + m->h.len,
				       head.npackets);
}

/*
 * Waits for an answer, a signal, or the end of the output's reader; not for long once the capture
 * stops.
 */
static int capturing_wait_answer(struct capturing *c)
{
	const struct timespec patience = {.tv_sec = ANSWER_SECONDS};
	struct pollfd p[2] = {{c->sock, POLLIN, 0}, {c->out.fd, 0, 0}};
	int n = ppoll(p, 2, c->stopping ? &patience : NULL, &c->before);

	if (n < 0 && errno != EINTR) {
		message_print("can't wait for packets: %s", strerror(errno));
		return -1;
	}
	if (!n) {
		message_print("%s does not answer: what was on its wire last may be missing",
			      c->args->argv[0]);
		return -1;
	}
	return p[1].revents & POLLERR ? pcap_out_unread(&c->out) : 0;
}

/* Reads the part of an answer that has arrived. Returns 0, even if it is not complete. */
static int capturing_read_answer(struct capturing *c)
{
	int err = link_read(c->sock, &c->in, MSG_DONTWAIT), rc = 0;

	if (err < 0)
		return capturing_gone(c, err);
	if (err == 1) {
		rc = capturing_take(c, &c->in.m);
		link_in_reset(&c->in);
	}
	return rc;
}

static int capturing_turn(struct capturing *c)
{
	if (capturing_wait_answer(c) || capturing_read_answer(c))
		return -1;
	if (!c->stopping && (signalled || capturing_enough(c)))
		return capturing_stop(c);
	return c->pending || c->ended || capturing_enough(c)
		       ? 0
		       : capturing_request(c, LINK_CAPTURE_NEXT);
}

/* Starts the capture. The first answer confirms it. */
static int capturing_begin(struct capturing *c)
{
	if (capturing_request(c, LINK_CAPTURE_NEXT))
		return -1;
	while (c->pending)
		if (capturing_wait_answer(c) || capturing_read_answer(c) || signalled)
			return -1;
	message_print("capturing what is on the wire of %s; Ctrl-C ends it", c->args->argv[0]);
	return capturing_request(c, LINK_CAPTURE_NEXT);
}

static bool capturing_over(const struct capturing *c)
{
	return capturing_enough(c) || (c->ended && !c->pending);
}

static int capturing_run(struct capturing *c)
{
	int rc = capturing_begin(c);

	while (!rc && !capturing_over(c))
		rc = capturing_turn(c);
	if (pcap_out_close(&c->out))
		rc = -1;
	message_print("%" PRIu64 " packets, %" PRIu64 " bytes in %s", c->out.packets, c->out.bytes,
		      c->out.name);
	if (c->lost)
		message_print("%" PRIu64
			      " packets are not among them: they were written too slowly",
			      c->lost);
	return rc;
}

int cmd_capture(const struct sim_args *a)
{
	struct capturing c = {.args = a, .sock = registry_connect(a->argv[0])};
	const struct timeval forever = {0};
	int rc = -1;

	if (c.sock < 0)
		return EXIT_INPUT;
	signal(SIGPIPE, SIG_IGN); /* write() reports that the reader is gone */
	setsockopt(c.sock, SOL_SOCKET, SO_RCVTIMEO, &forever, sizeof(forever));
	if (!strcmp(a->argv[1], "-") && isatty(STDOUT_FILENO))
		message_print(
			"packets are not for a terminal: give a file, or a pipe to tshark -r -");
	else if (!pcap_out_open(&c.out, a->argv[1])) {
		capturing_take_signals(&c);
		rc = capturing_run(&c);
	}
	link_in_reset(&c.in);
	close(c.sock);
	return rc ? EXIT_INPUT : EXIT_DONE;
}
