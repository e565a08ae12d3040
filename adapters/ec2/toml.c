#include "adapters/ec2/toml.h"

#include "adapters/ec2/text.h"
#include "core/limits.h"

struct reading {
	const char *at, *end;
	int line;
	struct plm_arena *arena;
	struct plm_error *err;
	bool failed;
};

/* ---- tree ---------------------------------------------------------------------------------------- */

static bool fail(struct reading *r, const char *why)
{
	if (!r->failed) {
		(void)plm_fail(r->err, PLM_E_INPUT, "userData: line %d of the TOML: %s", r->line,
			       why);
	}
	r->failed = true;
	return false;
}

static struct plm_toml *find(struct plm_toml *table, struct plm_slice key)
{
	struct plm_toml *item = table->first;

	while (item != NULL && !plm_slice_equal(item->key, key)) {
		item = item->next;
	}
	return item;
}

static struct plm_toml *append(struct plm_arena *arena, struct plm_toml *parent,
			       struct plm_slice key, enum plm_toml_kind kind)
{
	struct plm_toml *item = PLM_NEW(arena, struct plm_toml);

	*item = (struct plm_toml){.kind = kind, .key = key};
	if (parent->last == NULL) {
		parent->first = item;
	} else {
		parent->last->next = item;
	}
	parent->last = item;
	return item;
}

struct plm_toml *plm_toml_get(struct plm_toml *table, const char *key)
{
	return table == NULL || table->kind != PLM_TOML_TABLE ? NULL
							      : find(table, plm_slice_str(key));
}

struct plm_toml *plm_toml_set(struct plm_arena *arena, struct plm_toml *table, struct plm_slice key,
			      enum plm_toml_kind kind)
{
	struct plm_toml *item = find(table, key);
	struct plm_toml *next = NULL;

	if (item == NULL) {
		return append(arena, table, plm_arena_copy(arena, key), kind);
	}
	next = item->next;
	*item = (struct plm_toml){.kind = kind, .key = item->key, .next = next};
	return item;
}

struct plm_toml *plm_toml_table(struct plm_arena *arena, struct plm_toml *table, const char *key)
{
	struct plm_toml *item = plm_toml_get(table, key);

	if (item != NULL && item->kind == PLM_TOML_TABLE) {
		return item;
	}
	return plm_toml_set(arena, table, plm_slice_str(key), PLM_TOML_TABLE);
}

void plm_toml_set_text(struct plm_arena *arena, struct plm_toml *table, const char *key,
		       struct plm_slice text)
{
	plm_toml_set(arena, table, plm_slice_str(key), PLM_TOML_STRING)->text = text;
}

void plm_toml_set_number(struct plm_arena *arena, struct plm_toml *table, const char *key,
			 int64_t number)
{
	plm_toml_set(arena, table, plm_slice_str(key), PLM_TOML_OTHER)->text =
		plm_arena_format(arena, "%lld", (long long)number);
}

struct plm_toml *plm_toml_add(struct plm_arena *arena, struct plm_toml *array,
			      enum plm_toml_kind kind)
{
	return append(arena, array, (struct plm_slice){0}, kind);
}

/* ---- words --------------------------------------------------------------------------------------- */

static bool more(const struct reading *r)
{
	return r->at < r->end;
}

static void skip_blanks(struct reading *r)
{
	while (more(r) && (*r->at == ' ' || *r->at == '\t')) {
		r->at++;
	}
}

/* Blanks, ends of lines and comments. */
static void skip_lines(struct reading *r)
{
	while (more(r)) {
		skip_blanks(r);
		if (more(r) && *r->at == '#') {
			while (more(r) && *r->at != '\n') {
				r->at++;
			}
		} else if (more(r) && (*r->at == '\n' || *r->at == '\r')) {
			r->line += *r->at == '\n' ? 1 : 0;
			r->at++;
		} else {
			return;
		}
	}
}

