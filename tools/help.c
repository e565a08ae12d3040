#include <inttypes.h>
#include <stdlib.h>

#include "tools/command.h"

#define WIDTH 96
#define FLAG_COLUMN 26

/* Of ASCII, whatever the locale. */
static char large(char byte)
{
	return (char)(byte >= 'a' && byte <= 'z' ? byte - ('a' - 'A') : byte);
}

/* Exit codes of CLI.md, in order. */
static const struct {
	int code;
	const char *text;
} exits[] = {
	{0, "done; the answer is \"nothing\" or \"the same\""},
	{1, "done; the answer is \"yes, a difference\", or what --fail-on names (never a failure)"},
	{2, "usage, or input that cannot be parsed"},
	{3, "no such thing at that point"},
	{4, "source unreachable or not readable"},
	{5, "log damaged"},
	{6, "replay diverged"},
	{7, "version not supported"},
	{8, "refused for safety"},
	{9, "input incomplete"},
	{70, "a bug"},
	{75, "temporary failure: no room, input or output failed"},
	{78, "configuration invalid"},
	{124, "--timeout has passed"},
};

/* 0, 2, 70 and what the row lists. */
static bool ends_with(const struct plm_command *command, int code)
{
	if (code == 0 || code == 2 || code == 70 || code == 124 || code == 75) {
		return true;
	}
	for (const char *at = command->exits; *at != '\0';) {
		char *end = NULL;

		if (strtol(at, &end, 10) == code) {
			return true;
		}
		at = *end == ' ' ? end + 1 : end;
	}
	return false;
}

/* 'text' in lines of at most WIDTH columns, each behind 'indent' spaces; '\n\n' ends a paragraph. */
static void wrap(FILE *out, const char *text, int indent)
{
	int column = 0;

	for (const char *at = text; *at != '\0';) {
		int size = (int)strcspn(at, " \n");

		if (column > 0 && column + 1 + size > WIDTH) {
			(void)fputc('\n', out);
			column = 0;
		}
		column += column == 0 ? fprintf(out, "%*s", indent, "") : fprintf(out, " ");
		column += fprintf(out, "%.*s", size, at);
		at += size;
		if (at[0] == '\n' && at[1] == '\n') {
			(void)fputs("\n\n", out);
			column = 0;
		}
		at += strspn(at, " \n");
	}
	(void)fputc('\n', out);
}

static const char *flag_value(const struct plm_command *command, enum plm_flag flag)
{
	const struct plm_flag_info *info = plm_flag_info(flag);

	switch (info->kind) {
	case PLM_FLAG_FORMAT:
		return command->formats;
	case PLM_FLAG_CHOICE:
		return info->choices;
	case PLM_FLAG_SWITCH:
	case PLM_FLAG_TEXT:
	case PLM_FLAG_LIST:
	case PLM_FLAG_NUMBER:
	case PLM_FLAG_DURATION:
		break;
	}
	return info->value;
}

static void print_flag(FILE *out, const struct plm_command *command, enum plm_flag flag)
{
	const struct plm_flag_info *info = plm_flag_info(flag);
	const char *value = flag_value(command, flag);
	int column = 0;

	column = info->letter != 0 ? fprintf(out, "  -%c, ", info->letter) : fprintf(out, "      ");
	column += fprintf(out, "--%s%s%s", info->name, value[0] != '\0' ? " " : "", value);
	if (column + 2 > FLAG_COLUMN) {
		(void)fputc('\n', out);
		wrap(out, info->help, FLAG_COLUMN);
		return;
	}
	(void)fprintf(out, "%*s", FLAG_COLUMN - column, "");
	(void)fprintf(out, "%s\n", info->help);
}

static void print_examples(FILE *out, const char *program, const char *examples)
{
	for (const char *at = examples; *at != '\0';) {
		size_t size = strcspn(at, "\n");
		bool bare = strncmp(at, "kubectl ", 8) == 0;

		(void)fprintf(out, "  %s%s%.*s\n", bare ? "" : program, bare ? "" : " ", (int)size,
			      at);
		at += size + (at[size] == '\n' ? 1 : 0);
	}
}

