/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_LINK_H
#define SIM_LINK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/finding.h"
#include "port/fault_rates.h"
#include "port/packets.h"

/*
 * Messages between programs and the server over a Unix stream socket. Each has a header with
 * version and length, and is answered by one message of the same type. The header and LINK_STATUS
 * are the same in all versions, so that versions can be detected. One connection is one open of the
 * device, or one question of the dvx-sim tool. Both ends run on one machine, so numbers are in its
 * byte order.
 */
#define LINK_MAGIC    0x4c585644u /* "DVXL" */
#define LINK_VERSION  17u
#define LINK_BODY_MAX (2u << 20)
#define LINK_PAGE     (64u << 10) /* bytes of rows that a socket takes at once, read or not */
#define LINK_FDS      4
#define LINK_NAME_MAX 32

enum link_type {
	LINK_OPEN = 1, /* link_function -> BAR's FD; first message of a client */
	LINK_IOCTL,    /* msg.h */
	LINK_MAP,      /* link_range, and a userfaultfd or none (never from a LINK_ATTACH) */
	LINK_UNMAP,    /* link_range */
	LINK_CLOSE,
	LINK_STATUS,  /* -> link_status, clients, objects */
	LINK_DOWN,    /* ends the server */
	LINK_REPLAY,  /* port_packets -> port_results, after all have arrived */
	LINK_CAPTURE, /* u32 link_capture_ask -> port_captured, port_packets */
	LINK_SHARE,   /* link_range and a memfd: what an ioctl's answer asked for */
	LINK_CM_OPEN, /* link_function -> FD of /dev/infiniband/rdma_cm; first message */
	LINK_CM,      /* see cm_msg.h */
	LINK_CM_CLOSE,
	LINK_RESOURCES, /* link_resources -> rows of uverbs/resource.h; no row: the end */
	LINK_WIRE,	/* empty, or fault_rates to set -> link_wire */
	LINK_SET_PORT,	/* u32: whether the link goes up */
	LINK_REFUSALS,	/* -> lines of refusals; also comes before answers */
	LINK_ATTACH,	/* a BAR's FD: a file that another process opened; first message */
	LINK_DROPS,	/* -> link_drop_row: those that are not 0 */
	/*
	 * -> finding: of programs, then of those that ended with work under way. A row with an empty
	 * object says how many (n[0]) more findings of its kind there are.
	 */
	LINK_WHY,
	LINK_INJECT, /* empty, or link_inject and faults to set -> inject_fault (base/inject.h) */
	LINK_STAT,   /* stat_pcie: counts from now on; empty -> a file of stat_row (base/stat.h) */
	/* u32: the rules of lab/check.h apply from now on; or empty -> finding, or -ENODATA */
	LINK_CHECK,
};

/* How many faults follow; they replace those before. */
struct link_inject {
	uint32_t n, pad;
};

/* The name of a function, which ends with a 0. */
struct link_function {
	char name[8];
};

/* Asks for rows from this one on. */
struct link_resources {
	struct link_function function;
	uint32_t first;
};

struct link_header {
	uint32_t magic;
	uint16_t version;
	uint16_t type;
	uint32_t len;	/* bytes of the body */
	int32_t result; /* in an answer: 0 or -errno */
};

struct link_range {
	uint64_t va, len, offset;
};

struct link_status {
	char name[LINK_NAME_MAX];
	uint32_t pid;
	uint32_t nfunctions, nclients, nobjects; /* numbers of rows that follow, in this order */
};

struct link_function_row {
	char name[8];
	uint16_t vhca_id;
	uint16_t pad[3];
	/* raw packets, with those of replays */
	uint64_t sent, received, out_of_buffer, failed;
};

/* Dropped packets of one reason. */
struct link_drop_row {
	char function[8]; /* empty: the chip itself */
	char cause[16];
	char words[72];
	uint64_t count;
};

struct link_client_row {
	char comm[16];
	uint32_t pid;
	uint32_t function;
};

struct link_object_row {
	char kind[16];
	char state[16]; /* empty: kinds without states */
	uint32_t function;
	uint32_t count;
};

/*
 * The first NEXT starts the capture and is answered at once, without packets. Later ones are
 * answered when there are packets. STOP ends the capture: packets already captured come with its
 * answer and those of further NEXTs, until port_captured.ended.
 */
enum link_capture_ask { LINK_CAPTURE_NEXT, LINK_CAPTURE_STOP };

struct link_wire {
	struct fault_rates rates;
	struct fault_counts counts;
	/*
	 * Packets on the wire: sent, received, not taken by the other side; messages that are none.
	 */
	uint64_t sent, received, lost, bad;
	char wire[64]; /* as in --wire */
	uint32_t up;
	uint32_t others; /* other chips on the same switch */
};

/* A complete message. */
struct link_message {
	struct link_header h;
	uint8_t *body;
	int fds[LINK_FDS];
	unsigned int nfds;
};

/* A stream of messages, read piece by piece. */
struct link_in {
	struct link_message m;
	size_t have; /* bytes read of header and body */
};

/*
 * Reads available bytes. Returns 1 when in->m is complete; 0 if not yet (only without waiting); or
 * -errno: -EPIPE at the end of the stream, -EPROTO if it is no message. After 1, call
 * link_in_reset().
 */
int link_read(int sock, struct link_in *, int msg_flags);
void link_in_reset(struct link_in *);
/* Sends all of it. Returns -EAGAIN if MSG_DONTWAIT is given and the other end doesn't read. */
int link_write(int sock, uint16_t type, int32_t result, const void *body, size_t len,
	       const int *fds, unsigned int nfds, int msg_flags);

/* Client's end: connect, and send one question and get its answer (or -errno of the socket). */
int link_connect(const char *path);
/*
 * Moves a descriptor above stdin, stdout and stderr: a program that has closed these must not print
 * into it. On -errno it is closed.
 */
int link_fd_above_stdio(int fd);
int link_ask(int sock, uint16_t type, const void *body, size_t len, int fd,
	     struct link_message *answer);
/*
 * Sets the printer of LINK_REFUSALS that come before an answer: lines with newlines. Called at the
 * program's start.
 */
void link_on_refusals(void (*print)(const char *lines, size_t len));
/*
 * Returns the version of a server that failed this one's hello with err (it closes the connection
 * then), or 0 if the version is not the reason.
 */
unsigned int link_version(const char *path, int err);
void link_message_free(struct link_message *);

#endif
