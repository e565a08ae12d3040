/*
 * stream_yaml.c - YAML documents, cut at their markers
 *
 * "---" and "..." at the beginning of a line end a document wherever they stand, so documents can be
 * cut without parsing. The items of a block list under an outermost "items:" are cut too, by their
 * indentation: memory does not grow with a dump of `kubectl get -o yaml`, and each item has bytes of its
 * own for its hash. (An anchor is therefore known within its item only.)
 */
#include "adapters/manifest/reader.h"

enum mode {
	MODE_HEAD,	/* "items:" may come */
	MODE_ITEMS_KEY, /* it came: does a block list follow? */
	MODE_PLAIN,	/* a document without items to cut */
	MODE_ITEMS,	/* within a list; the piece at hand is an item */
	MODE_TAIL,	/* behind it */
};

struct stream {
	struct plm_manifest *reader;
	struct plm_window *source;
	struct plm_error *err;
	uint32_t file;
	uint64_t at;	/* position of the next line */
	int line;	/* its number */
	uint64_t piece; /* where the piece at hand begins */
	int piece_line;
	bool started; /* it has a marker of its own */
	bool content; /* it has more than comments and directives */
	enum mode mode;
	uint64_t items_key; /* position of the line "items:" */
	size_t indent;	    /* of the items */
	struct plm_list_head head;
};

/* The next line with its end; empty at the end of the file. */
static enum plm_code next_line(struct stream *s, struct plm_slice *out)
{
	for (;;) {
		struct plm_slice rest = plm_window_rest(s->source, s->at);
		const uint8_t *end = rest.size == 0 ? NULL : memchr(rest.ptr, '\n', rest.size);
		enum plm_code code = PLM_OK;

		if (end != NULL) {
			*out = plm_slice_of(rest.ptr, (size_t)(end - rest.ptr) + 1);
			return PLM_OK;
		}
		if (s->source->last) {
			*out = rest;
			return PLM_OK;
		}
		code = plm_window_more(s->source, s->piece, s->err);
		if (code != PLM_OK) {
			return code;
		}
	}
}

static size_t indent_of(struct plm_slice line)
{
	size_t at = 0;

	while (at < line.size && line.ptr[at] == ' ') {
		at++;
	}
	return at;
}

static bool is_space(struct plm_slice line, size_t at)
{
	return at >= line.size || memchr(" \t\r\n", line.ptr[at], 4) != NULL;
}

/* Nothing but space and perhaps a comment from 'at' on. */
static bool is_blank(struct plm_slice line, size_t at)
{
	while (at < line.size && is_space(line, at)) {
		at++;
	}
	return at == line.size || line.ptr[at] == '#';
}

static bool begins(struct plm_slice line, size_t at, const char *text)
{
	size_t size = strlen(text);

	return line.size - at >= size && memcmp(line.ptr + at, text, size) == 0;
}

static bool is_marker(struct plm_slice line, const char *marker)
{
	return begins(line, 0, marker) && is_space(line, 3);
}

static bool is_item(struct plm_slice line, size_t indent)
{
	return begins(line, indent, "-") && is_space(line, indent + 1);
}

static struct plm_piece piece_up_to(const struct stream *s, uint64_t end)
{
	return (struct plm_piece){
		.bytes = plm_window_bytes(s->source, s->piece, end),
		.line = s->piece_line,
		.file = s->file,
	};
}

static enum plm_code emit_item(struct stream *s)
{
	struct plm_piece piece = piece_up_to(s, s->at);

	piece.dashed = true;
	piece.list = &s->head;
	return plm_manifest_piece(s->reader, &piece, s->err);
}

static void begin_piece(struct stream *s, uint64_t at, int line)
{
	s->piece = at;
	s->piece_line = line;
}

/* The document at hand ends before position s->at. */
static enum plm_code end_document(struct stream *s)
{
	struct plm_piece piece = piece_up_to(s, s->at);
	enum plm_code code = PLM_OK;

