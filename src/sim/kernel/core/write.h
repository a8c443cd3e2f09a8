/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_WRITE_H
#define KERNEL_WRITE_H

#include <stddef.h>
#include <stdint.h>
#include "attr.h"
#include "file.h"

/*
 * A write command that INVOKE_WRITE carries. in and out are CORE_IN and CORE_OUT, at least as long
 * as the command's row demands; the driver's bytes are in UHW_IN and UHW_OUT.
 */
#define WCMD_IN_BYTES 1024u /* no command reads more, but in_len may be larger */
struct wcmd {
	const struct write_command *row;
	struct uverbs_file *f;
	struct uverbs_request *req;
	const void *in;
	size_t in_len;
	size_t out_len;
};

#define WCMD_EX(cmd) ((cmd) | IB_USER_VERBS_CMD_FLAG_EXTENDED)
#define WCMD_TAIL    0xffff
typedef int write_fn(struct wcmd *);
struct write_command {
	uint32_t cmd;
	const char *name;
	write_fn *run;	  /* NULL: known to ib_uverbs, not offered by this device */
	uint16_t in, out; /* minimum lengths */
	/*
	 * Input bytes that are read; the rest must be 0. 0: as `in`; WCMD_TAIL: the command checks.
	 */
	uint16_t known;
	uint16_t object; /* of wcmd_destroy(): UVERBS_OBJECT_* */
};

/* Handles commands that destroy an object; the reply, if any, has the object's events. */
int wcmd_destroy(struct wcmd *);

void wcmd_out(struct wcmd *, const void *, size_t len);
/* Checks that the bytes after the known part of a request are zero: 0 or -EOPNOTSUPP. */
int wcmd_end(const struct wcmd *, const char *name, size_t known);
/* Size of a structure up to the end of a member. */
#define UPTO(t, last) (offsetof(struct t, last) + sizeof(((struct t *)0)->last))

/* Handles the method INVOKE_WRITE. */
int uverbs_invoke_write(struct uverbs_file *, struct uverbs_request *);

#endif
