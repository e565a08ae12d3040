/*
 * mime.h - user data in several parts (RFC 2046, as far as cloud-init reads it)
 *
 * Owns: taking a multipart text apart and writing one. Carriage returns are dropped.
 * Does not: decode a Content-Transfer-Encoding: parts go on as they came.
 */
#ifndef PLM_EC2_MIME_H
#define PLM_EC2_MIME_H

#include "adapters/ec2/text.h"
#include "core/error.h"

#define PLM_MIME_SHELL "text/x-shellscript; charset=\"us-ascii\""
#define PLM_MIME_CLOUD_CONFIG "text/cloud-config; charset=\"us-ascii\""
#define PLM_MIME_NODE_CONFIG "application/node.eks.aws"

/* 'headers': whole lines with their ends. */
struct plm_mime_part {
	struct plm_slice headers, content;
};

/* Does the text begin as a multipart one does? */
bool plm_mime_is(struct plm_slice text);
/* Its parts, in the arena. PLM_E_INPUT: says what is missing. */
enum plm_code plm_mime_read(struct plm_slice text, struct plm_arena *arena, struct plm_vec *out,
			    struct plm_error *err) PLM_MUST_CHECK;
/* A part of one header, in the arena. */
struct plm_mime_part plm_mime_part(struct plm_arena *arena, const char *content_type,
				   struct plm_slice content);
struct plm_slice plm_mime_write(const struct plm_mime_part *parts, size_t count,
				struct plm_arena *arena);

#endif
