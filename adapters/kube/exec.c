#include "adapters/kube/exec.h"

#include "core/limits.h"
#include "core/units.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#define LINE 200

struct plm_kube_exec {
	struct plm_kube_exec_options options;
	struct plm_arena arena; /* owned */
	uv_process_t process;
	uv_pipe_t output, errors;
	uv_timer_t timer;
	unsigned open;	  /* handles that are not closed yet */
	unsigned waiting; /* for: the end of the process and of both pipes */
	bool told, late, spilled, running;
	int64_t exit_status;
	int spawn_error, signal_number;
	uint8_t *text; /* arena; stdout so far */
	size_t size;
	char piece[4096]; /* what libuv reads into */
	char line[LINE];  /* the first of stderr */
	size_t line_size;
	bool line_ended;
};

static void on_closed(uv_handle_t *handle)
{
	struct plm_kube_exec *exec = handle->data;

	exec->open--;
	if (exec->open == 0) {
		explicit_bzero(exec->arena.base, exec->arena.touched);
		plm_arena_fini(&exec->arena);
		explicit_bzero(exec->piece, sizeof(exec->piece));
		free(exec);
	}
}

static void close_one(void *handle)
{
	if (!uv_is_closing(handle)) {
		uv_close(handle, on_closed);
	}
}

/* All but the process while it runs: it has to be waited for, or it would stay a zombie. */
static void close_all(struct plm_kube_exec *exec)
{
	close_one(&exec->output);
	close_one(&exec->errors);
	close_one(&exec->timer);
	if (!exec->running) {
		close_one(&exec->process);
	}
}

/* ---- the end ----------------------------------------------------------------------------------- */

static void why(const struct plm_kube_exec *exec, char *text, size_t size)
{
	const struct plm_kube_plugin *plugin = exec->options.plugin;
	const char *hint = plugin->hint;

	if (exec->spawn_error != 0) {
		(void)snprintf(text, size, "credential plugin %s: cannot be started: %s%s%s",
			       plugin->command, uv_strerror(exec->spawn_error),
			       hint[0] == '\0' ? "" : ": ", hint);
	} else if (exec->late) {
		(void)snprintf(text, size, "credential plugin %s: not done within %lld ms",
			       plugin->command, (long long)exec->options.limit_ms);
	} else if (exec->spilled) {
		(void)snprintf(text, size, "credential plugin %s: printed more than %d bytes",
			       plugin->command, PLM_LIMIT_CREDENTIAL_BYTES);
	} else if (exec->signal_number != 0) {
		(void)snprintf(text, size, "credential plugin %s: ended by signal %d",
			       plugin->command, exec->signal_number);
	} else {
		(void)snprintf(text, size, "credential plugin %s: ended with %lld%s%.*s",
			       plugin->command, (long long)exec->exit_status,
			       exec->line_size == 0 ? "" : ": ", (int)exec->line_size, exec->line);
	}
}

static void tell(struct plm_kube_exec *exec)
{
	struct plm_kube_exec_result result = {.expires_ms = PLM_UNSET};
	struct plm_error err = {0};
	char text[PLM_ERROR_TEXT_SIZE];

	if (exec->told) {
		return;
	}
	exec->told = true;
	if (exec->spawn_error != 0 || exec->late || exec->spilled || exec->signal_number != 0 ||
	    exec->exit_status != 0) {
		why(exec, text, sizeof(text));
		result.text = text;
	} else if (plm_kube_exec_read(exec->options.plugin, plm_slice_of(exec->text, exec->size),
				      &exec->arena, &result, &err) != PLM_OK) {
		result = (struct plm_kube_exec_result){.text = err.text, .expires_ms = PLM_UNSET};
	}
	exec->options.on_done(exec->options.self, &result);
	close_all(exec);
}

static void ended(struct plm_kube_exec *exec)
{
	PLM_ASSERT(exec->waiting > 0);
	exec->waiting--;
	if (exec->waiting == 0) {
		tell(exec);
	}
}

/* With whatever it started: those are in its process group, and would hold its pipes and run on. */
static void kill_it(struct plm_kube_exec *exec)
{
	if (exec->running) {
		(void)uv_kill(-uv_process_get_pid(&exec->process), SIGKILL);
	}
}

/* ---- libuv ------------------------------------------------------------------------------------- */

static void on_exit_of(uv_process_t *process, int64_t status, int number)
{
	struct plm_kube_exec *exec = process->data;

	exec->running = false;
	exec->exit_status = status;
	exec->signal_number = number;
	if (exec->told) {
		close_one(&exec->process);
	} else {
		ended(exec);
	}
}

static void on_late(uv_timer_t *timer)
{
	struct plm_kube_exec *exec = timer->data;

	exec->late = exec->spawn_error == 0;
	kill_it(exec);
	tell(exec);
}

static void on_room(uv_handle_t *handle, size_t wanted, uv_buf_t *buf)
{
	struct plm_kube_exec *exec = handle->data;

	(void)wanted;
	*buf = uv_buf_init(exec->piece, sizeof(exec->piece));
}

static void on_output(uv_stream_t *stream, ssize_t got, const uv_buf_t *buf)
{
	struct plm_kube_exec *exec = stream->data;

	if (got < 0) {
		(void)uv_read_stop(stream);
		ended(exec);
		return;
	}
	if ((size_t)got > PLM_LIMIT_CREDENTIAL_BYTES - exec->size) {
		exec->spilled = true;
		kill_it(exec);
		return;
	}
	memcpy(exec->text + exec->size, buf->base, (size_t)got);
	exec->size += (size_t)got;
}

