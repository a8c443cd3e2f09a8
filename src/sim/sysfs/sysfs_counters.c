/* SPDX-License-Identifier: BSD-2-Clause */
/* The counters of the port. Their files are answered with the present values. */
#include "sysfs_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/*
 * ports/1/counters has mlx5_ib's answer to a PMA query, from the counters of the function's vport:
 * RoCE only, data in units of 4 bytes. hw_counters are those of the driver's Q counter set, and of
 * congestion. The loop wire makes no errors, so error counters are always 0.
 */
#define NEVER		SIZE_MAX
#define COUNTED(field)	offsetof(struct port_stats, field)
#define HW_FOLDER	"hw_counters/"
#define OF_QUEUES(name) HW_FOLDER #name, COUNTED(queues.name), 0, 0
static const struct {
	const char *path;
	size_t at;
	unsigned int shift;
	size_t less; /* another counter to subtract; 0: none */
} counters[] = {
	{"counters/port_xmit_data", COUNTED(xmit_bytes), 2, 0},
	{"counters/port_rcv_data", COUNTED(rcv_bytes), 2, 0},
	{"counters/port_xmit_packets", COUNTED(xmit_packets), 0, 0},
	{"counters/port_rcv_packets", COUNTED(rcv_packets), 0, 0},
	{"counters/unicast_xmit_packets", COUNTED(xmit_packets), 0,
	 COUNTED(multicast_xmit_packets)},
	{"counters/unicast_rcv_packets", COUNTED(rcv_packets), 0, COUNTED(multicast_rcv_packets)},
	{"counters/multicast_xmit_packets", COUNTED(multicast_xmit_packets), 0, 0},
	{"counters/multicast_rcv_packets", COUNTED(multicast_rcv_packets), 0, 0},
	{"counters/symbol_error", NEVER, 0, 0},
	{"counters/link_error_recovery", NEVER, 0, 0},
	{"counters/link_downed", NEVER, 0, 0},
	{"counters/port_rcv_errors", NEVER, 0, 0},
	{"counters/port_rcv_remote_physical_errors", NEVER, 0, 0},
	{"counters/port_rcv_switch_relay_errors", NEVER, 0, 0},
	{"counters/port_xmit_discards", NEVER, 0, 0},
	{"counters/port_xmit_constraint_errors", NEVER, 0, 0},
	{"counters/port_rcv_constraint_errors", NEVER, 0, 0},
	{"counters/local_link_integrity_errors", NEVER, 0, 0},
	{"counters/excessive_buffer_overrun_errors", NEVER, 0, 0},
	{"counters/VL15_dropped", NEVER, 0, 0},
	{"counters/port_xmit_wait", NEVER, 0, 0},
	{OF_QUEUES(rx_write_requests)},
	{OF_QUEUES(rx_read_requests)},
	{OF_QUEUES(rx_atomic_requests)},
	{OF_QUEUES(rx_dct_connect)},
	{OF_QUEUES(out_of_buffer)},
	{OF_QUEUES(out_of_sequence)},
	{OF_QUEUES(duplicate_request)},
	{OF_QUEUES(rnr_nak_retry_err)},
	{OF_QUEUES(packet_seq_err)},
	{OF_QUEUES(implied_nak_seq_err)},
	{OF_QUEUES(local_ack_timeout_err)},
	{OF_QUEUES(resp_local_length_error)},
	{OF_QUEUES(resp_cqe_error)},
	{OF_QUEUES(req_cqe_error)},
	{OF_QUEUES(req_remote_invalid_request)},
	{OF_QUEUES(req_remote_access_errors)},
	{OF_QUEUES(resp_remote_access_errors)},
	{OF_QUEUES(resp_cqe_flush_error)},
	{OF_QUEUES(req_cqe_flush_error)},
	{OF_QUEUES(req_transport_retries_exceeded)},
	{OF_QUEUES(req_rnr_retries_exceeded)},
	{HW_FOLDER "np_ecn_marked_roce_packets", COUNTED(np_ecn_marked), 0, 0},
	{HW_FOLDER "np_cnp_sent", COUNTED(np_cnp_sent), 0, 0},
	{HW_FOLDER "rp_cnp_handled", COUNTED(rp_cnp_handled), 0, 0},
	{HW_FOLDER "rp_cnp_ignored", COUNTED(rp_cnp_ignored), 0, 0},
	{HW_FOLDER "rx_icrc_encapsulated", COUNTED(rx_icrc_errors), 0, 0},
};
#define NCOUNTERS (sizeof(counters) / sizeof(counters[0]))

static uint64_t counter_at(const void *stats, size_t at)
{
	uint64_t n;

	memcpy(&n, (const char *)stats + at, sizeof(n));
	return n;
}

static uint64_t counter_value(size_t i, const struct port_stats *stats)
{
	uint64_t n = 0, less = 0;

	/* Read the part first, so that it never exceeds the whole, read after it. */
	if (counters[i].less)
		less = counter_at(stats, counters[i].less);
	if (counters[i].at != NEVER)
		n = counter_at(stats, counters[i].at) - less;
	return n >> counters[i].shift;
}

/* Returns the name, or NULL if the counter is in the other folder. */
static const char *counter_hw_name(size_t c)
{
	const size_t len = strlen(HW_FOLDER);

	return strncmp(counters[c].path, HW_FOLDER, len) ? NULL : counters[c].path + len;
}

const char *sysfs_hw_counter(unsigned int i, const struct port_stats *stats, uint64_t *value)
{
	for (size_t c = 0; c < NCOUNTERS; c++) {
		if (!counter_hw_name(c) || i--)
			continue;
		*value = counter_value(c, stats);
		return counter_hw_name(c);
	}
	return NULL;
}

size_t sysfs_counter(const char *path, const struct port_stats *stats, char text[SYSFS_COUNTER])
{
	static const char port[] = "/ports/1/";
	const char *tail = strstr(path, port);

	for (size_t i = 0; tail && i < NCOUNTERS; i++) {
		if (!strcmp(tail + strlen(port), counters[i].path))
			return (size_t)snprintf(text, SYSFS_COUNTER, "%llu\n",
						(unsigned long long)counter_value(i, stats));
	}
	return 0;
}

/* Writing allocates the pages: later stores must not hit a full disk. */
static int make_stats(int root)
{
	const struct port_stats none = {0};

	return sysfs_make_bytes(root, SYSFS_STATS, &none, sizeof(none), 0644);
}

int sysfs_make_counters(int root)
{
	int err = make_stats(root);
	char path[128];

	for (size_t i = 0; !err && i < NCOUNTERS; i++) {
		snprintf(path, sizeof(path), PORT "/%s", counters[i].path);
		err = sysfs_make_file(root, path, "0\n");
	}
	return err;
}

int sysfs_stats(const char *root)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/" SYSFS_STATS, root);
	fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}
