#include "tools/command.h"

#include <stdlib.h>
#include <strings.h>

#include "core/timefmt.h"
#include "core/units.h"

static const struct plm_flag_info flag_infos[PLM_FLAG_COUNT] = {
#define FLAG_ROW(id, name, letter, kind, value, choices, help)                                     \
	[PLM_FLAG_##id] = {name, letter, PLM_FLAG_##kind, value, choices, help},
	PLM_FLAGS(FLAG_ROW)
#undef FLAG_ROW
};

const struct plm_flag_info *plm_flag_info(enum plm_flag flag)
{
	PLM_ASSERT(flag > PLM_FLAG_NONE && flag < PLM_FLAG_COUNT);
	return &flag_infos[flag];
}

const struct plm_command *plm_command_find(const char *name)
{
	for (const struct plm_command *row = plm_commands(); row->name != NULL; row++) {
		if (strcmp(row->name, name) == 0) {
			return row;
		}
	}
	return NULL;
}

enum plm_flag plm_command_flag(const struct plm_command *command, const char *name, size_t size)
{
	for (const enum plm_flag *flag = command->flags; *flag != PLM_FLAG_NONE; flag++) {
		const char *have = plm_flag_info(*flag)->name;

		if (strlen(have) == size && memcmp(have, name, size) == 0) {
			return *flag;
		}
	}
	return PLM_FLAG_NONE;
}

enum plm_flag plm_command_letter(const struct plm_command *command, char letter)
{
	for (const enum plm_flag *flag = command->flags; *flag != PLM_FLAG_NONE; flag++) {
		if (plm_flag_info(*flag)->letter == letter) {
			return *flag;
		}
	}
	return PLM_FLAG_NONE;
}

bool plm_choice_has(const char *choices, const char *word)
{
	size_t size = strlen(word);

	for (const char *at = choices; size > 0 && *at != '\0';) {
		size_t length = strcspn(at, "|");

		if (length == size && memcmp(at, word, size) == 0) {
			return true;
		}
		at += length + (at[length] == '|' ? 1 : 0);
	}
	return false;
}

const char *plm_cli_format(const struct plm_cli *call)
{
	const char *formats = call->command->formats;
	size_t size = 0;

	PLM_ASSERT(formats != NULL);
	if (plm_cli_has(call, PLM_FLAG_OUTPUT)) {
		return call->flags[PLM_FLAG_OUTPUT].texts[0];
	}
	size = strcspn(formats, "|");
	return (const char *)plm_arena_format(call->arena, "%.*s", (int)size, formats).ptr;
}

static bool item_is(const char *list, const char *word)
{
	size_t size = strlen(word);

	for (const char *at = list; *at != '\0';) {
		size_t length = strcspn(at, ",");

		if (length == size && strncasecmp(at, word, size) == 0) {
			return true;
		}
		at += length + (at[length] == ',' ? 1 : 0);
	}
	return false;
}

bool plm_cli_lists(const struct plm_cli *call, enum plm_flag flag, const char *word)
{
	for (size_t i = 0; i < call->flags[flag].count; i++) {
		if (item_is(call->flags[flag].texts[i], word)) {
			return true;
		}
	}
	return false;
}

/* ---- what comes nearest to a word that is none ------------------------------------------------- */

#define NEAR_MAX 24U

/* Levenshtein distance; words longer than NEAR_MAX are never near. */
static size_t distance(const char *a, size_t a_size, const char *b)
{
	size_t row[NEAR_MAX + 1];
	size_t b_size = strlen(b);

	if (a_size > NEAR_MAX || b_size > NEAR_MAX) {
		return NEAR_MAX;
	}
	for (size_t j = 0; j <= b_size; j++) {
		row[j] = j;
	}
	for (size_t i = 1; i <= a_size; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= b_size; j++) {
			size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
			size_t step = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;

			diagonal = row[j];
			row[j] = change < step ? change : step;
		}
	}
	return row[b_size];
}

static const char *near_verb(const char *word)
{
	const char *best = NULL;
	size_t least = 3;

	for (const struct plm_command *row = plm_commands(); row->name != NULL; row++) {
		size_t d = distance(word, strlen(word), row->name);

		if (d < least) {
			least = d;
			best = row->name;
		}
	}
	return best;
}

static const char *near_flag(const struct plm_command *command, const char *word, size_t size)
{
	const char *best = NULL;
	size_t least = 3;

	for (const enum plm_flag *flag = command->flags; *flag != PLM_FLAG_NONE; flag++) {
		size_t d = distance(word, size, plm_flag_info(*flag)->name);

		if (d < least) {
			least = d;
			best = plm_flag_info(*flag)->name;
		}
	}
	return best;
}

