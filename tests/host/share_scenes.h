/* SPDX-License-Identifier: BSD-2-Clause */
/* Scenes of share.c. Return 0 for success, 77 if the scene is impossible here. */
#ifndef TESTS_SHARE_SCENES_H
#define TESTS_SHARE_SCENES_H

/* share_threads.c */
int scene_threads(void);
int scene_threads_fork(void);
/* share_children.c */
int scene_fork(void);
int scene_spawn(void);
/* share_changes.c */
int scene_renew(void);
int scene_stale(void);
int scene_moved(void);
int scene_protect(void);
/* share_calls.c */
int scene_grow(void);
int scene_drop(void);
int scene_limit(void);
/* share_device.c */
int scene_close(void);
int scene_twice(void);
int scene_orphan(void);
int scene_read(void);
int scene_maps(void);
/* share_others.c */
int scene_uring(void);
int scene_reader(void);
int scene_reader_unprivileged(void);
int scene_churn(void);

#endif
