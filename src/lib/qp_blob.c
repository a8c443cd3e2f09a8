/* SPDX-License-Identifier: BSD-2-Clause */
/* Connection blobs: the local side, for the peer. connect.h has the layout. */
#include "priv.h"

/* Offsets of the members, big-endian. */
enum {
	AT_MAGIC = 0,
	AT_VERSION = 4,
	AT_LENGTH = 6,
	AT_QPN = 8,
	AT_PSN = 12,
	AT_GID = 16,
	AT_LID = 32,
	AT_TYPE = 34,
	AT_GID_TYPE = 35,
	AT_MTU_LOG = 36,
	AT_RD_ATOMIC = 37,
	AT_RESERVED0 = 38, /* 2 bytes, 0 */
	AT_USER = 40,
	AT_Q_KEY = 56,
	AT_SUM = 60,
};

static const uint8_t blob_magic[4] = {'D', 'V', 'X', 'C'};

_Static_assert(AT_SUM + 4 == DVX_QP_BLOB_BYTES, "a blob ends with its checksum");
_Static_assert(AT_USER + DVX_QP_USER_BYTES == AT_Q_KEY, "the program's bytes fit");

int dvx_blob_write(struct dvx_dev *dev, uint32_t number, uint8_t type,
		   const struct dvx_qp_local *local, uint8_t *blob)
{
	struct dvx_port port;
	struct dvx_gid gid;
	int err = dvx_dev_port(dev, local->port, &port);

	if (!err)
		err = dvx_gid_at(dev, local->port, local->gid_index, &gid);
	if (err)
		return err;
	memset(blob, 0, DVX_QP_BLOB_BYTES);
	memcpy(blob + AT_MAGIC, blob_magic, sizeof(blob_magic));
	prm_store16(blob, AT_VERSION, DVX_QP_BLOB_VERSION);
	prm_store16(blob, AT_LENGTH, DVX_QP_BLOB_BYTES);
	prm_store32(blob, AT_QPN, number);
	prm_store32(blob, AT_PSN, local->psn);
	memcpy(blob + AT_GID, gid.gid, sizeof(gid.gid));
	prm_store16(blob, AT_LID, port.lid);
	blob[AT_TYPE] = type;
	blob[AT_GID_TYPE] = (uint8_t)gid.type;
	blob[AT_MTU_LOG] = local->mtu_log;
	blob[AT_RD_ATOMIC] = local->max_rd_atomic;
	memcpy(blob + AT_USER, local->user, sizeof(local->user));
	prm_store32(blob, AT_Q_KEY, type == DVX_QP_UD ? local->q_key : 0);
	prm_store32(blob, AT_SUM, dvx_crc32c(blob, AT_SUM));
	return 0;
}

int dvx_qp_blob_write(struct dvx_qp *qp, const struct dvx_qp_local *user,
		      uint8_t blob[DVX_QP_BLOB_BYTES])
{
	struct dvx_qp_local local;
	int err = dvx_check_not_null("dvx_qp_blob_write", "qp", qp, "blob", blob, NULL);

	if (!err)
		err = dvx_qp_sides(qp, "dvx_qp_blob_write", user, &local, NULL, NULL);
	return err ? err : dvx_blob_write(qp->dev, qp->qpn, qp->type, &local, blob);
}

static const char *blob_type_name(uint8_t type)
{
	if (type == DVX_BLOB_DCT)
		return "a DC target";
	return dvx_qp_kind(type) ? dvx_qp_kind(type)->name : NULL;
}

/* Tells whether a queue of `type` can be the QP's peer: a DC target is for initiators. */
static bool blob_type_fits(const struct dvx_qp *qp, uint8_t type)
{
	return type == qp->type || (type == DVX_BLOB_DCT && qp->type == DVX_QP_DCI);
}

/* The order of checks decides which error is reported: magic, version, length, checksum. */
static int blob_check(const uint8_t *in, size_t len)
{
	if (len < sizeof(blob_magic) || memcmp(in, blob_magic, sizeof(blob_magic)))
		return dvx_fail(EINVAL, "connection blob: the first bytes are not a blob's");
	if (len < AT_QPN)
		return dvx_fail(ERANGE, "connection blob: cut short after %zu bytes", len);
	if (prm_load16(in, AT_VERSION) != DVX_QP_BLOB_VERSION)
		return dvx_fail(
			EPROTONOSUPPORT,
			"connection blob: the peer's libdvx writes version %u, this one reads %u",
			prm_load16(in, AT_VERSION), DVX_QP_BLOB_VERSION);
	if (len != DVX_QP_BLOB_BYTES || prm_load16(in, AT_LENGTH) != DVX_QP_BLOB_BYTES)
		return dvx_fail(ERANGE,
				"connection blob: %zu bytes with length field %u; a blob has %u",
				len, prm_load16(in, AT_LENGTH), DVX_QP_BLOB_BYTES);
	if (prm_load32(in, AT_SUM) != dvx_crc32c(in, AT_SUM))
		return dvx_fail(EBADMSG,
				"connection blob: the checksum does not match, it was damaged");
	return 0;
}

/* Checks the values. The checksum is right, so wrong values are the peer's fault, or an attack. */
static int blob_check_values(const struct dvx_qp *qp, const uint8_t *in)
{
	if (prm_load16(in, AT_RESERVED0) || (in[AT_TYPE] != DVX_QP_UD && prm_load32(in, AT_Q_KEY)))
		return dvx_fail(EBADMSG, "connection blob: reserved bytes are not 0");
	if (prm_load32(in, AT_QPN) >> 24 || prm_load32(in, AT_PSN) >> 24 ||
	    in[AT_GID_TYPE] > DVX_GID_ROCE_V2 || in[AT_MTU_LOG] < 8 || in[AT_MTU_LOG] > 12 ||
	    in[AT_RD_ATOMIC] > 128 || !blob_type_name(in[AT_TYPE]))
		return dvx_fail(EBADMSG, "connection blob: a value is impossible");
	if (!blob_type_fits(qp, in[AT_TYPE]))
		return dvx_fail(EINVAL, "connection blob: the peer's queue is %s, this one %s",
				blob_type_name(in[AT_TYPE]), blob_type_name(qp->type));
	return 0;
}

int dvx_qp_blob_read_sized(struct dvx_qp *qp, const void *blob, size_t len,
			   struct dvx_qp_peer *peer, size_t size)
{
	const uint8_t *in = blob;
	struct dvx_qp_peer p = {.size = (uint32_t)size};
	int err =
		dvx_check_not_null("dvx_qp_blob_read", "qp", qp, "blob", blob, "peer", peer, NULL);

	if (!err && (size < sizeof(p.size) || size > 4096))
		err = dvx_fail(EINVAL, "dvx_qp_blob_read: size is %zu, not that of *peer", size);
	if (!err)
		err = blob_check(in, len);
	if (!err)
		err = blob_check_values(qp, in);
	if (err)
		return err;
	p.qpn = prm_load32(in, AT_QPN);
	p.psn = prm_load32(in, AT_PSN);
	memcpy(p.gid, in + AT_GID, sizeof(p.gid));
	p.lid = prm_load16(in, AT_LID);
	p.gid_type = in[AT_GID_TYPE];
	p.mtu_log = in[AT_MTU_LOG];
	p.max_rd_atomic = in[AT_RD_ATOMIC];
	memcpy(p.user, in + AT_USER, sizeof(p.user));
	p.q_key = prm_load32(in, AT_Q_KEY);
	memset(peer, 0, size);
	memcpy(peer, &p, size < sizeof(p) ? size : sizeof(p));
	return 0;
}
