/*
 * table.h - the facts of data/ec2, compiled in: gen_table.py writes what is declared here
 */
#ifndef PLM_CATALOG_TABLE_H
#define PLM_CATALOG_TABLE_H

#include "adapters/catalog/ec2_type.h"

struct plm_ec2_zone {
	const char *name;
	uint16_t region; /* index into plm_ec2_regions */
};

struct plm_ec2_row {
	struct plm_ec2_facts facts;
	uint32_t zones; /* bit i: offered in plm_ec2_zones[i] */
};

struct plm_ec2_price {
	uint16_t type;	 /* index into plm_ec2_rows */
	uint16_t region; /* index into plm_ec2_regions */
	uint32_t price_micro;
};

/* Sorted: zones, regions and rows by name, prices by region, then type. */
extern const char *const plm_ec2_regions[];
extern const size_t plm_ec2_region_count;
extern const struct plm_ec2_zone plm_ec2_zones[];
extern const size_t plm_ec2_zone_count;
extern const struct plm_ec2_row plm_ec2_rows[];
extern const size_t plm_ec2_row_count;
extern const struct plm_ec2_price plm_ec2_demand[];
extern const size_t plm_ec2_demand_count;
extern const struct plm_ec2_price plm_ec2_spot[];
extern const size_t plm_ec2_spot_count;

#endif
