import {
  accessLabel,
  ApiKeyEntry,
  compileBody,
  CreateApiKeyBody,
  CreatedApiKey,
  DeckhandError,
  pageOf,
  RotateApiKeyBody,
  SCOPE_PRESETS,
  toExpiry,
  validationFailed,
  type ValidationIssue,
  workflowsOfScopes,
} from '@deckhand/contracts';
import {
  type Actor,
  createApiKey as keepApiKey,
  findUnseenWorkflows,
  listApiKeys as list,
  type NewApiKey,
  readOwnApiKey,
  readWorkspace,
  revokeApiKey as revoke,
  rotateApiKey as rotate,
} from '@deckhand/db';
import { confirmPassword } from '../auth/confirm-password.ts';
import { createApiKeyText, hashSecret, keyPrefix } from '../auth/tokens.ts';
import { PageQuery, pathId, readPage } from '../http/read-request.ts';
import { readBody } from '../http/read-body.ts';
import { refuseBody } from '../http/refuse-body.ts';
import { sendJson } from '../http/respond.ts';
import { forSession, type Route } from '../http/route.ts';
import type { PeopleContext } from '../contexts.ts';

const parseCreate = compileBody(CreateApiKeyBody);

/** POST /api/api-keys */
export function createApiKey(context: PeopleContext): Route {
  const { db } = context;
  return forSession(
    'POST',
    '/api/api-keys',
    {
      summary: 'Create an API key',
      confirmsPerson: true,
      description: 'The response is the only one that contains the key.',
      returns: 'The key',
      body: CreateApiKeyBody,
      responses: { 201: CreatedApiKey },
      errors: ['RATE_LIMITED'],
    },
    async (request, response, caller) => {
      const body = parseCreate(await readBody(request));
      const issues = [...check(body), ...(await unseenWorkflows(body.scopes ?? []))];
      if (issues.length > 0) throw validationFailed(issues);
      await confirmPassword(context, { request, caller, password: body.password });
      const workspaceId = body.workspaceId?.toLowerCase() ?? null;
      const credentialWorkspaceId = body.credentialWorkspaceId?.toLowerCase() ?? workspaceId;
      for (const id of new Set([workspaceId, credentialWorkspaceId])) if (id !== null) await requireMembership(id);
      const key = await issueApiKey(context, caller, {
        workspaceId,
        name: body.name,
        scopes: body.scopes ?? SCOPE_PRESETS[body.preset ?? 'read-only'].scopes,
        expiresAt: body.expiresAt === undefined || body.expiresAt === null ? null : toExpiry(body.expiresAt),
        credentialWorkspaceId,
        savesCredential: body.saveAsCredential ?? true,
      });
      sendJson(response, 201, key);

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

/** Creates a key and stores its hash. @returns the only copy of the key itself. */
export async function issueApiKey(
  { db, secretBox }: Pick<PeopleContext, 'db' | 'secretBox'>,
  actor: Actor,
  {
    savesCredential,
    ...wanted
  }: Omit<NewApiKey, 'keyPrefix' | 'keyHash' | 'credentialSecret'> & { readonly savesCredential: boolean },
): Promise<CreatedApiKey> {
  const key = createApiKeyText();
  const { id, name, expiresAt, createdAt, credentialId } = await keepApiKey(db, actor, {
    ...wanted,
    keyPrefix: keyPrefix(key),
    keyHash: hashSecret(key),
    credentialSecret: savesCredential ? await secretBox.seal(JSON.stringify({ value: key })) : null,
  });
  const { workspaceId } = wanted;
  const scopes = [...wanted.scopes];
  const access = accessLabel(scopes);
  return { id, name, key, access, scopes, expiresAt, createdAt, state: 'Active', workspaceId, credentialId };
}

function check(body: ReturnType<typeof parseCreate>): ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  if (body.preset !== undefined && body.scopes !== undefined) {
    issues.push({ path: 'scopes', message: 'cannot be given together with preset' });
  }
  const [boundTo, target] = [body.workspaceId?.toLowerCase(), body.credentialWorkspaceId?.toLowerCase()];
  if (boundTo !== undefined && target !== undefined && boundTo !== target) {
    issues.push({ path: 'credentialWorkspaceId', message: 'must be the workspace that the key is bound to' });
  }
  if (typeof body.expiresAt === 'string' && toExpiry(body.expiresAt).getTime() <= Date.now()) {
    issues.push({ path: 'expiresAt', message: 'is in the past' });
  }
  return issues;
}

/** GET /api/api-keys */
export function listApiKeys({ db }: PeopleContext): Route {
  return forSession(
    'GET',
    '/api/api-keys',
    {
      summary: 'List your API keys',
      description: 'Includes revoked and expired keys.',
      returns: 'Your keys, the newest first, without the keys themselves',
      query: PageQuery,
      responses: { 200: pageOf(ApiKeyEntry) },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await list(db, caller.userId, readPage(request)));
    },
  );
}

/** POST /api/api-keys/{id}/revoke */
export function revokeApiKey({ db }: PeopleContext): Route {
  return forSession(
    'POST',
    '/api/api-keys/:id/revoke',
    {
      summary: 'Revoke an API key',
      description: 'From the response on, the key is refused. It cannot be restored.',
      returns: 'The key, without its secret part',
      responses: { 200: ApiKeyEntry },
    },
    async (request, response, caller) => {
      const id = pathId(request);
      await refuseBody(request);
      sendJson(response, 200, await revoke(db, caller, id));
    },
  );
}

const parseRotate = compileBody(RotateApiKeyBody);

/** How long the replaced key stays valid by default. */
const OVERLAP_SECONDS = 86_400;

/** POST /api/api-keys/{id}/rotate */
export function rotateApiKey(context: PeopleContext): Route {
  const { db, secretBox } = context;
  return forSession(
    'POST',
    '/api/api-keys/:id/rotate',
    {
      summary: 'Rotate an API key',
      confirmsPerson: true,
      description:
        'Creates a key with the same name, scopes and workspace. The replaced key stays valid for the overlap. The response is the only one that contains the new key.',
      returns: 'The new key',
      body: RotateApiKeyBody,
      responses: { 201: CreatedApiKey },
      errors: ['INVALID_STATE', 'RATE_LIMITED'],
    },
    async (request, response, caller) => {
      const id = pathId(request);
      const { password, overlapSeconds = OVERLAP_SECONDS, expiresAt } = parseRotate(await readBody(request));
      const expiry = typeof expiresAt === 'string' ? toExpiry(expiresAt) : expiresAt;
      if (expiry && expiry.getTime() <= Date.now()) {
        throw validationFailed([{ path: 'expiresAt', message: 'is in the past' }]);
      }
      await readOwnApiKey(db, caller.userId, id);
      await confirmPassword(context, { request, caller, password });
      const key = createApiKeyText();
      const entry = await rotate(db, caller, id, {
        keyPrefix: keyPrefix(key),
        keyHash: hashSecret(key),
        expiresAt: expiry,
        credentialSecret: await secretBox.seal(JSON.stringify({ value: key })),
        overlapMs: overlapSeconds * 1_000,
      });
      const { name, access, scopes, createdAt, state, workspaceId, credentialId } = entry;
      const shown = { id: entry.id, name, key, access, scopes, expiresAt: entry.expiresAt, createdAt, state };
      sendJson(response, 201, { ...shown, workspaceId, credentialId });
    },
  );
}
