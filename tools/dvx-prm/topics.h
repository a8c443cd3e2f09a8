/* SPDX-License-Identifier: BSD-2-Clause */
/* Failures that are neither a completion nor a refused command, explained from public source. */
#ifndef DVX_PRM_TOPICS_H
#define DVX_PRM_TOPICS_H

#include <stddef.h>
#include <stdint.h>

enum topic_id {
	TOPIC_NONE, /* in details: any call of libibverbs */
	TOPIC_HEALTH_FATAL,
	TOPIC_HEALTH_MISSED,
	TOPIC_HEALTH_ISSUE,
	TOPIC_HEALTH_REPORT,
	TOPIC_HEALTH_RECOVERY,
	TOPIC_COMMAND_TIMEOUT,
	TOPIC_COMMAND_LATE,
	TOPIC_COMMAND_QUEUE,
	TOPIC_FIRMWARE_WAIT,
	TOPIC_PROBE,
	TOPIC_PAGES,
	TOPIC_TEMPERATURE,
	TOPIC_POWER,
	TOPIC_MODULE,
	TOPIC_CQ_ERROR,
	TOPIC_TX_TIMEOUT,
	TOPIC_MKEY_CACHE,
	TOPIC_MODIFY_QP,
	TOPIC_MEMORY,
	TOPIC_MEMLOCK,
	TOPIC_ASYNC_EVENT,
	TOPIC_CM_EVENT,
	TOPIC_NO_DRIVER,
	TOPIC_NO_DEVICE,
	TOPIC_DPDK_PROBE,
	TOPIC_FLOW_REFUSED,
	TOPIC_COUNTER,
	TOPIC_POST,
	TOPIC_ADDRESS_HANDLE,
	TOPIC_DV_CALL,
	TOPIC_NO_CM,
	TOPIC_OPENIB,
	TOPIC_OFFLOAD,
	TOPIC_PCIE,
	TOPIC_POWER_UNKNOWN,
	TOPIC_PROFILE,
	TOPIC_CHECKSUM,
	TOPIC_DPDK_COUNTERS,
	TOPIC_SPDK_QPAIR,
	TOPIC_OPEN_DEVICE,
	TOPIC_ESWITCH,
	TOPIC_LNET,
	TOPIC_UMAD,
	TOPIC_OBJECT,
	TOPIC_KERNEL_OBJECT,
	TOPIC_DMABUF,
	TOPIC_PEER_MEMORY,
	TOPIC_FORK,
	TOPIC_DESTROY,
	TOPIC_CM_CALL,
	TOPIC_GID_TYPE,
	TOPIC_VERB,
	TOPIC_NO_PROVIDER,
	TOPIC_NVSHMEM,
	TOPIC_PERFTEST_PEER,
	TOPIC_DPDK_QUEUE,
	TOPIC_DPDK_MBUF,
	TOPIC_DPDK_POOL,
	TOPIC_KERNEL_MODULE,
	TOPIC_DEVICE_PLUGIN,
	TOPIC_IBGDA_DEVICE,
	TOPIC_GAVE_UP,
	TOPICS
};

/* A topic. `known` is from its source. The remedy is our own advice, or NULL. [I] */
struct topic {
	const char *name; /* for programs: "command_timeout" */
	const char *what;
	const char *known;
	const char *source;
	const char *remedy;
};

/* The meaning of a number or a word in the line; word is NULL for numbers, an errno is negative. */
struct topic_detail {
	enum topic_id topic;
	const char *word;
	int64_t number;
	const char *text;
	const char *remedy; /* replaces the topic's; or NULL [I] */
};

extern const struct topic topics[TOPICS];

/* All details. The last row has no text. */
extern const struct topic_detail topic_details[];

/*
 * Finds the detail of a word, in any case. The text of an event begins with its constant's name,
 * which is found, too. NULL: the tables have none.
 */
const struct topic_detail *topic_of_word(enum topic_id topic, const char *word);
const struct topic_detail *topic_of_number(enum topic_id topic, int64_t number);

/* Finds the detail of an errno: the topic's own, or for calls of libibverbs a common one. */
const struct topic_detail *topic_of_errno(enum topic_id topic, int64_t number);

/* The word of details for lines without an errno. */
#define TOPIC_NO_ERRNO "no errno"

#endif
