/* SPDX-License-Identifier: BSD-2-Clause */
/* Attribute structures: calls check unknown bytes before anything else, and fail with -E2BIG. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/dvx.h>
#include "src/lib/attrs.h"
#include "tests/test.h"

#define ROOM 512u

/* An object for the two calls that check that argument before the attributes. */
static void *const any_object = (uint64_t[ROOM]){0};

static bool attr_is_clear(const void *attr)
{
	const uint8_t *bytes = attr;
	size_t i = sizeof(uint32_t);

	while (i < ROOM && !bytes[i])
		i++;
	return i == ROOM;
}

/*
 * One call for each type, without the objects that it needs, so that it always fails. A type of
 * src/lib/attrs.h without a call here is a compile error.
 */
#define CALL(type, call)                              \
	static int call_##type(const struct type *in) \
	{                                             \
		return call;                          \
	}
CALL(dvx_connection, dvx_aso_set_connection(NULL, 0, in))
CALL(dvx_cq_attr, dvx_cq_create(NULL, in, NULL))
CALL(dvx_cq_memory, dvx_cq_init(NULL, in))
CALL(dvx_dct_attr, dvx_dct_create(NULL, in, NULL, NULL))
CALL(dvx_dek_attr, dvx_dek_create(NULL, in, NULL))
CALL(dvx_flow_bulk, dvx_flow_rules_insert(in, 1, NULL))
CALL(dvx_flow_domain_attr, dvx_flow_domain_create(NULL, in, NULL))
CALL(dvx_flow_matcher_attr, dvx_flow_matcher_create(NULL, in, NULL))
CALL(dvx_flow_rule_attr, dvx_flow_rule_create(in, NULL))
CALL(dvx_login_attr, dvx_login_create(NULL, in, NULL))
CALL(dvx_meter, dvx_aso_set_meter(NULL, 0, in))
CALL(dvx_mkey_attr, dvx_mkey_create(NULL, in, NULL))
CALL(dvx_mkey_list_attr, dvx_mkey_create_of(NULL, in, NULL))
CALL(dvx_mkey_sig_attr, dvx_mkey_create_sig(NULL, in, NULL))
CALL(dvx_qp_attr, dvx_qp_create(NULL, in, NULL))
CALL(dvx_qp_local, attr_is_clear(in) ? 0 : dvx_qp_blob_write(any_object, in, any_object))
CALL(dvx_qp_peer, attr_is_clear(in) ? 0 : dvx_gid_choose(any_object, 1, in, any_object))
CALL(dvx_rq_memory, dvx_rq_init(NULL, in))
CALL(dvx_rss_attr, dvx_rss_create(NULL, in, NULL))
CALL(dvx_rules_attr, dvx_rules_create(in, NULL))
CALL(dvx_rxq_attr, dvx_rxq_create(NULL, in, NULL))
CALL(dvx_sq_memory, dvx_sq_init(NULL, in))
CALL(dvx_srq_attr, dvx_srq_create(NULL, in, NULL))
CALL(dvx_srq_memory, dvx_srq_init(NULL, in))
CALL(dvx_txq_attr, dvx_txq_create(NULL, in, NULL))
CALL(dvx_umr_pool_attr, dvx_umr_pool_create(NULL, in, NULL))

static uint8_t *attr_new(uint32_t size)
{
	uint8_t *bytes = calloc(1, ROOM);

	assert_true(size < ROOM);
	memcpy(bytes, &size, sizeof(size));
	return bytes;
}

/* Sets each of the `bytes` bytes from `at` on: the call fails, and its sentence has `word`. */
#define REFUSED(type, at, bytes, size, word)                                                  \
	do {                                                                                  \
		uint8_t *attr = attr_new(size);                                               \
		const struct type *in = (const struct type *)(void *)attr;                    \
		for (size_t byte = 0; byte < (bytes); byte++) {                               \
			attr[(at) + byte] = 0x80;                                             \
			if (call_##type(in) != -E2BIG || !strstr(dvx_strerror(-E2BIG), word)) \
				fail_msg(#type ", byte %zu: %s", byte,                        \
					 dvx_strerror(call_##type(in)));                      \
			attr[(at) + byte] = 0;                                                \
		}                                                                             \
		assert_int_not_equal(call_##type(in), -E2BIG);                                \
		free(attr);                                                                   \
	} while (0);

/* Headers and library have the same version. */
TEST(none, version)
{
	assert_int_equal(dvx_version(), DVX_VERSION);
}

/* Each byte of each reserved member must be 0. */
TEST(none, reserved_members){
#define SPARE(type)                                                                          \
	REFUSED(type, offsetof(struct type, reserved), sizeof(((struct type *)0)->reserved), \
		sizeof(struct type), ".reserved is not 0")
#define FULL(type)
	DVX_ATTRS(SPARE, FULL)}

/* Bytes behind the end of this libdvx's struct must be 0. */
TEST(none, longer)
{
#define LONGER(type) \
	REFUSED(type, sizeof(struct type), 8, sizeof(struct type) + 8, "this libdvx knows only")
	DVX_ATTRS(LONGER, LONGER)
}
