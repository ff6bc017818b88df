import type { Scope } from '@deckhand/contracts';

/** The scope that an API key needs for an operation. */
export interface NeededScope {
  /** The scope that refusals name. */
  readonly scope: Scope | 'workspaces:*';
  /** Whether a scope that only starts runs of the workflow in the path is enough. */
  readonly startsRuns?: boolean;
}

/** What starting runs of a workflow needs. */
export const STARTS_RUNS: NeededScope = { scope: 'workflows:write', startsRuns: true };

/** Matches areas that are closed to keys, whatever their scopes. Express matches paths in any case. */
const CLOSED_AREA =
  /^\/api\/(api-keys|auth|admin|workspaces\/[^/]+\/(invites|membership|callback-secrets)|event-endpoints\/[^/]+\/secrets)(\/|$)/i;

/** Returns true for a path in an area that is closed to keys, whether it has a route or not. */
export function isClosedToKeys(path: string): boolean {
  return CLOSED_AREA.test(path);
}
