/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_LIMITS_H
#define SIM_OBJ_LIMITS_H

/*
 * Limits that all profiles share: for the id spaces of objects (obj.c), the checks of commands and
 * the capabilities that report them.
 */
enum {
	VHCA_LOG_MAX_UAR = 16, /* of all functions together: mlx5_ib_create_cq.uar_page_index */
	VHCA_LOG_MAX_UMEM = 22,
	VHCA_LOG_MAX_SRQ = 18,
	VHCA_LOG_MAX_SRQ_SZ = 15,
	VHCA_LOG_MAX_DCT = 18,
	VHCA_LOG_MAX_DCI_CHANNELS = 5,
	VHCA_LOG_MAX_EQ = 7,
	VHCA_LOG_MAX_EQ_SZ = 22,
	VHCA_LOG_MAX_TD = 10,
	VHCA_LOG_MAX_XRCD = 10,
	VHCA_LOG_MAX_TIS = 16,
	VHCA_LOG_MAX_PSV = 16,
	VHCA_LOG_MAX_DEK = 16,
	VHCA_LOG_MAX_SQ = 16,
	VHCA_LOG_MAX_RQ = 16,
	VHCA_LOG_MAX_RQT = 14,
	VHCA_LOG_MAX_RQT_SZ = 9, /* queues of one RQ table */
	VHCA_LOG_MAX_TIR = 16,
	VHCA_FRAME_MIN = 14,   /* bytes of an Ethernet packet without FCS */
	VHCA_FRAME_MAX = 9216, /* [I] longest packet of the port, jumbo packets included */
	VHCA_LOG_MAX_LSO = 18, /* payload of a large send, as ibv_devinfo shows it for ConnectX-5 */
	VHCA_LOG_MAX_SW_ICM = 16,
	/* bytes: an STE names a list by a 16-bit number of 64-byte units */
	VHCA_LOG_MODIFY_ICM = 22,
	VHCA_LOG_PATTERN_ICM = 20, /* [I] libmlx5 takes 2^15 for each domain */
	VHCA_MAX_FT_LEVEL = 64,
	VHCA_LOG_MAX_FLOW_TABLE = 20,
	VHCA_LOG_MAX_FLOW_GROUP = 22,
	VHCA_LOG_MAX_FT_SIZE = 22,
	VHCA_LOG_MAX_FLOW_COUNTER = 20,
	VHCA_LOG_MAX_COUNTERS = 19,  /* of one allocation [I] */
	VHCA_COUNTERS_OPMOD = 6,     /* of ACCESS_ASO WQEs that read counters [I] */
	VHCA_LOG_MAX_FLOW_DESTS = 5, /* destinations of an entry, and its counters */
	VHCA_LOG_MAX_ENTRY_COUNTERS = 4,
	VHCA_LOG_MAX_MODIFY_HEADER = 16,
	VHCA_LOG_MAX_FLOW_METER = 16, /* [I] */
	VHCA_MAX_GENEVE_OPTION = 31,  /* [I] words of data */
	VHCA_MAX_NODE_BYTES = 128,    /* [I] of a header that software describes */
	VHCA_MAX_SAMPLE_OFFSET = 124, /* [I] */
	VHCA_NODE_IN = 0xac,	      /* headers before it: Ethernet, IP, UDP, TCP */
	VHCA_MAX_VXLAN_PORTS = 4,     /* beside 4789 */
	VHCA_METER_REGISTERS = 0xfc,  /* [I] C2 to C7 take a color */
	VHCA_LOG_MAX_SAMPLER = 16,    /* [I] */
	VHCA_FDB_TO_VPORT_REGS = 3,   /* registers c_0 and c_1: bits */
	VHCA_LOG_MAX_ARGUMENTS = 18,  /* of one CREATE [I] */
	VHCA_MAX_PATTERN = 64,	      /* rewrites */
	VHCA_LOG_MAX_STC = 15,	      /* [I] */
	VHCA_LOG_MAX_RTC = 15,	      /* [I] */
	VHCA_LOG_MAX_RULE_STE = 24,   /* [I] */
	VHCA_LOG_MAX_RTC_DEPTH = 6,   /* [I] */
	VHCA_LOG_MAX_LINEAR = 16,     /* rows of a rule table without a hash, as DPDK has it */
	VHCA_LOG_MAX_MATCH_DEFINER = 8,
	VHCA_MAX_MODIFY_ACTIONS = 16, /* actions of one context */
	VHCA_LOG_MAX_REFORMAT = 16,
	/* [I] longest header to add: an STE has 6 bits for its length in words */
	VHCA_MAX_REFORMAT_BYTES = 126,
	VHCA_LOG_MAX_RA = 4,		/* outstanding RDMA reads of a QP, in each direction */
	VHCA_LOG_MAX_MCG = 13,		/* multicast groups of a function */
	VHCA_MAX_QP_MCG = 240,		/* queue pairs of a group */
	VHCA_LOG_RESERVED_QPNS = 4,	/* numbers of one RESERVED_QPN object */
	VHCA_LOG_MAX_RESERVED_QPN = 12, /* such objects */
	VHCA_LOG_MAX_SCHED_ELEM = 12,
	VHCA_LOG_MAX_AV_QP_MAPPING = 16,
	VHCA_LOG_MAX_ASO = 20,	     /* objects of each kind */
	VHCA_LOG_MAX_ASO_RANGE = 12, /* of one CREATE */
	VHCA_LOG_MAX_Q_COUNTER = 8,  /* counter_set_id has 8 bits */
	VHCA_MAX_BW_SHARE = 100,
	VHCA_PP_RATES = 128, /* rows of the rate table; row 0 means no limit */
	VHCA_PP_MAX_KBPS = 100000000,
	VHCA_MIN_SPORT = 0xc000, /* lowest source port of RoCEv2; the highest is 0xffff */
	VHCA_MAX_WQE = 1024,	 /* bytes: 16 blocks of 64, 63 units of 16 */
};

/* Most functions of a chip: with this many, each still has 512 UARs and a separate IPv4 address. */
#define DEVICE_MAX_FUNCTIONS 128
/* Chips on one switch have different addresses, which contain numbers from 1 to this. */
#define DEVICE_NUMBERS 254

#endif
