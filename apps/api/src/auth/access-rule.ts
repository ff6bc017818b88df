import { type Scope, SCOPE_RESOURCES } from '@deckhand/contracts';

/** What an API key needs for an operation. */
export interface NeededScope {
  /** The one that refusals name. */
  readonly scope: Scope;
  /** Whether scopes that only start runs of the workflow that the path names are enough. */
  readonly startsRuns?: boolean;
}

/** Who may call an operation: only a signed-in person, or also an API key with a scope. */
export type AccessRule = { readonly kind: 'session' } | ({ readonly kind: 'scope' } & NeededScope);

/** Areas that no key may enter, whatever its scopes. Express knows paths whatever their case. */
const CLOSED_AREA = /^\/api\/(api-keys|auth|admin|workspaces\/[^/]+\/(invites|membership))(\/|$)/i;

/** Whether a path, with a route or without, belongs to an area that is closed to keys. */
export function isClosedToKeys(path: string): boolean {
  return CLOSED_AREA.test(path);
}

/** The one path whose resource is not its first segment. */
const EXECUTIONS_OF_A_WORKFLOW = /^\/api\/workflows\/[^/]+\/executions(\/|$)/;

/** Starts runs. */
const EXECUTE = /^\/api\/workflows\/[^/]+\/execute$/;

/**
 * The rule for a method and a path (or a route's pattern): the resource is the first segment after /api/, reading is
 * GET, all else is writing.
 * @throws when the path belongs to no resource that a key could be scoped to.
 */
export function accessRule(method: string, path: string): AccessRule {
  if (isClosedToKeys(path)) return { kind: 'session' };
  const segment = EXECUTIONS_OF_A_WORKFLOW.test(path) ? 'executions' : path.split('/')[2];
  const resource = SCOPE_RESOURCES.find((name) => name === segment);
  if (!resource) throw new Error(`${path} belongs to no resource`);
  const action = method === 'GET' || method === 'HEAD' ? 'read' : 'write';
  const scope: Scope = `${resource}:${action}`;
  return EXECUTE.test(path) ? { kind: 'scope', scope, startsRuns: true } : { kind: 'scope', scope };
}
