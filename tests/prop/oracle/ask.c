/*
 * ask.c - many calls of the command line in one process, for tests that ask 20,000 times
 *
 * Each line of standard input is one call, its words apart by tabs and without the program's name. The
 * answer is a line "EXIT SIZE" and SIZE bytes: what the verb printed; on a failure, the error.
 */
#include <stdlib.h>

#include "tools/command.h"

#define ARENA_BYTES ((size_t)64 * 1024 * 1024 * 1024)
#define MAX_WORDS 64

static int carry_out(struct plm_arena *arena, int argc, char **argv, FILE *out)
{
	struct plm_error err = {0};
	struct plm_cli call = {
		.program = "plimsoll",
		.arena = arena,
		.out = out,
		.notes = fopen("/dev/null", "w"),
	};
	const char *topic = "";
	enum plm_code code = PLM_OK;

	if (call.notes == NULL) {
		return 70;
	}
	code = plm_command_parse(&call, argc, argv, &topic, &err);
	if (code == PLM_OK && (call.command == NULL || call.command->run == NULL)) {
		code = plm_fail(&err, PLM_E_USAGE, "not a verb that can be asked");
	} else if (code == PLM_OK) {
		code = call.command->run(&call, &err);
	}
	(void)fclose(call.notes);
	if (code != PLM_OK) {
		(void)fprintf(out, "%s\n", err.text);
		return plm_code_exit(code);
	}
	return call.bug ? 70 : (call.finding ? 1 : 0);
}

static int answer(struct plm_arena *arena, char *line)
{
	char *words[MAX_WORDS];
	char *bytes = NULL;
	size_t size = 0;
	int count = 0;
	int exit_code = 0;
	FILE *out = open_memstream(&bytes, &size);

	if (out == NULL) {
		return 1;
	}
	line[strcspn(line, "\n")] = '\0';
	for (char *at = line; *at != '\0' && count < MAX_WORDS;) {
		size_t size_of_word = strcspn(at, "\t");
		bool more = at[size_of_word] != '\0';

		at[size_of_word] = '\0';
		words[count++] = at;
		at += size_of_word + (more ? 1 : 0);
	}
	plm_arena_reset(arena);
	exit_code = carry_out(arena, count, words, out);
	(void)fclose(out);
	(void)printf("%d %zu\n", exit_code, size);
	(void)fwrite(bytes, 1, size, stdout);
	(void)fflush(stdout);
	free(bytes);
	return 0;
}

int main(void)
{
	struct plm_arena arena = {0};
	struct plm_error err = {0};
	char *line = NULL;
	size_t room = 0;
	int failed = 0;

	if (plm_arena_init(&arena, ARENA_BYTES, &err) != PLM_OK) {
		(void)fprintf(stderr, "ask: %s\n", err.text);
		return 1;
	}
	while (failed == 0 && getline(&line, &room, stdin) > 0) {
		failed = answer(&arena, line);
	}
	free(line);
	plm_arena_fini(&arena);
	return failed;
}
