#include "reducers/provision/codes.h"

#include <stdbool.h>
#include <stddef.h>

#include "core/base.h"

#define SHORT PLM_LAUNCH_NO_CAPACITY, PLM_MARK_OFFERING
#define AGAIN PLM_LAUNCH_RETRY, PLM_MARK_NOTHING
#define ANEW PLM_LAUNCH_RETRY_AT_ONCE, PLM_MARK_NOTHING

/* The first row that fits; rows with a message before those of the same code without. */
static const struct plm_launch_code table[] = {
	{"InsufficientInstanceCapacity", NULL, SHORT, "InsufficientCapacityError"},
	{"MaxSpotInstanceCountExceeded", NULL, SHORT, "SpotQuotaExceeded"},
	{"VcpuLimitExceeded", NULL, SHORT, "VCPULimitExceeded"},
	{"UnfulfillableCapacity", NULL, SHORT, "InsufficientCapacityError"},
	{"Unsupported", NULL, SHORT, "InsufficientCapacityError"},
	{"MaxFleetCountExceeded", NULL, SHORT, "FleetQuotaExceeded"},
	{"SpotMaxPriceTooLow", NULL, SHORT, "InsufficientCapacityError"},
	{"InsufficientFreeAddressesInSubnet", NULL, PLM_LAUNCH_NO_CAPACITY, PLM_MARK_ZONE,
	 "InsufficientFreeAddressesInSubnet"},
	{"ReservationCapacityExceeded", NULL, PLM_LAUNCH_NO_CAPACITY, PLM_MARK_RESERVATION,
	 "InsufficientCapacityError"},
	{"AuthFailure.ServiceLinkedRoleCreationNotPermitted", NULL, PLM_LAUNCH_NO_CAPACITY,
	 PLM_MARK_CAPACITY_TYPE, "SpotSLRCreationFailed"},
	{"InvalidLaunchTemplateName.NotFoundException", NULL, ANEW, "LaunchTemplateNotFound"},
	{"InvalidLaunchTemplateId.NotFound", NULL, ANEW, "LaunchTemplateNotFound"},
	{"IdempotentInstanceTerminated", NULL, ANEW, "LaunchFailed"},
	{"UnauthorizedOperation", NULL, AGAIN, "Unauthorized"},
	{"AccessDenied", NULL, AGAIN, "Unauthorized"},
	{"AccessDeniedException", NULL, AGAIN, "Unauthorized"},
	{"AuthFailure", "image", AGAIN, "AMIAuthorizationFailure"},
	{"AuthFailure", NULL, AGAIN, "Unauthorized"},
	{"InvalidParameter", "ecurity group", AGAIN, "SecurityGroupSubnetVPCMismatch"},
	{"InvalidParameterValue", "Invalid IAM Instance Profile name", AGAIN,
	 "InstanceProfileNameInvalid"},
	{"InvalidParameterCombination", "Free Tier", AGAIN, "FreeTierIneligible"},
	{"InvalidUserData.Malformed", NULL, AGAIN, "UserDataSizeLimitExceeded"},
	{"InvalidAMIID.Malformed", NULL, AGAIN, "InvalidAMIID"},
	{"InvalidAMIID.NotFound", NULL, AGAIN, "AMINotFound"},
	{"RequestLimitExceeded", NULL, AGAIN, "RequestLimitExceeded"},
	{"InternalError", NULL, AGAIN, "InternalError"},
	{"PendingVerification", NULL, AGAIN, "AccountPendingVerification"},
};

static const struct plm_launch_code other = {"", NULL, AGAIN, "LaunchFailed"};

static bool has(struct plm_slice text, const char *piece)
{
	struct plm_slice part = plm_slice_str(piece);

	for (size_t at = 0; at + part.size <= text.size; at++) {
		if (memcmp(text.ptr + at, part.ptr, part.size) == 0) {
			return true;
		}
	}
	return false;
}

const struct plm_launch_code *plm_launch_code(struct plm_slice code, struct plm_slice message)
{
	for (size_t i = 0; i < PLM_COUNTOF(table); i++) {
		PLM_ASSERT(table[i].code != NULL && table[i].reason != NULL);
		if (plm_slice_is(code, table[i].code) &&
		    (table[i].message == NULL || has(message, table[i].message))) {
			return &table[i];
		}
	}
	return &other;
}
