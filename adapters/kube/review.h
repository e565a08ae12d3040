/*
 * review.h - may the holder of a token read? Asked of the API server
 *
 * Owns: a TokenReview (whose token is it?), then a SubjectAccessReview (may that user 'verb' 'resource' of
 * 'group'?). Does not: remember an answer. The token is never part of a message.
 */
#ifndef PLM_ADAPTERS_KUBE_REVIEW_H
#define PLM_ADAPTERS_KUBE_REVIEW_H

#include "adapters/kube/client.h"

enum plm_kube_verdict {
	PLM_KUBE_NOT_REVIEWED, /* the API server did not say */
	PLM_KUBE_STRANGER,     /* the token is nobody's */
	PLM_KUBE_MAY_NOT,
	PLM_KUBE_MAY,
};

struct plm_kube_review_request {
	struct plm_slice token;					 /* borrowed for the call */
	const char *group, *resource, *verb;			 /* static */
	void (*done)(void *self, enum plm_kube_verdict verdict); /* once, later, on the loop */
	void *self;
};
/* The client must live until 'done' was called. */
void plm_kube_review(struct plm_kube_client *client, const struct plm_kube_review_request *request);

#endif
