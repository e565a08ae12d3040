/*
 * remote.h - a verb that a running daemon answers: --server URL
 *
 * Owns: sending what the call asks (api.h) with the user's token, and printing what comes back: the
 * bytes are the daemon's, which ran the same verb. The token goes in a header of our own, since
 * kube-apiserver takes Authorization for itself when it passes a request on; it is never sent in the
 * clear to another machine. Does not: look anything up itself.
 */
#ifndef PLM_TOOLS_REMOTE_H
#define PLM_TOOLS_REMOTE_H

#include "tools/command.h"

/*
 * Codes are those of the verb, as it ended there. PLM_E_UNREACHABLE: nobody answers, or not us.
 * PLM_E_REFUSED: a token would go out in the clear.
 */
enum plm_code plm_remote_run(struct plm_cli *call, struct plm_error *err) PLM_MUST_CHECK;

#endif
