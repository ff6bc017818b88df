import { describe, expect, it } from '@jest/globals';
import { accessLabel, SCOPE_PATTERN, SCOPE_PRESETS, scopesAllow } from './scopes.ts';

const ID = '019a8e5c-7a31-7cc0-9f3e-6d1f0c2b4a58';

describe('scopes', () => {
  it('allow nothing when there are none', () => {
    expect(scopesAllow([], 'workflows:read')).toBe(false);
  });

  it.each([
    [['workflows:read'], 'workflows:read', true],
    [['workflows:read'], 'workflows:write', false],
    [['workflows:*'], 'workflows:write', true],
    [['*:read'], 'audit-log:read', true],
    [['*:read'], 'folders:write', false],
    [['*'], 'variables:write', true],
    [['ai:write'], 'workflows:write', true],
    [['ai:write'], 'executions:read', true],
    [['ai:write'], 'variables:read', false],
    [['ai:read'], 'workflows:read', false],
    [['*:write'], 'workflows:write', true],
    [['*:write'], 'workflows:read', false],
    [['*:write'], 'executions:read', false],
    [['approvals:write'], 'me:read', true],
    [[], 'me:read', false],
    [['workflows:write'], 'workflows:read', false],
    [['workflows:execute'], 'workflows:write', false],
    [['workflows:execute'], 'workflows:read', false],
  ] as const)('%j for %s: %s', (scopes, needed, allowed) => {
    expect(scopesAllow(scopes, needed)).toBe(allowed);
  });

  it('are labelled by their preset whatever their order, and Custom otherwise', () => {
    expect(accessLabel([...SCOPE_PRESETS['read-write'].scopes].reverse())).toBe('Read + write');
    for (const all of [['*'], ['*:*'], ['*', 'workflows:read'], ['*:write', '*:read']])
      expect(accessLabel(all)).toBe('Full access');
    expect(accessLabel(['*:read'])).toBe('Custom');
    expect(accessLabel([])).toBe('Custom');
    expect(accessLabel(['workflows:read'])).toBe('Custom');
  });

  it('are of known resources and actions only', () => {
    const pattern = new RegExp(SCOPE_PATTERN);
    expect(
      ['*', 'workflows:*', '*:read', 'audit-log:read', 'workflows:execute', `workflows:execute:${ID}`].every((scope) =>
        pattern.test(scope),
      ),
    ).toBe(true);
    expect(
      [
        'workflow:read',
        'workflows',
        'workflows:run',
        'executions:execute',
        `workflows:read:${ID}`,
        'workflows:execute:x',
        '*:execute',
        'api-keys:read',
        '',
      ].some((scope) => pattern.test(scope)),
    ).toBe(false);
  });
});
