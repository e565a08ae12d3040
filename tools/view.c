#include "tools/view.h"

#include "hash/state_hash.h"
#include "tools/live.h"
#include "tools/spell.h"

void plm_hash_text(struct plm_hash128 hash, char text[33])
{
	plm_hex(plm_slice_of(&hash, sizeof(hash)), text); /* as a HASH event holds it */
}

enum plm_code plm_view_move(struct plm_view *view, uint64_t seq, struct plm_error *err)
{
	struct plm_fold_report report;
	enum plm_code code = PLM_OK;

	if (view->folded) {
		plm_state_fini(&view->state);
	}
	view->folded = true;
	code = plm_input_fold(&view->input, seq, &view->state, &report, err);
	if (code == PLM_OK) {
		code = plm_input_time(&view->input, seq, &view->time_ms, err);
	}
	view->seq = seq;
	view->hash[0] = '\0';
	return code;
}

enum plm_code plm_view_open(struct plm_cli *call, struct plm_view *view, struct plm_error *err)
{
	uint64_t seq = 0;
	enum plm_code code = PLM_OK;

	*view = (struct plm_view){.call = call, .asked_ms = PLM_UNSET};
	code = plm_input_open(call, &view->input, err);
	if (code == PLM_OK) {
		code = plm_input_at(call, &view->input, &seq, &view->asked_ms, err);
	}
	if (code == PLM_OK) {
		code = plm_view_move(view, seq, err);
	}
	if (code == PLM_OK && call->point != NULL) {
		call->point->seq = seq;
		memcpy(call->point->hash, plm_view_hash(view), sizeof(call->point->hash));
	}
	return code;
}

enum plm_code plm_view_look_back(struct plm_view *view, uint64_t seq, struct plm_error *err)
{
	struct plm_fold_report report;

	PLM_ASSERT(!view->looked_back);
	view->looked_back = true;
	return plm_input_fold(&view->input, seq, &view->earlier, &report, err);
}

void plm_view_close(struct plm_view *view)
{
	if (view->looked_back) {
		plm_state_fini(&view->earlier);
	}
	if (view->folded) {
		plm_state_fini(&view->state);
	}
	plm_input_close(&view->input);
	*view = (struct plm_view){0};
}

struct plm_json *plm_view_point(struct plm_view *view)
{
	struct plm_json *point = plm_json_object(view->call->arena);

	plm_json_put_int(point, "seq", (int64_t)view->seq);
	plm_json_put_text(point, "time", plm_spell_time(view->call->arena, view->time_ms));
	return point;
}

const char *plm_view_hash(struct plm_view *view)
{
	if (view->hash[0] == '\0') {
		plm_hash_text(plm_state_hash(&view->state), view->hash);
	}
	return view->hash;
}

int64_t plm_view_now(const struct plm_view *view)
{
	int64_t now = plm_root(&view->state)->now_ms;

	return plm_max(view->asked_ms, plm_max(now, view->time_ms));
}
