/*
 * seen.h - rows of what EC2 said of a region: types, places, prices, reservations
 *
 * Owns: one sheet per question, filled page by page, then sorted and made single; texts live in the sheet. A
 * sheet takes PLM_LIMIT_EC2_ROWS rows (types PLM_LIMIT_EC2_TYPES) and PLM_LIMIT_EC2_TEXT_BYTES of texts; what
 * comes after is left out and counted. Reading is a pure function of the tree; what nothing can be made of
 * is counted and does not stop the rest.
 * Does not: ask (catalog.c), or know the built-in table (observed.c).
 * Sources: karpenter.md 1.6, 4.1; ec2-test.md 3; names as EC2 answers (botocore's ec2/2016-11-15).
 */
#ifndef PLM_ADAPTERS_EC2_SEEN_H
#define PLM_ADAPTERS_EC2_SEEN_H

#include "adapters/catalog/ec2_type.h"
#include "adapters/ec2/tree.h"

enum plm_ec2_sheet_kind {
	PLM_EC2_SEEN_ZONES,	   /* struct plm_ec2_zone_row, by zone */
	PLM_EC2_SEEN_TYPES,	   /* struct plm_ec2_facts, by name */
	PLM_EC2_SEEN_OFFERS,	   /* struct plm_ec2_price_row without a price, by type and zone */
	PLM_EC2_SEEN_SPOT,	   /* with one, the newest of each type and zone */
	PLM_EC2_SEEN_DEMAND,	   /* by type, zone empty */
	PLM_EC2_SEEN_RESERVATIONS, /* struct plm_ec2_reservation_row, by type and id */
	PLM_EC2_SEEN_COUNT
};

struct plm_ec2_zone_row {
	struct plm_slice zone, id;
};

struct plm_ec2_price_row {
	struct plm_slice type, zone;
	int64_t micro; /* of the region's currency per hour */
	int64_t at_ms; /* PLM_UNSET = not said */
};

struct plm_ec2_reservation_row {
	struct plm_slice type, id, zone;
	struct plm_slice kind;	/* "default", "capacity-block" */
	struct plm_slice state; /* EC2's word */
	int64_t left;
	int64_t end_ms; /* PLM_UNSET = none */
	bool interruptible;
};

struct plm_ec2_sheet {
	struct plm_arena texts;
	void *rows; /* owned */
	uint32_t count, room;
	enum plm_ec2_sheet_kind kind;
	uint32_t unreadable; /* items */
	uint32_t left_out;   /* rows that there was no room for */
};

/* "instance types", for people. */
const char *plm_ec2_sheet_name(enum plm_ec2_sheet_kind kind);
void plm_ec2_sheet_init(struct plm_ec2_sheet *sheet, enum plm_ec2_sheet_kind kind);
void plm_ec2_sheet_fini(struct plm_ec2_sheet *sheet); /* NULL-safe, idempotent */
/* Put what a page says, in whichever order. 'currency' of DEMAND: "USD". */
void plm_ec2_sheet_read(struct plm_ec2_sheet *sheet, const struct plm_aws_node *root,
			const char *currency);
/* All pages are there: in order, each key once. */
void plm_ec2_sheet_close(struct plm_ec2_sheet *sheet);
/* Do two closed sheets of reservations say the same? */
bool plm_ec2_reservations_equal(const struct plm_ec2_sheet *a, const struct plm_ec2_sheet *b);

/* A text of the sheet's own; false: no room, or not UTF-8. */
bool plm_ec2_sheet_text(struct plm_ec2_sheet *sheet, struct plm_slice from, struct plm_slice *out);
/* A new row, zeroed; NULL: no room, counted. */
void *plm_ec2_sheet_row(struct plm_ec2_sheet *sheet);

/* One item of DescribeInstanceTypes; false: not a type that a node can be of. Texts are the sheet's. */
bool plm_ec2_read_type(struct plm_ec2_sheet *sheet, const struct plm_aws_node *item,
		       struct plm_ec2_facts *out);
/* A decimal as 10^-6, half to even; PLM_UNSET: none, negative, or beyond 10^15. */
int64_t plm_ec2_micro(struct plm_slice text);

#endif
