/** Resources of scopes, which are the first path segments after /api/. */
export const SCOPE_RESOURCES = [
  'workflows',
  'executions',
  'workspaces',
  'approvals',
  'human-tasks',
  'monitoring',
  'ai',
  'credentials',
  'audit-log',
  'folders',
  'variables',
  'connectors',
  'node-types',
  'schedules',
  'event-endpoints',
  'events',
  'me',
] as const;

export type ScopeResource = (typeof SCOPE_RESOURCES)[number];
export type ScopeAction = 'read' | 'write';
export type Scope = `${ScopeResource}:${ScopeAction}`;

/**
 * A scope that allows starting runs of workflows and nothing else. Followed by the id of a workflow
 * (`workflows:execute:<id>`), it allows starting runs of that workflow only.
 */
export const EXECUTE_SCOPE = 'workflows:execute';

/** Returns the scopes that allow starting runs of a workflow and nothing else. One of them is enough. */
export function executeScopes(workflowId: string): readonly string[] {
  return [EXECUTE_SCOPE, `${EXECUTE_SCOPE}:${workflowId.toLowerCase()}`];
}

/** Returns the ids of the workflows that scopes name. */
export function workflowsOfScopes(scopes: readonly string[]): readonly string[] {
  return scopes.flatMap((scope) => {
    const [resource, action, workflowId] = scope.split(':');
    return `${resource}:${action}` === EXECUTE_SCOPE && workflowId !== undefined ? [workflowId] : [];
  });
}

const READ_ONLY = [
  'workflows:read',
  'executions:read',
  'workspaces:read',
  'monitoring:read',
  'ai:read',
  'credentials:read',
  'audit-log:read',
  'folders:read',
];
const READ_WRITE = [
  ...READ_ONLY,
  'workflows:write',
  'folders:write',
  'workspaces:write',
  'variables:read',
  'variables:write',
  'executions:write',
];

/** Presets for new keys: their scopes, and their label in lists of keys. */
export const SCOPE_PRESETS = {
  'read-only': { label: 'Read-only', scopes: READ_ONLY },
  'read-write': { label: 'Read + write', scopes: READ_WRITE },
  'read-write-ai': { label: 'Read + write + AI agent', scopes: [...READ_WRITE, 'node-types:read', 'ai:write'] },
  full: { label: 'Full access', scopes: ['*'] },
} as const satisfies Record<string, { label: string; scopes: readonly string[] }>;

export type ScopePreset = keyof typeof SCOPE_PRESETS;
export type AccessLabel = (typeof SCOPE_PRESETS)[ScopePreset]['label'] | 'Custom';

const RESOURCE_NAMES = SCOPE_RESOURCES.join('|');
const WORKFLOW_ID = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/** Matches a scope or a wildcard: `workflows:read`, `workflows:*`, `*:read`, `*:*` or `*`. */
export const SCOPE_PATTERN = `^(\\*|${EXECUTE_SCOPE}(:${WORKFLOW_ID})?|(\\*|${RESOURCE_NAMES}):(\\*|read|write))$`;

/** Describes the pattern. */
export const SCOPES_IN_WORDS = `must be *, ${EXECUTE_SCOPE}, ${EXECUTE_SCOPE}:<workflow id>, or one of ${[...SCOPE_RESOURCES, '*'].join(', ')} with :read, :write or :*`;

/** Whether scopes allow all that a key may do, of resources to come, too: `*`, `*:*`, or `*:read` with `*:write`. */
function allowEverything(scopes: readonly string[]): boolean {
  const has = (...wanted: readonly string[]) => wanted.some((scope) => scopes.includes(scope));
  return has('*', '*:*') || (has('*:read') && has('*:write'));
}

/**
 * Returns the label of a set of scopes: Full access if they allow everything, that of the preset with the same scopes
 * in any order, or Custom.
 */
export function accessLabel(scopes: readonly string[]): AccessLabel {
  if (allowEverything(scopes)) return SCOPE_PRESETS.full.label;
  const given = new Set(scopes);
  for (const preset of Object.values(SCOPE_PRESETS)) {
    if (preset.scopes.length === given.size && preset.scopes.every((scope) => given.has(scope))) return preset.label;
  }
  return 'Custom';
}

/**
 * Returns true if one of the scopes is for all actions on the resource: writing alone is not enough. `*:write` is,
 * which nobody has by a preset.
 */
export function scopesAllowAll(scopes: readonly string[], resource: ScopeResource): boolean {
  return [`${resource}:*`, '*', '*:*', '*:write'].some((scope) => scopes.includes(scope));
}

/**
 * Returns true if the scopes allow the action. `ai:write` implies full control of workflows and executions. Otherwise
 * writing does not imply reading. Any scope allows `me:read`.
 */
export function scopesAllow(scopes: readonly string[], needed: Scope): boolean {
  const [resource, action] = needed.split(':');
  if (needed === 'me:read' && scopes.length > 0) return true;
  const isWorkflowControl = resource === 'workflows' || resource === 'executions';
  return scopes.some(
    (scope) =>
      scope === '*' ||
      scope === '*:*' ||
      scope === needed ||
      scope === `${resource}:*` ||
      scope === `*:${action}` ||
      (isWorkflowControl && (scope === 'ai:write' || scope === 'ai:*')),
  );
}
