/*
 * subject.h - which object is meant: in a call, in an event, in state
 *
 * Owns: the kinds with their names as people type them (aliases of kubectl and Kueue), KIND/NAME and
 * KIND/NS/NAME, and the object that an event is about. Does not: know columns or fields.
 */
#ifndef PLM_TOOLS_SUBJECT_H
#define PLM_TOOLS_SUBJECT_H

#include "core/state.h"
#include "engine/replay.h"
#include "tools/command.h"

struct plm_kind_info {
	enum plm_kind kind;
	const char *plural;  /* key in `state`, camelCase: "clusterQueues" */
	const char *aliases; /* separated by "|", lower case; the plural in lower case too */
	bool namespaced;
};

const struct plm_kind_info *plm_kind_info(enum plm_kind kind);
/* By alias, letter case aside; NULL when unknown. */
const struct plm_kind_info *plm_kind_by_name(const char *name, size_t size);

struct plm_subject {
	enum plm_kind kind; /* PLM_KIND_NONE = none */
	struct plm_slice ns, name;
};

bool plm_subject_equal(const struct plm_subject *a, const struct plm_subject *b);
/* "workload/ml/job-a", "node/ip-1": kind in lower case; arena. */
struct plm_slice plm_subject_text(struct plm_arena *arena, const struct plm_subject *subject);
/* "ml/job-a", "ip-1"; arena or borrowed. */
struct plm_slice plm_subject_name(struct plm_arena *arena, const struct plm_subject *subject);

/*
 * The operands from 'first' on: "KIND/NAME", "KIND/NS/NAME", or "KIND NAME"; the namespace may come by -n.
 * Texts are borrowed from the call. PLM_E_USAGE: an unknown kind, no name.
 */
enum plm_code plm_subject_parse(const struct plm_cli *call, size_t first, struct plm_subject *out,
				struct plm_error *err) PLM_MUST_CHECK;
/*
 * The slot of 'subject'; without a namespace the one object of that name. PLM_E_NOT_FOUND: none.
 * PLM_E_USAGE: several namespaces have one; 'err' names them. 'subject->ns' is filled in.
 */
enum plm_code plm_subject_find(const struct plm_state *st, struct plm_subject *subject, plm_id *out,
			       struct plm_error *err) PLM_MUST_CHECK;
/* Of the object in a keyed table's slot; borrowed from 'st'. */
struct plm_subject plm_subject_of(const struct plm_state *st, const struct plm_object *object);

/* What an event is about, borrowed from it; PLM_KIND_NONE for events about nothing or many. */
struct plm_subject plm_event_subject(const struct plm_logged *event);
/* "Control", "Fact", "Decision", "Intent", "Result". */
const char *plm_class_text(enum plm_event_class class);
/* The explanation that a decision carries, NULL when its type has none. */
const struct plm_w_explain *plm_event_why(const struct plm_logged *event);

#endif
