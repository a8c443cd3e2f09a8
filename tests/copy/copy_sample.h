/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef COPY_SAMPLE_H
#define COPY_SAMPLE_H

#include "base/options.h"
#include "wire/msg.h"

/* Returns a valid message of a type, with a different value in each field. */
static inline struct copy_msg copy_sample(unsigned int type)
{
	static const uint8_t some[32] = {'n', 'a', 'm', 'e', 0xff, 1};

	return (struct copy_msg){.type = (enum msg_type)type,
				 .magic = MSG_MAGIC,
				 .version = MSG_VERSION,
				 .flags = 1,
				 .code = FSYNC_MODES - 1,
				 .slots = 7,
				 .window = 9,
				 .slot_bytes = 65536,
				 .slot = 3,
				 .len = 4097,
				 .crc = 0xdeadbeef,
				 .mode = 0750,
				 .nsec = 999999999,
				 .off = 0x123456789abc,
				 .size = 0x7fffffffffffffff,
				 .files = 11,
				 .chunks = 13,
				 .options = OPTIONS_PLAIN,
				 .uid = 1000,
				 .gid = 1001,
				 .id = 17,
				 .copies = 19,
				 .sec = -1,
				 .name = {some, 32},
				 .text = {some, type == MSG_FROM ? 32 : 20}};
}

#endif
