/* SPDX-License-Identifier: BSD-2-Clause */
#include "ct_traces.h"
#include <string.h>
#include <dvx/prm/object.h>
#include "steer/aso/aso.h"
#include "steer/packet.h"

#define IP_AT	14u
#define TCP_AT	34u
#define OPTIONS 20u
#define IP_TCP	6u

static uint32_t below(struct ct_trace *t, uint32_t n)
{
	t->seed ^= t->seed << 13;
	t->seed ^= t->seed >> 17;
	t->seed ^= t->seed << 5;
	return t->seed % n;
}

/* --- frames ----------------------------------------------------------------------------------- */

static void put32(uint8_t *p, uint32_t v)
{
	packet_store16(p, v >> 16);
	packet_store16(p + 2, v);
}

static void ip_header(struct ct_frame *f, uint32_t len)
{
	static const uint8_t client[] = {10, 0, 1, 2}, server[] = {10, 0, 2, 2};
	uint8_t *ip = f->bytes + IP_AT;

	f->bytes[12] = 0x08;
	ip[0] = 0x45;
	packet_store16(ip + 2, len);
	ip[8] = 64;
	ip[9] = IP_TCP;
	memcpy(ip + 12, f->reply ? server : client, 4);
	memcpy(ip + 16, f->reply ? client : server, 4);
	packet_store16(ip + 10, (uint16_t)~packet_sum(ip, 20, 0));
}

void ct_frame_make(const struct ct_trace *t, struct ct_frame *f, bool reply, const struct ct_tcp *s)
{
	uint8_t *tcp = f->bytes + TCP_AT;
	const uint32_t header = OPTIONS + s->noptions, len = header + s->len;
	struct packet p = {.data = f->bytes};

	memset(f->bytes, 0, sizeof(f->bytes));
	f->reply = reply;
	f->len = TCP_AT + len;
	ip_header(f, 20 + len);
	packet_store16(tcp, reply ? 80 : t->port);
	packet_store16(tcp + 2, reply ? t->port : 80);
	put32(tcp + 4, s->seq);
	put32(tcp + 8, s->ack);
	tcp[12] = (uint8_t)(header / 4 << 4);
	tcp[13] = s->flags;
	packet_store16(tcp + 14, s->win);
	memcpy(tcp + OPTIONS, s->options, s->noptions);
	p.len = f->len;
	packet_parse_headers(&p);
	packet_store16(tcp + 16, (uint16_t)~packet_sum(
					 tcp, len, packet_pseudo_header_sum(&p, &p.outer, len)));
	tcp[16] ^= s->bad_sum;
}

/* --- the handshake ---------------------------------------------------------------------------- */

void ct_trace_begin(struct ct_trace *t, uint32_t seed)
{
	*t = (struct ct_trace){.seed = seed * 2654435761u | 1,
			       .port = (uint16_t)(1024 + seed % 60000)};
	for (unsigned int i = 0; i < 8; i++)
		below(t, 2);
	for (unsigned int i = 0; i < 2; i++) {
		t->next[i] = below(t, 3) ? below(t, UINT32_MAX) : UINT32_MAX - below(t, 3000);
		t->win[i] = below(t, 8) ? 1 + below(t, 65535) : below(t, 200);
		t->scale[i] = (uint8_t)below(t, 15);
	}
	t->sack = below(t, 2);
	t->scaled = below(t, 3);
}

/* Linux's context after SYN and SYN-ACK: tcp_new(), tcp_in_window(). */
static void context(struct ct_trace *t)
{
	uint8_t *c = t->context;
	void *o = prm_conn_track_aso_at_original_dir(c), *r = prm_conn_track_aso_at_reply_dir(c);

	prm_tcp_window_params_set_sent_end(o, t->next[0]);
	prm_tcp_window_params_set_reply_end(o, t->next[0] + t->win[1] + !t->win[1]);
	prm_tcp_window_params_set_max_win(o, t->win[0] ? t->win[0] : 1);
	prm_tcp_window_params_set_sent_end(r, t->next[1]);
	prm_tcp_window_params_set_reply_end(r, t->next[1]);
	prm_tcp_window_params_set_max_win(r, t->win[1] ? t->win[1] : 1);
	prm_tcp_window_params_set_max_ack(r, t->next[0]);
	prm_conn_track_aso_set_reply_direction_tcp_max_ack(c, 1);
	prm_conn_track_aso_set_original_direction_tcp_scale(c, t->scaled ? t->scale[0] : 0xf);
	prm_conn_track_aso_set_reply_direction_tcp_scale(c, t->scaled ? t->scale[1] : 0xf);
	prm_conn_track_aso_set_last_index(c, PRM_CT_INDEX_SYNACK);
	prm_conn_track_aso_set_sack_permitted(c, t->sack);
	prm_conn_track_aso_set_valid(c, 1);
}

