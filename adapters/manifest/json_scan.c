#include "adapters/manifest/json_scan.h"

enum expect {
	EXPECT_VALUE,
	EXPECT_FIRST_KEY, /* or the end of the object */
	EXPECT_KEY,
	EXPECT_FIRST_ITEM, /* or the end of the array */
	EXPECT_COLON,
	EXPECT_COMMA, /* or the end */
};

static enum plm_json_token bad(struct plm_json_scan *s, const char *problem)
{
	s->problem = problem;
	return PLM_TOKEN_BAD;
}

static bool in_array(const struct plm_json_scan *s)
{
	return (s->arrays[s->depth / 64] >> (s->depth % 64) & 1) != 0;
}

static void set_array(struct plm_json_scan *s, bool array)
{
	uint64_t bit = UINT64_C(1) << (s->depth % 64);

	s->arrays[s->depth / 64] &= ~bit;
	s->arrays[s->depth / 64] |= array ? bit : 0;
}

/* What must follow a complete value. */
static void value_done(struct plm_json_scan *s)
{
	s->expect = s->depth == 0 ? EXPECT_VALUE : EXPECT_COMMA;
}

static bool skip_space(struct plm_json_scan *s)
{
	for (; s->at < s->bytes.size; s->at++) {
		uint8_t byte = s->bytes.ptr[s->at];

		if (byte == '\n') {
			s->line++;
		} else if (byte != ' ' && byte != '\t' && byte != '\r') {
			return true;
		}
	}
	return false;
}

static bool is_hex(uint8_t byte)
{
	return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f') ||
	       (byte >= 'A' && byte <= 'F');
}

/* The escape behind a backslash at 'at': its size, 0 when bad, or SIZE_MAX when bytes are missing. */
static size_t escape(struct plm_json_scan *s, size_t at)
{
	size_t left = s->bytes.size - at;
	const uint8_t *b = s->bytes.ptr + at;

	if (left < 2 || (b[1] == 'u' && left < 6)) {
		return SIZE_MAX;
	}
	if (b[1] != 'u') {
		return memchr("\"\\/bfnrt", b[1], 8) != NULL ? 2 : 0;
	}
	if (!is_hex(b[2]) || !is_hex(b[3]) || !is_hex(b[4]) || !is_hex(b[5])) {
		return 0;
	}
	if (memcmp(b + 2, "0000", 4) == 0) {
		s->nul = true;
		return s->lenient ? 6 : 0;
	}
	return 6;
}

/* From the opening quote; moves 'at' behind the closing one. */
static enum plm_json_token text(struct plm_json_scan *s, enum plm_json_token token)
{
	size_t at = s->at + (s->looked == 0 ? 1 : s->looked);

	while (at < s->bytes.size) {
		uint8_t byte = s->bytes.ptr[at];
		size_t size = 1;

		if (byte == '"') {
			s->at = at + 1;
			s->looked = 0;
			return token;
		}
		if (byte < 0x20) {
			return bad(s, "a control character in a text");
		}
		size = byte == '\\' ? escape(s, at) : 1;
		if (size == 0) {
			return bad(s, "a bad escape in a text (NUL is refused)");
		}
		if (size == SIZE_MAX) {
			break;
		}
		at += size;
	}
	s->looked = at - s->at;
	return s->last ? bad(s, "a text without its end") : PLM_TOKEN_MORE;
}

static size_t digits(const struct plm_json_scan *s, size_t at)
{
	while (at < s->bytes.size && s->bytes.ptr[at] >= '0' && s->bytes.ptr[at] <= '9') {
		at++;
	}
	return at;
}

static uint8_t byte_at(const struct plm_json_scan *s, size_t at)
{
	return at < s->bytes.size ? s->bytes.ptr[at] : 0;
}

/* Where the number that begins at 'at' ends, or 0. */
static size_t number_end(const struct plm_json_scan *s, size_t at)
{
	size_t start = byte_at(s, at) == '-' ? at + 1 : at;
	size_t end = digits(s, start);

	if (end == start || (byte_at(s, start) == '0' && end > start + 1)) {
		return 0;
	}
	if (byte_at(s, end) == '.') {
		start = end + 1;
		end = digits(s, start);
		if (end == start) {
			return 0;
		}
	}
	if (byte_at(s, end) == 'e' || byte_at(s, end) == 'E') {
		start = end + 1;
		start += byte_at(s, start) == '-' || byte_at(s, start) == '+' ? 1 : 0;
		end = digits(s, start);
	}
	return end == start ? 0 : end;
}

static enum plm_json_token number(struct plm_json_scan *s)
{
	size_t end = s->at;