	switch (s->mode) {
	case MODE_HEAD:
	case MODE_ITEMS_KEY:
	case MODE_PLAIN:
		return s->content ? plm_manifest_piece(s->reader, &piece, s->err) : PLM_OK;
	case MODE_ITEMS:
		code = emit_item(s);
		break;
	case MODE_TAIL:
		code = plm_manifest_head(s->reader, &piece, &s->head, s->err);
		break;
	}
	return code == PLM_OK ? plm_list_head_check(s->reader, &piece, &s->head, s->err) : code;
}

static void begin_document(struct stream *s, uint64_t at, int line)
{
	begin_piece(s, at, line);
	s->started = false;
	s->content = false;
	s->mode = MODE_HEAD;
	s->head = (struct plm_list_head){0};
}

/* The first line behind "items:": is this a list that can be cut? */
static enum plm_code begin_items(struct stream *s, struct plm_slice line)
{
	struct plm_piece head = piece_up_to(s, s->items_key);
	enum plm_code code = PLM_OK;

	s->mode = MODE_PLAIN;
	s->indent = indent_of(line);
	if (!is_item(line, s->indent)) {
		return PLM_OK;
	}
	code = plm_manifest_head(s->reader, &head, &s->head, s->err);
	if (code == PLM_OK && plm_list_head_fits(&s->head)) {
		s->mode = MODE_ITEMS;
		begin_piece(s, s->at, s->line);
	}
	return code;
}

/* A line within the list: the next item, a part of this one, or what comes behind the list. */
static enum plm_code items_line(struct stream *s, struct plm_slice line)
{
	size_t indent = indent_of(line);
	bool item = indent == s->indent && is_item(line, indent);
	enum plm_code code = PLM_OK;

	if (indent > s->indent) {
		return PLM_OK;
	}
	code = emit_item(s);
	begin_piece(s, s->at, s->line);
	s->mode = item ? MODE_ITEMS : MODE_TAIL;
	return code;
}

static enum plm_code content_line(struct stream *s, struct plm_slice line)
{
	s->content = true;
	switch (s->mode) {
	case MODE_HEAD:
		if (begins(line, 0, "items:") && is_blank(line, strlen("items:"))) {
			s->items_key = s->at;
			s->mode = MODE_ITEMS_KEY;
		}
		return PLM_OK;
	case MODE_ITEMS_KEY:
		return begin_items(s, line);
	case MODE_ITEMS:
		return items_line(s, line);
	case MODE_PLAIN:
	case MODE_TAIL:
		break;
	}
	return PLM_OK;
}

static enum plm_code read_line(struct stream *s, struct plm_slice line)
{
	enum plm_code code = PLM_OK;

	if (is_marker(line, "---")) {
		if (s->started || s->content) {
			code = end_document(s);
			begin_document(s, s->at, s->line);
		}
		s->started = true;
		s->content = !is_blank(line, 3);
		s->mode = s->content ? MODE_PLAIN : MODE_HEAD;
		return code;
	}
	if (is_marker(line, "...")) {
		code = end_document(s);
		begin_document(s, s->at + line.size, s->line + 1);
		return code;
	}
	if (is_blank(line, 0) || (!s->content && !s->started && line.ptr[0] == '%')) {
		return PLM_OK;
	}
	return content_line(s, line);
}

enum plm_code plm_stream_yaml(struct plm_manifest *reader, struct plm_window *source, uint32_t file,
			      struct plm_error *err)
{
	struct stream s = {.reader = reader, .source = source, .file = file, .err = err};
	struct plm_slice line = {0};
	enum plm_code code = PLM_OK;

	s.at = source->begin;
	s.line = 1;
	begin_document(&s, s.at, s.line);
	code = next_line(&s, &line);
	while (code == PLM_OK && line.size > 0) {
		size_t size = line.size;

		code = read_line(&s, line);
		s.at += size;
		s.line++;
		if (code == PLM_OK) {
			code = next_line(&s, &line);
		}
	}
	return code == PLM_OK ? end_document(&s) : code;
}
