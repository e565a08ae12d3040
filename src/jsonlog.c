#include "jsonlog.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "core/timefmt.h"

/* A line that is longer loses the ends of its texts; one write of a pipe's atomic size. */
#define LINE_SIZE 4096
/* What closes a line whatever came before. */
#define TAIL_SIZE 4

struct line {
	char text[LINE_SIZE];
	size_t size;
};

static enum plm_log_level lowest = PLM_LOG_INFO;
static int descriptor = STDOUT_FILENO;

void plm_jsonlog_setup(enum plm_log_level level, int fd)
{
	lowest = level;
	descriptor = fd;
}

bool plm_jsonlog_on(enum plm_log_level level)
{
	return level >= lowest;
}

static bool add(struct line *line, const char *bytes, size_t size)
{
	if (size > sizeof(line->text) - TAIL_SIZE - line->size) {
		return false;
	}
	memcpy(line->text + line->size, bytes, size);
	line->size += size;
	return true;
}

/* Bytes of the character at 'text': never cut one in the middle. */
static size_t character(struct plm_slice text, size_t at)
{
	size_t size = 1;

	while (at + size < text.size && (text.ptr[at + size] & 0xc0U) == 0x80) {
		size++;
	}
	return size;
}

static void add_text(struct line *line, struct plm_slice text)
{
	size_t room = sizeof(line->text) - TAIL_SIZE - 2;
	size_t at = 0;

	(void)add(line, "\"", 1);
	while (at < text.size && line->size + 8 < room) {
		uint8_t c = text.ptr[at];
		size_t size = character(text, at);
		char escape[8];

		if (c == '"' || c == '\\') {
			(void)add(line, "\\", 1);
		}
		if (c < 0x20) {
			(void)snprintf(escape, sizeof(escape), "\\u%04x", c);
			(void)add(line, escape, 6);
		} else {
			(void)add(line, (const char *)text.ptr + at, size);
		}
		at += size;
	}
	(void)add(line, "\"", 1);
}

static void add_field(struct line *line, const struct plm_log_field *field)
{
	char number[24];
	size_t before = line->size;
	int size = 0;

	if (line->size + strlen(field->key) + 32 > sizeof(line->text) - TAIL_SIZE) {
		return;
	}
	(void)add(line, ",", before > 1);
	add_text(line, plm_slice_str(field->key));
	(void)add(line, ":", 1);
	if (field->text.ptr != NULL) {
		add_text(line, field->text);
	} else {
		size = snprintf(number, sizeof(number), "%lld", (long long)field->number);
		(void)add(line, number, (size_t)size);
	}
}

static const char *level_text(enum plm_log_level level)
{
	switch (level) {
	case PLM_LOG_DEBUG:
		return "DEBUG";
	case PLM_LOG_INFO:
		return "INFO";
	case PLM_LOG_WARN:
		return "WARN";
	case PLM_LOG_ERROR:
		return "ERROR";
	}
	PLM_UNREACHABLE();
}

static void write_out(const struct line *line)
{
	size_t done = 0;

	while (done < line->size) {
		ssize_t n = write(descriptor, line->text + done, line->size - done);

		if (n <= 0) {
			return;
		}
		done += (size_t)n;
	}
}

void plm_jsonlog(enum plm_log_level level, const char *logger, const char *message,
		 const struct plm_log_field *fields)
{
	struct line line = {.size = 0};
	struct timespec now = {0};
	char when[PLM_TIME_SIZE];

	if (!plm_jsonlog_on(level)) {
		return;
	}
	(void)clock_gettime(CLOCK_REALTIME, &now);
	(void)plm_time_format(now.tv_sec * PLM_MS_PER_SECOND + now.tv_nsec / 1000000, when);
	const struct plm_log_field heads[] = {
		PLM_LOG_STR("level", level_text(level)), PLM_LOG_STR("time", when),
		PLM_LOG_STR("logger", logger),		 PLM_LOG_STR("message", message),
		PLM_LOG_STR("commit", PLM_VERSION),
	};
	(void)add(&line, "{", 1);
	for (size_t i = 0; i < PLM_COUNTOF(heads); i++) {
		add_field(&line, &heads[i]);
	}
	for (; fields != NULL && fields->key != NULL; fields++) {
		add_field(&line, fields);
	}
	memcpy(line.text + line.size, "}\n", 2);
	line.size += 2;
	write_out(&line);
}
