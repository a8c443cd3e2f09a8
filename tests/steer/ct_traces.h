/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_CT_TRACES_H
#define TESTS_CT_TRACES_H

/* Random TCP connections, honest and hostile, for connection tracking. */
#include <stdbool.h>
#include <stdint.h>

#define CT_FRAME_MOST 256u
#define CT_FIN	      0x01u
#define CT_SYN	      0x02u
#define CT_RST	      0x04u
#define CT_ACK	      0x10u

struct ct_frame {
	uint8_t bytes[CT_FRAME_MOST];
	uint32_t len;
	bool reply;
};

struct ct_trace {
	uint32_t seed;
	uint16_t port;
	uint32_t next[2]; /* next sequence number of initiator, responder */
	uint32_t win[2];
	uint8_t scale[2];
	bool sack, scaled;
	uint8_t context[64]; /* as software makes it after the handshake */
};

/* A segment; options fill whole words. */
struct ct_tcp {
	uint32_t seq, ack, len;
	uint16_t win;
	uint8_t flags, noptions;
	uint8_t options[24];
	bool bad_sum;
};
/* Makes a frame of it, with addresses of the trace and with checksums. */
void ct_frame_make(const struct ct_trace *, struct ct_frame *, bool reply, const struct ct_tcp *);

/* Begins a connection; its handshake is two frames, then the context is valid. */
void ct_trace_begin(struct ct_trace *, uint32_t seed);
void ct_trace_handshake(struct ct_trace *, unsigned int n, struct ct_frame *);
/* Makes the next packet: mostly what a program would send, often at an edge of the windows. */
void ct_trace_next(struct ct_trace *, struct ct_frame *);
/* Returns the model's result, and changes the context. */
uint8_t ct_trace_model(struct ct_trace *, struct ct_frame *);

#endif
