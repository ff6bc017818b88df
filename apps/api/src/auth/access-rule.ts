import { type Scope, SCOPE_RESOURCES } from '@deckhand/contracts';

/** Who may call an operation: only a signed-in person, or also an API key with a scope. */
export type AccessRule = { readonly kind: 'session' } | { readonly kind: 'scope'; readonly scope: Scope };

/** Areas that no key may enter, whatever its scopes. */
const CLOSED_AREAS = [/^\/api\/(api-keys|auth|admin)(\/|$)/, /^\/api\/workspaces\/[^/]+\/(invites|membership)(\/|$)/];

/** The one path whose resource is not its first segment. */
const EXECUTIONS_OF_A_WORKFLOW = /^\/api\/workflows\/[^/]+\/executions(\/|$)/;

/**
 * The rule for a method and a path (or a route's pattern): the resource is the first segment after /api/, reading is
 * GET, all else is writing.
 * @throws when the path belongs to no resource that a key could be scoped to.
 */
export function accessRule(method: string, path: string): AccessRule {
  if (CLOSED_AREAS.some((area) => area.test(path))) return { kind: 'session' };
  const segment = EXECUTIONS_OF_A_WORKFLOW.test(path) ? 'executions' : path.split('/')[2];
  const resource = SCOPE_RESOURCES.find((name) => name === segment);
  if (!resource) throw new Error(`${path} belongs to no resource`);
  const action = method === 'GET' || method === 'HEAD' ? 'read' : 'write';
  return { kind: 'scope', scope: `${resource}:${action}` };
}
