/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Connection tracking. The fields of the context are those of Linux's nf_conntrack, and [I] the
 * checks are its checks, too (Linux 6.2 and later, nf_conntrack_proto_tcp.c): whether a packet is
 * within the windows, and the state that follows. Software makes the context after SYN and SYN-ACK.
 * A packet that would make another connection of it is left to software (ASO_CT_TRAP).
 */
#include <string.h>
#include <dvx/prm/object.h>
#include "aso.h"
#include "steer/packet.h"

#define CT_FIN		0x01u
#define CT_SYN		0x02u
#define CT_RST		0x04u
#define CT_ACK		0x10u
#define CT_URG		0x20u
#define CT_FLAGS	(CT_FIN | CT_SYN | CT_RST | CT_ACK | CT_URG)

#define CT_TCP_BYTES	20u
#define CT_OPTION_END	0u
#define CT_OPTION_NOP	1u
#define CT_OPTION_SACK	5u
#define CT_SACK_BLOCK	8u
#define CT_NO_SCALE	15u
#define CT_ACK_WINDOW	66000u /* shifted by max_ack_window [I] */
#define CT_MOST_RETRIES 7u     /* that retransmission_counter has room for */

/* Numbers of one side. end: its highest sequence number; most: the other side's limit for it. */
struct ct_side {
	uint32_t max_ack, max_win, most, end;
	uint32_t scale;
	bool close_initiated, liberal, unacked, acked;
};

struct ct_context {
	struct ct_side side[2]; /* initiator, responder */
	uint32_t last_end, last_ack, last_seq, last_win, last_index;
	bool last_reply;
	uint32_t state, ack_window, retries, most_retries;
	bool assured, sack, challenge;
};

/* A packet, as its header says, and as the checks change it. */
struct ct_segment {
	uint32_t seq, end, ack, sack, win;
	uint32_t index; /* PRM ct_index */
	uint8_t flags;
	bool reply;
};

enum ct_window { CT_OUTSIDE, CT_IGNORED, CT_WITHIN };

static bool ct_before(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0;
}

static bool ct_after(uint32_t a, uint32_t b)
{
	return ct_before(b, a);
}

/* --- the context ------------------------------------------------------------------------------ */

#define CT_LOAD_SIDE(s, p, window, name)                                                       \
	do {                                                                                   \
		const void *w_ = prm_conn_track_aso_cat_##window(p);                           \
		(s)->max_ack = prm_tcp_window_params_get_max_ack(w_);                          \
		(s)->max_win = prm_tcp_window_params_get_max_win(w_);                          \
		(s)->most = prm_tcp_window_params_get_reply_end(w_);                           \
		(s)->end = prm_tcp_window_params_get_sent_end(w_);                             \
		(s)->scale = prm_conn_track_aso_get_##name##_tcp_scale(p);                     \
		(s)->close_initiated = prm_conn_track_aso_get_##name##_tcp_close_initiated(p); \
		(s)->liberal = prm_conn_track_aso_get_##name##_tcp_liberal_enabled(p);         \
		(s)->unacked = prm_conn_track_aso_get_##name##_tcp_data_unacked(p);            \
		(s)->acked = prm_conn_track_aso_get_##name##_tcp_max_ack(p);                   \
	} while (0)

#define CT_STORE_SIDE(s, p, window, name)                                                     \
	do {                                                                                  \
		void *w_ = prm_conn_track_aso_at_##window(p);                                 \
		prm_tcp_window_params_set_max_ack(w_, (s)->max_ack);                          \
		prm_tcp_window_params_set_max_win(w_, (s)->max_win);                          \
		prm_tcp_window_params_set_reply_end(w_, (s)->most);                           \
		prm_tcp_window_params_set_sent_end(w_, (s)->end);                             \
		prm_conn_track_aso_set_##name##_tcp_close_initiated(p, (s)->close_initiated); \
		prm_conn_track_aso_set_##name##_tcp_data_unacked(p, (s)->unacked);            \
		prm_conn_track_aso_set_##name##_tcp_max_ack(p, (s)->acked);                   \
	} while (0)

