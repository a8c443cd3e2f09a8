/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stdio.h>
#include <dvx/prm/cmd.h>
#include "prm/reflect.h"
#include "priv.h"

#define SENTENCE_BYTES 320 /* of dvx_strerror() */
#define STATUS_BYTES   96  /* of the firmware's status in it */

/* The library's only global mutable state. */
static _Thread_local struct dvx_error last;
static _Thread_local char text[SENTENCE_BYTES];

static const char no_room[] =
	"the ring is full, or a pool has no free key: poll the queue's completions first, and post "
	"again; nothing was written";
static const char no_fit[] =
	"the work request does not fit: its inline data or its pieces are more than the queue's "
	"largest WQE or receive has room for, or a piece is empty or longer than 2 GiB (or a large "
	"send has no headers or no mss)";
static const char no_flag[] =
	"flags has a bit that this call does not know: the flags of posts are DVX_SIGNALED, "
	"DVX_FENCE and so on, not those of verbs";
static const char no_mmo[] = "the queue has no MMO: create it with DVX_QP_MMO";

/*
 * The errors of inline calls, which can't store a sentence: the number selects it. No other call
 * returns these numbers: error_not_inline() replaces them if the system does.
 */
static const struct {
	int err;
	int elsewhere;
	const char *sentence;
} inline_errors[] = {
	{ENOSPC, ENOMEM, no_room},
	{EMSGSIZE, EINVAL, no_fit},
	{EBADR, EINVAL, no_flag},
	{EBADRQC, EOPNOTSUPP, no_mmo},
};

static int error_not_inline(int err)
{
	for (size_t i = 0; i < sizeof(inline_errors) / sizeof(inline_errors[0]); i++)
		if (inline_errors[i].err == err)
			return inline_errors[i].elsewhere;
	return err;
}

static const char *error_inline_sentence(int err)
{
	for (size_t i = 0; i < sizeof(inline_errors) / sizeof(inline_errors[0]); i++)
		if (inline_errors[i].err == err)
			return inline_errors[i].sentence;
	return NULL;
}

int dvx_fail(int err, const char *fmt, ...)
{
	va_list ap;

	memset(&last, 0, sizeof(last));
	last.err = error_not_inline(err);
	va_start(ap, fmt);
	vsnprintf(last.what, sizeof(last.what), fmt, ap);
	va_end(ap);
	return -last.err;
}

int dvx_fail_cmd(const void *in, const void *out, int err)
{
	memset(&last, 0, sizeof(last));
	last.opcode = (uint16_t)prm_mbox_in_get_opcode(in);
	last.op_mod = (uint16_t)prm_mbox_in_get_op_mod(in);
	last.status = (uint8_t)prm_mbox_out_get_status(out);
	last.syndrome = prm_mbox_out_get_syndrome(out);
	/* Newer kernels return EREMOTEIO and the mailbox; older ones an errno without a mailbox. */
	last.err = error_not_inline(last.status ? prm_status_errno(last.status) : err);
	return -last.err;
}

int dvx_restore(const struct dvx_error *why)
{
	last = *why;
	return -last.err;
}

const struct dvx_error *dvx_last_error(void)
{
	return &last;
}

static void describe_command(void)
{
	char why[STATUS_BYTES];

	if (last.status)
		snprintf(why, sizeof(why), "%s (0x%x), syndrome 0x%x", prm_status_name(last.status),
			 last.status, last.syndrome);
	else
		snprintf(why, sizeof(why), "refused; the kernel hides status and syndrome");
	snprintf(text, sizeof(text), "%s (0x%x) op_mod 0x%x: %s: %s", prm_opcode_name(last.opcode),
		 last.opcode, last.op_mod, why, strerrordesc_np(last.err));
}

/* Describes an error without a sentence: another thread's, or not the last one of this thread. */
static void describe_number(int err)
{
	const char *words = strerrordesc_np(err);

	if (err == EIO)
		snprintf(text, sizeof(text),
			 "the work of a completion failed: dvx_cqe_strerror() of "
			 "its syndrome tells why");
	else if (words)
		snprintf(text, sizeof(text), "%s", err ? words : "no error");
	else
		snprintf(text, sizeof(text), "%d is not an error that libdvx returns", err);
}

const char *dvx_strerror(int err)
{
	const int number = err < 0 ? -err : err;
	const char *sentence = error_inline_sentence(number);

	if (sentence)
		return sentence;
	if (!number || number != last.err)
		describe_number(number);
	else if (last.opcode)
		describe_command();
	else
		snprintf(text, sizeof(text), "%s: %s", last.what, strerrordesc_np(last.err));
	return text;
}
