/* agree: what a peer decided, beside what would have been decided here. */
#include <inttypes.h>

#include "core/limits.h"
#include "tools/agree.h"
#include "tools/input.h"
#include "tools/print.h"
#include "tools/spell.h"
#include "tools/verbs.h"

static enum plm_code read_log(const struct plm_input *input, struct plm_agree *agree,
			      struct plm_state *st, struct plm_arena *scratch,
			      struct plm_error *err)
{
	struct plm_reader *reader = NULL;
	struct plm_logged logged;
	enum plm_code code = plm_input_reader(input, 1, &reader, err);

	while (code == PLM_OK) {
		code = plm_reader_next(reader, &logged, err);
		if (code == PLM_OK) {
			code = plm_agree_event(agree, st, &logged, err);
		}
		if (code == PLM_OK) {
			plm_fold_event(st, &logged, scratch);
		}
	}
	plm_reader_close(reader);
	plm_agree_end(agree);
	return code == PLM_E_NOT_FOUND ? PLM_OK : code;
}

/* ---- output ------------------------------------------------------------------------------------ */

static struct plm_json *counts_tree(struct plm_cli *call, const struct plm_agree *agree,
				    enum plm_agree_what what)
{
	struct plm_json *out = plm_json_object(call->arena);

	for (uint32_t how = 0; how < PLM_AGREE_HOWS; how++) {
		plm_json_put_int(out, plm_agree_how_names[how],
				 (int64_t)plm_agree_count(agree, what, how));
	}
	return out;
}

static struct plm_json *row_tree(struct plm_cli *call, const struct plm_agree_row *row)
{
	struct plm_json *out = plm_json_object(call->arena);

	plm_json_put_int(out, "seq", (int64_t)row->seq);
	plm_json_put_text(out, "time", plm_spell_time(call->arena, row->at_ms));
	plm_json_put_str(out, "what", plm_agree_what_names[row->what]);
	plm_json_put_str(out, "how", plm_agree_how_names[row->how]);
	plm_json_put_some(out, "namespace", row->ns);
	plm_json_put_text(out, "name", row->name);
	plm_json_put_some(out, "theirs", row->theirs);
	plm_json_put_some(out, "ours", row->ours);
	return out;
}

static void print_tree(struct plm_cli *call, const struct plm_agree *agree)
{
	struct plm_json *doc = plm_json_document(call->arena, "Agreement");
	struct plm_json *list = plm_json_list(call->arena);
	size_t count = 0;
	const struct plm_agree_row *rows = plm_agree_rows(agree, &count);

	for (uint32_t what = 0; what < PLM_AGREE_WHATS; what++) {
		plm_json_put(doc, plm_agree_what_names[what], counts_tree(call, agree, what));
	}
	for (size_t i = 0; i < count; i++) {
		plm_json_add(list, row_tree(call, &rows[i]));
	}
	plm_json_put(doc, "differences", list);
	plm_print_document(call, doc);
}

static void print_text(struct plm_cli *call, const struct plm_agree *agree)
{
	size_t count = 0;
	const struct plm_agree_row *rows = plm_agree_rows(agree, &count);

	(void)fprintf(call->out, "%-12s %8s %8s %8s %8s %8s\n", "", "same", "other", "later",
		      "only us", "only them");
	for (uint32_t what = 0; what < PLM_AGREE_WHATS; what++) {
		(void)fprintf(call->out, "%-12s", plm_agree_what_names[what]);
		for (uint32_t how = 0; how < PLM_AGREE_HOWS; how++) {
			(void)fprintf(call->out, " %8" PRIu64, plm_agree_count(agree, what, how));
		}
		(void)fprintf(call->out, "\n");
	}
	for (size_t i = 0; i < count; i++) {
		const struct plm_agree_row *row = &rows[i];

		(void)fprintf(
			call->out, "%8" PRIu64 "  %-11s %-8s %.*s%s%.*s  %.*s%s%.*s\n", row->seq,
			plm_agree_what_names[row->what], plm_agree_how_names[row->how],
			(int)row->ns.size, (const char *)row->ns.ptr, row->ns.size > 0 ? "/" : "",
			(int)row->name.size, (const char *)row->name.ptr, (int)row->theirs.size,
			(const char *)row->theirs.ptr, row->ours.size > 0 ? "  here: " : "",
			(int)row->ours.size, (const char *)row->ours.ptr);
	}
}

static bool differs(const struct plm_agree *agree)
{
	for (uint32_t what = 0; what < PLM_AGREE_WHATS; what++) {
		for (uint32_t how = PLM_AGREE_SAME + 1; how < PLM_AGREE_HOWS; how++) {
			if (plm_agree_count(agree, what, how) > 0) {
				return true;
			}
		}
	}
	return false;
}

enum plm_code plm_cmd_agree(struct plm_cli *call, struct plm_error *err)
{
	struct plm_input input = {0};
	struct plm_state state = {0};
	struct plm_arena scratch = {0};
	struct plm_agree *agree = NULL;
	enum plm_code code = plm_input_open(call, &input, err);

	if (code != PLM_OK) {
		return code;
	}
	code = plm_agree_new(&agree, err);
	if (code == PLM_OK) {
		code = plm_state_init(&state, PLM_PROFILE_SMALL, err);
	}
	if (code == PLM_OK) {
		code = plm_arena_init(&scratch, PLM_LIMIT_EVENT_ARENA, err);
	}
	if (code == PLM_OK) {
		code = read_log(&input, agree, &state, &scratch, err);
	}
	if (code == PLM_OK && plm_print_is_document(call)) {
		print_tree(call, agree);
	} else if (code == PLM_OK) {
		print_text(call, agree);
	}
	call->finding = code == PLM_OK && differs(agree);
	plm_agree_free(agree);
	plm_state_fini(&state);
	plm_arena_fini(&scratch);
	plm_input_close(&input);
	return code;
}