static void ct_load(const uint8_t *p, struct ct_context *c)
{
	CT_LOAD_SIDE(&c->side[0], p, original_dir, original_direction);
	CT_LOAD_SIDE(&c->side[1], p, reply_dir, reply_direction);
	c->last_end = prm_conn_track_aso_get_last_end(p);
	c->last_ack = prm_conn_track_aso_get_last_ack(p);
	c->last_seq = prm_conn_track_aso_get_last_seq(p);
	c->last_win = prm_conn_track_aso_get_last_win(p);
	c->last_index = prm_conn_track_aso_get_last_index(p);
	c->last_reply = !prm_conn_track_aso_get_last_dir(p);
	c->state = prm_conn_track_aso_get_state(p);
	c->ack_window = CT_ACK_WINDOW << prm_conn_track_aso_get_max_ack_window(p);
	c->retries = prm_conn_track_aso_get_retransmission_counter(p);
	c->most_retries = prm_conn_track_aso_get_retranmission_limit(p);
	c->assured = prm_conn_track_aso_get_connection_assured(p);
	c->sack = prm_conn_track_aso_get_sack_permitted(p);
	c->challenge = prm_conn_track_aso_get_challenged_acked(p);
}

static void ct_store(uint8_t *p, const struct ct_context *c)
{
	CT_STORE_SIDE(&c->side[0], p, original_dir, original_direction);
	CT_STORE_SIDE(&c->side[1], p, reply_dir, reply_direction);
	prm_conn_track_aso_set_last_end(p, c->last_end);
	prm_conn_track_aso_set_last_ack(p, c->last_ack);
	prm_conn_track_aso_set_last_seq(p, c->last_seq);
	prm_conn_track_aso_set_last_win(p, c->last_win);
	prm_conn_track_aso_set_last_index(p, c->last_index);
	prm_conn_track_aso_set_last_dir(p, !c->last_reply);
	prm_conn_track_aso_set_state(p, c->state);
	prm_conn_track_aso_set_retransmission_counter(p, c->retries);
	if (c->most_retries && c->retries >= c->most_retries)
		prm_conn_track_aso_set_retranmission_limit_exceeded(p, 1);
	prm_conn_track_aso_set_connection_assured(p, c->assured);
	prm_conn_track_aso_set_challenged_acked(p, c->challenge);
	prm_conn_track_aso_set_heartbeat(p, 1);
}

/* --- the packet ------------------------------------------------------------------------------- */

static uint32_t ct_index(uint8_t flags)
{
	if (flags & CT_RST)
		return PRM_CT_INDEX_RST;
	if (flags & CT_SYN)
		return flags & CT_ACK ? PRM_CT_INDEX_SYNACK : PRM_CT_INDEX_SYN;
	return flags & CT_FIN ? PRM_CT_INDEX_FIN : PRM_CT_INDEX_ACK;
}

static bool ct_flags_are_good(uint8_t flags)
{
	switch (flags & CT_FLAGS) {
	case CT_SYN:
	case CT_SYN | CT_URG:
	case CT_SYN | CT_ACK:
	case CT_RST:
	case CT_RST | CT_ACK:
	case CT_FIN | CT_ACK:
	case CT_FIN | CT_ACK | CT_URG:
	case CT_ACK:
	case CT_ACK | CT_URG:
		return true;
	default:
		return false;
	}
}

/* Raises the acknowledgement to the highest end of the blocks of a SACK option. */
static void ct_read_sack(const uint8_t *option, uint32_t len, struct ct_segment *s)
{
	for (uint32_t at = 2 + sizeof(uint32_t); at + sizeof(uint32_t) <= len; at += CT_SACK_BLOCK)
		if (ct_after(packet_load32(option + at), s->sack))
			s->sack = packet_load32(option + at);
}

/* Finds the SACK option. A bad option ends the search, as in Linux. */
static void ct_read_options(const uint8_t *p, uint32_t left, struct ct_segment *s)
{
	while (left && *p != CT_OPTION_END) {
		uint32_t len = 1;

		if (*p != CT_OPTION_NOP) {
			if (left < 2 || p[1] < 2 || p[1] > left)
				return;
			len = p[1];
		}
		if (*p == CT_OPTION_SACK && len > 2 && (len - 2) % CT_SACK_BLOCK == 0) {
			ct_read_sack(p, len, s);
			return;
		}
		p += len;
		left -= len;
	}
}

