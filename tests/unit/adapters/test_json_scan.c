#include "plm_test.h"

#include "adapters/manifest/json_scan.h"

/* One letter a token: { [ } (any close) k t n w, then . at the end or ! when bad. */
static const char letters[] = {'+', '!', '.', 'k', 't', 'n', 'w', '{', '[', '}'};

static const struct scan_case {
	const char *why;
	const char *text;
	const char *tokens;
} scan_table[] = {
	{"nothing", "", "."},
	{"space", " \t\r\n", "."},
	{"object", "{\"a\": 1, \"b\": [true, null, \"x\"]}", "{knk[wwt}}."},
	{"empty containers", "[{}, []]", "[{}[}}."},
	{"values one after another", "1 2 \"x\"", "nnt."},
	{"numbers", "[0, -0, 1.5, -2e3, 1E+2, 1e-2, 10.25e10]", "[nnnnnnn}."},
	{"escapes", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\uDEA2\"", "t."},
	{"UTF-8", "\"\xC3\xA9\"", "t."},
	{"trailing comma in object", "{\"a\":1,}", "{kn!"},
	{"trailing comma in array", "[1,]", "[n!"},
	{"missing comma", "[1 2]", "[n!"},
	{"missing colon", "{\"a\" 1}", "{k!"},
	{"two colons", "{\"a\"::1}", "{k!"},
	{"leading comma", "[,1]", "[!"},
	{"wrong close", "[1}", "[n!"},
	{"close too much", "]", "!"},
	{"key without quotes", "{a:1}", "{!"},
	{"number as key", "{1:1}", "{!"},
	{"single quotes", "'a'", "!"},
	{"leading zero", "01", "!"},
	{"plus", "+1", "!"},
	{"point at the end", "1.", "!"},
	{"point at the start", ".5", "!"},
	{"minus only", "-", "!"},
	{"exponent without digits", "1e", "!"},
	{"two points", "1.2.3", "!"},
	{"NaN", "NaN", "!"},
	{"word in capitals", "True", "!"},
	{"cut word", "tru", "!"},
	{"word with more", "nullx", "w!"},
	{"NUL escape", "\"a\\u0000\"", "!"},
	{"bad escape", "\"\\x41\"", "!"},
	{"bad hex", "\"\\u12g4\"", "!"},
	{"raw newline in a text", "\"a\nb\"", "!"},
	{"raw control character", "\"\x01\"", "!"},
	{"text without end", "\"abc", "!"},
	{"escape at the end", "\"abc\\", "!"},
	{"object without end", "{\"a\":1", "{kn!"},
	{"array without end", "[", "[!"},
	{"comment", "/* */ 1", "!"},
};

/* Tokens of 'text' when 'first' bytes come at first, then 'step' at a time (0: all at once). */
static void scan(const char *text, size_t step, char *out)
{
	struct plm_json_scan s = {.line = 1};
	size_t size = strlen(text);
	size_t have = step == 0 ? size : 0;
	size_t count = 0;
	enum plm_json_token token = PLM_TOKEN_MORE;

	while (token != PLM_TOKEN_BAD && token != PLM_TOKEN_END) {
		s.bytes = plm_slice_of(text, have);
		s.last = have == size;
		token = plm_json_next(&s);
		if (token == PLM_TOKEN_MORE) {
			assert_true(have < size);
			have = have + step < size ? have + step : size;
			continue;
		}
		assert_true(count < 63);
		out[count++] = letters[token];
	}
	out[count] = '\0';
}

static void scan_row(const struct scan_case *row)
{
	char out[64];

	scan(row->text, 0, out);
	assert_string_equal(out, row->tokens);
	for (size_t step = 1; step <= 3; step++) {
		scan(row->text, step, out);
		assert_string_equal(out, row->tokens);
	}
}
PLM_TEST_ROWS(scan_row, struct scan_case)

static void depth_is_limited(void **state)
{
	char text[PLM_LIMIT_DOC_DEPTH + 2];
	struct plm_json_scan s = {.line = 1, .last = true};

	(void)state;
	memset(text, '[', sizeof(text));
	s.bytes = plm_slice_of(text, sizeof(text));
	for (int i = 0; i < PLM_LIMIT_DOC_DEPTH; i++) {
		assert_int_equal(plm_json_next(&s), PLM_TOKEN_ARRAY);
	}
	assert_int_equal(plm_json_next(&s), PLM_TOKEN_BAD);
	assert_string_equal(s.problem, "nested too deep");
}

static void lines_and_places(void **state)
{
	struct plm_json_scan s = {.line = 1, .last = true};

	(void)state;
	s.bytes = plm_slice_str("{\n\n \"a\":\n  12}");
	assert_int_equal(plm_json_next(&s), PLM_TOKEN_OBJECT);
	assert_int_equal(s.start_line, 1);
	assert_int_equal(plm_json_next(&s), PLM_TOKEN_KEY);
	assert_int_equal(s.start_line, 3);
	assert_int_equal(plm_json_next(&s), PLM_TOKEN_NUMBER);
	assert_int_equal(s.start_line, 4);
	assert_int_equal(s.at - s.start, 2);
	assert_int_equal(plm_json_next(&s), PLM_TOKEN_CLOSE);
	assert_int_equal(plm_json_next(&s), PLM_TOKEN_END);
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_TABLE(&tests, scan_row, scan_table);
	PLM_TEST_ADD(&tests, depth_is_limited);
	PLM_TEST_ADD(&tests, lines_and_places);
	return plm_tests_run(&tests, "json_scan");
}
