/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef LIB_ATTRS_H
#define LIB_ATTRS_H

/*
 * The structures that callers fill in and that begin with their size. SPARE: with a member
 * `reserved`, which a later libdvx may use; dvx_struct_copy() fails if it is not 0. FULL: without
 * one. No other byte is unused: tests/tree/attr_list.pl compares this list with the headers.
 */
#define DVX_ATTRS(SPARE, FULL)       \
	FULL(dvx_connection)         \
	SPARE(dvx_cq_attr)           \
	SPARE(dvx_cq_memory)         \
	FULL(dvx_dct_attr)           \
	FULL(dvx_dek_attr)           \
	FULL(dvx_flow_bulk)          \
	FULL(dvx_flow_domain_attr)   \
	SPARE(dvx_flow_matcher_attr) \
	FULL(dvx_flow_rule_attr)     \
	SPARE(dvx_login_attr)        \
	FULL(dvx_meter)              \
	SPARE(dvx_mkey_attr)         \
	FULL(dvx_mkey_list_attr)     \
	SPARE(dvx_mkey_sig_attr)     \
	SPARE(dvx_qp_attr)           \
	SPARE(dvx_qp_local)          \
	SPARE(dvx_qp_peer)           \
	SPARE(dvx_rq_memory)         \
	SPARE(dvx_rss_attr)          \
	SPARE(dvx_rules_attr)        \
	SPARE(dvx_rxq_attr)          \
	SPARE(dvx_sq_memory)         \
	SPARE(dvx_srq_attr)          \
	SPARE(dvx_srq_memory)        \
	FULL(dvx_txq_attr)           \
	SPARE(dvx_umr_pool_attr)

#define DVX_ATTR_NAME(type) DVX_ATTR_##type,
enum dvx_attr_type { DVX_ATTRS(DVX_ATTR_NAME, DVX_ATTR_NAME) DVX_ATTR_TYPES };

/* Makes calls with a type that is not listed a compile error. */
#define DVX_ATTR_CASE(type) , struct type * : DVX_ATTR_##type
#define DVX_ATTR_TYPE_OF(p) _Generic((p)DVX_ATTRS(DVX_ATTR_CASE, DVX_ATTR_CASE))

#endif