/* The first line, of what can be printed. */
static void on_errors(uv_stream_t *stream, ssize_t got, const uv_buf_t *buf)
{
	struct plm_kube_exec *exec = stream->data;

	if (got < 0) {
		(void)uv_read_stop(stream);
		ended(exec);
		return;
	}
	for (ssize_t i = 0; i < got && !exec->line_ended; i++) {
		char byte = buf->base[i];
		bool shown = byte >= ' ' && byte <= '~';

		exec->line_ended = byte == '\n' || exec->line_size == LINE;
		if (!exec->line_ended) {
			exec->line[exec->line_size] = '?';
			if (shown) {
				exec->line[exec->line_size] = byte;
			}
			exec->line_size++;
		}
	}
}

/* ---- the start --------------------------------------------------------------------------------- */

static char *copy(struct plm_arena *arena, const char *text)
{
	size_t size = strlen(text) + 1;

	return memcpy(plm_arena_take(arena, size), text, size);
}

static size_t length(const char *const *list)
{
	size_t count = 0;

	while (list != NULL && list[count] != NULL) {
		count++;
	}
	return count;
}

static char **words(struct plm_arena *arena, const struct plm_kube_plugin *plugin)
{
	size_t count = length(plugin->args);
	char **out = PLM_NEW_ARRAY(arena, count + 2, char *);

	out[0] = copy(arena, plugin->command);
	for (size_t i = 0; i < count; i++) {
		out[i + 1] = copy(arena, plugin->args[i]);
	}
	return out;
}

/* Does 'list' have the variable of 'entry' ("NAME=value")? */
static bool has(const char *const *list, const char *entry)
{
	size_t size = strcspn(entry, "=") + 1;

	for (size_t i = 0; list[i] != NULL; i++) {
		if (strncmp(list[i], entry, size) == 0) {
			return true;
		}
	}
	return false;
}

static char **variables(struct plm_arena *arena, const struct plm_kube_exec_options *options)
{
	const struct plm_kube_plugin *plugin = options->plugin;
	size_t ours = length(options->environment);
	size_t added = length(plugin->env);
	char **out = PLM_NEW_ARRAY(arena, ours + added + 2, char *);
	size_t count = 0;
	struct plm_slice info = plm_arena_format(
		arena,
		"KUBERNETES_EXEC_INFO={\"kind\":\"ExecCredential\",\"apiVersion\":\"%s\","
		"\"spec\":{%s%s%s\"interactive\":false}}",
		plugin->version, plugin->told == NULL ? "" : "\"cluster\":",
		plugin->told == NULL ? "" : plugin->told, plugin->told == NULL ? "" : ",");

	for (size_t i = 0; i < ours; i++) {
		if (!has(plugin->env, options->environment[i]) &&
		    !has((const char *const[]){"KUBERNETES_EXEC_INFO=", NULL},
			 options->environment[i])) {
			out[count++] = copy(arena, options->environment[i]);
		}
	}
	for (size_t i = 0; i < added; i++) {
		out[count++] = copy(arena, plugin->env[i]);
	}
	out[count] = copy(arena, (const char *)info.ptr);
	return out;
}

static void open_handles(struct plm_kube_exec *exec)
{
	uv_loop_t *loop = exec->options.loop;

	PLM_ASSERT(uv_pipe_init(loop, &exec->output, 0) == 0);
	PLM_ASSERT(uv_pipe_init(loop, &exec->errors, 0) == 0);
	PLM_ASSERT(uv_timer_init(loop, &exec->timer) == 0);
	exec->process.data = exec->output.data = exec->errors.data = exec->timer.data = exec;
	exec->open = 4;
}

static uv_stdio_container_t pipe_of(uv_pipe_t *pipe)
{
	return (uv_stdio_container_t){
		/* NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): libuv ors them */
		.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE,
		.data.stream = (uv_stream_t *)pipe,
	};
}

static void spawn(struct plm_kube_exec *exec)
{
	uv_stdio_container_t stdio[3] = {
		{.flags = UV_IGNORE},
		pipe_of(&exec->output),
		pipe_of(&exec->errors),
	};
	uv_process_options_t options = {
		.exit_cb = on_exit_of,
		.flags = UV_PROCESS_DETACHED, /* a process group of its own: kill_it() */
		.args = words(&exec->arena, exec->options.plugin),
		.env = variables(&exec->arena, &exec->options),
		.stdio_count = PLM_COUNTOF(stdio),
		.stdio = stdio,
	};

	options.file = options.args[0];
	exec->spawn_error = uv_spawn(exec->options.loop, &exec->process, &options);
	exec->running = exec->spawn_error == 0;
}

struct plm_kube_exec *plm_kube_exec_start(const struct plm_kube_exec_options *options)
{
	struct plm_kube_exec *exec = calloc(1, sizeof(*exec));
	uint64_t limit_ms = (uint64_t)options->limit_ms;

	if (exec == NULL || plm_arena_init(&exec->arena, PLM_LIMIT_DOC_BYTES, NULL) != PLM_OK) {
		free(exec);
		return NULL;
	}
	exec->options = *options;
	exec->text = plm_arena_take(&exec->arena, PLM_LIMIT_CREDENTIAL_BYTES + 1);
	open_handles(exec);
	spawn(exec);
	if (exec->running) {
		exec->waiting = 3;
		PLM_ASSERT(uv_read_start((uv_stream_t *)&exec->output, on_room, on_output) == 0);
		PLM_ASSERT(uv_read_start((uv_stream_t *)&exec->errors, on_room, on_errors) == 0);
	}
	PLM_ASSERT(uv_timer_start(&exec->timer, on_late, exec->running ? limit_ms : 0, 0) == 0);
	return exec;
}

void plm_kube_exec_stop(struct plm_kube_exec *exec)
{
	if (exec != NULL && !exec->told) {
		exec->told = true;
		kill_it(exec);
		close_all(exec);
	}
}
