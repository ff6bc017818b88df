import {
  accessLabel,
  compileBody,
  CreateApiKeyBody,
  DeckhandError,
  type ValidationIssue,
  SCOPE_PRESETS,
  toDate,
  validationFailed,
  CreatedApiKey,
  workflowsOfScopes,
} from '@deckhand/contracts';
import { createApiKey as keepApiKey, findUnseenWorkflows, readWorkspace } from '@deckhand/db';
import { confirmPassword } from '../../auth/confirm-password.js';
import { createApiKeyText, hashSecret, keyPrefix } from '../../auth/tokens.js';
import { readBody } from '../../http/read-body.js';
import { sendJson } from '../../http/respond.js';
import { forSession, type Route } from '../../http/route.js';
import type { Services } from '../../services.js';

const parse = compileBody(CreateApiKeyBody);

/** POST /api/api-keys */
export function createApiKey(services: Services): Route {
  const { db, secretBox } = services;
  return forSession(
    'POST',
    '/api/api-keys',
    {
      summary: 'Create an API key',
      description: 'The response is the only one that contains the key.',
      returns: 'The key',
      body: CreateApiKeyBody,
      responses: { 201: CreatedApiKey },
      errors: ['RATE_LIMITED'],
    },
    async (request, response, caller) => {
      const body = parse(await readBody(request));
      const issues = [...check(body), ...(await unseenWorkflows(body.scopes ?? []))];
      if (issues.length > 0) throw validationFailed(issues);
      await confirmPassword(services, { request, caller, password: body.password });
      const workspaceId = body.workspaceId?.toLowerCase() ?? null;
      if (workspaceId !== null) await requireMembership(workspaceId);
      const key = createApiKeyText();
      const scopes = body.scopes ?? [...SCOPE_PRESETS[body.preset ?? 'read-only'].scopes];
      const entry = await keepApiKey(db, caller, {
        workspaceId,
        name: body.name,
        keyPrefix: keyPrefix(key),
        keyHash: hashSecret(key),
        scopes,
        expiresAt: body.expiresAt === undefined || body.expiresAt === null ? null : toDate(body.expiresAt),
        credentialSecret: (body.saveAsCredential ?? true) ? await secretBox.seal(JSON.stringify({ value: key })) : null,
      });
      sendJson(response, 201, {
        id: entry.id,
        name: entry.name,
        key,
        access: accessLabel(scopes),
        scopes,
        expiresAt: entry.expiresAt,
        createdAt: entry.createdAt,
        state: 'Active',
        workspaceId,
        credentialId: entry.credentialId,
      });

      async function unseenWorkflows(scopes: readonly string[]): Promise<ValidationIssue[]> {
        const unseen = await findUnseenWorkflows(db, caller, workflowsOfScopes(scopes));
        return scopes.flatMap((scope, index) =>
          unseen.some((id) => scope.endsWith(`:${id}`))
            ? [{ path: `scopes[${index}]`, message: 'names no workflow that you can see' }]
            : [],
        );
      }

      async function requireMembership(id: string): Promise<void> {
        await readWorkspace(db, caller, id).catch((error: unknown) => {
          if (error instanceof DeckhandError && error.code === 'NOT_FOUND') throw new DeckhandError('FORBIDDEN');
          throw error;
        });
      }
    },
  );
}

function check(body: ReturnType<typeof parse>): ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  if (body.preset !== undefined && body.scopes !== undefined) {
    issues.push({ path: 'scopes', message: 'cannot be given together with preset' });
  }
  if (typeof body.expiresAt === 'string' && toDate(body.expiresAt).getTime() <= Date.now()) {
    issues.push({ path: 'expiresAt', message: 'is in the past' });
  }
  return issues;
}
