/*
 * template_form.h - a template as parameters of a call
 *
 * Owns: LaunchTemplateData of CreateLaunchTemplate and the same parameters of RunInstances, which have the same names
 * there; user data in base64. Everything of the canonical form (template.h) is here, so equal names mean equal forms.
 * Does not: tag the instance (fleet.h).
 */
#ifndef PLM_ADAPTERS_EC2_TEMPLATE_FORM_H
#define PLM_ADAPTERS_EC2_TEMPLATE_FORM_H

#include "adapters/ec2/query.h"
#include "adapters/ec2/template.h"

/* 'prefix': "LaunchTemplateData." or "". TagSpecification comes from 'tags_from' on (1 = the first). */
void plm_ec2_template_put(struct plm_query *query, const char *prefix,
			  const struct plm_ec2_template *value, unsigned tags_from);
/* The whole frozen form of CreateLaunchTemplate; 'name' is plm_ec2_template_name()'s. */
struct plm_slice plm_ec2_template_form(const struct plm_ec2_template *value, struct plm_slice name,
				       struct plm_arena *arena);
/* RFC 4648, with its padding. */
struct plm_slice plm_ec2_base64(struct plm_slice bytes, struct plm_arena *arena);

#endif
