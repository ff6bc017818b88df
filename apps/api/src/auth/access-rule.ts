import { type Scope, SCOPE_RESOURCES } from '@deckhand/contracts';

/** The scope that an API key needs for an operation. */
export interface NeededScope {
  /** The scope that refusals name. */
  readonly scope: Scope | 'workspaces:*';
  /** Whether a scope that only starts runs of the workflow in the path is enough. */
  readonly startsRuns?: boolean;
}

/** Who may call an operation: only a signed-in person, or also an API key with a scope. */
export type AccessRule = { readonly kind: 'session' } | ({ readonly kind: 'scope' } & NeededScope);

/** Matches areas that are closed to keys, whatever their scopes. Express matches paths in any case. */
const CLOSED_AREA =
  /^\/api\/(api-keys|auth|admin|workspaces\/[^/]+\/(invites|membership|callback-secrets)|event-endpoints\/[^/]+\/secrets)(\/|$)/i;

/** Returns true for a path in an area that is closed to keys, whether it has a route or not. */
export function isClosedToKeys(path: string): boolean {
  return CLOSED_AREA.test(path);
}

/** The paths of runs whose first segment is another. */
const OF_EXECUTIONS = /^\/api\/(workflows\/[^/]+\/executions|bulk-actions|failure-groups)(\/|$)/;

/** Matches the paths that start runs. */
const EXECUTE = /^\/api\/workflows\/[^/]+\/execute(\/batch)?$/;

/**
 * Matches a workspace itself. The preset Read + write changes members of workspaces, and must not delete one: that
 * needs `workspaces:*`.
 */
const WORKSPACE = /^\/api\/workspaces\/[^/]+$/;

/**
 * Returns the rule for a method and a path (or a route's pattern). The resource is the first segment after /api/. GET
 * is reading, everything else is writing.
 * @throws if there are no scopes for that resource.
 */
export function accessRule(method: string, path: string): AccessRule {
  if (isClosedToKeys(path)) return { kind: 'session' };
  const segment = OF_EXECUTIONS.test(path) ? 'executions' : path.split('/')[2];
  const resource = SCOPE_RESOURCES.find((name) => name === segment);
  if (!resource) throw new Error(`${path} belongs to no resource`);
  if (method === 'DELETE' && WORKSPACE.test(path)) return { kind: 'scope', scope: 'workspaces:*' };
  const action = method === 'GET' || method === 'HEAD' ? 'read' : 'write';
  const scope: Scope = `${resource}:${action}`;
  return EXECUTE.test(path) ? { kind: 'scope', scope, startsRuns: true } : { kind: 'scope', scope };
}