static void print_command(FILE *out, const char *program, const struct plm_command *command)
{
	(void)fprintf(out, "%s %s%s%s [flags]\n", program, command->name,
		      command->operands[0] != '\0' ? " " : "", command->operands);
	(void)fprintf(out, "\n  %c%s.\n\n", large(command->summary[0]), command->summary + 1);
	wrap(out, command->text, 2);
	(void)fputs("\nFlags:\n", out);
	for (const enum plm_flag *flag = command->flags; *flag != PLM_FLAG_NONE; flag++) {
		print_flag(out, command, *flag);
	}
	(void)fputs("\nExamples:\n", out);
	print_examples(out, program, command->examples);
	(void)fputs("\nExit codes:\n", out);
	for (size_t i = 0; i < PLM_COUNTOF(exits); i++) {
		if (ends_with(command, exits[i].code)) {
			(void)fprintf(out, "  %-4d %s\n", exits[i].code, exits[i].text);
		}
	}
}

static void print_overview(FILE *out, const char *program, const char *topic)
{
	const char *group = "";
	size_t size = strlen(topic);

	if (size == 0) {
		(void)fprintf(out,
			      "plimsoll decides which queued work may start and which nodes it "
			      "needs, and answers for it\nfrom one log.\n\n%s VERB [flags]\n",
			      program);
	}
	for (const struct plm_command *row = plm_commands(); row->name != NULL; row++) {
		if (strncmp(row->name, topic, size) != 0) {
			continue;
		}
		if (strcmp(group, row->group) != 0) {
			(void)fprintf(out, "%s%s:\n", group[0] != '\0' || size == 0 ? "\n" : "",
				      row->group);
			group = row->group;
		}
		(void)fprintf(out, "  %-12s %s\n", row->name, row->summary);
	}
	(void)fprintf(out, "\n%s VERB --help says all about a verb.\n", program);
}

void plm_help_print(FILE *out, const char *program, const char *topic)
{
	const struct plm_command *command = plm_command_find(topic);

	if (command != NULL) {
		print_command(out, program, command);
	} else {
		print_overview(out, program, topic);
	}
}

void plm_help_usage(FILE *out, const char *program, const struct plm_command *command)
{
	if (command == NULL) {
		(void)fprintf(out, "usage: %s VERB [flags]; all verbs: %s --help\n", program,
			      program);
		return;
	}
	(void)fprintf(out, "usage: %s %s%s%s [flags]; all flags: %s %s --help\n", program,
		      command->name, command->operands[0] != '\0' ? " " : "", command->operands,
		      program, command->name);
}

/* ---- roff -------------------------------------------------------------------------------------- */

/* A dash is a minus, a backslash is doubled, a dot or quote never begins a line. */
static void roff(FILE *out, const char *text)
{
	bool line_begins = true;

	for (const char *at = text; *at != '\0'; at++) {
		if (at[0] == '\n' && at[1] == '\n') {
			(void)fputs("\n.PP\n", out);
			at++;
			line_begins = true;
			continue;
		}
		if (line_begins && (*at == '.' || *at == '\'')) {
			(void)fputs("\\&", out);
		}
		line_begins = *at == '\n';
		if (*at == '-') {
			(void)fputs("\\-", out);
		} else if (*at == '\\') {
			(void)fputs("\\e", out);
		} else {
			(void)fputc(*at, out);
		}
	}
	(void)fputc('\n', out);
}

static void roff_flag(FILE *out, const struct plm_command *command, enum plm_flag flag)
{
	const struct plm_flag_info *info = plm_flag_info(flag);
	const char *value = flag_value(command, flag);

	(void)fputs(".TP\n", out);
	if (info->letter != 0) {
		(void)fprintf(out, "\\fB\\-%c\\fR, ", info->letter);
	}
	(void)fputs("\\fB\\-\\-", out);
	for (const char *at = info->name; *at != '\0'; at++) {
		(void)fputs(*at == '-' ? "\\-" : (char[]){*at, '\0'}, out);
	}
	(void)fprintf(out, "\\fR%s%s%s\n", value[0] != '\0' ? " \\fI" : "", value,
		      value[0] != '\0' ? "\\fR" : "");
	roff(out, info->help);
}

