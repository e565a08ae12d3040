/*
 * why.h - why an object stands where it stands, as an Explanation (CLI.md)
 *
 * Owns: which record answers for an object of each kind, the operands taken anew from the pure explain
 * functions on the state of the point, what is needed, who is ahead, the chain of causes. An object that
 * is gone is answered for from the log.
 * Does not: compose messages (render.h), print.
 */
#ifndef PLM_TOOLS_WHY_H
#define PLM_TOOLS_WHY_H

#include "tools/subject.h"
#include "tools/view.h"

/* PLM_E_NOT_FOUND: no such object ever existed up to the point. */
enum plm_code plm_why_tree(struct plm_view *view, struct plm_subject *subject,
			   struct plm_json **out, struct plm_error *err) PLM_MUST_CHECK;

#endif
