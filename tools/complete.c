#include "tools/command.h"

/* cobra's directives, which kubectl reads. */
#define FILES_TOO ":0\n"
#define NO_FILES ":4\n"

static void offer(FILE *out, const char *prefix, const char *word, const char *help)
{
	if (strncmp(word, prefix, strlen(prefix)) == 0) {
		(void)fprintf(out, "%s\t%s\n", word, help);
	}
}

static void offer_choices(FILE *out, const char *prefix, const char *choices)
{
	for (const char *at = choices; *at != '\0';) {
		size_t size = strcspn(at, "|");

		if (strncmp(at, prefix, strlen(prefix)) == 0 || prefix[0] == '\0') {
			(void)fprintf(out, "%.*s\t\n", (int)size, at);
		}
		at += size + (at[size] == '|' ? 1 : 0);
	}
}

static void offer_flags(FILE *out, const struct plm_command *command, const char *prefix)
{
	for (const enum plm_flag *flag = command->flags; *flag != PLM_FLAG_NONE; flag++) {
		char word[64];

		(void)snprintf(word, sizeof(word), "--%s", plm_flag_info(*flag)->name);
		offer(out, prefix, word, plm_flag_info(*flag)->help);
	}
}

/* First words of verbs, or second ones behind 'family'; a family is offered once. */
static void offer_verbs(FILE *out, const char *family, const char *prefix)
{
	char last[32] = "";
	size_t skip = strlen(family);

	for (const struct plm_command *row = plm_commands(); row->name != NULL; row++) {
		char word[32];
		const char *rest = row->name + skip + 1;

		if (skip == 0) {
			rest = row->name;
		} else if (strncmp(row->name, family, skip) != 0 || row->name[skip] != ' ') {
			continue;
		}
		(void)snprintf(word, sizeof(word), "%.*s", (int)strcspn(rest, " "), rest);
		if (strcmp(word, last) != 0) {
			offer(out, prefix, word,
			      strlen(word) == strlen(rest) ? row->summary : "events of a log");
		}
		(void)snprintf(last, sizeof(last), "%s", word);
	}
}

/* The flag that 'word' leaves without its value, PLM_FLAG_NONE when there is none. */
static enum plm_flag open_flag(const struct plm_command *command, const char *word)
{
	enum plm_flag flag = PLM_FLAG_NONE;

	if (word[0] != '-' || word[1] == '\0' || strchr(word, '=') != NULL) {
		return PLM_FLAG_NONE;
	}
	flag = word[1] == '-'
		       ? plm_command_flag(command, word + 2, strlen(word + 2))
		       : (word[2] == '\0' ? plm_command_letter(command, word[1]) : PLM_FLAG_NONE);
	if (flag != PLM_FLAG_NONE && plm_flag_info(flag)->kind == PLM_FLAG_SWITCH) {
		return PLM_FLAG_NONE;
	}
	return flag;
}

static void offer_value(FILE *out, const struct plm_command *command, enum plm_flag flag,
			const char *prefix)
{
	const struct plm_flag_info *info = plm_flag_info(flag);
	const char *choices = info->kind == PLM_FLAG_FORMAT ? command->formats : info->choices;

	if (choices[0] != '\0') {
		offer_choices(out, prefix, choices);
		(void)fputs(NO_FILES, out);
		return;
	}
	/* Only these name files; a number or a name is not helped by a list of files. */
	(void)fputs(flag == PLM_FLAG_LOG || flag == PLM_FLAG_KEEP_LOG ||
				    flag == PLM_FLAG_FILENAME || flag == PLM_FLAG_WITH ||
				    flag == PLM_FLAG_CATALOG || flag == PLM_FLAG_OUT ||
				    flag == PLM_FLAG_INTO
			    ? FILES_TOO
			    : NO_FILES,
		    out);
}

