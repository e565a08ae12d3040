/*
 * outcome.h - what became of a step: the API server's answer as a class of D14
 *
 * Owns: for every fate of a step what the effect does next: go on, look again, wait and repeat, or end with
 * a class, a code and a message. A pure function. Does not: send or count.
 */
#ifndef PLM_ADAPTERS_KUBE_OUTCOME_H
#define PLM_ADAPTERS_KUBE_OUTCOME_H

#include "adapters/kube/client.h"
#include "adapters/kube/encode.h"

enum plm_outcome_next {
	PLM_OUTCOME_GO_ON,  /* what was read or written is as it should be: the next step */
	PLM_OUTCOME_ABSENT, /* what was to be read is not there: the next step */
	PLM_OUTCOME_TAKEN,  /* a create's name is taken: the next step looks by whom */
	PLM_OUTCOME_AGAIN,  /* it changed under us: from the beginning, a bounded number of times */
	PLM_OUTCOME_WAIT,   /* RETRYABLE or UNKNOWN: from the beginning, later */
	PLM_OUTCOME_END,    /* a final class */
};

struct plm_outcome {
	enum plm_outcome_next next;
	enum plm_result_class class; /* WAIT, END; of AGAIN when it was too often */
	struct plm_slice code;	     /* the other side's word; borrowed from the answer */
	struct plm_slice message;
	int64_t wait_ms; /* WAIT: not before; PLM_UNSET = as it is usual */
};

void plm_outcome(enum plm_call call, const struct plm_step *step,
		 const struct plm_kube_answer *answer, struct plm_outcome *out);

#endif
