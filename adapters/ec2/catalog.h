/*
 * catalog.h - instance types, where they are offered and for how much, as EC2 says
 *
 * Owns: asking for zones, types, offerings, spot prices and prices on demand twice a day, for capacity reservations each
 * minute, each on its own: what fails is asked for again from PLM_LIMIT_EC2_CATALOG_FIRST_MS on, doubled up to
 * _LAST_MS, and until then what was known before stands, or else the catalogue that the engine started with. Once each
 * was tried, a CATALOG fact: all types, later only those that changed, nothing where nothing did. A note says what came
 * of the first round, and each failure when it begins.
 * When a capacity block ends, as INTERRUPTION facts of the instances that run in it.
 * Prices on demand are not asked for in an isolated VPC and where there is no Pricing API: the built-in ones stand.
 * Does not: choose. Which class may use a reservation CLASS_STATUS says.
 * Sources: karpenter.md 2.12, 3.11, 4.1.
 */
#ifndef PLM_ADAPTERS_EC2_CATALOG_H
#define PLM_ADAPTERS_EC2_CATALOG_H

#include "adapters/ec2/context.h"

struct plm_ec2_catalog; /* opaque */

enum plm_code plm_ec2_catalog_new(struct plm_ec2_context *context, struct plm_ec2_catalog **out,
				  struct plm_error *err) PLM_MUST_CHECK;
void plm_ec2_catalog_start(struct plm_ec2_catalog *catalog);
void plm_ec2_catalog_resume(struct plm_ec2_catalog *catalog);
void plm_ec2_catalog_free(struct plm_ec2_catalog *catalog); /* NULL-safe */
size_t plm_ec2_catalog_ready(const struct plm_ec2_catalog *catalog, struct plm_ready_check *out,
			     size_t max);
void plm_ec2_catalog_tell(const struct plm_ec2_catalog *catalog,
			  void (*one)(void *ctx, enum plm_cloud_number number, const char *label,
				      int64_t value),
			  void *ctx);

#endif
