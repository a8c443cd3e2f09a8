/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stdio.h>
#include <dvx/cmd.h>

#include "dvx-flow.h"
#include "fault.h"

int fault(struct fault *f, int code, const char *fmt, ...)
{
	va_list ap;

	f->code = code;
	va_start(ap, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, ap);
	va_end(ap);
	return -1;
}

int fault_device(struct fault *f)
{
	return fault(f, EXIT_DEVICE, "%s", dvx_strerror());
}