/* ---- values ------------------------------------------------------------------------------------ */

static enum plm_code parse_number(const struct plm_flag_info *info, const char *text, int64_t *out,
				  struct plm_error *err)
{
	int64_t value = 0;

	if (*text == '\0') {
		return plm_fail(err, PLM_E_USAGE, "--%s wants a whole number", info->name);
	}
	for (const char *at = text; *at != '\0'; at++) {
		if (*at < '0' || *at > '9') {
			return plm_fail(err, PLM_E_USAGE, "--%s: '%s' is not a whole number",
					info->name, text);
		}
		value = plm_add_sat(plm_mul_sat(value, 10), *at - '0');
	}
	*out = value;
	return PLM_OK;
}

static enum plm_code parse_duration(const struct plm_flag_info *info, const char *text,
				    int64_t *out, struct plm_error *err)
{
	int64_t ms = 0;

	if (plm_duration_parse_ms(plm_slice_str(text), &ms, NULL) != PLM_OK || ms <= 0) {
		return plm_fail(err, PLM_E_USAGE,
				"--%s: '%s' is not a duration such as 90s or 1h30m", info->name,
				text);
	}
	*out = ms;
	return PLM_OK;
}

static void append_text(struct plm_cli *call, enum plm_flag flag, const char *text)
{
	struct plm_flag_value *value = &call->flags[flag];
	bool list = plm_flag_info(flag)->kind == PLM_FLAG_LIST;
	size_t kept = list ? value->count : 0;
	const char **texts = PLM_NEW_ARRAY(call->arena, kept + 1, const char *);

	if (kept > 0) {
		memcpy(texts, value->texts, kept * sizeof(const char *));
	}
	texts[kept] = text;
	value->texts = texts;
	value->count = kept + 1;
}

static enum plm_code store(struct plm_cli *call, enum plm_flag flag, const char *text,
			   struct plm_error *err)
{
	const struct plm_flag_info *info = plm_flag_info(flag);
	const char *choices =
		info->kind == PLM_FLAG_FORMAT ? call->command->formats : info->choices;
	int64_t number = 0;
	enum plm_code code = PLM_OK;

	switch (info->kind) {
	case PLM_FLAG_CHOICE:
	case PLM_FLAG_FORMAT:
		if (!plm_choice_has(choices, text)) {
			return plm_fail(err, PLM_E_USAGE, "--%s: '%s' is none of %s", info->name,
					text, choices);
		}
		break;
	case PLM_FLAG_NUMBER:
		code = parse_number(info, text, &number, err);
		break;
	case PLM_FLAG_DURATION:
		code = parse_duration(info, text, &number, err);
		break;
	case PLM_FLAG_SWITCH:
	case PLM_FLAG_TEXT:
	case PLM_FLAG_LIST:
		break;
	}
	if (code == PLM_OK) {
		append_text(call, flag, text);
		call->flags[flag].number = number;
	}
	return code;
}

/* ---- words ------------------------------------------------------------------------------------- */

struct words {
	int argc;
	char **argv;
	int at;
};

static enum plm_code take_value(struct plm_cli *call, enum plm_flag flag, struct words *words,
				struct plm_error *err)
{
	const struct plm_flag_info *info = plm_flag_info(flag);

	if (words->at + 1 >= words->argc) {
		return plm_fail(err, PLM_E_USAGE, "--%s wants a value: %s", info->name,
				info->value);
	}
	words->at++;
	return store(call, flag, words->argv[words->at], err);
}

static enum plm_code parse_long(struct plm_cli *call, struct words *words, struct plm_error *err)
{
	const char *word = words->argv[words->at] + 2;
	size_t size = strcspn(word, "=");
	enum plm_flag flag = plm_command_flag(call->command, word, size);
	const char *near = near_flag(call->command, word, size);

	if (flag == PLM_FLAG_NONE) {
		return plm_fail(err, PLM_E_USAGE, "%s has no flag --%.*s%s%s%s",
				call->command->name, (int)size, word,
				near != NULL ? "; did you mean --" : "", near != NULL ? near : "",
				near != NULL ? "?" : "");
	}
	if (plm_flag_info(flag)->kind == PLM_FLAG_SWITCH) {
		const char *value = word[size] == '=' ? word + size + 1 : "true";

		if (strcmp(value, "true") != 0 && strcmp(value, "false") != 0) {
			return plm_fail(err, PLM_E_USAGE, "--%s takes no value",
					plm_flag_info(flag)->name);
		}
		call->flags[flag].count = strcmp(value, "true") == 0 ? 1 : 0;
		return PLM_OK;
	}
	return word[size] == '=' ? store(call, flag, word + size + 1, err)
				 : take_value(call, flag, words, err);
}

