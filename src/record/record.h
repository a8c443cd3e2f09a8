/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recordings: what a device and its programs did, in one file that all of them map and append to
 * (doc/design/0104). Numbers are little-endian, as the processors are that dvx is built for.
 */
#ifndef DVX_SRC_RECORD_RECORD_H
#define DVX_SRC_RECORD_RECORD_H

#include <dvx/prm/cmd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD_MAGIC   "dvx rec\n"
#define RECORD_VERSION 1u

/* The file begins with this. Events follow, each at a multiple of 8. */
struct record_file {
	char magic[8];
	uint32_t version;
	uint32_t ended; /* 1: nobody appends any more, and the file has no more than `used` bytes */
	uint64_t used;	/* bytes, with this header */
	uint64_t lost;	/* events that had no room */
	uint64_t began; /* ns of CLOCK_MONOTONIC, the clock of events */
	uint64_t wall;	/* the same moment, ns since 1970 */
	uint64_t zero[2];
};

enum record_kind {
	RECORD_PROCESS = 1, /* a writer: text, its name; the device's is "" */
	RECORD_COMMAND,	    /* struct record_command, its mailboxes */
	RECORD_DOORBELL,    /* struct record_doorbell */
	RECORD_WQE,	    /* struct record_wqe, a part of a WQE or of a receive entry */
	RECORD_CQE,	    /* struct record_cqe */
	RECORD_EQE,	    /* struct record_eqe */
	RECORD_RETRY,	    /* struct record_retry */
	RECORD_CALL,	    /* struct record_call, text */
	RECORD_POST,	    /* struct record_post: a request of a call */
	RECORD_COMPLETION,  /* struct record_completion, which the program polled */
	RECORD_KINDS,
};

/* Begins each event. */
struct record_head {
	uint32_t len;  /* with this head, a multiple of 8; 0: its writer died before it was set */
	uint32_t sum;  /* record_sum() of the event; 0: its writer died before the end */
	uint64_t ns;   /* CLOCK_MONOTONIC; of a call, its begin */
	uint32_t took; /* ns of a call, at most UINT32_MAX */
	uint16_t kind; /* enum record_kind; readers pass over those that they do not know */
	uint16_t zero;
	uint32_t pid, tid;
};

#define RECORD_NO_VHCA UINT16_MAX
struct record_command {
	uint16_t opcode, op_mod, uid;
	uint16_t vhca;		    /* RECORD_NO_VHCA: a call of DevX */
	uint32_t in_len, out_len;   /* bytes of the mailboxes */
	uint16_t in_kept, out_kept; /* bytes of each that follow, one behind the other */
	int32_t err;		    /* errno of a call of DevX */
};
struct record_doorbell {
	uint64_t be_value;
	uint32_t uar, offset;
	uint32_t arm; /* 1: of a CQ */
	uint32_t zero;
};
enum record_ring { RECORD_SQ, RECORD_RQ, RECORD_SRQ };
struct record_wqe {
	uint32_t queue, index;
	uint16_t vhca;
	uint16_t ring;	 /* enum record_ring */
	uint32_t kept;	 /* bytes of the structure, which follow */
	char layout[40]; /* the structure's name in prm/ */
};
struct record_cqe {
	uint32_t cq, index;
	uint16_t vhca, zero[3];
	uint8_t bytes[64]; /* before compression */
};
struct record_eqe {
	uint32_t eqn, zero;
	uint8_t bytes[64];
};
struct record_retry {
	uint64_t rnr_ns; /* time of an RNR NAK; 0: packets were lost */
	uint32_t queue, index;
	uint16_t vhca, zero[3];
};
struct record_call {
	int32_t err;	 /* errno */
	uint32_t object; /* number or handle of what it is about */
			 /* its name, and arguments that are no handles, follow as text */
};
struct record_post {
	uint64_t wr_id;
	uint32_t queue; /* number of a QP, handle of an SRQ */
	uint16_t ring;	/* enum record_ring */
	uint16_t sges;
	uint32_t opcode, flags; /* of verbs; 0 if it is a receive */
	uint32_t bytes;
	int32_t err;	    /* errno of the call */
	uint32_t nth, zero; /* place in the call, from 0 */
};
struct record_completion {
	uint64_t wr_id, empty; /* empty polls of the CQ since the last completion */
	uint32_t cq, qp;       /* the CQ's handle, the QP's number */
	uint32_t status, opcode, bytes, vendor_err;
};

/*
 * Returns whether a completion that did not fail is of a receive: its opcode is IBV_WC_RECV or a
 * later one before IBV_WC_DRIVER1, with which those of libmlx5's own requests begin.
 */
static inline bool record_is_receive(uint32_t opcode)
{
	return opcode >= 128 && opcode < 135;
}

/* Returns how much of a mailbox is kept. General objects and access rights may hold keys. */
#define RECORD_MAILBOX 8192u
static inline uint16_t record_mailbox(uint16_t opcode, size_t len)
{
	const bool may_hold_key = (opcode >= PRM_OPCODE_CREATE_GENERAL_OBJECT &&
				   opcode <= PRM_OPCODE_DESTROY_GENERAL_OBJECT) ||
				  opcode == PRM_OPCODE_ALLOW_OTHER_VHCA_ACCESS;
	const size_t most = may_hold_key ? 16 : RECORD_MAILBOX;

	return (uint16_t)(len < most ? len : most);
}

/* Returns the sum of an event of this length, never 0. */
uint32_t record_sum(const struct record_head *, uint32_t len);

/* --- write.c: the process's recording --- */
/* Maps a file with a header. Returns 0 or -errno. The name, this process's in the recording, stays. */
int record_open(const char *path, const char *name);
bool record_is_on(void);
uint64_t record_now(void);
/*
 * Returns where to write the zeroed bytes of an event behind its head, or NULL: there is no recording,
 * or no room. since 0: it is now; else the event is a call that began then. record_end() completes it.
 */
void *record_begin(enum record_kind, size_t bytes, uint64_t since);
void record_end(void *);

/* --- read.c --- */
struct record_reader {
	const struct record_file *file;
	uint64_t at, len;     /* bytes; at: of the next event */
	uint64_t torn;	      /* events whose writer died while it wrote */
	uint64_t next_number; /* of the next event, from 1 */
	bool cut;	      /* the file has less than its header says */
	char why[160];	      /* what is wrong, with its place; or empty */
};
/* Reads the bytes, which begin at a multiple of 8. Returns false with why. */
bool record_read(struct record_reader *, const void *bytes, size_t len);
/* Returns the next event, whose lengths fit; NULL at the end, or with why. */
const struct record_head *record_next(struct record_reader *);
static inline const void *record_body(const struct record_head *h)
{
	return h + 1;
}
static inline size_t record_bytes(const struct record_head *h)
{
	return h->len - sizeof(*h);
}

#endif