/* Returns false if the packet is no TCP segment with a right checksum and possible flags. */
static bool ct_read(const struct packet *p, bool sack, struct ct_segment *s)
{
	const struct packet_headers *h = &p->outer;
	const uint8_t *tcp = p->data + h->l4;
	uint32_t header, len;

	if (h->l4_type != PACKET_TCP || !h->l4 || h->frag || !h->l3_ok)
		return false;
	header = (tcp[12] >> 4) * 4u;
	len = h->l3_end - h->l4;
	s->flags = tcp[13];
	if (header < CT_TCP_BYTES || header > len || !ct_flags_are_good(s->flags) ||
	    !packet_l4_ok(p, h))
		return false;
	s->index = ct_index(s->flags);
	s->seq = packet_load32(tcp + 4);
	s->end = s->seq + len - header + !!(s->flags & CT_SYN) + !!(s->flags & CT_FIN);
	s->ack = s->sack = packet_load32(tcp + 8);
	s->win = packet_load16(tcp + 14);
	if (sack)
		ct_read_options(tcp + CT_TCP_BYTES, header - CT_TCP_BYTES, s);
	return true;
}

/* --- windows ---------------------------------------------------------------------------------- */

/* A packet without an acknowledgement, or a RST with 0, acknowledges what there is. */
static void ct_default_ack(const struct ct_side *to, struct ct_segment *s)
{
	if (!(s->flags & CT_ACK) || (s->flags & CT_RST && !s->ack))
		s->ack = s->sack = to->end;
}

static bool ct_ack_is_recent(const struct ct_context *c, const struct ct_side *from,
			     const struct ct_side *to, uint32_t sack)
{
	uint32_t window = from->max_win > c->ack_window ? from->max_win : c->ack_window;

	return ct_after(sack, to->end - window - 1);
}

static bool ct_data_is_recent(const struct ct_side *from, const struct ct_side *to, uint32_t end)
{
	return ct_after(end, from->end - to->max_win - 1);
}

/*
 * Handles data beyond the receiver's window. A little more than the window passes, and counts as
 * sent, or the acknowledgements of it would be outside.
 */
static enum ct_window ct_overshoot(const struct ct_context *c, struct ct_side *from,
				   const struct ct_side *to, const struct ct_segment *s)
{
	if (!to->max_win || !ct_data_is_recent(from, to, s->end) ||
	    !ct_ack_is_recent(c, from, to, s->sack) || s->end - from->most + 1 > to->max_win ||
	    ct_after(s->sack, to->end))
		return CT_OUTSIDE;
	from->end = s->end;
	from->unacked = true;
	return CT_IGNORED;
}

static enum ct_window ct_compare(const struct ct_context *c, struct ct_side *from,
				 const struct ct_side *to, const struct ct_segment *s)
{
	if (ct_after(s->seq, from->most))
		return ct_overshoot(c, from, to, s);
	if (ct_after(s->sack, to->end))
		return CT_OUTSIDE;
	if ((to->max_win && !ct_data_is_recent(from, to, s->end)) ||
	    !ct_ack_is_recent(c, from, to, s->sack))
		return CT_IGNORED;
	return CT_WITHIN;
}

static void ct_advance_sender(struct ct_side *from, const struct ct_segment *s, uint32_t win)
{
	if (from->max_win < win + (s->sack - s->ack))
		from->max_win = win + (s->sack - s->ack);
	if (ct_after(s->end, from->end)) {
		from->end = s->end;
		from->unacked = true;
	}
	if (s->flags & CT_ACK && (!from->acked || ct_after(s->ack, from->max_ack))) {
		from->max_ack = s->ack;
		from->acked = true;
	}
}

static void ct_advance_receiver(const struct ct_side *from, struct ct_side *to,
				const struct ct_segment *s, uint32_t win)
{
	if (to->max_win && ct_after(s->end, from->most))
		to->max_win += s->end - from->most;
	if (ct_after(s->sack + win, to->most - 1))
		to->most = s->sack + win + !win;
	if (s->ack == to->end)
		to->unacked = false;
}