void ct_trace_handshake(struct ct_trace *t, unsigned int n, struct ct_frame *f)
{
	struct ct_tcp s = {.seq = t->next[n],
			   .ack = n ? t->next[0] : 0,
			   .win = (uint16_t)t->win[n],
			   .flags = n ? CT_SYN | CT_ACK : CT_SYN};

	if (t->scaled) {
		const uint8_t scale[] = {3, 3, t->scale[n], 1};

		memcpy(s.options, scale, 4);
		s.noptions = 4;
	}
	if (t->sack) {
		static const uint8_t sack[] = {4, 2, 1, 1};

		memcpy(s.options + s.noptions, sack, 4);
		s.noptions += 4;
	}
	ct_frame_make(t, f, n, &s);
	t->next[n]++;
	if (n)
		context(t);
}

/* --- packets ---------------------------------------------------------------------------------- */

struct edges {
	uint32_t end, most, max_win, max_ack;
};

static struct edges edges_of(const struct ct_trace *t, bool reply)
{
	const void *w = reply ? prm_conn_track_aso_cat_reply_dir(t->context)
			      : prm_conn_track_aso_cat_original_dir(t->context);

	return (struct edges){
		prm_tcp_window_params_get_sent_end(w), prm_tcp_window_params_get_reply_end(w),
		prm_tcp_window_params_get_max_win(w), prm_tcp_window_params_get_max_ack(w)};
}

/* A sequence number at an edge of what the side may send. */
static uint32_t edge_seq(struct ct_trace *t, bool reply)
{
	struct edges own = edges_of(t, reply), other = edges_of(t, !reply);
	const uint32_t edge[] = {own.end,
				 own.most,
				 other.max_ack,
				 own.end - other.max_win,
				 own.most + other.max_win,
				 below(t, UINT32_MAX),
				 0,
				 own.end - below(t, 5000)};

	return edge[below(t, 8)] + below(t, 5) - 2;
}

static uint32_t edge_ack(struct ct_trace *t, bool reply)
{
	struct edges own = edges_of(t, reply), other = edges_of(t, !reply);
	uint32_t window = own.max_win > 66000 ? own.max_win : 66000;
	const uint32_t edge[] = {other.end,	   other.end - window,	 own.max_ack,
				 other.end - 1000, below(t, UINT32_MAX), 0};

	return edge[below(t, 6)] + below(t, 5) - 2;
}

static uint8_t any_flags(struct ct_trace *t)
{
	static const uint8_t flags[] = {CT_ACK,		 CT_FIN | CT_ACK, CT_RST, CT_RST | CT_ACK,
					CT_SYN,		 CT_SYN | CT_ACK, 0,	  CT_FIN,
					CT_SYN | CT_RST, CT_FIN | CT_ACK, CT_ACK};
	uint32_t most = below(t, 2) ? 2 : sizeof(flags);

	return below(t, 12) ? CT_ACK : flags[below(t, most)];
}

static void add_sack(struct ct_trace *t, bool reply, struct ct_tcp *s)
{
	const uint8_t head[] = {1, 1, 5, 10};

	memcpy(s->options, head, 4);
	put32(s->options + 4, edge_ack(t, reply));
	put32(s->options + 8, below(t, 2) ? edges_of(t, !reply).end : edge_ack(t, reply));
	s->noptions = 12;
}

void ct_trace_next(struct ct_trace *t, struct ct_frame *f)
{
	const bool reply = below(t, 2);
	struct ct_tcp s = {.seq = edges_of(t, reply).end,
			   .ack = edges_of(t, !reply).end,
			   .win = (uint16_t)below(t, below(t, 2) ? 65536 : 300),
			   .flags = any_flags(t),
			   .len = below(t, 2) ? below(t, 130) : 0};

	if (!below(t, 4))
		s.seq = edge_seq(t, reply);
	if (s.flags & CT_RST && below(t, 4))
		s.seq = edges_of(t, !reply).max_ack + below(t, 5) - 2;
	if (!below(t, 10))
		s.win = 0;
	if (!below(t, 4))
		s.ack = edge_ack(t, reply);
	if (!below(t, 6))
		add_sack(t, reply, &s);
	s.bad_sum = !below(t, 50);
	ct_frame_make(t, f, reply, &s);
}

uint8_t ct_trace_model(struct ct_trace *t, struct ct_frame *f)
{
	struct packet p = {.data = f->bytes, .len = f->len};

	packet_parse_headers(&p);
	return aso_ct(t->context, &p, f->reply);
}
