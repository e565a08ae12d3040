/*
 * timeline.h - the events that an object was part of
 *
 * Owns: what belongs together: an object, its controller and what it controls, its workload, the claims
 * and nodes that were made or reserved for it; the effects that decisions about these led to, and their
 * results. Found in the log, so that what is gone is found as well.
 */
#ifndef PLM_TOOLS_TIMELINE_H
#define PLM_TOOLS_TIMELINE_H

#include "tools/subject.h"
#include "tools/view.h"

struct plm_timeline {
	struct plm_logged *events; /* arena, in order */
	size_t count, capacity;
};

/* Up to the view's point. PLM_E_NOT_FOUND: no event is about the subject. */
enum plm_code plm_timeline_find(struct plm_view *view, const struct plm_subject *subject,
				struct plm_timeline *out, struct plm_error *err) PLM_MUST_CHECK;
/* As plm_timeline_find(), but only events about the subject itself. */
enum plm_code plm_timeline_own(struct plm_view *view, const struct plm_subject *subject,
			       struct plm_timeline *out, struct plm_error *err) PLM_MUST_CHECK;

#endif
