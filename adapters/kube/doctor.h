/*
 * doctor.h - what is in a cluster, whose it is, and what would collide
 *
 * Owns: looking at the server's version, CRDs (ours, upstream's, none), admission policies, Leases and webhooks
 * of Kueue and Karpenter, and saying of each how it is and what to do. Reads only. Source: exact.md 9.
 */
#ifndef PLM_ADAPTERS_KUBE_DOCTOR_H
#define PLM_ADAPTERS_KUBE_DOCTOR_H

#include "adapters/kube/ask.h"

enum plm_doctor_level {
	PLM_DOCTOR_OK,
	PLM_DOCTOR_NOTE,    /* works, but is to be known */
	PLM_DOCTOR_FINDING, /* something has to be done */
};

struct plm_doctor_line {
	enum plm_doctor_level level;
	const char *subject; /* static: "crds" */
	char object[256];    /* "" = none */
	char text[384];	     /* how it is, and what to do */
};

typedef void plm_doctor_sink(void *self, const struct plm_doctor_line *line);

/* 'now_ms' of the wall clock, for the age of Leases. Codes of plm_kube_ask_list(). */
enum plm_code plm_kube_doctor(struct plm_kube_ask *ask, int64_t now_ms, plm_doctor_sink *sink,
			      void *self, struct plm_error *err) PLM_MUST_CHECK;

#endif
