import { describe, expect, it } from '@jest/globals';
import { accessRule } from './access-rule.ts';

describe('the access rule', () => {
  it.each([
    ['GET', '/api/workflows', 'workflows:read'],
    ['HEAD', '/api/workflows', 'workflows:read'],
    ['GET', '/api/workflows/:id/versions/:versionId', 'workflows:read'],
    ['GET', '/api/workflows/:id/executions', 'executions:read'],
    ['POST', '/api/executions/:id/stop', 'executions:write'],
    ['DELETE', '/api/workspaces/:id', 'workspaces:*'],
    ['PATCH', '/api/workspaces/:id/members/:userId', 'workspaces:write'],
    ['GET', '/api/node-types', 'node-types:read'],
    ['POST', '/api/workflows/:id/webhooks/:nodeId/test', 'workflows:write'],
    ['GET', '/api/me', 'me:read'],
  ])('asks for a scope: %s %s needs %s', (method, path, scope) => {
    expect(accessRule(method, path)).toEqual({ kind: 'scope', scope });
  });

  it('lets a key that only starts runs do so', () => {
    const rule = { kind: 'scope', scope: 'workflows:write', startsRuns: true };
    expect(accessRule('POST', '/api/workflows/:id/execute')).toEqual(rule);
  });

  it.each([
    '/api/api-keys',
    '/api/api-keys/:id/revoke',
    '/api/auth/me',
    '/api/admin/settings',
    '/api/workspaces/:id/invites',
    '/api/workspaces/:id/membership',
    '/api/workspaces/:id/callback-secrets',
    '/api/workspaces/:id/callback-secrets/rotate',
  ])('closes %s to keys', (path) => {
    expect(accessRule('GET', path)).toEqual({ kind: 'session' });
  });

  it('knows no rule for a path of no resource', () => {
    expect(() => accessRule('GET', '/api/nonsense')).toThrow('belongs to no resource');
  });
});
