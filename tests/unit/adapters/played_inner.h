/*
 * played_inner.h - between the two halves of played_ec2.h: what EC2 does, and when it is answered
 */
#ifndef PLM_TESTS_PLAYED_INNER_H
#define PLM_TESTS_PLAYED_INNER_H

#include "adapters/ec2/text.h"
#include "played_ec2.h"

/* Carries out a call and writes its answer; its status. */
unsigned played_carry_out(struct plm_text *out, enum plm_aws_call call, const char *body);
unsigned played_error(struct plm_text *out, unsigned status, const char *code);
void played_begin(struct plm_text *out, const char *action);
unsigned played_end(struct plm_text *out, const char *action);
/* Freed by the caller. */
char *played_copy(struct plm_slice text);
/* What the account has is forgotten. */
void played_account_end(void);

#endif