void plm_complete(FILE *out, int count, char **words)
{
	const char *prefix = count > 0 ? words[count - 1] : "";
	const struct plm_command *command = NULL;
	char name[64] = "";
	int used = count > 1 ? 1 : 0;

	if (count > 1) {
		(void)snprintf(name, sizeof(name), "%s", words[0]);
		command = plm_command_find(name);
	}
	if (command == NULL && count > 2) {
		(void)snprintf(name, sizeof(name), "%s %s", words[0], words[1]);
		command = plm_command_find(name);
		used = 2;
	}
	if (command == NULL) {
		offer_verbs(out, used == 1 ? words[0] : "", prefix);
		(void)fputs(NO_FILES, out);
		return;
	}
	if (count - 2 >= used && open_flag(command, words[count - 2]) != PLM_FLAG_NONE) {
		offer_value(out, command, open_flag(command, words[count - 2]), prefix);
		return;
	}
	if (prefix[0] == '-') {
		offer_flags(out, command, prefix);
	} else if (strchr(command->operands, '|') != NULL &&
		   strchr(command->operands, '[') == NULL) {
		offer_choices(out, prefix, command->operands);
	} else if (strcmp(command->name, "help") == 0) {
		offer_verbs(out, count > 2 ? words[1] : "", prefix);
	}
	(void)fputs(strstr(command->operands, "FILE") != NULL ? FILES_TOO : NO_FILES, out);
}

static const char bash_script[] =
	"_plimsoll() {\n"
	"	local cur=\"${COMP_WORDS[COMP_CWORD]}\" out directive\n"
	"	out=$(\"${COMP_WORDS[0]}\" __complete "
	"\"${COMP_WORDS[@]:1:COMP_CWORD-1}\" \"$cur\" 2>/dev/null) || return\n"
	"	directive=${out##*$'\\n'}\n"
	"	out=$(printf '%s\\n' \"$out\" | sed -e '$d' -e 's/\\t.*//')\n"
	"	mapfile -t COMPREPLY < <(compgen -W \"$out\" -- \"$cur\")\n"
	"	if [ \"$directive\" = :0 ]; then\n"
	"		mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -f -- \"$cur\")\n"
	"	fi\n"
	"}\n"
	"complete -o filenames -F _plimsoll plimsoll\n";

static const char zsh_script[] =
	"#compdef plimsoll\n"
	"_plimsoll() {\n"
	"	local -a lines rows\n"
	"	local line\n"
	"	lines=(\"${(@f)$($words[1] __complete \"${(@)words[2,$CURRENT]}\" "
	"2>/dev/null)}\")\n"
	"	for line in \"${(@)lines[1,-2]}\"; do\n"
	"		rows+=(\"${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}\")\n"
	"	done\n"
	"	_describe -t values plimsoll rows\n"
	"	[[ $lines[-1] == ':0' ]] && _files\n"
	"}\n"
	"compdef _plimsoll plimsoll\n";

static const char fish_script[] =
	"function __plimsoll_complete\n"
	"	set -l words (commandline -opc)\n"
	"	set -l out ($words[1] __complete $words[2..-1] (commandline -ct) 2>/dev/null)\n"
	"	test (count $out) -gt 0; or return\n"
	"	if test \"$out[-1]\" = ':0'\n"
	"		__fish_complete_path (commandline -ct)\n"
	"	end\n"
	"	set -e out[-1]\n"
	"	printf '%s\\n' $out\n"
	"end\n"
	"complete -c plimsoll -f -a '(__plimsoll_complete)'\n";

enum plm_code plm_complete_script(FILE *out, const char *shell, struct plm_error *err)
{
	const char *script = NULL;

	if (strcmp(shell, "bash") == 0) {
		script = bash_script;
	} else if (strcmp(shell, "zsh") == 0) {
		script = zsh_script;
	} else if (strcmp(shell, "fish") == 0) {
		script = fish_script;
	} else {
		return plm_fail(err, PLM_E_USAGE, "no completion for '%s': bash, zsh or fish",
				shell);
	}
	(void)fputs(script, out);
	return PLM_OK;
}
