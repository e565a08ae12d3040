/*
 * stream_json.c - JSON values one after another, cut into pieces
 *
 * The items of a list (an outermost array, or "items" of an outermost object whose kind ends in List or
 * is not known yet: kubectl prints it last) are pieces of their own, so that memory does not grow with
 * the list.
 */
#include "adapters/manifest/json_scan.h"
#include "adapters/manifest/reader.h"

#include <stdlib.h>

struct stream {
	struct plm_manifest *reader;
	struct plm_window *source;
	struct plm_json_scan scan;
	uint64_t origin; /* position of scan.bytes */
	uint64_t keep;	 /* bytes from here on are still needed */
	uint32_t file;
	size_t values; /* of the piece at hand, in reader->values */
	int line;      /* where it begins */
	struct plm_error *err;
};

static enum plm_code bad(const struct stream *s)
{
	return plm_fail(s->err, PLM_E_INPUT, "%s:%d: not JSON: %s", s->source->name, s->scan.line,
			s->scan.problem);
}

static void point(struct stream *s, uint64_t at)
{
	s->origin = s->keep;
	s->scan.bytes = plm_window_rest(s->source, s->keep);
	s->scan.at = (size_t)(at - s->keep);
	s->scan.last = s->source->last;
}

static uint64_t position(const struct stream *s)
{
	return s->origin + s->scan.at;
}

static uint64_t token_start(const struct stream *s)
{
	return s->origin + s->scan.start;
}

static enum plm_code next(struct stream *s, enum plm_json_token *out)
{
	enum plm_json_token token = plm_json_next(&s->scan);

	while (token == PLM_TOKEN_MORE) {
		uint64_t at = position(s);
		enum plm_code code = plm_window_more(s->source, s->keep, s->err);

		if (code != PLM_OK) {
			return code;
		}
		point(s, at);
		token = plm_json_next(&s->scan);
	}
	*out = token;
	return token == PLM_TOKEN_BAD ? bad(s) : PLM_OK;
}

/* As next(), when nothing before the next token is needed any more. */
static enum plm_code next_fresh(struct stream *s, enum plm_json_token *out)
{
	enum plm_code code = PLM_OK;

	s->keep = position(s);
	point(s, s->keep);
	code = next(s, out);
	if (code == PLM_OK) {
		s->keep = token_start(s);
		s->line = s->scan.start_line;
		s->values = 0;
	}
	return code;
}

/* ---- pieces ------------------------------------------------------------------------------------ */

static enum plm_code note_value(struct stream *s)
{
	struct plm_manifest *reader = s->reader;

	if (s->values == PLM_LIMIT_DOC_NODES) {
		return plm_fail(s->err, PLM_E_INPUT, "%s:%d: more than %d values in one document",
				s->source->name, s->line, PLM_LIMIT_DOC_NODES);
	}
	if (s->values == reader->value_capacity) {
		size_t capacity = reader->value_capacity * 2 + 256;
		struct plm_json_value *list =
			realloc(reader->values, capacity * sizeof(*reader->values));

		if (list == NULL) {
			return plm_fail(s->err, PLM_E_LIMIT, "out of memory");
		}
		reader->values = list;
		reader->value_capacity = capacity;
	}
	reader->values[s->values++] = (struct plm_json_value){
		.offset = (uint32_t)(token_start(s) - s->keep),
		.size = (uint32_t)(position(s) - token_start(s)),
		.line = s->scan.start_line,
	};
	return PLM_OK;
}

/* The rest of a value of which the first token was read, up to depth 'depth'. */
static enum plm_code finish_value(struct stream *s, uint32_t depth)
{
	enum plm_code code = PLM_OK;

	while (code == PLM_OK && s->scan.depth > depth) {
		enum plm_json_token token = PLM_TOKEN_BAD;

		code = next(s, &token);
		if (code == PLM_OK && token != PLM_TOKEN_KEY && token != PLM_TOKEN_CLOSE) {
			code = note_value(s);
		}
	}
	return code;
}

static enum plm_code emit(struct stream *s, const struct plm_list_head *list)
{
	struct plm_json_values values = {s->reader->values, s->values};
	struct plm_piece piece = {
		.bytes = plm_window_bytes(s->source, s->keep, position(s)),
		.line = s->line,
		.file = s->file,
		.values = &values,
		.list = list,
	};

	return plm_manifest_piece(s->reader, &piece, s->err);
}

