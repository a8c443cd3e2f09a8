/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_CMD_H
#define DVX_CMD_H

#include <dvx/common.h>

DVX_BEGIN_DECLS

/*
 * Firmware commands: mailboxes as the PRM lays them out (dvx/prm/), big-endian. Commands that
 * create, query, modify or destroy an object go through a dvx_obj, because the kernel destroys the
 * object when the device is closed. All other commands go through dvx_cmd().
 */
struct dvx_obj;

/*
 * Lengths are bytes of a mailbox with its header; `out` is cleared first. If the firmware refuses
 * a command, the errno is derived from its status; dvx_last_error() has status and syndrome.
 */
int dvx_cmd(struct dvx_dev *dev, const void *in, size_t in_len, void *out, size_t out_len);
int dvx_obj_create(struct dvx_dev *dev, const void *in, size_t in_len, void *out, size_t out_len,
		   struct dvx_obj **obj);
int dvx_obj_query(struct dvx_obj *obj, const void *in, size_t in_len, void *out, size_t out_len);
int dvx_obj_modify(struct dvx_obj *obj, const void *in, size_t in_len, void *out, size_t out_len);
int dvx_obj_destroy(struct dvx_obj *obj);

/*
 * The last failure in this thread. Firmware reports a status and a syndrome. Kernels before 5.19
 * return only an errno: then `status` is 0, and `opcode` still names the command.
 */
struct dvx_error {
	int err;	 /* the errno, positive; 0: nothing failed yet */
	uint16_t opcode; /* the PRM command, 0 if it wasn't a command's failure */
	uint16_t op_mod;
	uint8_t status; /* PRM status, 0 if the mailbox was not returned */
	uint32_t syndrome;
	char what[160]; /* the sentence, if libdvx itself refused the call */
};

/* Returns the thread's last failure; never NULL. The thread's next call may overwrite it. */
const struct dvx_error *dvx_last_error(void);
/*
 * Describes the error that a call returned: "CREATE_MKEY (0x200): BAD_PARAM (0x3), syndrome
 * 0x35e6ec: Remote I/O error". Each error of the inline calls has one sentence. For other errors it
 * is the sentence of the last failure in this thread, if that had the same errno. 0 is "no error".
 * Never NULL; the text is valid until the thread's next dvx_strerror().
 */
const char *dvx_strerror(int err);

DVX_END_DECLS

#endif
