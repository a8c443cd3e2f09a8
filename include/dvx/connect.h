/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_CONNECT_H
#define DVX_CONNECT_H

/*
 * What connects two queue pairs: one's own side, the peer's side, and the bytes that carry the one
 * to the other (dvx_qp_connect(3)).
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

/* Bytes of the program's own that a blob carries: an address and a key, for example. */
#define DVX_QP_USER_BYTES 16u

/*
 * One's own side. dvx_qp_local_init() fills it; then change what shall be different. Each member
 * means what it says, as in verbs: 0 is 0, not a default. Behind the semicolon is what it fills in.
 */
struct dvx_qp_local {
	uint32_t size;
	uint32_t psn;	     /* of the first packet that we send; random */
	uint32_t access;     /* what the peer may do: DVX_REMOTE_READ | ...; 0 */
	uint16_t pkey_index; /* index of the partition key; 0 */
	uint16_t udp_sport;  /* RoCE v2, 0 (the only exception): one made of the QP's number; 0 */
	uint8_t port;	     /* from 1; as given */
	uint8_t gid_index;   /* in the port's table; as dvx_gid_choose() chooses */
	uint8_t mtu_log; /* 8 to 12, the smaller one of both ends counts; the port's active MTU */
	uint8_t sl;	 /* service level; priority on Ethernet; 0 */
	uint8_t traffic_class; /* DSCP and ECN; 0 */
	uint8_t hop_limit;     /* of routers; 64 */
	uint8_t max_rd_atomic; /* reads and atomics in flight, of each side; 16 if the device can */
	uint8_t ack_timeout;   /* 4.096 us << n, 0: for ever; 14 */
	uint8_t retry_count;   /* of a lost packet, 0 to 7; 7 */
	uint8_t rnr_retry;     /* while the peer posted no receive, 0 to 6, 7: for ever; 7 */
	uint8_t min_rnr_timer; /* the pause that we ask for then, IB code 0 to 31; 12, 0.64 ms */
	uint8_t reserved;
	uint8_t user[DVX_QP_USER_BYTES]; /* for the peer's program; the device never sees it; 0 */
	uint32_t q_key;			 /* UD: what datagrams to the queue must carry; 0 */
};
int dvx_qp_local_init_sized(struct dvx_dev *dev, uint8_t port, struct dvx_qp_local *local,
			    size_t size);
DVX_INLINE int dvx_qp_local_init(struct dvx_dev *dev, uint8_t port, struct dvx_qp_local *local)
{
	return dvx_qp_local_init_sized(dev, port, local, sizeof(*local));
}

/*
 * The peer's side, from its blob or, with size, qpn, psn and gid, made by hand. 0 is never a value
 * of the other members, so it means "unknown": our own side alone decides.
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
	uint8_t max_rd_atomic; /* that it takes */
	uint8_t reserved;
	uint8_t user[DVX_QP_USER_BYTES]; /* of the peer's program; not checked by anybody */
	uint32_t q_key;			 /* UD: what it takes */
};

struct ibv_qp_attr;

/*
 * Both sides from attributes of verbs, as rdma_init_qp_attr() fills them in for a queue that
 * RDMA_CM is to connect: call it for each of INIT, RTR and RTS. mask: enum ibv_qp_attr_mask; what
 * it does not name keeps its value, so fill in local by dvx_qp_local_init() and both sizes before.
 */
int dvx_qp_sides_from_verbs(const struct ibv_qp_attr *attr, int mask, struct dvx_qp_local *local,
			    struct dvx_qp_peer *peer);

/*
 * A connection blob: what the peer needs to know, 64 bytes, big-endian, the same on all machines.
 *
 *	 0 "DVXC"	16 GID			36 log2 of the MTU
 *	 4 version, 1	32 LID			37 max_rd_atomic
 *	 6 length, 64	34 enum dvx_qp_type, or	38 0
 *			   6: a DC target
 *	 8 QPN		35 enum dvx_gid_type	40 user
 *	12 first PSN				56 Q_Key of a UD queue, else 0
 *						60 CRC32C of bytes 0 to 59
 *
 * The checksum finds damage, not forgery: whoever can change the blob can redirect the connection.
 */
#define DVX_QP_BLOB_VERSION 1
#define DVX_QP_BLOB_BYTES   64

int dvx_qp_blob_write(struct dvx_qp *qp, const struct dvx_qp_local *local,
		      uint8_t blob[DVX_QP_BLOB_BYTES]);
/*
 * -EINVAL: no blob at all, or the peer's queue is of another type; -ERANGE: cut short or too long;
 * -EPROTONOSUPPORT: another version; -EBADMSG: damaged, or impossible. Then *peer is unchanged.
 */
int dvx_qp_blob_read_sized(struct dvx_qp *qp, const void *blob, size_t len,
			   struct dvx_qp_peer *peer, size_t size);
DVX_INLINE int dvx_qp_blob_read(struct dvx_qp *qp, const void *blob, size_t len,
				struct dvx_qp_peer *peer)
{
	return dvx_qp_blob_read_sized(qp, blob, len, peer, sizeof(*peer));
}

/* Which GID of a port to connect with, and a sentence that says why. */
struct dvx_gid_choice {
	struct dvx_gid gid;
	char why[216];
};

/*
 * RoCE v2 before v1, since only v2 is routed, and of it IPv4 before IPv6 before IPv6 link-local,
 * which ends at the next router; among equals the lowest index. On InfiniBand index 0. With a
 * peer (else NULL) only what can talk to it: of its GID's type and IP version. -ENOENT: none.
 */
int dvx_gid_choose(struct dvx_dev *dev, uint8_t port, const struct dvx_qp_peer *peer,
		   struct dvx_gid_choice *out);

DVX_END_DECLS

#endif