/* The items of the array that was just opened. */
static enum plm_code read_items(struct stream *s, const struct plm_list_head *list)
{
	uint32_t depth = s->scan.depth;
	enum plm_json_token token = PLM_TOKEN_BAD;
	enum plm_code code = next_fresh(s, &token);

	while (code == PLM_OK && token != PLM_TOKEN_CLOSE) {
		code = note_value(s);
		if (code == PLM_OK) {
			code = finish_value(s, depth);
		}
		if (code == PLM_OK) {
			code = emit(s, list);
		}
		if (code == PLM_OK) {
			code = next_fresh(s, &token);
		}
	}
	return code;
}

/* ---- the outermost object ---------------------------------------------------------------------- */

/* The text that the last token was, without its quotes; escapes stay as they are. */
static struct plm_slice last_text(const struct stream *s)
{
	struct plm_slice text = plm_window_bytes(s->source, token_start(s), position(s));

	return plm_slice_of(text.ptr + 1, text.size - 2);
}

static void keep_text(char *to, struct plm_slice text)
{
	size_t size = text.size < PLM_LIST_TEXT ? text.size : PLM_LIST_TEXT - 1;

	memcpy(to, text.ptr, size);
	to[size] = '\0';
}

enum member {
	MEMBER_OTHER,
	MEMBER_KIND,
	MEMBER_VERSION,
	MEMBER_ITEMS
};

static enum member which_member(struct plm_slice key)
{
	if (plm_slice_is(key, "kind")) {
		return MEMBER_KIND;
	}
	if (plm_slice_is(key, "apiVersion")) {
		return MEMBER_VERSION;
	}
	return plm_slice_is(key, "items") ? MEMBER_ITEMS : MEMBER_OTHER;
}

/* The value of one member. '*list' becomes true when its items were read: nothing else is kept then. */
static enum plm_code read_member(struct stream *s, enum member member, struct plm_list_head *head,
				 bool *list)
{
	enum plm_json_token token = PLM_TOKEN_BAD;
	enum plm_code code = *list ? next_fresh(s, &token) : next(s, &token);

	if (code != PLM_OK) {
		return code;
	}
	if (token == PLM_TOKEN_TEXT && member == MEMBER_KIND) {
		keep_text(head->kind, last_text(s));
	}
	if (token == PLM_TOKEN_TEXT && member == MEMBER_VERSION) {
		keep_text(head->version, last_text(s));
	}
	if (token == PLM_TOKEN_ARRAY && member == MEMBER_ITEMS && plm_list_head_fits(head)) {
		*list = true;
		return read_items(s, head);
	}
	code = note_value(s);
	return code == PLM_OK ? finish_value(s, 1) : code;
}

/* '{' was read. */
static enum plm_code read_object(struct stream *s)
{
	struct plm_list_head head = {0};
	struct plm_piece place = {.line = s->line, .file = s->file};
	bool list = false;
	enum plm_code code = note_value(s);

	while (code == PLM_OK) {
		enum plm_json_token token = PLM_TOKEN_BAD;

		code = list ? next_fresh(s, &token) : next(s, &token);
		if (code != PLM_OK || token == PLM_TOKEN_CLOSE) {
			break;
		}
		PLM_ASSERT(token == PLM_TOKEN_KEY);
		code = read_member(s, which_member(last_text(s)), &head, &list);
	}
	if (code != PLM_OK) {
		return code;
	}
	return list ? plm_list_head_check(s->reader, &place, &head, s->err) : emit(s, NULL);
}

enum plm_code plm_stream_json(struct plm_manifest *reader, struct plm_window *source, uint32_t file,
			      struct plm_error *err)
{
	struct stream s = {.reader = reader, .source = source, .file = file, .err = err};
	enum plm_json_token token = PLM_TOKEN_BAD;
	enum plm_code code = PLM_OK;
	struct plm_list_head none = {0};

	s.scan.line = 1;
	s.keep = source->begin;
	point(&s, s.keep);
	code = next_fresh(&s, &token);
	while (code == PLM_OK && token != PLM_TOKEN_END) {
		if (token == PLM_TOKEN_OBJECT) {
			code = read_object(&s);
		} else if (token == PLM_TOKEN_ARRAY) {
			code = read_items(&s, &none);
		} else {
			code = plm_fail(err, PLM_E_INPUT, "%s:%d: an object is expected",
					source->name, s.line);
		}
		if (code == PLM_OK) {
			code = next_fresh(&s, &token);
		}
	}
	return code;
}
