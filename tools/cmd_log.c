/* The verbs about a log as such: stat, verify, export, import. */
#include <inttypes.h>
#include <stdlib.h>

#include "store/snapshot.h"
#include "tools/input.h"
#include "tools/live.h"
#include "tools/print.h"
#include "tools/spell.h"
#include "tools/verbs.h"

#define NS_PER_MS 1000000ULL

/* The path of -L; these verbs take no other source. */
static enum plm_code log_path(struct plm_cli *call, const char **out, struct plm_error *err)
{
	*out = call->live != NULL ? call->live->folder : plm_cli_text(call, PLM_FLAG_LOG, NULL);
	if (*out == NULL) {
		return plm_fail(err, PLM_E_USAGE, "no source: add -L PATH (a log)");
	}
	return PLM_OK;
}

static enum plm_code unreachable(const char *path, enum plm_code code, struct plm_error *err)
{
	return code == PLM_E_NOT_FOUND
		       ? plm_fail(err, PLM_E_UNREACHABLE, "%s: no log is there", path)
		       : code;
}

static struct plm_slice hex_of(struct plm_arena *arena, const struct plm_sha256 *hash)
{
	char hex[2 * PLM_SHA256_SIZE + 1];

	plm_hex(plm_slice_of(hash->bytes, sizeof(hash->bytes)), hex);
	return plm_arena_copy(arena, plm_slice_str(hex));
}

static struct plm_json *snapshot_list(struct plm_arena *arena, const char *path)
{
	struct plm_json *list = plm_json_list(arena);
	uint64_t *seqs = NULL;
	size_t count = plm_snapshot_list(path, &seqs);

	for (size_t i = 0; i < count; i++) {
		plm_json_add(list, plm_json_int(arena, (int64_t)seqs[i]));
	}
	free(seqs);
	return list;
}

static struct plm_json *stat_tree(struct plm_cli *call, const char *path, const char *kind,
				  const struct plm_log_stat *stat)
{
	struct plm_json *doc = plm_json_document(call->arena, kind);

	plm_json_put_int(doc, "firstSeq", (int64_t)stat->first);
	plm_json_put_int(doc, "headSeq", (int64_t)stat->head.seq);
	plm_json_put_int(doc, "frames", (int64_t)stat->head.frames);
	plm_json_put_int(doc, "bytes", (int64_t)stat->head.bytes);
	plm_json_put_int(doc, "fileBytes", (int64_t)stat->file_bytes);
	plm_json_put_int(doc, "epoch", (int64_t)stat->head.epoch);
	plm_json_put_text(doc, "chainHead", hex_of(call->arena, &stat->head.chain));
	plm_json_put(doc, "snapshots", snapshot_list(call->arena, path));
	return doc;
}

static void print_stat(struct plm_cli *call, struct plm_json *doc)
{
	/* In an order that people read, not the alphabet's. */
	static const char *const rows[] = {"firstSeq",	"headSeq", "frames",	"bytes",
					   "fileBytes", "epoch",   "chainHead", "snapshots"};

	for (size_t i = 0; i < PLM_COUNTOF(rows); i++) {
		struct plm_json *value = plm_json_get(doc, plm_slice_str(rows[i]));

		(void)fprintf(call->out, "%-10s ", rows[i]);
		if (value->kind == PLM_JSON_TEXT) {
			(void)fprintf(call->out, "%.*s\n", (int)value->text.size,
				      (const char *)value->text.ptr);
		} else if (value->kind == PLM_JSON_INT) {
			(void)fprintf(call->out, "%" PRId64 "\n", value->number);
		} else {
			plm_json_write(call->out, value, PLM_JSON_LINE);
		}
	}
}

enum plm_code plm_cmd_log_stat(struct plm_cli *call, struct plm_error *err)
{
	const char *path = NULL;
	struct plm_log_stat stat = {0};
	struct plm_json *doc = NULL;
	enum plm_code code = log_path(call, &path, err);

	if (code == PLM_OK) {
		code = unreachable(path, plm_log_stat(path, &stat, err), err);
	}
	if (code != PLM_OK) {
		return code;
	}
	doc = stat_tree(call, path, "LogStat", &stat);
	if (plm_print_is_document(call)) {
		plm_print_document(call, doc);
	} else {
		print_stat(call, doc);
	}
	return PLM_OK;
}

static void verify_progress(void *ctx, uint64_t seq, uint64_t head_seq)
{
	plm_progress_tick(ctx, seq, head_seq);
}

enum plm_code plm_cmd_log_verify(struct plm_cli *call, struct plm_error *err)
{
	struct plm_progress progress;
	struct plm_log_watch watch = {.progress = verify_progress, .ctx = &progress};
	const char *path = NULL;
	struct plm_log_stat stat = {0};
	uint64_t last_good = 0;
	enum plm_code code = log_path(call, &path, err);

	if (code != PLM_OK) {
		return code;
	}
	plm_progress_begin(&progress, "verifying");
	code = unreachable(path, plm_log_verify(path, &watch, &stat, &last_good, err), err);
	plm_progress_end(&progress);
	if (code == PLM_E_CORRUPT) {
		(void)fprintf(call->notes, "last good event: %" PRIu64 "\n", last_good);
	}
	if (code != PLM_OK) {
		return code;
	}
	if (plm_print_is_document(call)) {
		plm_print_document(call, stat_tree(call, path, "LogVerification", &stat));
	} else {
		(void)fprintf(call->out,
			      "%s: %" PRIu64 " events in %" PRIu64
			      " frames, chain head %.16s..., all is well\n",
			      path, stat.head.seq - stat.first + (stat.first > 0 ? 1 : 0),
			      stat.head.frames,
			      (const char *)hex_of(call->arena, &stat.head.chain).ptr);
	}
	return PLM_OK;
}

enum plm_code plm_cmd_log_export(struct plm_cli *call, struct plm_error *err)
{
	struct plm_input input = {0};
	struct plm_seq_range range = {0};
	const char *path = plm_cli_text(call, PLM_FLAG_OUT, NULL);
	enum plm_code code = PLM_OK;

	if (path == NULL) {
		return plm_fail(err, PLM_E_USAGE, "no file to write: add -o FILE.plog");
	}
	code = plm_input_open(call, &input, err);
	if (code == PLM_OK) {
		code = plm_input_range(&input, call->operand_count > 0 ? call->operands[0] : NULL,
				       &range, err);
	}
	if (code == PLM_OK && range.after == range.to) {
		code = plm_fail(err, PLM_E_NOT_FOUND, "%s: the range holds no event", input.name);
	}
	if (code == PLM_OK) {
		code = plm_log_export(input.log, range.after + 1, range.to, path, err);
	}
	plm_input_close(&input);
	return code;
}

enum plm_code plm_cmd_log_import(struct plm_cli *call, struct plm_error *err)
{
	const char *folder = plm_cli_text(call, PLM_FLAG_INTO, NULL);
	struct plm_log_head head = {0};
	enum plm_code code = PLM_OK;

	if (folder == NULL) {
		return plm_fail(err, PLM_E_USAGE, "no folder to fill: add --into DIR");
	}
	code = unreachable(call->operands[0], plm_log_import(call->operands[0], folder, &head, err),
			   err);
	if (code == PLM_OK) {
		(void)fprintf(call->out, "%s: %" PRIu64 " events, chain head %.16s...\n", folder,
			      head.seq, (const char *)hex_of(call->arena, &head.chain).ptr);
	}
	return code;
}
