#include "plm_test.h"

#include <stdlib.h>

#include "tools/command.h"

static struct plm_arena arena; /* of all tests: opened in main() */

#define MAX_WORDS 12

struct outcome {
	enum plm_code code;
	struct plm_cli call;
	const char *topic;
	struct plm_error err;
};

/* Parse 'line', its words separated by single spaces. */
static struct outcome parse(const char *line)
{
	struct outcome out = {.call = {.arena = &arena}, .topic = "unset"};
	char *words[MAX_WORDS] = {NULL};
	char *copy = strdup(line);
	char *rest = copy;
	int count = 0;

	assert_non_null(copy);
	for (char *word = NULL; (word = strsep(&rest, " ")) != NULL;) {
		if (word[0] != '\0') {
			assert_true(count < MAX_WORDS);
			words[count++] =
				(char *)(uintptr_t)plm_arena_format(&arena, "%s", word).ptr;
		}
	}
	free(copy);
	out.code = plm_command_parse(&out.call, count, words, &out.topic, &out.err);
	return out;
}

static const struct good_case {
	const char *why;
	const char *line;
	const char *verb;
	enum plm_flag flag;
	const char *value;
} good_table[] = {
	{"flag behind the verb", "get nodes -L data", "get", PLM_FLAG_LOG, "data"},
	{"flag before the operand", "get -L data nodes", "get", PLM_FLAG_LOG, "data"},
	{"long with a space", "get nodes --log data", "get", PLM_FLAG_LOG, "data"},
	{"long with an equals sign", "get nodes --log=data", "get", PLM_FLAG_LOG, "data"},
	{"short joined", "get nodes -Ldata", "get", PLM_FLAG_LOG, "data"},
	{"short with an equals sign", "get nodes -L=data", "get", PLM_FLAG_LOG, "data"},
	{"the last text wins", "get nodes -L a -L b", "get", PLM_FLAG_LOG, "b"},
	{"a value that looks like a flag", "get nodes --at -90m", "get", PLM_FLAG_AT, "-90m"},
	{"a choice", "decide -f x --compat strict", "decide", PLM_FLAG_COMPAT, "strict"},
	{"a format", "decide -f x -o yaml", "decide", PLM_FLAG_OUTPUT, "yaml"},
	{"a verb of two words", "log show -L data", "log show", PLM_FLAG_LOG, "data"},
	{"-f is the file of decide", "decide -f x", "decide", PLM_FLAG_FILENAME, "x"},
	{"-n is the count of log tail", "log tail -L x -n 5", "log tail", PLM_FLAG_LINES, "5"},
	{"-n is the namespace of why", "why job/a -n ml", "why", PLM_FLAG_NAMESPACE, "ml"},
	{"--version is a verb", "--version -o json", "version", PLM_FLAG_OUTPUT, "json"},
};

static void good_row(const struct good_case *row)
{
	struct outcome out = parse(row->line);

	plm_assert_ok(out.code, &out.err);
	assert_string_equal(out.call.command->name, row->verb);
	assert_string_equal(plm_cli_text(&out.call, row->flag, "none"), row->value);
}
PLM_TEST_ROWS(good_row, struct good_case)

static const struct bad_case {
	const char *why;
	const char *line;
	const char *part; /* of the message */
} bad_table[] = {
	{"no such verb", "frobnicate", "no verb 'frobnicate'"},
	{"a verb almost right", "decde -f x", "did you mean decide?"},
	{"no such second word", "log shwo -L x", "did you mean log show?"},
	{"no such flag", "get nodes --lgo x", "did you mean --log?"},
	{"no such letter", "get nodes -z", "no flag -z"},
	{"no value", "get nodes -L", "wants a value"},
	{"no choice", "decide --compat lenient", "none of strict|better"},
	{"no format of this verb", "state -L x -o table", "none of yaml|json"},
	{"no number", "log tail -n many", "not a whole number"},
	{"no duration", "get nodes --timeout 5", "not a duration"},
	{"a duration of nothing", "get nodes --timeout 0s", "not a duration"},
	{"too few operands", "get", "wants KIND [NAME]"},
	{"too many operands", "get a b c", "takes no more operands: 'c'"},
	{"a value for a switch", "get nodes --no-headers=maybe", "takes no value"},
};

static void bad_row(const struct bad_case *row)
{
	struct outcome out = parse(row->line);

	plm_assert_fails(out.code, PLM_E_USAGE, out.err, row->part);
}
PLM_TEST_ROWS(bad_row, struct bad_case)

static const struct topic_case {
	const char *why;
	const char *line;
	const char *topic;
} topic_table[] = {
	{"nothing", "", ""},
	{"help of all", "--help", ""},
	{"help of a verb", "decide --help", "decide"},
	{"help wins over what is missing", "get -h", "get"},
	{"a family alone", "log", "log"},
	{"help of a verb of two words", "log show -h", "log show"},
};

static void topic_row(const struct topic_case *row)
{
	struct outcome out = parse(row->line);

	plm_assert_ok(out.code, &out.err);
	assert_null(out.call.command);
	assert_string_equal(out.topic, row->topic);
}
PLM_TEST_ROWS(topic_row, struct topic_case)

