#include "manifest_help.h"

#include "codec/codec.h"

#include <stdio.h>

static char failure[PLM_ERROR_TEXT_SIZE];
static struct plm_arena arena;

static void append(char *to, size_t size, struct plm_slice text)
{
	size_t used = strlen(to);

	assert_true(used + text.size + 2 < size);
	if (text.size > 0) {
		memcpy(to + used, text.ptr, text.size);
	}
	to[used + text.size] = '\n';
	to[used + text.size + 1] = '\0';
}

static enum plm_code on_fact(void *ctx, const struct plm_manifest_fact *fact, struct plm_error *err)
{
	struct plm_heard *heard = ctx;
	const struct plm_event_info *info = plm_event_info((uint16_t)fact->type);
	size_t mark = plm_arena_mark(&arena);

	(void)err;
	assert_ptr_equal(fact->meta, fact->payload);
	append(heard->facts, sizeof(heard->facts),
	       plm_wire_json(info->payload, fact->payload, &arena));
	append(heard->places, sizeof(heard->places),
	       plm_arena_format(&arena, "%s:%d", fact->file, fact->line));
	heard->hash = fact->object_hash;
	plm_arena_rewind(&arena, mark);
	return PLM_OK;
}

static enum plm_code on_setting(void *ctx, enum plm_manifest_setting setting,
				struct plm_doc_tree *tree, struct plm_error *err)
{
	struct plm_heard *heard = ctx;

	heard->settings++;
	if (setting == PLM_SETTING_SCENARIO) {
		return PLM_OK;
	}
	return plm_manifest_apply_setting(heard->reader, setting, tree, &heard->config, err);
}

static void on_warn(void *ctx, const char *text)
{
	struct plm_heard *heard = ctx;

	append(heard->warnings, sizeof(heard->warnings), plm_slice_str(text));
}

void plm_heard_open(struct plm_heard *heard, bool updates)
{
	const struct plm_manifest_options options = {.now_ms = 1000, .updates = updates};
	const struct plm_manifest_sink sink = {heard, on_fact, on_setting, on_warn};
	struct plm_error err = {0};

	if (arena.base == NULL) {
		plm_assert_ok(plm_arena_init(&arena, (size_t)1 << 24, &err), &err);
	}
	memset(heard, 0, sizeof(*heard));
	plm_assert_ok(plm_manifest_open(&heard->reader, &options, &sink, &err), &err);
}

void plm_heard_close(struct plm_heard *heard)
{
	plm_manifest_close(heard->reader);
	heard->reader = NULL;
}

const char *plm_heard_more(struct plm_heard *heard, const char *name, const char *text)
{
	struct plm_error err = {0};
	enum plm_code code = plm_manifest_read_text(heard->reader, name, plm_slice_str(text), &err);

	assert_true((code == PLM_OK) == (err.text[0] == '\0'));
	(void)snprintf(failure, sizeof(failure), "%s", err.text);
	return failure;
}

const char *plm_heard_read(struct plm_heard *heard, const char *name, const char *text)
{
	const char *said = NULL;

	plm_heard_open(heard, false);
	said = plm_heard_more(heard, name, text);
	plm_heard_close(heard);
	return said;
}

static void must_contain(const char *text, const char *part)
{
	if (strstr(text, part) == NULL) {
		assert_string_equal(text, part);
	}
}

void plm_said_row(const struct plm_said_case *row)
{
	static struct plm_heard heard;
	const char *said = plm_heard_read(&heard, "f.yaml", row->text);

	if (row->failure != NULL) {
		must_contain(said, row->failure);
		return;
	}
	assert_string_equal(said, "");
	for (size_t i = 0; i < PLM_COUNTOF(row->parts) && row->parts[i] != NULL; i++) {
		must_contain(heard.facts, row->parts[i]);
	}
	if (row->absent != NULL) {
		assert_null(strstr(heard.facts, row->absent));
	}
}
