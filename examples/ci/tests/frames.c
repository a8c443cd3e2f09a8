/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames, which need no device. */
#include "check.h"
#include "frame.h"

#include <errno.h>
#include <string.h>

int main(void)
{
	static char frame[FRAME_ROOM], big[FRAME_ROOM];
	const void *data;
	unsigned int flags;

	CHECK(frame_put(frame, "hello", 5, FRAME_LAST) == 13);
	CHECK(!memcmp(frame, "RC\0\1\0\0\0\5hello", 13));
	CHECK(frame_get(frame, 13, &data, &flags) == 5 && flags == FRAME_LAST);
	CHECK(!memcmp(data, "hello", 5));
	CHECK(frame_get(frame, 12, &data, &flags) == -EBADMSG); /* cut */
	CHECK(frame_get(frame, 7, &data, &flags) == -EBADMSG);
	frame[0] = 'X';
	CHECK(frame_get(frame, 13, &data, &flags) == -EBADMSG);
	CHECK(frame_put(frame, big, FRAME_ROOM - FRAME_HEADER, 0) == FRAME_ROOM);
	CHECK(frame_put(frame, big, FRAME_ROOM - FRAME_HEADER + 1, 0) == -EMSGSIZE);
	return 0;
}
