/*
 * view.h - the state of a source at the point that a call names
 *
 * Owns: opening the source, resolving --at and --before, folding. What `state`, `get`, `describe`, `why`
 * and `timeline` begin with.
 */
#ifndef PLM_TOOLS_VIEW_H
#define PLM_TOOLS_VIEW_H

#include "tools/input.h"
#include "tools/json.h"

struct plm_view {
	struct plm_cli *call; /* borrowed */
	struct plm_input input;
	uint64_t seq;
	int64_t time_ms;  /* wall time of event 'seq' */
	int64_t asked_ms; /* the moment that was named, PLM_UNSET when none was */
	struct plm_state state;
	bool folded;
	struct plm_state earlier; /* of plm_view_look_back() */
	bool looked_back;
	char hash[33];
};

/* Also after a failure plm_view_close() is to be called. Codes of plm_input_*(). */
enum plm_code plm_view_open(struct plm_cli *call, struct plm_view *view,
			    struct plm_error *err) PLM_MUST_CHECK;
/* Fold the same source to 'seq' instead. */
enum plm_code plm_view_move(struct plm_view *view, uint64_t seq,
			    struct plm_error *err) PLM_MUST_CHECK;
/* Fold to 'seq' beside: 'view->earlier' lives as long as the view. Only once. */
enum plm_code plm_view_look_back(struct plm_view *view, uint64_t seq,
				 struct plm_error *err) PLM_MUST_CHECK;
void plm_view_close(struct plm_view *view);

/* {"seq", "time"}. */
struct plm_json *plm_view_point(struct plm_view *view);
/* The state hash in hex; borrowed from 'view'. */
const char *plm_view_hash(struct plm_view *view);
/* A state hash as outputs have it: 32 hex digits. */
void plm_hash_text(struct plm_hash128 hash, char text[33]);
/* The time that ages are counted from: the moment named, else of the last CYCLE or event. */
int64_t plm_view_now(const struct plm_view *view);

#endif
