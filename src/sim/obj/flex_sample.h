/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_FLEX_SAMPLE_H
#define SIM_OBJ_FLEX_SAMPLE_H

#include <stdint.h>

/* Numbers of the words that flex parsers take from a packet. */
#define FLEX_PARSERS 8u

/* Header that a node of the parse graph follows, and the value that names the node there. */
struct flex_arc {
	uint8_t node; /* PRM_GRAPH_NODE_* */
	uint16_t value;
};
#define FLEX_ARCS 8u

/* A word that software chose by PARSE_GRAPH_NODE (fw/parse_node.c); steer/flex.h reads it. */
struct flex_sample {
	uint8_t arcs;	/* 0: the parser takes no sample */
	uint8_t offset; /* bytes from the header's begin */
	struct flex_arc arc[FLEX_ARCS];
};

#endif
