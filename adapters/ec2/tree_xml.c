#include <expat.h>

#include "adapters/ec2/tree_build.h"

#include <stdlib.h>

/* The text of the innermost element so far. What was said before a child began is dropped: only whitespace is there. */
struct reader {
	XML_Parser parser;
	struct plm_aws_build build;
	char *text; /* owned */
	size_t size, room;
};

static void stop(struct reader *reader)
{
	(void)XML_StopParser(reader->parser, XML_FALSE);
}

static void fail(struct reader *reader, enum plm_code code, const char *why)
{
	plm_aws_build_fail(&reader->build, code, why);
	stop(reader);
}

/* Without the prefix of a namespace. */
static struct plm_slice local_name(const XML_Char *name)
{
	const char *colon = strrchr(name, ':');

	return plm_slice_str(colon == NULL ? name : colon + 1);
}

static void XMLCALL on_open(void *self, const XML_Char *name, const XML_Char **attributes)
{
	struct reader *reader = self;

	(void)attributes;
	reader->size = 0;
	plm_aws_build_open(&reader->build, local_name(name));
	if (reader->build.code != PLM_OK) {
		stop(reader);
	}
}

static bool is_space(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

static struct plm_slice trimmed(const struct reader *reader)
{
	size_t from = 0;
	size_t to = reader->size;

	if (to == 0) {
		return (struct plm_slice){0}; /* there may be no text yet */
	}
	while (from < to && is_space(reader->text[from])) {
		from++;
	}
	while (to > from && is_space(reader->text[to - 1])) {
		to--;
	}
	return plm_slice_of(reader->text + from, to - from);
}

static void XMLCALL on_close(void *self, const XML_Char *name)
{
	struct reader *reader = self;
	const struct plm_aws_build *build = &reader->build;
	struct plm_slice text = plm_slice_of(reader->text, reader->size);

	(void)name;
	if (build->code != PLM_OK) {
		return;
	}
	PLM_ASSERT(build->depth > 0);
	if (build->open[build->depth - 1].node->child != NULL) {
		text = trimmed(reader);
	}
	plm_aws_build_close(&reader->build, text);
	reader->size = 0;
	if (build->code != PLM_OK) {
		stop(reader);
	}
}

static void XMLCALL on_text(void *self, const XML_Char *text, int size)
{
	struct reader *reader = self;
	size_t wanted = reader->size + (size_t)size;

	if (wanted > reader->room) {
		char *grown = realloc(reader->text, wanted * 2);

		PLM_ASSERT(grown != NULL);
		reader->text = grown;
		reader->room = wanted * 2;
	}
	memcpy(reader->text + reader->size, text, (size_t)size);
	reader->size = wanted;
}

static void XMLCALL on_doctype(void *self, const XML_Char *name, const XML_Char *system,
			       const XML_Char *public, int internal)
{
	(void)name;
	(void)system;
	(void)public;
	(void)internal;
	fail(self, PLM_E_INPUT, "a document type is declared");
}

static void parse(struct reader *reader, struct plm_slice bytes)
{
	XML_Parser parser = reader->parser;

	XML_SetUserData(parser, reader);
	XML_SetElementHandler(parser, on_open, on_close);
	XML_SetCharacterDataHandler(parser, on_text);
	XML_SetStartDoctypeDeclHandler(parser, on_doctype);
	if (XML_Parse(parser, (const char *)bytes.ptr, (int)bytes.size, XML_TRUE) ==
	    XML_STATUS_OK) {
		return;
	}
	if (reader->build.code == PLM_OK) {
		reader->build.code =
			plm_fail(reader->build.err, PLM_E_INPUT, "line %lu is not XML: %s",
				 (unsigned long)XML_GetCurrentLineNumber(parser),
				 XML_ErrorString(XML_GetErrorCode(parser)));
	}
}

enum plm_code plm_aws_xml(struct plm_slice bytes, struct plm_arena *arena,
			  const struct plm_aws_node **out, struct plm_error *err)
{
	struct reader reader = {.build = {.arena = arena, .err = err}};

	if (bytes.size > PLM_LIMIT_AWS_BODY_BYTES) {
		return plm_fail(err, PLM_E_LIMIT, "the answer is too large");
	}
	if (bytes.size == 0) {
		return plm_fail(err, PLM_E_INPUT, "the answer is empty");
	}
	reader.parser = XML_ParserCreate(NULL);
	PLM_ASSERT(reader.parser != NULL);
	parse(&reader, bytes);
	XML_ParserFree(reader.parser);
	free(reader.text);
	if (reader.build.code == PLM_OK) {
		PLM_ASSERT(reader.build.root != NULL && reader.build.depth == 0);
		*out = reader.build.root;
	}
	return reader.build.code;
}
