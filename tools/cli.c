#include "tools/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

#include "tools/command.h"
#include "tools/remote.h"

/* Address space of a call's answer; touched as far as it is used. */
#define ARENA_BYTES ((size_t)64 * 1024 * 1024 * 1024)
#define EXIT_BUG 70
#define EXIT_TIMEOUT 124

static void on_timeout(int number)
{
	static const char text[] = "error: the time of --timeout has passed\n";

	(void)number;
	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	_exit(EXIT_TIMEOUT);
}

/* A broken invariant has told where; say what to do with it and end with the code for a bug. */
static void on_abort(int number)
{
	static const char text[] = "error: this is a bug in plimsoll " PLM_VERSION
				   "; please report it with the lines above and, if the log may be "
				   "shown, the file of `plimsoll log export`\n";

	(void)number;
	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	_exit(EXIT_BUG);
}

static void handle(int number, void (*handler)(int))
{
	struct sigaction action = {.sa_handler = handler};

	(void)sigaction(number, &action, NULL);
}

static void start_timeout(int64_t ms)
{
	struct itimerval timer = {
		.it_value = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000},
	};

	handle(SIGALRM, on_timeout);
	(void)setitimer(ITIMER_REAL, &timer, NULL);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? path : slash + 1;
}

/* The answer must have arrived; that nobody reads it any more ("| head") is no failure. */
static int finish(FILE *out, int exit_code)
{
	bool failed = fflush(out) != 0 || ferror(out) != 0;

	if (failed && errno != EPIPE) {
		(void)fprintf(stderr, "error: writing the answer: %s\n", strerror(errno));
		return plm_code_exit(PLM_E_IO);
	}
	return exit_code;
}

/* NULL: the daemon's, which reads its arguments itself. */
static plm_verb_fn *function_of(const struct plm_command *command,
				const struct plm_outer_verb *outer)
{
	plm_verb_fn *found = command->run;

	for (; found == NULL && outer->name != NULL; outer++) {
		found = strcmp(outer->name, command->name) == 0 ? outer->run : NULL;
	}
	return found;
}

/* The exit code of a call that ended like this; says on stderr why it failed. */
static int ended(const struct plm_cli *call, enum plm_code code, const struct plm_error *err)
{
	if (code == PLM_OK) {
		return call->bug ? EXIT_BUG : (call->finding ? 1 : 0);
	}
	(void)fflush(call->out);
	(void)fprintf(stderr, "error: %s\n",
		      err->text[0] != '\0' ? err->text : plm_code_text(code));
	if (code == PLM_E_USAGE) {
		plm_help_usage(stderr, call->program, call->command);
	}
	return plm_code_exit(code);
}

static int run(struct plm_cli *call, const struct plm_outer_verb *outer, int argc, char **argv)
{
	plm_verb_fn *verb = NULL;
	struct plm_error err = {0};
	const char *topic = "";
	enum plm_code code = plm_command_parse(call, argc, argv, &topic, &err);

	if (code == PLM_OK && call->command == NULL) {
		bool bare_family = topic[0] != '\0' && plm_command_find(topic) == NULL;

		plm_help_print(bare_family ? stderr : stdout, call->program, topic);
		return bare_family ? plm_code_exit(PLM_E_USAGE) : 0;
	}
	if (code == PLM_OK && plm_cli_has(call, PLM_FLAG_TIMEOUT)) {
		start_timeout(plm_cli_number(call, PLM_FLAG_TIMEOUT, 0));
	}
	verb = code == PLM_OK ? function_of(call->command, outer) : NULL;
	verb = plm_cli_has(call, PLM_FLAG_SERVER) ? plm_remote_run : verb;
	if (code == PLM_OK && verb == NULL) {
		code = plm_fail(&err, PLM_E_USAGE, "--help cannot be the value of a setting");
	} else if (code == PLM_OK) {
		code = verb(call, &err);
	}
	return ended(call, code, &err);
}

/* Is it `run`, and does it not only ask for help? */
static bool is_daemon(int argc, char **argv)
{
	bool help = false;

	for (int i = 2; i < argc; i++) {
		help = help || strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0;
	}
	return argc > 1 && strcmp(argv[1], "run") == 0 && !help;
}

/*
 * A standard stream that was closed would come to be the first file that is opened. What stands in for
 * it can only be used the wrong way, so that using it is an error.
 */
static void fill_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
			(void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
		}
	}
}

int plm_cli_main(int argc, char **argv, plm_daemon_fn *daemon, const struct plm_outer_verb *outer)
{
	const char *name = base_name(argc > 0 ? argv[0] : "plimsoll");
	bool completing = strcmp(name, "kubectl_complete-plimsoll") == 0;
	struct plm_arena arena = {0};
	struct plm_error err = {0};
	struct plm_cli call = {.arena = &arena, .out = stdout, .notes = stderr};
	int exit_code = 0;

	fill_streams();
	handle(SIGPIPE, SIG_IGN);
	handle(SIGABRT, on_abort);
	if (is_daemon(argc, argv)) {
		return daemon(argc - 2, argv + 2);
	}
	if (completing || (argc > 1 && strcmp(argv[1], "__complete") == 0)) {
		int skip = completing ? 1 : 2;

		plm_complete(stdout, argc - skip, argv + skip);
		return finish(stdout, 0);
	}
	if (plm_arena_init(&arena, ARENA_BYTES, &err) != PLM_OK) {
		(void)fprintf(stderr, "error: %s\n", err.text);
		return plm_code_exit(err.code);
	}
	call.program = strcmp(name, "kubectl-plimsoll") == 0 ? "kubectl plimsoll" : "plimsoll";
	exit_code = run(&call, outer, argc - 1, argv + 1);
	exit_code = finish(stdout, exit_code);
	plm_arena_fini(&arena);
	return exit_code;
}
