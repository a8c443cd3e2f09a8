/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <sys/resource.h>
#include <unistd.h>

#include "queue_packets.h"
#include "tools/cli/say.h"

#define QUEUE_PACKETS_MIN 16u

uint32_t queue_packets(unsigned int queues)
{
	struct rlimit limit;
	uint32_t packets = QUEUE_PACKETS;

	/* Root's CAP_IPC_LOCK lifts the limit; where it does not (in a container), pinning says so. */
	if (!geteuid() || getrlimit(RLIMIT_MEMLOCK, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return packets;
	while (packets > QUEUE_PACKETS_MIN &&
	       (uint64_t)queues * packets * PACKET_BYTES > limit.rlim_cur / 4 * 3)
		packets /= 2;
	if (packets < QUEUE_PACKETS)
		say("each queue holds %" PRIu32 " packets, not %u: RLIMIT_MEMLOCK is %" PRIu64
		    " KiB (ulimit -l)",
		    packets, QUEUE_PACKETS, (uint64_t)limit.rlim_cur / 1024);
	return packets;
}
