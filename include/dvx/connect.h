/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_CONNECT_H
#define DVX_CONNECT_H

/*
 * Connecting two queue pairs: the local side, the peer's side, and a blob of bytes that carries one
 * program's local side to the other program (dvx_qp_connect(3)).
 *
 *	dvx_qp_local_init(dev, 1, &local);
 *	local.access = DVX_REMOTE_WRITE;
 *	dvx_qp_blob_write(qp, &local, blob);
 *	... send blob to the peer and receive its own, by any channel ...
 *	dvx_qp_blob_read(qp, blob, sizeof(blob), &peer);
 *	dvx_qp_connect(qp, &local, &peer);
 */
#include <dvx/dev.h>

DVX_BEGIN_DECLS

/* Bytes in a blob that the program may use: for an address and a key, for example. */
#define DVX_QP_USER_BYTES 16u

/*
 * The local side. dvx_qp_local_init() fills it in; then change the members that should differ. 0 is
 * the value 0, as in verbs, and not a default. Each comment ends, behind the semicolon, with the
 * value that dvx_qp_local_init() sets.
 */
struct dvx_qp_local {
	uint32_t size;
	uint32_t psn;	     /* of the first packet sent; random */
	uint32_t access;     /* the peer's rights: DVX_REMOTE_READ | ...; 0 */
	uint16_t pkey_index; /* index of the partition key; 0 */
	uint16_t udp_sport;  /* RoCE v2; 0 is a default here: made of the QP's number; 0 */
	uint8_t port;	     /* counted from 1; the argument */
	uint8_t gid_index;   /* in the port's table; the choice of dvx_gid_choose() */
	uint8_t mtu_log; /* 8 to 12; the smaller one of both sides is used; the port's active MTU */
	uint8_t sl;	 /* service level; priority on Ethernet; 0 */
	uint8_t traffic_class; /* DSCP and ECN; 0 */
	uint8_t hop_limit;     /* the most routers on the path; 64 */
	uint8_t max_rd_atomic; /* reads and atomics in flight, each way; 16 if the device can */
	uint8_t ack_timeout;   /* 4.096 us << n, 0: for ever; 14 */
	uint8_t retry_count;   /* of a lost packet, 0 to 7; 7 */
	uint8_t rnr_retry;     /* while the peer has no receive posted: 0 to 6, 7: for ever; 7 */
	uint8_t min_rnr_timer; /* the peer's pause if no receive is posted; IB code; 12: 0.64 ms */
	uint8_t reserved;
	uint8_t user[DVX_QP_USER_BYTES]; /* for the peer's program; the device never sees it; 0 */
	uint32_t q_key;			 /* UD: datagrams to the queue must carry it; 0 */
};
/* Fills in *local for a port of the device, as the comments above say. */
int dvx_qp_local_init_sized(struct dvx_dev *dev, uint8_t port, struct dvx_qp_local *local,
			    size_t size);
DVX_INLINE int dvx_qp_local_init(struct dvx_dev *dev, uint8_t port, struct dvx_qp_local *local)
{
	return dvx_qp_local_init_sized(dev, port, local, sizeof(*local));
}

/*
 * The peer's side. dvx_qp_blob_read() fills it in from a blob; a program that fills it in itself
 * sets at least size, qpn, psn and gid. 0 in another member means "unknown": the local side's value
 * is used.
 */
struct dvx_qp_peer {
	uint32_t size;
	uint32_t qpn;
	uint32_t psn; /* of its first packet */
	uint8_t gid[16];
	uint8_t mac[6];	       /* 0: resolved from gid (RoCE) */
	uint16_t lid;	       /* InfiniBand; needed there */
	uint8_t gid_type;      /* enum dvx_gid_type */
	uint8_t mtu_log;       /* 8 to 12 */
	uint8_t max_rd_atomic; /* reads and atomics that it accepts at once */
	uint8_t reserved;
	uint8_t user[DVX_QP_USER_BYTES]; /* from the peer's program; libdvx does not check it */
	uint32_t q_key;			 /* UD: datagrams to the peer must carry it */
};

struct ibv_qp_attr;

/*
 * Sets members of both sides from attributes of verbs, which rdma_init_qp_attr() makes for a queue
 * that RDMA_CM connects: call it for each of INIT, RTR and RTS. `mask` (enum ibv_qp_attr_mask)
 * names the attributes; other members keep their values, so call dvx_qp_local_init() and set
 * peer->size before.
 */
int dvx_qp_sides_from_verbs(const struct ibv_qp_attr *attr, int mask, struct dvx_qp_local *local,
			    struct dvx_qp_peer *peer);

/*
 * A connection blob: 64 bytes that tell the peer how to connect to a queue. Big-endian, the same on
 * all machines.
 *
 *	 0 "DVXC"	16 GID			36 log2 of the MTU
 *	 4 version, 1	32 LID			37 max_rd_atomic
 *	 6 length, 64	34 enum dvx_qp_type, or	38 0
 *			   6: a DC target
 *	 8 QPN		35 enum dvx_gid_type	40 user
 *	12 first PSN				56 Q_Key of a UD queue, else 0
 *						60 CRC32C of bytes 0 to 59
 *
 * The checksum detects damage, not forgery: anybody who can change the blob can redirect the
 * connection.
 */
#define DVX_QP_BLOB_VERSION 1
#define DVX_QP_BLOB_BYTES   64

/* Writes the blob of a queue, to be sent to the peer. */
int dvx_qp_blob_write(struct dvx_qp *qp, const struct dvx_qp_local *local,
		      uint8_t blob[DVX_QP_BLOB_BYTES]);
/*
 * Fills in *peer from the peer's blob, for connecting qp. -EINVAL: the bytes are no blob, or the
 * peer's queue is of another type; -ERANGE: they are cut short or too long; -EPROTONOSUPPORT:
 * another version; -EBADMSG: damaged, or an impossible value. On errors *peer is unchanged.
 */
int dvx_qp_blob_read_sized(struct dvx_qp *qp, const void *blob, size_t len,
			   struct dvx_qp_peer *peer, size_t size);
DVX_INLINE int dvx_qp_blob_read(struct dvx_qp *qp, const void *blob, size_t len,
				struct dvx_qp_peer *peer)
{
	return dvx_qp_blob_read_sized(qp, blob, len, peer, sizeof(*peer));
}

/* The GID of a port to connect with, and a sentence that gives the reason. */
struct dvx_gid_choice {
	struct dvx_gid gid;
	char why[216];
};

/*
 * Chooses a GID of a port. RoCE v2 comes before v1, since only v2 is routed; in v2, IPv4 comes
 * before IPv6, and IPv6 link-local, which no router passes on, is last. Among equals the lowest
 * index is chosen, on InfiniBand index 0. If peer is not NULL, only GIDs of the peer's type and IP
 * version are considered. -ENOENT: there is none.
 */
int dvx_gid_choose(struct dvx_dev *dev, uint8_t port, const struct dvx_qp_peer *peer,
		   struct dvx_gid_choice *out);

DVX_END_DECLS

#endif