/* A statement ends with its line. */
static bool end_line(struct reading *r)
{
	int line = r->line;

	skip_blanks(r);
	if (!more(r)) {
		return true;
	}
	skip_lines(r);
	return r->line > line || !more(r) || fail(r, "something follows the value");
}

static bool is_bare(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-';
}

static void put_rune(struct plm_text *out, uint32_t rune)
{
	uint8_t bytes[4];
	size_t size = 1;

	if (rune < 0x80) {
		bytes[0] = (uint8_t)rune;
	} else if (rune < 0x800) {
		bytes[0] = (uint8_t)(0xc0 | rune >> 6);
		bytes[1] = (uint8_t)(0x80 | (rune & 0x3f));
		size = 2;
	} else if (rune < 0x10000) {
		bytes[0] = (uint8_t)(0xe0 | rune >> 12);
		bytes[1] = (uint8_t)(0x80 | (rune >> 6 & 0x3f));
		bytes[2] = (uint8_t)(0x80 | (rune & 0x3f));
		size = 3;
	} else {
		bytes[0] = (uint8_t)(0xf0 | rune >> 18);
		bytes[1] = (uint8_t)(0x80 | (rune >> 12 & 0x3f));
		bytes[2] = (uint8_t)(0x80 | (rune >> 6 & 0x3f));
		bytes[3] = (uint8_t)(0x80 | (rune & 0x3f));
		size = 4;
	}
	plm_text_put(out, plm_slice_of(bytes, size));
}

static bool read_hex(struct reading *r, int digits, struct plm_text *out)
{
	uint32_t rune = 0;

	for (int i = 0; i < digits; i++) {
		char c = more(r) ? *r->at++ : '?';
		const char *hex = "0123456789abcdef";
		const char *at = strchr(hex, c >= 'A' && c <= 'F' ? c + ('a' - 'A') : c);

		if (at == NULL || *at == '\0') {
			return fail(r, "an escape is not hexadecimal");
		}
		rune = rune * 16 + (uint32_t)(at - hex);
	}
	if (rune > 0x10ffff || (rune >= 0xd800 && rune < 0xe000)) {
		return fail(r, "an escape is no character");
	}
	put_rune(out, rune);
	return true;
}

/* Behind a backslash. */
static bool read_escape(struct reading *r, bool many, struct plm_text *out)
{
	static const char from[] = "btnfr\"\\";
	static const char to[] = "\b\t\n\f\r\"\\";
	char c = more(r) ? *r->at++ : '\0';
	const char *at = c == '\0' ? NULL : strchr(from, c);

	if (at != NULL) {
		plm_text_put(out, plm_slice_of(&to[at - from], 1));
		return true;
	}
	if (c == 'u' || c == 'U') {
		return read_hex(r, c == 'u' ? 4 : 8, out);
	}
	if (many && (c == '\n' || c == '\r' || c == ' ' || c == '\t')) {
		r->at--;
		while (more(r) && strchr(" \t\r\n", *r->at) != NULL) {
			r->line += *r->at == '\n' ? 1 : 0;
			r->at++;
		}
		return true;
	}
	return fail(r, "an unknown escape");
}

static bool three(const struct reading *r, char quote)
{
	return r->end - r->at >= 3 && r->at[0] == quote && r->at[1] == quote && r->at[2] == quote;
}

/* At a quote: any of the four forms of a string. */
static bool read_string(struct reading *r, struct plm_slice *out)
{
	char quote = *r->at;
	bool many = three(r, quote);
	struct plm_text text = {.arena = r->arena};

	r->at += many ? 3 : 1;
	if (many && more(r) && *r->at == '\r') {
		r->at++;
	}
	if (many && more(r) && *r->at == '\n') {
		r->line++;
		r->at++;
	}
	while (more(r)) {
		if (many ? three(r, quote) : *r->at == quote) {
			r->at += many ? 3 : 1;
			/* Up to two quotes may stand before the closing three. */
			while (many && more(r) && *r->at == quote) {
				plm_text_put(&text, plm_slice_of(r->at++, 1));
			}
			*out = plm_text_slice(&text);
			return true;
		}
		if (*r->at == '\n' && !many) {
			break;
		}
		r->line += *r->at == '\n' ? 1 : 0;
		if (*r->at == '\\' && quote == '"') {
			r->at++;
			if (!read_escape(r, many, &text)) {
				return false;
			}
			continue;
		}
		plm_text_put(&text, plm_slice_of(r->at++, 1));
	}
	return fail(r, "a string does not end");
}