static void lists_switches_and_operands(void **state)
{
	struct outcome out = parse("decide -f a -f b --filename=c --fail-on pending,preempted");

	(void)state;
	plm_assert_ok(out.code, &out.err);
	assert_int_equal(out.call.flags[PLM_FLAG_FILENAME].count, 3);
	assert_string_equal(out.call.flags[PLM_FLAG_FILENAME].texts[2], "c");
	assert_true(plm_cli_lists(&out.call, PLM_FLAG_FAIL_ON, "PREEMPTED"));
	assert_false(plm_cli_lists(&out.call, PLM_FLAG_FAIL_ON, "pend"));
	out = parse("log show -L x -90m..HEAD");
	plm_assert_ok(out.code, &out.err);
	assert_string_equal(out.call.operands[0], "-90m..HEAD");
	out = parse("get -- nodes -L");
	plm_assert_ok(out.code, &out.err);
	assert_string_equal(out.call.operands[1], "-L");
	out = parse("log tail -fn5 -L x");
	plm_assert_ok(out.code, &out.err);
	assert_true(plm_cli_has(&out.call, PLM_FLAG_FOLLOW));
	assert_int_equal(plm_cli_number(&out.call, PLM_FLAG_LINES, 0), 5);
	out = parse("get nodes --timeout 1m30s");
	plm_assert_ok(out.code, &out.err);
	assert_int_equal(plm_cli_number(&out.call, PLM_FLAG_TIMEOUT, 0), 90000);
	assert_string_equal(plm_cli_format(&out.call), "table");
}

/* The table itself: what the parser and the pages rely on. */
static void rows_are_sound(void **state)
{
	(void)state;
	for (const struct plm_command *row = plm_commands(); row->name != NULL; row++) {
		bool help = false;

		assert_true(row->summary[0] >= 'a' && row->summary[0] <= 'z');
		assert_true(row->summary[strlen(row->summary) - 1] != '.');
		assert_true(row->text[strlen(row->text) - 1] == '.');
		assert_true(strlen(row->examples) > 0);
		assert_true(row->min_operands <= row->max_operands);
		assert_true(row->max_operands <= PLM_COMMAND_MAX_OPERANDS);
		assert_ptr_equal(plm_command_find(row->name), row);
		for (const enum plm_flag *flag = row->flags; *flag != PLM_FLAG_NONE; flag++) {
			const struct plm_flag_info *info = plm_flag_info(*flag);

			help = help || *flag == PLM_FLAG_HELP;
			assert_int_equal(plm_command_flag(row, info->name, strlen(info->name)),
					 *flag);
			if (info->letter != 0) {
				assert_int_equal(plm_command_letter(row, info->letter), *flag);
			}
			assert_true(info->kind != PLM_FLAG_FORMAT || row->formats != NULL);
		}
		assert_true(help);
	}
}

static char *print_to_text(void (*print)(FILE *out, const struct plm_command *row),
			   const struct plm_command *row)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	print(out, row);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void print_help(FILE *out, const struct plm_command *row)
{
	plm_help_print(out, "kubectl plimsoll", row->name);
}

/* Every flag, example and exit code of a row is on its pages. */
static void pages_are_complete(void **state)
{
	(void)state;
	for (const struct plm_command *row = plm_commands(); row->name != NULL; row++) {
		char *help = print_to_text(print_help, row);
		char *man = print_to_text(plm_help_man, row);

		for (const enum plm_flag *flag = row->flags; *flag != PLM_FLAG_NONE; flag++) {
			char word[64];

			(void)snprintf(word, sizeof(word), "--%s", plm_flag_info(*flag)->name);
			assert_non_null(strstr(help, word));
		}
		assert_non_null(strstr(help, "kubectl plimsoll"));
		assert_non_null(strstr(help, "Exit codes:"));
		assert_non_null(strstr(man, ".SH EXIT STATUS"));
		assert_non_null(strstr(man, ".SH EXAMPLES"));
		free(help);
		free(man);
	}
}

static const struct completion_case {
	const char *why;
	const char *words[4];
	int count;
	const char *offers;  /* in the output */
	const char *refuses; /* not in it */
} completion_table[] = {
	{"verbs", {"de"}, 1, "decide\t", "get\t"},
	{"a family once", {"lo"}, 1, "log\t", "log show"},
	{"second words", {"log", "s"}, 2, "show\t", "tail"},
	{"flags", {"decide", "--co"}, 2, "--compat\t", "--cycles"},
	{"choices", {"decide", "--compat", ""}, 3, "strict\t", "--"},
	{"formats of the verb", {"state", "-o", ""}, 3, "yaml\t", "table"},
	{"files", {"decide", "-f", ""}, 3, ":0", ":4"},
	{"no files for a point", {"get", "--at", ""}, 3, ":4", ":0"},
	{"shells", {"completion", ""}, 2, "fish\t", "decide"},
};

static void completion_row(const struct completion_case *row)
{
	char *words[4];
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	for (int i = 0; i < row->count; i++) {
		words[i] = (char *)(uintptr_t)row->words[i];
	}
	plm_complete(out, row->count, words);
	assert_int_equal(fclose(out), 0);
	assert_non_null(strstr(text, row->offers));
	assert_null(strstr(text, row->refuses));
	free(text);
}
PLM_TEST_ROWS(completion_row, struct completion_case)

int main(void)
{
	static struct plm_tests tests;
	int failed = 0;

	if (plm_arena_init(&arena, 1 << 26, NULL) != PLM_OK) {
		return 255;
	}
	PLM_TEST_TABLE(&tests, good_row, good_table);
	PLM_TEST_TABLE(&tests, bad_row, bad_table);
	PLM_TEST_TABLE(&tests, topic_row, topic_table);
	PLM_TEST_ADD(&tests, lists_switches_and_operands);
	PLM_TEST_ADD(&tests, rows_are_sound);
	PLM_TEST_ADD(&tests, pages_are_complete);
	PLM_TEST_TABLE(&tests, completion_row, completion_table);
	failed = plm_tests_run(&tests, "command");
	plm_arena_fini(&arena);
	return failed;
}
