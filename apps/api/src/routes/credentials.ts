import {
  compileBody,
  CreateCredentialBody,
  CredentialEntry,
  type CredentialType,
  InWorkspaceQuery,
  isJsonObject,
  type JsonValue,
  type OAuth2Grant,
  pageOf,
  parseJson,
  SECRET_PLACEHOLDER,
  secretIssues,
  toCredential,
  trafficIssues,
  UpdateCredentialBody,
  type ValidationIssue,
  validationFailed,
} from '@deckhand/contracts';
import {
  createCredential as create,
  deleteCredential as remove,
  listCredentials as list,
  readCredential,
  readSecretToChange,
  updateCredential as update,
} from '@deckhand/db';
import { type SecretBox, SecretBoxError } from '@deckhand/runtime';
import { readIfMatch, setStateTag } from '../http/etag.ts';
import { pathId, queryReader } from '../http/read-request.ts';
import { readBody } from '../http/read-body.ts';
import { sendJson, sendNothing } from '../http/respond.ts';
import { forKey, type Route } from '../http/route.ts';
import type { ResourceContext } from '../contexts.ts';

const parseCreate = compileBody(CreateCredentialBody);

/** POST /api/credentials */
export function createCredential({ db, secretBox, answerOnce }: ResourceContext): Route {
  return forKey(
    'POST',
    '/api/credentials',
    'credentials:write',
    {
      summary: 'Create a credential',
      confirmsPerson: true,
      description: 'The secret is encrypted, and no response contains it.',
      returns: 'The credential, without its secret',
      takesIdempotencyKey: true,
      body: CreateCredentialBody,
      responses: { 201: CredentialEntry },
    },
    async (request, response, caller) => {
      const body = parseCreate(await readBody(request));
      const { workspaceId, name, type, secret, ...limits } = body;
      const issues = [...secretIssues(type, secret), ...placeholderIssues(secret), ...trafficIssues(type, limits)];
      if (issues.length > 0) throw validationFailed(issues);
      await answerOnce({ request, response, caller, body }, async (actor) => {
        const sealedSecret = await secretBox.seal(JSON.stringify(secret));
        const credential = {
          workspaceId: workspaceId.toLowerCase(),
          name,
          type,
          sealedSecret,
          grant: grantOf(type, secret),
          ...limits,
        };
        return { status: 201, body: await create(db, actor, credential) };
      });
    },
  );
}

/** DELETE /api/credentials/{id} */
export function deleteCredential({ db, connections }: ResourceContext): Route {
  return forKey(
    'DELETE',
    '/api/credentials/:id',
    'credentials:write',
    {
      summary: 'Delete a credential',
      confirmsPerson: true,
      description:
        'Runs that need it fail from now on. Tokens of OAuth 2.0 are revoked if the credential has a `revocationUrl` and the provider responds within 3 s.',
      responses: { 204: null },
    },
    async (request, response, caller) => {
      await connections.revoke(await remove(db, caller, pathId(request)));
      sendNothing(response);
    },
  );
}

const readQuery = queryReader(InWorkspaceQuery);

/** GET /api/credentials */
export function listCredentials({ db }: ResourceContext): Route {
  return forKey(
    'GET',
    '/api/credentials',
    'credentials:read',
    {
      summary: 'List credentials',
      description: 'Lists names and types, never secrets.',
      returns: 'Credentials by name, without their secrets',
      query: InWorkspaceQuery,
      responses: { 200: pageOf(CredentialEntry) },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await list(db, caller, readQuery(request)));
    },
  );
}

/** GET /api/credentials/{id} */
export function getCredential({ db }: ResourceContext): Route {
  return forKey(
    'GET',
    '/api/credentials/:id',
    'credentials:read',
    {
      summary: 'Get a credential',
      description: 'The response never contains the secret.',
      returns: 'The credential',
      responses: { 200: CredentialEntry },
    },
    async (request, response, caller) => {
      const credential = await readCredential(db, caller, pathId(request));
      setStateTag(response, credential.updatedAt);
      sendJson(response, 200, credential);
    },
  );
}

const parseUpdate = compileBody(UpdateCredentialBody);

/** PATCH /api/credentials/{id} */
export function updateCredential({ db, secretBox }: ResourceContext): Route {
  return forKey(
    'PATCH',
    '/api/credentials/:id',
    'credentials:write',
    {
      summary: 'Update a credential',
      confirmsPerson: true,
      description:
        'Changes its name, its secret, who may use it, where, and how often. The `token` `********` of a bearer credential keeps the token, to add a `nextToken`. A new secret of an `oauth2` credential ends its connection.',
      returns: 'The updated credential, without its secret',
      takesIfMatch: true,
      body: UpdateCredentialBody,
      responses: { 200: CredentialEntry },
    },
    async (request, response, caller) => {
      const id = pathId(request);
      const { name, secret: given, ...limits } = parseUpdate(await readBody(request));
      const { type } = await readCredential(db, caller, id);
      const isKept = type === 'bearer' && given?.token === SECRET_PLACEHOLDER;
      const kept = isKept ? await readSecretToChange(db, caller, id) : undefined;
      const secret = kept ? { ...given, token: await openToken(kept.sealedSecret, secretBox) } : given;
      const ofSecret = secret === undefined ? [] : [...secretIssues(type, secret), ...placeholderIssues(secret)];
      const issues = [...ofSecret, ...trafficIssues(type, limits)];
      if (issues.length > 0) throw validationFailed(issues);
      const changes = {
        ...limits,
        ...(name === undefined ? {} : { name }),
        ...(secret === undefined
          ? {}
          : { sealedSecret: await secretBox.seal(JSON.stringify(secret)), grant: grantOf(type, secret) }),
      };
      const states = readIfMatch(request);
      const sameAsRead = kept && (states ?? [kept.updatedAt]).filter((at) => at.getTime() === kept.updatedAt.getTime());
      const changed = await update(db, caller, id, changes, sameAsRead ?? states);
      setStateTag(response, changed.updatedAt);
      sendJson(response, 200, changed);
    },
  );
}

/** Returns how an OAuth 2.0 credential gets its tokens; undefined for other types. */
function grantOf(type: CredentialType, secret: object): OAuth2Grant | undefined {
  const credential = toCredential(type, secret);
  return credential?.type === 'oauth2' ? credential.secret.grant : undefined;
}

/** Returns the members of a secret that are only the placeholder of a stored one: everybody knows it. */
function placeholderIssues(secret: object): ValidationIssue[] {
  return Object.entries(secret).flatMap(([name, value]) =>
    value === SECRET_PLACEHOLDER
      ? [{ path: `secret.${name}`, message: 'is the placeholder of a stored secret: send the secret itself' }]
      : [],
  );
}

/** Returns the token of an encrypted secret. @throws DeckhandError VALIDATION_FAILED if it cannot be decrypted. */
async function openToken(sealedSecret: string, secretBox: SecretBox): Promise<JsonValue | undefined> {
  try {
    const secret = parseJson(await secretBox.open(sealedSecret));
    return isJsonObject(secret) ? secret.token : undefined;
  } catch (error) {
    if (!(error instanceof SecretBoxError)) throw error;
    throw validationFailed([{ path: 'secret.token', message: 'cannot be kept, because it cannot be decrypted' }]);
  }
}
