#include "adapters/ec2/mime.h"

#include <strings.h>

#define BOUNDARY "//"

/* The next line of '*rest' without its end; '*rest' goes on behind it. */
static struct plm_slice take_line(struct plm_slice *rest)
{
	const char *start = (const char *)rest->ptr;
	const char *end = rest->size == 0 ? NULL : memchr(start, '\n', rest->size);
	size_t size = end == NULL ? rest->size : (size_t)(end - start);
	size_t step = end == NULL ? size : size + 1;

	*rest = plm_slice_of(start + step, rest->size - step);
	return plm_slice_of(start, size);
}

static struct plm_slice without_returns(struct plm_slice text, struct plm_arena *arena)
{
	char *bytes = PLM_NEW_ARRAY(arena, text.size + 1, char);
	const char *from = (const char *)text.ptr;
	size_t size = 0;

	for (size_t i = 0; i < text.size; i++) {
		if (from[i] != '\r') {
			bytes[size++] = from[i];
		}
	}
	return plm_slice_of(bytes, size);
}

static struct plm_slice trim_left(struct plm_slice text)
{
	const char *at = (const char *)text.ptr;
	size_t skip = 0;

	while (skip < text.size && strchr(" \t\r\n", at[skip]) != NULL) {
		skip++;
	}
	return plm_slice_of(at + skip, text.size - skip);
}

static bool begins(struct plm_slice text, const char *with)
{
	size_t size = strlen(with);

	return text.size >= size && strncasecmp((const char *)text.ptr, with, size) == 0;
}

bool plm_mime_is(struct plm_slice text)
{
	struct plm_slice start = trim_left(text);

	return begins(start, "MIME-Version:") || begins(start, "Content-Type:");
}

/* What stands behind boundary= in a Content-Type of multipart; empty when it is none. */
static struct plm_slice boundary_of(struct plm_slice line)
{
	const char *at = (const char *)line.ptr;
	size_t i = strlen("Content-Type:");
	size_t from = 0;

	while (i < line.size && at[i] == ' ') {
		i++;
	}
	if (!begins(plm_slice_of(at + i, line.size - i), "multipart/")) {
		return (struct plm_slice){0};
	}
	while (i < line.size && !begins(plm_slice_of(at + i, line.size - i), "boundary=")) {
		i++;
	}
	i += strlen("boundary=");
	if (i < line.size && at[i] == '"') {
		from = ++i;
		while (i < line.size && at[i] != '"') {
			i++;
		}
	} else {
		from = i;
		while (i < line.size && at[i] != ';' && at[i] != ' ') {
			i++;
		}
	}
	return from >= line.size ? (struct plm_slice){0} : plm_slice_of(at + from, i - from);
}

/* 0 = another line, 1 = a part begins, 2 = the last one has ended. */
static int delimiter(struct plm_slice line, struct plm_slice boundary)
{
	const char *at = (const char *)line.ptr;
	size_t size = line.size;

	while (size > 0 && (at[size - 1] == ' ' || at[size - 1] == '\t')) {
		size--;
	}
	if (size < boundary.size + 2 || memcmp(at, "--", 2) != 0 ||
	    memcmp(at + 2, boundary.ptr, boundary.size) != 0) {
		return 0;
	}
	if (size == boundary.size + 2) {
		return 1;
	}
	return size == boundary.size + 4 && memcmp(at + size - 2, "--", 2) == 0 ? 2 : 0;
}

/* Headers up to an empty line, then the content up to the next delimiter. */
static int read_part(struct plm_slice *rest, struct plm_slice boundary, struct plm_mime_part *out)
{
	const char *start = (const char *)rest->ptr;
	const char *content = NULL;
	const char *end = NULL;
	int found = 0;

	while (rest->size > 0 && take_line(rest).size > 0) {
	}
	content = (const char *)rest->ptr;
	out->headers = plm_slice_of(start, (size_t)(content - start) - (content > start ? 1 : 0));
	end = content;
	while (rest->size > 0 && found == 0) {
		end = (const char *)rest->ptr;
		found = delimiter(take_line(rest), boundary);
	}
	/* The end of the line before a delimiter belongs to the delimiter. */
	out->content = plm_slice_of(content, end > content ? (size_t)(end - content) - 1 : 0);
	return found;
}

enum plm_code plm_mime_read(struct plm_slice text, struct plm_arena *arena, struct plm_vec *out,
			    struct plm_error *err)
{
	struct plm_slice rest = trim_left(without_returns(text, arena));
	struct plm_slice boundary = {0};
	struct plm_mime_part *parts = NULL;
	size_t count = 0;
	int found = 0;

	for (struct plm_slice line = take_line(&rest); line.size > 0; line = take_line(&rest)) {
		if (begins(line, "Content-Type:")) {
			boundary = boundary_of(line);
		}
	}
	if (boundary.size == 0) {
		return plm_fail(
			err, PLM_E_INPUT,
			"userData: its header names no multipart Content-Type with a boundary");
	}
	while (rest.size > 0 && found == 0) {
		found = delimiter(take_line(&rest), boundary);
	}
	parts = PLM_NEW_ARRAY(arena, text.size / (boundary.size + 2) + 1, struct plm_mime_part);
	while (found == 1) {
		found = read_part(&rest, boundary, &parts[count++]);
	}
	if (found != 2) {
		return plm_fail(err, PLM_E_INPUT,
				"userData: the boundary --%.*s-- at its end is missing",
				(int)boundary.size, (const char *)boundary.ptr);
	}
	*out = (struct plm_vec){parts, count};
	return PLM_OK;
}

struct plm_mime_part plm_mime_part(struct plm_arena *arena, const char *content_type,
				   struct plm_slice content)
{
	return (struct plm_mime_part){
		.headers = plm_arena_format(arena, "Content-Type: %s\n", content_type),
		.content = content};
}

struct plm_slice plm_mime_write(const struct plm_mime_part *parts, size_t count,
				struct plm_arena *arena)
{
	struct plm_text text = {.arena = arena};

	plm_text_putf(&text, "MIME-Version: 1.0\n"
			     "Content-Type: multipart/mixed; boundary=\"" BOUNDARY "\"\n\n");
	for (size_t i = 0; i < count; i++) {
		plm_text_putf(&text, "%s--" BOUNDARY "\n", i == 0 ? "" : "\n");
		plm_text_put(&text, parts[i].headers);
		plm_text_putf(&text, "\n");
		plm_text_put(&text, parts[i].content);
	}
	plm_text_putf(&text, "\n--" BOUNDARY "--\n");
	return plm_text_slice(&text);
}