static void man_command(FILE *out, const struct plm_command *command)
{
	(void)fprintf(out, ".SH SYNOPSIS\n.B plimsoll %s\n", command->name);
	roff(out, command->operands);
	(void)fputs("[\\fIflags\\fR]\n.SH DESCRIPTION\n", out);
	roff(out, command->text);
	(void)fputs(".SH OPTIONS\n", out);
	for (const enum plm_flag *flag = command->flags; *flag != PLM_FLAG_NONE; flag++) {
		roff_flag(out, command, *flag);
	}
	(void)fputs(".SH EXIT STATUS\n", out);
	for (size_t i = 0; i < PLM_COUNTOF(exits); i++) {
		if (ends_with(command, exits[i].code)) {
			(void)fprintf(out, ".TP\n%d\n", exits[i].code);
			roff(out, exits[i].text);
		}
	}
	(void)fputs(".SH EXAMPLES\n.nf\n", out);
	print_examples(out, "plimsoll", command->examples);
	(void)fputs(".fi\n", out);
}

static void man_overview(FILE *out)
{
	(void)fputs(".SH SYNOPSIS\n.B plimsoll\n\\fIVERB\\fR [\\fIflags\\fR]\n.SH VERBS\n", out);
	for (const struct plm_command *row = plm_commands(); row->name != NULL; row++) {
		(void)fprintf(out, ".TP\n\\fB%s\\fR\n", row->name);
		roff(out, row->summary);
	}
	(void)fputs(".SH ENVIRONMENT\n.TP\nNO_COLOR\nSet and not empty: no colour, also on a "
		    "terminal.\n",
		    out);
}

void plm_help_man(FILE *out, const struct plm_command *command)
{
	const char *name = command != NULL ? command->name : "";
	const char *summary = command != NULL ? command->summary
					      : "decide what runs and on which nodes, from one log";

	(void)fputs(".TH PLIMSOLL", out);
	for (const char *at = name; *at != '\0'; at++) {
		(void)fprintf(out, "%s%c", at == name ? "-" : "", *at == ' ' ? '-' : large(*at));
	}
	(void)fputs(" 1 \"\" \"plimsoll " PLM_VERSION "\"\n.SH NAME\nplimsoll", out);
	for (const char *at = name; *at != '\0'; at++) {
		(void)fprintf(out, "%s%c", at == name ? "-" : "", *at == ' ' ? '-' : *at);
	}
	(void)fputs(" \\- ", out);
	roff(out, summary);
	if (command != NULL) {
		man_command(out, command);
	} else {
		man_overview(out);
	}
	(void)fputs(".SH SEE ALSO\n\\fBplimsoll\\fR(1)\n", out);
}

/* ---- Markdown ---------------------------------------------------------------------------------- */

static void markdown_flags(FILE *out, const struct plm_command *command)
{
	(void)fputs("\n| flag | meaning |\n| --- | --- |\n", out);
	for (const enum plm_flag *flag = command->flags; *flag != PLM_FLAG_NONE; flag++) {
		const struct plm_flag_info *info = plm_flag_info(*flag);
		const char *value = flag_value(command, *flag);

		(void)fputs("| `", out);
		if (info->letter != 0) {
			(void)fprintf(out, "-%c, ", info->letter);
		}
		(void)fprintf(out, "--%s%s", info->name, value[0] != '\0' ? " " : "");
		for (const char *at = value; *at != '\0'; at++) {
			(void)fputs(*at == '|' ? "\\|" : (char[]){*at, '\0'}, out);
		}
		(void)fprintf(out, "` | %s |\n", info->help);
	}
}

void plm_help_markdown(FILE *out)
{
	(void)fputs("# Command line\n\nMade by `plimsoll help --markdown`; do not edit.\n", out);
	for (const struct plm_command *row = plm_commands(); row->name != NULL; row++) {
		(void)fprintf(out, "\n## %s\n\n`plimsoll %s%s%s`: %s.\n\n%s\n", row->name,
			      row->name, row->operands[0] != '\0' ? " " : "", row->operands,
			      row->summary, row->text);
		markdown_flags(out, row);
		(void)fputs("\n```\n", out);
		print_examples(out, "plimsoll", row->examples);
		(void)fputs("```\n", out);
	}
	(void)fputs("\n## Exit codes\n\n| code | meaning |\n| --- | --- |\n", out);
	for (size_t i = 0; i < PLM_COUNTOF(exits); i++) {
		(void)fprintf(out, "| %d | %s |\n", exits[i].code, exits[i].text);
	}
}