static bool read_key(struct reading *r, struct plm_slice *out)
{
	const char *start = r->at;

	if (more(r) && (*r->at == '"' || *r->at == '\'')) {
		return read_string(r, out);
	}
	while (more(r) && is_bare(*r->at)) {
		r->at++;
	}
	*out = plm_slice_of(start, (size_t)(r->at - start));
	return out->size > 0 || fail(r, "a key is missing");
}

/* ---- values -------------------------------------------------------------------------------------- */

static bool read_value(struct reading *r, struct plm_toml *out, int depth);

/* Keys with dots: the table that the last one belongs to. */
static struct plm_toml *walk(struct reading *r, struct plm_toml *table, struct plm_slice *key)
{
	for (;;) {
		struct plm_toml *item = NULL;

		skip_blanks(r);
		if (!read_key(r, key)) {
			return NULL;
		}
		skip_blanks(r);
		if (!more(r) || *r->at != '.') {
			return table;
		}
		r->at++;
		item = find(table, *key);
		if (item != NULL && item->kind == PLM_TOML_ARRAY && item->last != NULL &&
		    item->last->kind == PLM_TOML_TABLE) {
			item = item->last;
		}
		if (item == NULL) {
			item = append(r->arena, table, *key, PLM_TOML_TABLE);
		}
		if (item->kind != PLM_TOML_TABLE) {
			(void)fail(r, "a key with a value cannot have members");
			return NULL;
		}
		table = item;
	}
}

static bool read_pair(struct reading *r, struct plm_toml *table, int depth)
{
	struct plm_slice key = {0};
	struct plm_toml *owner = walk(r, table, &key);

	if (owner == NULL) {
		return false;
	}
	if (!more(r) || *r->at++ != '=') {
		return fail(r, "= is missing behind a key");
	}
	if (find(owner, key) != NULL) {
		return fail(r, "a key stands there twice");
	}
	skip_blanks(r);
	return read_value(r, append(r->arena, owner, key, PLM_TOML_OTHER), depth);
}

static bool read_array(struct reading *r, struct plm_toml *out, int depth)
{
	out->kind = PLM_TOML_ARRAY;
	out->defined = true;
	r->at++;
	for (skip_lines(r); more(r) && *r->at != ']'; skip_lines(r)) {
		if (!read_value(r, append(r->arena, out, (struct plm_slice){0}, PLM_TOML_OTHER),
				depth)) {
			return false;
		}
		skip_lines(r);
		if (more(r) && *r->at == ',') {
			r->at++;
		} else if (more(r) && *r->at != ']') {
			return fail(r, "a comma is missing in an array");
		}
	}
	if (!more(r)) {
		return fail(r, "an array does not end");
	}
	r->at++;
	return true;
}

static bool read_inline(struct reading *r, struct plm_toml *out, int depth)
{
	out->kind = PLM_TOML_TABLE;
	out->defined = true;
	r->at++;
	for (skip_blanks(r); more(r) && *r->at != '}'; skip_blanks(r)) {
		if (!read_pair(r, out, depth)) {
			return false;
		}
		skip_blanks(r);
		if (more(r) && *r->at == ',') {
			r->at++;
		} else if (more(r) && *r->at != '}') {
			return fail(r, "a comma is missing in an inline table");
		}
	}
	if (!more(r)) {
		return fail(r, "an inline table does not end");
	}
	r->at++;
	return true;
}

