/* SPDX-License-Identifier: BSD-2-Clause */
/* Kinds of findings, and the messages between the preload and its tool. */
#ifndef CHECK_KINDS_H
#define CHECK_KINDS_H

#include <stdint.h>

enum check_kind {
#define CHECK_KIND(kind, ...) CHECK_##kind,
#include "kinds.def"
#undef CHECK_KIND
	CHECK_KINDS,
};

enum check_class { CHECK_WRONG, CHECK_LUCK };

/* Names the FIFO through which the preload sends its messages. */
#define CHECK_PIPE "DVX_CHECK_PIPE"
/* Names the file in which the preload counts calls, in place of checking them. */
#define CHECK_COUNTS "DVX_CHECK_COUNTS"
/* Names the recording (src/record/record.h) to which calls are appended, in place of checking them. */
#define CHECK_RECORD "DVX_CHECK_RECORD"
/* If set, receive buffers are not filled at their post. */
#define CHECK_NO_POISON "DVX_CHECK_NO_POISON"

enum check_message {
	CHECK_HELLO,   /* a program opened a device: struct check_hello */
	CHECK_MODULE,  /* an object file that places are in: struct check_module */
	CHECK_FINDING, /* struct check_finding */
	CHECK_COUNT,   /* struct check_count */
};

struct check_header {
	uint32_t len; /* of the message, with this header */
	uint32_t type;
	uint32_t pid;
	uint32_t pad;
};

enum check_blind { CHECK_BLIND_FREE = 1 };

struct check_hello {
	struct check_header h;
	uint64_t blind; /* enum check_blind: what is not watched */
};

#define CHECK_PATH 2048
struct check_module {
	struct check_header h;
	uint64_t base; /* what its addresses are above those of the file */
	char path[CHECK_PATH];
};

/* An address in the program: the object file's base, and the address less the base. */
struct check_address {
	uint64_t base, offset;
};

#define CHECK_FRAMES	3
#define CHECK_NO_OPCODE UINT32_MAX
struct check_finding {
	struct check_header h;
	uint32_t kind;
	uint32_t id;	 /* counts findings of a process */
	uint32_t qp_num; /* 0: not about a QP */
	uint32_t opcode; /* enum ibv_wr_opcode, 128: receive, CHECK_NO_OPCODE */
	uint64_t wr_id, addr, bytes;
	uint64_t n[2];
	struct check_address place[2][CHECK_FRAMES]; /* innermost first; base 0: none */
};

/* How often a finding came, at the end of a process. */
struct check_count {
	struct check_header h;
	uint64_t id, count;
};

#endif
