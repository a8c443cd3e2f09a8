/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of random rules and of random packets: few enough to meet again. */
#ifndef TESTS_FLOW_RANDOM_VALUES_H
#define TESTS_FLOW_RANDOM_VALUES_H

#include <string.h>
#include "flow_random.h"

#define PICK(d, list) ((list)[dice_roll(d, sizeof(list) / sizeof((list)[0]))])

static inline bool chance(struct dice *d, uint32_t percent)
{
	return dice_roll(d, 100) < percent;
}

static const uint16_t ports[] = {0, 1, 53, 80, 81, 443, 1023, 1024, 4096, 5000, 40000, 65535};
static const uint8_t ttls[] = {1, 63, 64, 255};
static const uint8_t dscps[] = {0, 10, 46};
static const uint32_t labels[] = {0, 0x12345, 0xfffff};
static const uint32_t mpls_labels[] = {16, 100, 0xfffff};
static const uint32_t vnis[] = {0, 7, 9, 0xabcdef};
static const uint16_t policies[] = {0, 300};
static const uint32_t option_data[] = {0, 7, 0x20007}; /* rules do not name the first one */
static const uint16_t vids[] = {0, 1, 5, 100, 4094};
static const uint8_t protos[] = {1, 2, 6, 17, 47, 50, 58, 132};
static const uint16_t types[] = {0x0806, 0x88f7, 0x8847, 0x88cc};
static const uint8_t icmp_types[] = {0, 3, 8, 11, 128, 135};

static inline uint32_t address4(struct dice *d)
{
	return 10u << 24 | dice_roll(d, 2) << 16 | dice_roll(d, 2) << 8 | dice_roll(d, 4);
}

static inline void address6(struct dice *d, uint8_t a[16])
{
	static const uint8_t start[] = {0x20, 0x01, 0x0d, 0xb8};

	memset(a, 0, 16);
	memcpy(a, start, sizeof(start));
	a[7] = (uint8_t)dice_roll(d, 2);
	a[15] = (uint8_t)dice_roll(d, 4);
}

static inline uint8_t mac_end(struct dice *d)
{
	return (uint8_t)dice_roll(d, 4);
}

#endif
