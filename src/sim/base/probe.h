/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_PROBE_H
#define SIM_BASE_PROBE_H

#include <stdbool.h>
#include <stdint.h>

struct bth_packet;
struct cq;
struct flow_entry;
struct flow_table;
struct fw_cmd;
struct obj;
struct packet;
struct queue;
struct send_wr;
struct vhca;

/* Typed events of the device, for subscribers such as --trace (doc/design/0034). */
enum probe_kind {
	PROBE_DOORBELL = 1 << 0,  /* the loop has taken a register */
	PROBE_WQE = 1 << 1,	  /* the device reads a part of a WQE or of a receive entry */
	PROBE_CQE = 1 << 2,	  /* as it is before compression */
	PROBE_MINI_CQES = 1 << 3, /* an array of compressed CQEs */
	PROBE_EQE = 1 << 4,
	PROBE_COMMAND = 1 << 5,	    /* a command and its reply */
	PROBE_FRAME_OUT = 1 << 6,   /* a subscriber turns off the short cuts that make no frame */
	PROBE_NO_RECEIVE = 1 << 7,  /* a raw packet is lost, as no receive entry takes it */
	PROBE_STEER = 1 << 8,	    /* a step of a packet's walk through flow tables */
	PROBE_INJECT_CQE = 1 << 9,  /* no event: completions ask inject.h, in the same load */
	PROBE_INJECT_EQE = 1 << 10, /* likewise events */
	PROBE_HOSTILE = 1 << 11,    /* likewise: rooms ask hostile.h */
	PROBE_SEND = 1 << 12,	    /* a good send WQE, before its segments are read */
	PROBE_RETRY = 1 << 13,	    /* requests are sent again: lost, or RNR */
};

enum probe_ring { PROBE_SQ, PROBE_RQ, PROBE_SRQ };

/* Steps of a walk, with the fields that each sets. */
enum probe_step {
	PROBE_START,	/* vhca, domain, packet */
	PROBE_TABLE,	/* table; entry, or NULL if none matches */
	PROBE_SW_TABLE, /* table, whose entries are software's */
	PROBE_COUNT,	/* id of the counter */
	PROBE_STE,	/* addr, id: lookup type, hit, next */
	PROBE_TIR,	/* vhca, packet, id */
	PROBE_END,	/* vhca, domain, id: enum steer_end */
};

/* The pointers of an event are valid during event() only. */
struct probe_event {
	enum probe_kind kind;
	union {
		struct {
			uint32_t uar, offset;
			uint64_t be_value;
		} doorbell;
		struct {
			enum probe_ring ring;
			const struct obj *queue;
			uint32_t index;
			const char *layout; /* the part's structure in prm/ */
			const void *bytes;
		} wqe;
		struct {
			const struct cq *cq;
			const uint8_t *bytes;
			unsigned int first, of; /* PROBE_MINI_CQES: place in a run of CQEs */
		} cqe;
		struct {
			uint32_t eqn;
			const void *bytes;
		} eqe;
		const struct fw_cmd *command;
		struct {
			const struct queue *queue;    /* NULL: the sender of a MAD */
			const struct bth_packet *bth; /* NULL: a raw packet */
			const uint8_t *mad;
			uint32_t len;
		} frame; /* also PROBE_NO_RECEIVE */
		struct {
			const struct queue *queue;
			const struct send_wr *wr; /* PROBE_RETRY: the oldest */
			uint64_t ns;		  /* PROBE_RETRY: time of an RNR NAK; 0: it is none */
		} request;
		struct probe_steer {
			enum probe_step step;
			uint32_t id;
			const struct vhca *vhca;
			unsigned int domain; /* enum steer_domain */
			const struct packet *packet;
			const struct flow_table *table;
			const struct flow_entry *entry;
			uint64_t addr, next;
			bool hit;
		} steer;
	};
};

struct probe {
	struct probe *next;
	unsigned int kinds;
	void (*event)(const struct probe_event *); /* may unsubscribe */
};

/* Called by the composition root. Subscribers are the process's, as the log is. */
void probe_subscribe(struct probe *);
void probe_unsubscribe(struct probe *);

/* Makes probe_active() true for a kind without a subscriber, or not. */
void probe_ask(enum probe_kind, bool on);

extern unsigned int probe_kinds __attribute__((visibility("hidden")));
static inline bool probe_active(unsigned int kinds)
{
	return probe_kinds & kinds;
}

void probe_emit(const struct probe_event *) __attribute__((cold));
/*
 * Passes an event on: probe(PROBE_EQE, .eqe = {eqn, eqe}). Without a subscriber to its kind it
 * costs a load and a branch, and no argument is evaluated.
 */
#define probe(KIND, ...)                                                                    \
	do {                                                                                \
		if (probe_active(KIND))                                                     \
			probe_emit(&(const struct probe_event){.kind = KIND, __VA_ARGS__}); \
	} while (0)

#endif