static enum plm_code parse_short(struct plm_cli *call, struct words *words, struct plm_error *err)
{
	const char *word = words->argv[words->at] + 1;

	for (; *word != '\0'; word++) {
		enum plm_flag flag = plm_command_letter(call->command, *word);

		if (flag == PLM_FLAG_NONE) {
			return plm_fail(err, PLM_E_USAGE, "%s has no flag -%c", call->command->name,
					*word);
		}
		if (plm_flag_info(flag)->kind != PLM_FLAG_SWITCH) {
			const char *value = word[1] == '=' ? word + 2 : word + 1;

			return *value != '\0' ? store(call, flag, value, err)
					      : take_value(call, flag, words, err);
		}
		call->flags[flag].count = 1;
	}
	return PLM_OK;
}

static enum plm_code parse_operand(struct plm_cli *call, const char *word, struct plm_error *err)
{
	if (call->operand_count >= call->command->max_operands) {
		return plm_fail(err, PLM_E_USAGE, "%s takes no more operands: '%s'",
				call->command->name, word);
	}
	call->operands[call->operand_count++] = word;
	return PLM_OK;
}

static enum plm_code parse_words(struct plm_cli *call, struct words *words, struct plm_error *err)
{
	bool flags_over = false;

	for (; words->at < words->argc; words->at++) {
		const char *word = words->argv[words->at];
		enum plm_code code = PLM_OK;

		if (flags_over || word[0] != '-' || word[1] == '\0' ||
		    (word[1] >= '0' && word[1] <= '9')) {
			code = parse_operand(call, word, err);
		} else if (strcmp(word, "--") == 0) {
			flags_over = true;
		} else if (word[1] == '-') {
			code = parse_long(call, words, err);
		} else {
			code = parse_short(call, words, err);
		}
		if (code != PLM_OK) {
			return code;
		}
	}
	return PLM_OK;
}

/* Is 'topic' the first word of verbs that have two ("log")? */
static bool is_family(const char *topic)
{
	size_t size = strlen(topic);

	for (const struct plm_command *row = plm_commands(); row->name != NULL; row++) {
		if (strncmp(row->name, topic, size) == 0 && row->name[size] == ' ') {
			return true;
		}
	}
	return false;
}

static enum plm_code no_verb(const char *word, const char *second, struct plm_error *err)
{
	char name[64];
	const char *near = NULL;

	(void)snprintf(name, sizeof(name), "%s%s%s", word, second[0] != '\0' ? " " : "", second);
	near = near_verb(name);
	return plm_fail(err, PLM_E_USAGE, "no verb '%s'%s%s%s", name,
			near != NULL ? "; did you mean " : "", near != NULL ? near : "",
			near != NULL ? "?" : "");
}

/* The verb that 'words' begins with; moves behind it. */
static enum plm_code find_verb(struct plm_cli *call, struct words *words, const char **out_topic,
			       struct plm_error *err)
{
	const char *first = words->argc > 0 ? words->argv[0] : "";
	const char *second = words->argc > 1 && words->argv[1][0] != '-' ? words->argv[1] : "";
	char name[64];

	if (first[0] == '\0' || strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0) {
		*out_topic = "";
		return PLM_OK;
	}
	if (is_family(first)) {
		if (second[0] == '\0') {
			*out_topic = first;
			return PLM_OK;
		}
		(void)snprintf(name, sizeof(name), "%s %s", first, second);
		call->command = plm_command_find(name);
		words->at = 2;
	} else {
		second = "";
		call->command =
			plm_command_find(strcmp(first, "--version") == 0 ? "version" : first);
		words->at = 1;
	}
	return call->command == NULL ? no_verb(first, second, err) : PLM_OK;
}

enum plm_code plm_command_parse(struct plm_cli *call, int argc, char **argv, const char **out_topic,
				struct plm_error *err)
{
	struct words words = {.argc = argc, .argv = argv};
	enum plm_code code = find_verb(call, &words, out_topic, err);

	if (code != PLM_OK || call->command == NULL) {
		return code;
	}
	code = parse_words(call, &words, err);
	if (code != PLM_OK) {
		return code;
	}
	if (plm_cli_has(call, PLM_FLAG_HELP)) {
		*out_topic = call->command->name;
		call->command = NULL;
		return PLM_OK;
	}
	if (call->operand_count < call->command->min_operands) {
		return plm_fail(err, PLM_E_USAGE, "%s wants %s", call->command->name,
				call->command->operands);
	}
	return PLM_OK;
}