static bool read_other(struct reading *r, struct plm_toml *out)
{
	const char *start = r->at;

	while (more(r) && (is_bare(*r->at) || *r->at == '.' || *r->at == '+' || *r->at == ':')) {
		r->at++;
	}
	/* A date and a time may be parted by a space. */
	if (r->end - r->at > 2 && r->at - start == 10 && r->at[0] == ' ' && r->at[1] >= '0' &&
	    r->at[1] <= '2') {
		r->at++;
		while (more(r) &&
		       (is_bare(*r->at) || *r->at == '.' || *r->at == '+' || *r->at == ':')) {
			r->at++;
		}
	}
	out->kind = PLM_TOML_OTHER;
	out->text = plm_slice_of(start, (size_t)(r->at - start));
	if (out->text.size == 0) {
		return fail(r, "a value is missing");
	}
	if (plm_slice_is(out->text, "true") || plm_slice_is(out->text, "false") ||
	    plm_slice_is(out->text, "inf") || plm_slice_is(out->text, "nan") ||
	    strchr("+-0123456789", *start) != NULL) {
		return true;
	}
	return fail(r, "a text must stand in quotes");
}

static bool read_value(struct reading *r, struct plm_toml *out, int depth)
{
	if (depth >= PLM_LIMIT_DOC_DEPTH) {
		return fail(r, "is nested too deeply");
	}
	if (!more(r)) {
		return fail(r, "a value is missing");
	}
	if (*r->at == '"' || *r->at == '\'') {
		out->kind = PLM_TOML_STRING;
		return read_string(r, &out->text);
	}
	if (*r->at == '[') {
		return read_array(r, out, depth + 1);
	}
	return *r->at == '{' ? read_inline(r, out, depth + 1) : read_other(r, out);
}

/* ---- tables -------------------------------------------------------------------------------------- */

/* At "[" or "[[": the table that follows. */
static struct plm_toml *read_header(struct reading *r, struct plm_toml *root)
{
	bool element = r->end - r->at > 1 && r->at[1] == '[';
	struct plm_slice key = {0};
	struct plm_toml *owner = NULL;
	struct plm_toml *item = NULL;

	r->at += element ? 2 : 1;
	owner = walk(r, root, &key);
	if (owner == NULL) {
		return NULL;
	}
	if (r->end - r->at < (element ? 2 : 1) || *r->at != ']' || (element && r->at[1] != ']')) {
		(void)fail(r, "the name of a table does not end");
		return NULL;
	}
	r->at += element ? 2 : 1;
	item = find(owner, key);
	if (element) {
		item = item == NULL ? append(r->arena, owner, key, PLM_TOML_ARRAY) : item;
		if (item->kind != PLM_TOML_ARRAY || item->defined) {
			(void)fail(r, "is no array of tables");
			return NULL;
		}
		item = append(r->arena, item, (struct plm_slice){0}, PLM_TOML_TABLE);
	}
	item = item == NULL ? append(r->arena, owner, key, PLM_TOML_TABLE) : item;
	if (item->kind != PLM_TOML_TABLE || item->defined) {
		(void)fail(r, "a table stands there twice");
		return NULL;
	}
	item->defined = true;
	return item;
}

enum plm_code plm_toml_read(struct plm_slice text, struct plm_arena *arena, struct plm_toml **out,
			    struct plm_error *err)
{
	struct reading r = {.at = (const char *)text.ptr,
			    .end = text.size > 0 ? (const char *)text.ptr + text.size
						 : (const char *)text.ptr,
			    .line = 1,
			    .arena = arena,
			    .err = err};
	struct plm_toml *root = PLM_NEW(arena, struct plm_toml);
	struct plm_toml *table = root;

	root->kind = PLM_TOML_TABLE;
	if (text.size > 0) {
		skip_lines(&r);
	}
	while (text.size > 0 && more(&r) && !r.failed) {
		if (*r.at == '[') {
			table = read_header(&r, root);
		} else {
			(void)read_pair(&r, table, 0);
		}
		if (!r.failed) {
			(void)end_line(&r);
		}
	}
	if (r.failed) {
		return PLM_E_INPUT;
	}
	*out = root;
	return PLM_OK;
}

