/* SPDX-License-Identifier: BSD-2-Clause */
#include "fault.h"

#include <stdint.h>
#include <stdio.h>

int copy_fail(struct copy_fault *f, enum copy_exit code, const char *fmt, ...)
{
	va_list ap;

	if (f->code)
		return -1;
	f->code = code;
	va_start(ap, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, ap);
	va_end(ap);
	return -1;
}

const char *fault_word(int code)
{
	switch (code) {
	case COPY_OK:
		return "ok";
	case COPY_PARTIAL:
		return "partial";
	case COPY_USAGE:
		return "usage";
	case COPY_CONNECT:
		return "connection";
	case COPY_AUTH:
		return "authentication";
	case COPY_PEER:
		return "peer-died";
	case COPY_PROTOCOL:
		return "protocol";
	case COPY_REFUSED:
		return "path-refused";
	case COPY_IO:
		return "io";
	case COPY_INTEGRITY:
		return "integrity";
	case COPY_DEVICE:
		return "device";
	case COPY_INTERRUPTED:
		return "interrupted";
	}
	return "unknown";
}

/* Escapes bytes above 0x7e, too: C1 controls hide in Latin-1 and in UTF-8. */
const char *quote(char *to, size_t room, const void *bytes, size_t len)
{
	const uint8_t *b = bytes;
	size_t at = 0;

	for (size_t i = 0; i < len && at + 5 < room; i++) {
		if (b[i] >= 0x20 && b[i] < 0x7f && b[i] != '\\')
			to[at++] = (char)b[i];
		else
			at += (size_t)snprintf(to + at, room - at, "\\x%02x", b[i]);
	}
	to[at] = '\0';
	return to;
}
