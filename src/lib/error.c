/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stdio.h>
#include <dvx/prm/cmd.h>
#include "prm/reflect.h"
#include "priv.h"

/* The library's only global mutable state. */
static _Thread_local struct dvx_error last;
static _Thread_local char text[320];

int dvx_fail(int err, const char *fmt, ...)
{
	va_list ap;

	memset(&last, 0, sizeof(last));
	last.err = err;
	va_start(ap, fmt);
	vsnprintf(last.what, sizeof(last.what), fmt, ap);
	va_end(ap);
	return -err;
}

int dvx_fail_cmd(const void *in, const void *out, int err)
{
	memset(&last, 0, sizeof(last));
	last.opcode = (uint16_t)prm_mbox_in_get_opcode(in);
	last.op_mod = (uint16_t)prm_mbox_in_get_op_mod(in);
	last.status = (uint8_t)prm_mbox_out_get_status(out);
	last.syndrome = prm_mbox_out_get_syndrome(out);
	/* Newer kernels return EREMOTEIO and the mailbox; older ones an errno and no mailbox. */
	last.err = last.status ? prm_status_errno(last.status) : err;
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
	char why[96];

	if (last.status)
		snprintf(why, sizeof(why), "%s (0x%x), syndrome 0x%x", prm_status_name(last.status),
			 last.status, last.syndrome);
	else
		snprintf(why, sizeof(why), "refused; the kernel hides status and syndrome");
	snprintf(text, sizeof(text), "%s (0x%x) op_mod 0x%x: %s: %s", prm_opcode_name(last.opcode),
		 last.opcode, last.op_mod, why, strerrordesc_np(last.err));
}

const char *dvx_strerror(void)
{
	if (last.opcode)
		describe_command();
	else if (last.err)
		snprintf(text, sizeof(text), "%s: %s", last.what, strerrordesc_np(last.err));
	else
		snprintf(text, sizeof(text), "no error");
	return text;
}