	while (end < s->bytes.size && s->bytes.ptr[end] != 0 &&
	       memchr("+-.eE0123456789", s->bytes.ptr[end], 15) != NULL) {
		end++;
	}
	if (end == s->bytes.size && !s->last) {
		return PLM_TOKEN_MORE;
	}
	if (number_end(s, s->at) != end) {
		return bad(s, "not a number");
	}
	s->at = end;
	value_done(s);
	return PLM_TOKEN_NUMBER;
}

static enum plm_json_token word(struct plm_json_scan *s)
{
	static const char *const words[] = {"true", "false", "null"};
	size_t left = s->bytes.size - s->at;

	for (size_t i = 0; i < PLM_COUNTOF(words); i++) {
		size_t size = strlen(words[i]);
		size_t common = left < size ? left : size;

		if (memcmp(s->bytes.ptr + s->at, words[i], common) != 0) {
			continue;
		}
		if (common < size) {
			return s->last ? bad(s, "the text ends in a word") : PLM_TOKEN_MORE;
		}
		s->at += size;
		value_done(s);
		return PLM_TOKEN_WORD;
	}
	return bad(s, "not a value");
}

static enum plm_json_token open(struct plm_json_scan *s, bool array)
{
	uint32_t most = s->lenient ? PLM_LIMIT_SCAN_DEPTH : PLM_LIMIT_DOC_DEPTH;

	if (s->depth == most) {
		return bad(s, "nested too deep");
	}
	s->depth++;
	set_array(s, array);
	s->expect = array ? EXPECT_FIRST_ITEM : EXPECT_FIRST_KEY;
	s->at++;
	return array ? PLM_TOKEN_ARRAY : PLM_TOKEN_OBJECT;
}

static enum plm_json_token close(struct plm_json_scan *s)
{
	s->depth--;
	s->at++;
	value_done(s);
	return PLM_TOKEN_CLOSE;
}

static enum plm_json_token value(struct plm_json_scan *s)
{
	uint8_t byte = s->bytes.ptr[s->at];
	enum plm_json_token token = PLM_TOKEN_BAD;

	switch (byte) {
	case '{':
		return open(s, false);
	case '[':
		return open(s, true);
	case '"':
		token = text(s, PLM_TOKEN_TEXT);
		if (token == PLM_TOKEN_TEXT) {
			value_done(s);
		}
		return token;
	default:
		return byte == '-' || (byte >= '0' && byte <= '9') ? number(s) : word(s);
	}
}

static enum plm_json_token key(struct plm_json_scan *s)
{
	enum plm_json_token token = PLM_TOKEN_BAD;

	if (s->bytes.ptr[s->at] != '"') {
		return bad(s, "a key in quotes is expected");
	}
	token = text(s, PLM_TOKEN_KEY);
	if (token == PLM_TOKEN_KEY) {
		s->expect = EXPECT_COLON;
	}
	return token;
}

/* Past the comma or the colon; what is then expected. False at a byte that is neither. */
static bool separator(struct plm_json_scan *s)
{
	uint8_t byte = s->bytes.ptr[s->at];

	if (s->expect == EXPECT_COLON && byte == ':') {
		s->expect = EXPECT_VALUE;
	} else if (s->expect == EXPECT_COMMA && byte == ',') {
		s->expect = in_array(s) ? EXPECT_VALUE : EXPECT_KEY;
	} else {
		return false;
	}
	s->at++;
	return true;
}

static bool closes(const struct plm_json_scan *s)
{
	uint8_t byte = s->bytes.ptr[s->at];

	if (s->depth == 0 || byte != (in_array(s) ? ']' : '}')) {
		return false;
	}
	return s->expect == EXPECT_COMMA || s->expect == EXPECT_FIRST_KEY ||
	       s->expect == EXPECT_FIRST_ITEM;
}

enum plm_json_token plm_json_next(struct plm_json_scan *s)
{
	bool again = true;

	while (again) {
		if (!skip_space(s)) {
			if (!s->last) {
				return PLM_TOKEN_MORE;
			}
			return s->depth == 0 ? PLM_TOKEN_END : bad(s, "the text ends too early");
		}
		again = separator(s);
	}
	s->start = s->at;
	s->start_line = s->line;
	if (closes(s)) {
		return close(s);
	}
	switch ((enum expect)s->expect) {
	case EXPECT_VALUE:
	case EXPECT_FIRST_ITEM:
		return value(s);
	case EXPECT_KEY:
	case EXPECT_FIRST_KEY:
		return key(s);
	case EXPECT_COLON:
		return bad(s, "':' is expected");
	case EXPECT_COMMA:
		break;
	}
	return bad(s, in_array(s) ? "',' or ']' is expected" : "',' or '}' is expected");
}
