/*
 * json_scan.h - JSON token by token, over bytes that arrive in pieces
 *
 * Owns: the whole grammar of RFC 8259, which cJSON takes more loosely, and where every value stands.
 * Beyond it: no NUL ("\u0000"), nesting at most PLM_LIMIT_DOC_DEPTH; a stream of many objects, which
 * one of them must not end, asks for both to be let pass. Does not: decode texts, build trees, or check
 * UTF-8 (the reader does, item by item).
 */
#ifndef PLM_ADAPTERS_MANIFEST_JSON_SCAN_H
#define PLM_ADAPTERS_MANIFEST_JSON_SCAN_H

#include "core/limits.h"
#include "core/slice.h"

enum plm_json_token {
	PLM_TOKEN_MORE, /* the bytes end inside a token: come again with more */
	PLM_TOKEN_BAD,	/* 'problem' says why */
	PLM_TOKEN_END,	/* between two values of the outermost level, and no bytes are left */
	PLM_TOKEN_KEY,
	PLM_TOKEN_TEXT,
	PLM_TOKEN_NUMBER,
	PLM_TOKEN_WORD, /* true, false, null */
	PLM_TOKEN_OBJECT,
	PLM_TOKEN_ARRAY,
	PLM_TOKEN_CLOSE, /* of an object or an array */
};

/* Zeroed (with line 1) = before the first value. 'bytes' and 'at' are the caller's to move along. */
struct plm_json_scan {
	struct plm_slice bytes; /* borrowed; begins wherever the caller likes */
	size_t at;		/* next byte in 'bytes' */
	bool last;		/* no bytes will follow */
	int line;		/* of the byte at 'at' */
	uint32_t depth;		/* open objects and arrays */
	uint8_t expect;		/* enum in json_scan.c */
	bool lenient;		/* nesting up to PLM_LIMIT_SCAN_DEPTH; a NUL is noted only: */
	bool nul;		/* there was one; the caller's to clear */
	size_t looked;		/* bytes of the token at 'at' that need not be looked at again */
	uint64_t arrays[PLM_LIMIT_SCAN_DEPTH / 64 + 1]; /* by depth: is it an array? */
	size_t start;	     /* where the last token begins, quotes included */
	int start_line;	     /* its line */
	const char *problem; /* static */
};

enum plm_json_token plm_json_next(struct plm_json_scan *scan);

#endif
