/*
 * events.h - which events of a log are meant, and a line about each
 *
 * Owns: the filters --type and --object, the columns of event lists, the one-line words about what an
 * event says. Does not: read a log.
 */
#ifndef PLM_TOOLS_EVENTS_H
#define PLM_TOOLS_EVENTS_H

#include "tools/grid.h"
#include "tools/subject.h"
#include "tools/wire_tree.h"

struct plm_event_filter {
	struct plm_cli *call;
	struct plm_subject object; /* kind NONE = any */
};

/* PLM_E_USAGE: --type names no type or class, --object is not KIND/NAME. */
enum plm_code plm_event_filter_parse(struct plm_cli *call, struct plm_event_filter *out,
				     struct plm_error *err) PLM_MUST_CHECK;
bool plm_event_passes(const struct plm_event_filter *filter, const struct plm_logged *event);

/* SEQ, TIME, SOURCE, CLASS, TYPE, OBJECT, WHAT; wide: CAUSE, INTENT. */
void plm_event_grid(struct plm_grid *grid, struct plm_arena *arena);
void plm_event_row(struct plm_grid *grid, const struct plm_logged *event);
/* What the event says, in a few words, arena; texts of explanations by render.h. */
struct plm_slice plm_event_words(struct plm_arena *arena, const struct plm_logged *event);

#endif
