/* SPDX-License-Identifier: BSD-2-Clause */
#include <dvx/prm/cmd.h>
#include "priv.h"

/* Checks both mailboxes, and clears `out`: a failing kernel may not write the status there. */
static int lib_cmd_check(const char *call, const void *in, size_t in_len, void *out, size_t out_len)
{
	int err = dvx_check_not_null(call, "in", in, "out", out, NULL);

	if (err)
		return err;
	if (in_len < PRM_MBOX_IN_BYTES)
		return dvx_fail(EINVAL, "%s: in_len is %zu, the header alone has %u", call, in_len,
				(unsigned int)PRM_MBOX_IN_BYTES);
	if (out_len < PRM_MBOX_OUT_BYTES)
		return dvx_fail(EINVAL, "%s: out_len is %zu, the header alone has %u", call,
				out_len, (unsigned int)PRM_MBOX_OUT_BYTES);
	memset(out, 0, out_len);
	return 0;
}

/* Returns a command's result: libmlx5's errno, or the mailbox's status, which may be bad alone. */
static int cmd_result(const void *in, const void *out, int ret)
{
	if (ret < 0)
		ret = errno;
	if (ret || prm_mbox_out_get_status(out))
		return dvx_fail_cmd(in, out, ret ? ret : EREMOTEIO);
	return 0;
}

int dvx_cmd(struct dvx_dev *dev, const void *in, size_t in_len, void *out, size_t out_len)
{
	int err = dvx_check_not_null("dvx_cmd", "dev", dev, NULL);

	if (!err)
		err = lib_cmd_check("dvx_cmd", in, in_len, out, out_len);
	if (err)
		return err;
	return cmd_result(in, out, mlx5dv_devx_general_cmd(dev->ctx, in, in_len, out, out_len));
}

int dvx_obj_create(struct dvx_dev *dev, const void *in, size_t in_len, void *out, size_t out_len,
		   struct dvx_obj **obj)
{
	int err = dvx_check_not_null("dvx_obj_create", "dev", dev, "obj", obj, NULL);
	struct dvx_obj *o;

	if (!err)
		err = lib_cmd_check("dvx_obj_create", in, in_len, out, out_len);
	if (err)
		return err;
	o = calloc(1, sizeof(*o));
	if (!o)
		return dvx_fail(ENOMEM, "no memory for an object");
	o->dev = dev;
	errno = 0;
	o->devx = mlx5dv_devx_obj_create(dev->ctx, in, in_len, out, out_len);
	if (!o->devx) {
		free(o);
		return dvx_fail_cmd(in, out, errno ? errno : EIO);
	}
	dvx_ref(&dev->refs);
	*obj = o;
	return 0;
}

int dvx_obj_query(struct dvx_obj *obj, const void *in, size_t in_len, void *out, size_t out_len)
{
	int err = dvx_check_not_null("dvx_obj_query", "obj", obj, NULL);

	if (!err)
		err = lib_cmd_check("dvx_obj_query", in, in_len, out, out_len);
	if (err)
		return err;
	return cmd_result(in, out, mlx5dv_devx_obj_query(obj->devx, in, in_len, out, out_len));
}

int dvx_obj_modify(struct dvx_obj *obj, const void *in, size_t in_len, void *out, size_t out_len)
{
	int err = dvx_check_not_null("dvx_obj_modify", "obj", obj, NULL);

	if (!err)
		err = lib_cmd_check("dvx_obj_modify", in, in_len, out, out_len);
	if (err)
		return err;
	return cmd_result(in, out, mlx5dv_devx_obj_modify(obj->devx, in, in_len, out, out_len));
}

void dvx_obj_unwatch(struct dvx_obj *obj)
{
	struct dvx_watch *w;

	pthread_mutex_lock(&obj->dev->watch_lock);
	w = obj->watch;
	if (w)
		LIST_REMOVE(w, link);
	obj->watch = NULL;
	pthread_mutex_unlock(&obj->dev->watch_lock);
	free(w);
}

static void lib_obj_free(struct dvx_obj *obj)
{
	dvx_obj_unwatch(obj);
	dvx_unref(&obj->dev->refs);
	free(obj);
}

int dvx_obj_destroy(struct dvx_obj *obj)
{
	int ret;

	if (!obj)
		return 0;
	ret = mlx5dv_devx_obj_destroy(obj->devx);
	if (ret)
		return dvx_fail(dvx_errno_of(ret), "the device does not destroy the object");
	lib_obj_free(obj);
	return 0;
}

void dvx_obj_forget(struct dvx_obj *obj)
{
	if (dvx_obj_destroy(obj))
		lib_obj_free(obj);
}