/* Counts equal acknowledgements, and keeps the packet that the next one is compared with. */
static void ct_count_retry(struct ct_context *c, const struct ct_segment *s)
{
	if (s->index != PRM_CT_INDEX_ACK)
		return;
	if (c->last_reply == s->reply && c->last_seq == s->seq && c->last_ack == s->ack &&
	    c->last_end == s->end && c->last_win == s->win) {
		c->retries += c->retries < CT_MOST_RETRIES;
		return;
	}
	c->last_reply = s->reply;
	c->last_seq = s->seq;
	c->last_ack = s->ack;
	c->last_end = s->end;
	c->last_win = s->win;
	c->retries = 0;
}

static enum ct_window ct_check_window(struct ct_context *c, struct ct_segment *s)
{
	struct ct_side *from = &c->side[s->reply], *to = &c->side[!s->reply];
	uint32_t win = s->win;
	enum ct_window result;

	ct_default_ack(to, s);
	result = ct_compare(c, from, to, s);
	if (result != CT_WITHIN)
		return from->liberal ? CT_WITHIN : result;
	if (!(s->flags & CT_SYN) && from->scale != CT_NO_SCALE)
		win <<= from->scale;
	ct_advance_sender(from, s, win);
	ct_advance_receiver(from, to, s, win);
	ct_count_retry(c, s);
	return CT_WITHIN;
}

/* --- states ----------------------------------------------------------------------------------- */

static uint32_t ct_next_state(const struct ct_context *c, const struct ct_segment *s)
{
	static const uint8_t fin[] = {
		PRM_CT_STATE_FIN_WAIT, PRM_CT_STATE_FIN_WAIT, PRM_CT_STATE_LAST_ACK,
		PRM_CT_STATE_LAST_ACK, PRM_CT_STATE_LAST_ACK, PRM_CT_STATE_TIME_WAIT,
	};
	static const uint8_t ack[] = {
		PRM_CT_STATE_ESTABLISHED, PRM_CT_STATE_ESTABLISHED, PRM_CT_STATE_CLOSE_WAIT,
		PRM_CT_STATE_CLOSE_WAIT,  PRM_CT_STATE_TIME_WAIT,   PRM_CT_STATE_TIME_WAIT,
	};

	if (s->index == PRM_CT_INDEX_RST)
		return PRM_CT_STATE_TIME_WAIT;
	if (s->index == PRM_CT_INDEX_FIN)
		return fin[c->state];
	if (c->state == PRM_CT_STATE_SYN_RECV && s->reply)
		return PRM_CT_STATE_SYN_RECV;
	return ack[c->state];
}

static void ct_note_last(struct ct_context *c, const struct ct_segment *s)
{
	c->last_index = s->index;
	c->last_reply = s->reply;
}

static uint8_t ct_enter(struct ct_context *c, const struct ct_segment *s, uint32_t state)
{
	const bool changed = state != c->state;

	ct_note_last(c, s);
	if (changed && state == PRM_CT_STATE_FIN_WAIT)
		c->side[s->reply].close_initiated = true;
	if (c->state <= PRM_CT_STATE_ESTABLISHED && state == PRM_CT_STATE_ESTABLISHED)
		c->assured = true;
	c->state = state;
	return ASO_CT_VALID | (changed ? ASO_CT_CHANGED : 0);
}

/* Linux shortens the life of a connection after a FIN or RST outside, and remembers it. */
static uint8_t ct_refuse(struct ct_context *c, const struct ct_segment *s)
{
	const uint32_t ends = PRM_CT_INDEX_FIN | PRM_CT_INDEX_RST;

	if (c->assured && s->index & ends && (c->last_reply == s->reply || !(c->last_index & ends)))
		ct_note_last(c, s);
	return ASO_CT_INVALID;
}

/*
 * A SYN of the initiator, or SYN-ACK of the responder, passes without an effect: the two may know
 * of a connection that is not tracked. A SYN-ACK that answers such a SYN proves it.
 */
static uint8_t ct_handshake(struct ct_context *c, const struct ct_segment *s)
{
	const bool syn = s->index == PRM_CT_INDEX_SYN;

	if (syn && c->state == PRM_CT_STATE_TIME_WAIT)
		return ASO_CT_TRAP;
	if (!syn && !s->reply && c->state == PRM_CT_STATE_SYN_RECV)
		return ASO_CT_TRAP;
	if (syn == s->reply)
		return ASO_CT_INVALID;
	if (!syn && c->last_index == PRM_CT_INDEX_SYN && !c->last_reply && s->ack == c->last_end)
		return ASO_CT_TRAP;
	ct_note_last(c, s);
	c->last_seq = s->seq;
	c->last_end = s->end;
	c->last_win = s->win;
	if (syn && c->state == PRM_CT_STATE_LAST_ACK)
		c->challenge = true;
	return ASO_CT_VALID;
}

