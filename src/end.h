/*
 * end.h - the outside of the daemon: where facts come from and effects go to
 *
 * Two fill it in: the embedded cluster and cloud (world.h), and a real API server (cluster.h). The daemon
 * (run.c) cannot tell them apart. Everything is called on the loop's thread.
 */
#ifndef PLM_END_H
#define PLM_END_H

#include "access.h"
#include "adapters/kube/kube.h"
#include "core/ports.h"
#include "store/log.h"

#define PLM_CLUSTER_UID_SIZE 64

struct plm_metrics;

struct plm_end_meet {
	const char *folder;  /* of the data */
	struct plm_log *log; /* to be read; not after 'meet' */
};

struct plm_end_start {
	struct plm_log *log; /* to be read for what was there before; not after 'start' */
	struct plm_inbox inbox;
	const char *cluster_uid;
	int64_t now_ms;
};

struct plm_end {
	void *self;
	const struct plm_w_config *config;   /* settings that decide; borrowed from it */
	const struct plm_w_catalog *catalog; /* NULL = none */
	/*
	 * Ask whose log this is, and wait until this process may act. Waits on the loop; PLM_E_AGAIN: the
	 * daemon was told to end meanwhile. PLM_E_REFUSED: the log is an old copy.
	 */
	enum plm_code (*meet)(void *self, const struct plm_end_meet *meet,
			      char uid[PLM_CLUSTER_UID_SIZE], struct plm_error *err);
	/* The log belongs to that cluster: facts may come from now on. */
	enum plm_code (*start)(void *self, const struct plm_end_start *start,
			       struct plm_error *err);
	struct plm_effects (*effects)(void *self); /* after 'start' */
	/* Let everything happen that is due by 'now_ms', or that waited for room in the inbox. */
	void (*advance)(void *self, int64_t now_ms);
	/* When something is due next, PLM_UNSET when nothing is: what comes by itself wakes the loop. */
	int64_t (*next_due)(const void *self);
	/* First broken invariant that it has seen, or NULL. */
	const char *(*violation)(const void *self);
	/* The log is durable up to 'head'. */
	void (*durable)(void *self, const struct plm_log_head *head);
	/* May an effect leave at this moment? */
	bool (*may_act)(const void *self);
	/* Why the process has to end and start again, NULL = it has not. */
	const char *(*over)(const void *self);
	/* The last call but 'free': nothing is written any more. Waits on the loop for seconds at most. */
	void (*leave)(void *self);
	/* Tell people, by a Kubernetes Event; NULL = nobody reads them. */
	void (*announce)(void *self, const struct plm_kube_event *event);
	/* Who may read; its 'review' NULL = nobody can be asked. */
	struct plm_access_port access;
	/* Objects taken over from the log. */
	size_t (*resumed)(const void *self);
	void (*free)(void *self);
	/* What readyz says of it, by name ("caught-up", "lease"); returns how many. NULL = all is well. */
	size_t (*ready)(const void *self, struct plm_ready_check *out, size_t max);
	/* Numbers for metrics, about once a second; NULL = it has none. */
	void (*tell)(const void *self, struct plm_metrics *metrics);
};

#endif
