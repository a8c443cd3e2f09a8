/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include "crew.h"
#include "exits.h"
#include "progress.h"
#include "session.h"
#include "tools/cli/message.h"

static struct responder_request session_request(const struct perf_params *p)
{
	const struct perf_op_row *op = &perf_ops[p->op];

	/* Twice the window, so that receives that completed and are not reposted yet have room. */
	return (struct responder_request){
		.transport = p->transport,
		.lanes = perf_lanes(p),
		.sets = p->threads,
		.receives = op->receives ? 2 * p->window : 0,
		.windows = op->windows,
		.srq = p->srq || p->transport->pooled,
		.access = op->access & p->transport->access,
		.memory = p->threads * (uint64_t)p->max_size +
			  (p->transport->id == PERF_UD ? DVX_GRH_BYTES : 0),
	};
}

static void session_threads(struct perf_session *s)
{
	const struct perf_params *p = s->p;
	struct responder *here = s->responder.here;

	for (uint32_t i = 0; i < p->threads; i++) {
		struct perf_thread *t = &s->thread[i];

		t->p = p;
		t->session = s;
		t->lanes = p->qps;
		t->lane = &s->lane[i * p->qps];
		t->set = s->engine->set(s->requester, i);
		t->responder = here && here->request.receives ? &here->set[i] : NULL;
		for (uint32_t q = 0; q < p->qps; q++)
			t->lane[q].queue = s->engine->queue(s->requester, i * p->qps + q);
	}
}

static int session_connect(struct perf_session *s, struct perf_peer *peer,
			   const struct perf_ends *requester)
{
	struct responder_request request = session_request(s->p);
	int code = peer_begin(peer, &request, requester, &s->responder);

	return code ? code : s->engine->connect(s->requester, &s->responder.ends);
}

int session_open(struct perf_session *s, const struct perf_engine *e, const struct perf_params *p,
		 struct perf_peer *peer)
{
	uint32_t *qpn = calloc(perf_lanes(p), sizeof(*qpn));
	struct perf_ends requester = site_ends(p->site, perf_lanes(p), qpn);
	int code = EXIT_INPUT;

	*s = (struct perf_session){.engine = e, .p = p};
	s->thread = calloc(p->threads, sizeof(*s->thread));
	s->lane = calloc(perf_lanes(p), sizeof(*s->lane));
	if (!s->thread || !s->lane || !qpn)
		message_print("no memory for %u threads", p->threads);
	else
		code = e->open(p, &s->requester, &requester);
	if (!code)
		code = session_connect(s, peer, &requester);
	if (!code)
		session_threads(s);
	free(qpn);
	return code;
}

void session_reset(struct perf_session *s)
{
	s->engine->resize(s->requester);
	s->rate_ticks = s->rate_messages = 0;
	for (uint32_t i = 0; i < s->p->threads; i++) {
		s->thread[i].latency = (struct histogram){0};
		s->thread[i].post = (struct histogram){0};
	}
}

static int session_run_latency(void *member)
{
	struct perf_thread *t = member;
	const struct perf_session *s = t->session;

	return s->engine->latency(t);
}

static int session_run_rate(void *member)
{
	struct perf_thread *t = member;
	const struct perf_session *s = t->session;

	return s->engine->rate(t);
}

/* Returns the messages done in the current measurement. */
static uint64_t session_seen(const void *of)
{
	const struct perf_session *s = of;
	uint64_t seen = 0;

	for (uint32_t i = 0; i < s->p->threads; i++)
		seen += atomic_load_explicit(&s->thread[i].seen, memory_order_relaxed);
	return seen;
}

static int session_run(struct perf_session *s, const int *cpu, int (*work)(void *member),
		       const char *what, uint32_t round)
{
	const struct perf_op_row *op = &perf_ops[s->p->op];
	char in[32] = "warm-up";
	int rc;

	if (round)
		snprintf(in, sizeof(in), "round %u", round);
	for (uint32_t i = 0; i < s->p->threads; i++)
		atomic_store(&s->thread[i].seen, 0);
	progress_watch((uint64_t)s->p->count * s->p->threads, session_seen, s,
		       "%s, %u bytes: %s, %s, %s", op->name, op->bytes ? s->p->size : 0, in,
		       s->engine->name, what);
	rc = crew_run(s->p->threads, cpu, work, s->thread, sizeof(*s->thread));
	progress_unwatch();
	return rc < 0 ? EXIT_DEVICE : rc;
}

int session_latency(struct perf_session *s, const int *cpu, uint32_t round)
{
	return session_run(s, cpu, session_run_latency, "latency", round);
}

/* Distributes the thread's messages over its queues. */
static void session_deal(struct perf_thread *t)
{
	for (uint32_t i = 0; i < t->lanes; i++)
		t->lane[i].left = t->p->count / t->lanes + (i < t->p->count % t->lanes);
}

/* Measures from the start of the first thread to the end of the last one. */
int session_rate(struct perf_session *s, const int *cpu, uint32_t round)
{
	uint64_t began = UINT64_MAX, ended = 0;
	int rc;

	for (uint32_t i = 0; i < s->p->threads; i++)
		session_deal(&s->thread[i]);
	rc = session_run(s, cpu, session_run_rate, "rate", round);
	if (rc)
		return rc;
	for (uint32_t i = 0; i < s->p->threads; i++) {
		s->rate_messages += s->thread[i].rated;
		began = s->thread[i].began < began ? s->thread[i].began : began;
		ended = s->thread[i].ended > ended ? s->thread[i].ended : ended;
	}
	s->rate_ticks += ended - began;
	return EXIT_DONE;
}

static uint64_t session_sent(const struct perf_session *s)
{
	uint64_t sent = 0;

	for (uint32_t i = 0; s->thread && i < s->p->threads; i++)
		sent += s->thread[i].sent;
	return sent;
}

static int session_count(const struct perf_session *s, uint64_t sent)
{
	if (!perf_ops[s->p->op].receives || s->responder.received == sent)
		return EXIT_DONE;
	message_print("%s: %llu of %llu messages arrived", s->engine->name,
		      (unsigned long long)s->responder.received, (unsigned long long)sent);
	return s->p->transport->reliable ? EXIT_DEVICE : EXIT_DONE;
}

int session_finish(struct perf_session *s, struct perf_peer *peer, bool complete)
{
	uint64_t sent = session_sent(s);
	int code = peer_finish(peer, &s->responder, sent);

	if (s->requester)
		s->engine->close(s->requester);
	if (!code && complete)
		code = session_count(s, sent);
	free(s->thread);
	free(s->lane);
	*s = (struct perf_session){0};
	return code;
}