/* Whether a RST answers a packet that was let through without an effect. */
static bool ct_answers_ignored(const struct ct_context *c, const struct ct_segment *s)
{
	return (c->last_index == PRM_CT_INDEX_SYN ||
		(!c->assured && c->last_index == PRM_CT_INDEX_ACK)) &&
	       s->ack == c->last_end;
}

/* How a RST is judged: REFUSED, within the windows or not, or valid at once. */
enum ct_reset { CT_RESET_REFUSED, CT_RESET_CHECKED, CT_RESET_KEEPS, CT_RESET_VALID };

/*
 * A RST must have the sequence number that the other side expects (RFC 5961). Another one within
 * the window keeps the state, as the other side answers with a challenge.
 */
static enum ct_reset ct_judge_reset(const struct ct_context *c, const struct ct_segment *s)
{
	const struct ct_side *to = &c->side[!s->reply];
	const bool established = c->state == PRM_CT_STATE_ESTABLISHED && c->assured;
	enum ct_reset otherwise = CT_RESET_CHECKED;

	if (c->state > PRM_CT_STATE_ESTABLISHED)
		return CT_RESET_VALID;
	if (to->acked && c->last_index != PRM_CT_INDEX_SYN) {
		if (!s->seq && !established)
			return CT_RESET_CHECKED;
		if (ct_before(s->seq, to->max_ack))
			return CT_RESET_REFUSED;
		if (!established || s->seq == to->max_ack ||
		    (c->last_index == PRM_CT_INDEX_ACK && c->last_reply == s->reply &&
		     s->seq == c->last_end))
			return CT_RESET_CHECKED;
		otherwise = CT_RESET_KEEPS;
	}
	return ct_answers_ignored(c, s) ? CT_RESET_VALID : otherwise;
}

/* An ACK that answers a SYN in LAST_ACK does not acknowledge the last FIN. */
static bool ct_is_challenge(const struct ct_context *c, const struct ct_segment *s)
{
	return c->state == PRM_CT_STATE_LAST_ACK && s->index == PRM_CT_INDEX_ACK &&
	       c->last_reply != s->reply && c->last_index == PRM_CT_INDEX_SYN && c->challenge;
}

static uint8_t ct_track(struct ct_context *c, struct ct_segment *s)
{
	enum ct_reset reset = CT_RESET_CHECKED;
	uint32_t state;

	if (s->flags & CT_SYN)
		return ct_handshake(c, s);
	if (ct_is_challenge(c, s)) {
		c->challenge = false;
		return ASO_CT_VALID;
	}
	if (s->index == PRM_CT_INDEX_RST)
		reset = ct_judge_reset(c, s);
	if (reset == CT_RESET_REFUSED)
		return ASO_CT_INVALID;
	state = reset == CT_RESET_KEEPS ? c->state : ct_next_state(c, s);
	if (reset == CT_RESET_VALID)
		return ct_enter(c, s, state);
	switch (ct_check_window(c, s)) {
	case CT_OUTSIDE:
		return ct_refuse(c, s);
	case CT_IGNORED:
		return ASO_CT_VALID;
	default:
		return ct_enter(c, s, state);
	}
}

/* [I] Frozen, without a valid state, or in one that does not exist: software decides. */
uint8_t aso_ct(uint8_t *context, const struct packet *p, bool reply)
{
	struct ct_segment s = {.reply = reply};
	struct ct_context c;
	uint8_t result;

	if (!prm_conn_track_aso_get_valid(context) ||
	    prm_conn_track_aso_get_freeze_track(context) ||
	    prm_conn_track_aso_get_state(context) > PRM_CT_STATE_TIME_WAIT)
		return ASO_CT_TRAP;
	if (!ct_read(p, prm_conn_track_aso_get_sack_permitted(context), &s))
		return ASO_CT_BAD;
	ct_load(context, &c);
	result = ct_track(&c, &s);
	ct_store(context, &c);
	return result;
}