/* ---- writing ------------------------------------------------------------------------------------- */

static void put_key(struct plm_text *out, struct plm_slice key)
{
	const char *at = (const char *)key.ptr;
	bool bare = key.size > 0;

	for (size_t i = 0; i < key.size; i++) {
		bare = bare && is_bare(at[i]);
	}
	if (bare) {
		plm_text_put(out, key);
	} else {
		plm_text_quote(out, key);
	}
}

static struct plm_toml **sorted(struct plm_arena *arena, struct plm_toml *table, size_t *count)
{
	struct plm_toml **list = NULL;
	size_t n = 0;

	for (struct plm_toml *item = table->first; item != NULL; item = item->next) {
		n++;
	}
	list = PLM_NEW_ARRAY(arena, n + 1, struct plm_toml *);
	*count = n;
	n = 0;
	for (struct plm_toml *item = table->first; item != NULL; item = item->next) {
		size_t at = n++;

		for (; at > 0 && plm_slice_compare(list[at - 1]->key, item->key) > 0; at--) {
			list[at] = list[at - 1];
		}
		list[at] = item;
	}
	return list;
}

static void put_value(struct plm_text *out, struct plm_toml *value)
{
	size_t count = 0;
	struct plm_toml **items = NULL;

	if (value->kind == PLM_TOML_STRING) {
		plm_text_quote(out, value->text);
		return;
	}
	if (value->kind == PLM_TOML_OTHER) {
		plm_text_put(out, value->text);
		return;
	}
	if (value->kind == PLM_TOML_ARRAY) {
		plm_text_putf(out, "[");
		for (struct plm_toml *item = value->first; item != NULL; item = item->next) {
			plm_text_putf(out, "%s", item == value->first ? "" : ", ");
			put_value(out, item);
		}
		plm_text_putf(out, "]");
		return;
	}
	items = sorted(out->arena, value, &count);
	plm_text_putf(out, "{");
	for (size_t i = 0; i < count; i++) {
		plm_text_putf(out, "%s", i == 0 ? " " : ", ");
		put_key(out, items[i]->key);
		plm_text_putf(out, " = ");
		put_value(out, items[i]);
	}
	plm_text_putf(out, " }");
}

static bool of_tables(const struct plm_toml *value)
{
	return value->kind == PLM_TOML_ARRAY && value->first != NULL &&
	       value->first->kind == PLM_TOML_TABLE && !value->defined;
}

/* The members with values, then the tables under their whole names. */
static void put_table(struct plm_text *out, struct plm_toml *table, struct plm_slice path)
{
	size_t count = 0;
	struct plm_toml **items = sorted(out->arena, table, &count);

	for (size_t i = 0; i < count; i++) {
		if (items[i]->kind != PLM_TOML_TABLE && !of_tables(items[i])) {
			put_key(out, items[i]->key);
			plm_text_putf(out, " = ");
			put_value(out, items[i]);
			plm_text_putf(out, "\n");
		}
	}
	for (size_t i = 0; i < count; i++) {
		struct plm_text name = {.arena = out->arena};
		bool list = of_tables(items[i]);

		if (items[i]->kind != PLM_TOML_TABLE && !list) {
			continue;
		}
		plm_text_put(&name, path);
		plm_text_putf(&name, "%s", path.size > 0 ? "." : "");
		put_key(&name, items[i]->key);
		for (struct plm_toml *item = list ? items[i]->first : items[i]; item != NULL;
		     item = list ? item->next : NULL) {
			plm_text_putf(out, "%s%s%.*s%s\n", out->size > 0 ? "\n" : "",
				      list ? "[[" : "[", (int)name.size, name.bytes,
				      list ? "]]" : "]");
			put_table(out, item, plm_text_slice(&name));
		}
	}
}

struct plm_slice plm_toml_write(struct plm_toml *root, struct plm_arena *arena)
{
	struct plm_text out = {.arena = arena};

	put_table(&out, root, (struct plm_slice){0});
	return plm_text_slice(&out);
}
