/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "exits.h"
#include "ops.h"
#include "peer.h"
#include "tools/cli/json.h"
#include "tools/cli/message.h"

json_t *ends_json(const struct perf_ends *e)
{
	json_t *qpns = json_array(), *keys = json_array();
	char gid[33];

	for (uint32_t i = 0; i < e->n; i++)
		json_array_append_new(qpns, json_integer(e->qpn[i]));
	for (uint32_t i = 0; i < e->n * e->lane_keys; i++)
		json_array_append_new(keys, json_integer(e->keys[i]));
	for (int i = 0; i < 16; i++)
		snprintf(gid + 2 * i, 3, "%02x", e->gid[i]);
	return json_pack("{s:s, s:i, s:i, s:i, s:I, s:I, s:o, s:o}", "gid", gid, "lid", e->lid,
			 "mtu_log", e->mtu_log, "psn", (int)e->psn, "addr", (json_int_t)e->addr,
			 "key", (json_int_t)e->key, "qpns", qpns, "keys", keys);
}

static bool ends_number(json_int_t v, json_int_t most)
{
	return v >= 0 && v <= most;
}

/* Reads the keys. There have to be as many as were requested. */
static int keys_take(const json_t *keys, struct perf_ends *e)
{
	if (json_array_size(keys) != (size_t)e->n * e->lane_keys)
		return -1;
	for (uint32_t i = 0; i < e->n * e->lane_keys; i++) {
		json_int_t key = json_integer_value(json_array_get(keys, i));

		if (!ends_number(key, UINT32_MAX))
			return -1;
		e->keys[i] = (uint32_t)key;
	}
	return 0;
}

static int qpns_take(const json_t *qpns, struct perf_ends *e)
{
	for (uint32_t i = 0; i < e->n; i++) {
		const json_t *qpn = json_array_get(qpns, i);

		if (!json_is_integer(qpn) || !ends_number(json_integer_value(qpn), 0xffffff))
			return -1;
		e->qpn[i] = (uint32_t)json_integer_value(qpn);
	}
	return 0;
}

static int gid_take(const char *text, uint8_t gid[16])
{
	for (int i = 0; i < 16; i++)
		if (sscanf(text + 2 * i, "%2hhx", &gid[i]) != 1)
			return -1;
	return 0;
}

int ends_take(const json_t *j, struct perf_ends *e)
{
	json_int_t addr, key;
	const json_t *qpns;
	const char *gid;
	int lid, mtu_log, psn;

	if (json_unpack((json_t *)j, "{s:s, s:i, s:i, s:i, s:I, s:I, s:o}", "gid", &gid, "lid",
			&lid, "mtu_log", &mtu_log, "psn", &psn, "addr", &addr, "key", &key, "qpns",
			&qpns) ||
	    mtu_log < 8 || mtu_log > 12 || strlen(gid) != 32 || gid_take(gid, e->gid) ||
	    json_array_size(qpns) != e->n || !ends_number(lid, UINT16_MAX) ||
	    !ends_number(psn, 0xffffff) || !ends_number(key, UINT32_MAX) || qpns_take(qpns, e) ||
	    keys_take(json_object_get(j, "keys"), e))
		return -1;
	e->lid = (uint16_t)lid;
	e->mtu_log = (uint8_t)mtu_log;
	e->psn = (uint32_t)psn;
	e->addr = (uint64_t)addr;
	e->key = (uint32_t)key;
	return 0;
}

static json_t *request_json(const struct responder_request *w)
{
	return json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:I}", "transport",
			 w->transport->name, "lanes", (int)w->lanes, "sets", (int)w->sets,
			 "receives", (int)w->receives, "srq", (int)w->srq, "windows",
			 (int)w->windows, "access", (int)w->access, "memory",
			 (json_int_t)w->memory);
}

static int peer_ask(struct perf_peer *p, json_t *request, json_t **answer)
{
	int code = control_send(p->control, request);

	if (!code)
		code = control_receive(p->control, answer);
	p->failed = code != EXIT_DONE;
	return code;
}

static int peer_wrong(const struct perf_peer *p)
{
	message_print("%s answers something else than was asked", p->control->peer);
	return EXIT_PROTOCOL;
}

static int peer_open_there(struct perf_peer *p, const struct responder_request *w,
			   const struct perf_ends *requester, struct peer_responder *f)
{
	json_t *answer;
	int code = peer_ask(
		p, json_pack("{s:o, s:o}", "open", request_json(w), "ends", ends_json(requester)),
		&answer);

	if (code)
		return code;
	if (ends_take(json_object_get(answer, "ends"), &f->ends))
		code = peer_wrong(p);
	json_decref(answer);
	return code;
}

static int peer_open_here(struct perf_peer *p, const struct responder_request *w,
			  const struct perf_ends *requester, struct peer_responder *f)
{
	uint32_t *qpn = f->ends.qpn, *keys = f->ends.keys;
	int code = responder_open(p->site, w, &f->here);

	if (code)
		return code;
	memcpy(qpn, f->here->ends.qpn, f->here->ends.n * sizeof(*qpn));
	memcpy(keys, f->here->ends.keys,
	       (size_t)w->lanes * f->here->ends.lane_keys * sizeof(*keys));
	f->ends = f->here->ends;
	f->ends.qpn = qpn;
	f->ends.keys = keys;
	return responder_connect(p->site, f->here, requester);
}

int peer_begin(struct perf_peer *p, const struct responder_request *w,
	       const struct perf_ends *requester, struct peer_responder *f)
{
	*f = (struct peer_responder){.ends = {.n = w->lanes,
					      .qpn = calloc(w->lanes, sizeof(uint32_t)),
					      .lane_keys = responder_lane_keys(w)}};
	f->ends.keys = calloc((size_t)w->lanes * f->ends.lane_keys + 1, sizeof(uint32_t));
	if (!f->ends.qpn || !f->ends.keys) {
		message_print("no memory for %u queues", w->lanes);
		return EXIT_INPUT;
	}
	return p->control ? peer_open_there(p, w, requester, f)
			  : peer_open_here(p, w, requester, f);
}

static int peer_close_there(struct perf_peer *p, struct peer_responder *f, uint64_t sent)
{
	json_int_t received;
	json_t *answer;
	int code = peer_ask(p, json_pack("{s:I}", "close", (json_int_t)sent), &answer);

	if (code)
		return code;
	if (json_unpack(answer, "{s:I}", "received", &received))
		code = peer_wrong(p);
	else
		f->received = (uint64_t)received;
	json_decref(answer);
	return code;
}

static void peer_close_here(struct peer_responder *f)
{
	for (uint32_t i = 0; i < f->here->request.sets; i++) {
		responder_take(&f->here->set[i]);
		f->received += f->here->set[i].received;
	}
	responder_close(f->here);
}

int peer_finish(struct perf_peer *p, struct peer_responder *f, uint64_t sent)
{
	int code = EXIT_DONE;

	if (f->here)
		peer_close_here(f);
	else if (f->ends.qpn && p->control && !p->failed)
		code = peer_close_there(p, f, sent);
	free(f->ends.qpn);
	free(f->ends.keys);
	f->ends.qpn = f->ends.keys = NULL;
	return code;
}

int peer_print_error(struct perf_peer *p, int code)
{
	json_t *message;

	if (!p->control || p->failed)
		return code;
	p->failed = true;
	if (!control_ready(p->control))
		return code;
	code = control_receive(p->control, &message);
	if (!code)
		json_decref(message);
	return code ? code : EXIT_DEVICE;
}
