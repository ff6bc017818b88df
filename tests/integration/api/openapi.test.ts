import { newModelCallId, writeAgentMemory } from '@deckhand/db';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listRoutes } from '@deckhand/api';
import { ERRORS, isJsonObject, type JsonObject, type JsonValue, parseJson } from '@deckhand/contracts';
import { Validator } from '@seriousme/openapi-schema-validator';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { v7 as uuidv7 } from 'uuid';
import { createAuthenticator } from '../../harness/authenticator.ts';
import { chatAt, TRACKER } from '../../harness/connectors.ts';
import {
  addFailureGroup,
  type Call,
  chain,
  type Exchange,
  type Instance,
  namesOfExamples,
  OWNER,
  recordExamples,
  RESPONSE_SCHEMAS,
  sendHook,
  startInstance,
  startTestWorker,
  stopAll,
  until,
} from '../../harness/index.ts';
import { createDocumentCheck } from '../../harness/document-check.ts';
import { type IdentityProvider, SIGN_ON_CLIENT, startIdentityProvider } from '../../harness/identity-provider.ts';
import { startMailServer } from '../../harness/mail-server.ts';
import { OAUTH_CLIENT, type OAuthProvider, startOAuthProvider } from '../../harness/oauth-provider.ts';
import { serve } from '../../harness/serve.ts';
import { codeOf } from '../../harness/second-factors.ts';
import { findBreakingChanges } from '../../openapi/breaking-changes.ts';

const REDOCLY = join(import.meta.dirname, '../../../node_modules/@redocly/cli/bin/cli.js');
/** A proxy at which nothing listens. */
const NO_NETWORK = { HTTP_PROXY: 'http://127.0.0.1:9', HTTPS_PROXY: 'http://127.0.0.1:9' };

let instance: Instance;
let document: Document;
let provider: OAuthProvider;
let identityProvider: IdentityProvider;
let mails: Awaited<ReturnType<typeof startMailServer>>;

beforeAll(async () => {
  identityProvider = await startIdentityProvider('https://deckhand.example/sso/callback');
  mails = await startMailServer();
  const env = {
    HTTP_NODE_ALLOW_PRIVATE: 'true',
    ...{ OIDC_ISSUER: identityProvider.issuer, OIDC_CLIENT_ID: SIGN_ON_CLIENT.clientId },
    ...{ OIDC_CLIENT_SECRET: SIGN_ON_CLIENT.clientSecret, OIDC_ALLOWED_DOMAINS: 'example.com' },
    ...{ SMTP_URL: `smtp://127.0.0.1:${mails.port}`, SMTP_FROM: 'deckhand@example.com' },
  };
  instance = await startInstance(undefined, { env });
  provider = await startOAuthProvider('https://deckhand.example/oauth/callback');
  document = (await (await fetch(`${instance.gateway.url}/api/openapi.json`)).json()) as Document;
});
afterAll(stopAll);

type Content = Record<string, { schema: { $ref?: string }; example?: unknown; 'x-events'?: object }>;

interface Operation {
  readonly operationId: string;
  readonly security: object[];
  readonly 'x-required-scope'?: string;
  readonly requestBody?: { content: Content };
  /** Errors are references to `components`. */
  readonly responses: Record<string, Partial<Response> & { $ref?: string }>;
}

interface Response {
  readonly description: string;
  readonly headers?: object;
  readonly content?: Content;
}

interface Document {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { schemas: Record<string, Schema>; responses: Record<string, Response> };
}

interface Schema {
  readonly type?: string;
  readonly enum?: string[];
  readonly properties?: Record<string, Schema>;
  readonly additionalProperties?: unknown;
  readonly required?: string[];
  readonly default?: unknown;
}

const ACCEPTED = join(import.meta.dirname, '../../../docs/openapi.json');

/** Returns the document without the parts that promise nothing to clients. */
function withoutExamples(document: Document): JsonObject {
  return JSON.parse(
    JSON.stringify(document, (name, value: JsonValue) => (/^examples?$/.test(name) ? undefined : value)),
  ) as JsonObject;
}

/** Returns every operation of the document, with its place. */
function operationsOf({ paths }: Document): (Operation & { readonly method: string; readonly template: string })[] {
  return Object.entries(paths).flatMap(([template, item]) =>
    Object.entries(item).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), template })),
  );
}

/** Returns every object within a value, including itself. */
function objectsIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [...(Array.isArray(value) ? [] : [value]), ...Object.values(value).flatMap(objectsIn)];
}

/** Returns successful responses with a body; errors are in `components`. */
function successesOf({ responses }: Operation): { status: string; content: Content }[] {
  return Object.entries(responses).flatMap(([status, { content }]) => (content ? [{ status, content }] : []));
}

/** Returns what is wrong with the examples of operations. */
function issuesOfExamples(): { operationId: string; issue: string }[] {
  const { responses } = instance.gateway;
  return operationsOf(document).flatMap((operation) => {
    const { operationId, method, template, requestBody } = operation;
    const sent = requestBody?.content['application/json'];
    const ofRequest = sent
      ? [sent.example === undefined ? 'no example' : responses.issuesOfRequest(method, template, sent.example)]
      : [];
    const ofResponses = successesOf(operation).flatMap(({ status, content }) =>
      Object.entries(content)
        .filter(([type]) => type === 'application/json' || type === 'text/event-stream')
        .map(([type, { example }]) =>
          example === undefined
            ? `no example of ${status}`
            : responses.issuesOfResponse(method, template, status, type, example),
        ),
    );
    return [...ofRequest, ...ofResponses].flatMap((issue) => (issue === undefined ? [] : [{ operationId, issue }]));
  });
}

/** Requests and responses of the walk through all operations. */
const exchanges: Exchange[] = [];

const call: Call<[body?: unknown, as?: string | null, headers?: Readonly<Record<string, string>>]> = (
  method,
  path,
  body,
  as = instance.session,
  headers = {},
) =>
  instance.gateway.call(method, path, {
    headers,
    ...(as === null ? {} : { as }),
    ...(body === undefined ? {} : { body }),
  });

/** Sends a request that must succeed. */
async function done<Method extends string, Path extends string>(
  method: Method,
  path: Path,
  body?: unknown,
  as?: string | null,
  headers?: Readonly<Record<string, string>>,
) {
  const answer = await call(method, path, body, as, headers);
  if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  const template = instance.gateway.responses.templateOf(path) ?? '';
  const operationId = document.paths[template]?.[method.toLowerCase()]?.operationId;
  if (operationId !== undefined) exchanges.push({ operationId, request: body, answer });
  return answer.body;
}

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1, and needs no key', async () => {
    const answer = await fetch(`${instance.gateway.url}/api/openapi.json`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(document.openapi).toBe('3.1.0');
    expect(await new Validator().validate({ ...document })).toMatchObject({ valid: true });
  });

  it("keeps Redocly's recommended rules, without an error or a warning", async () => {
    const folder = await mkdtemp(join(tmpdir(), 'deckhand-openapi-'));
    const file = join(folder, 'openapi.json');
    await writeFile(file, JSON.stringify(document));
    const command = [REDOCLY, 'lint', file, '--extends=recommended', '--format=json'];
    // Its process needs no network, and has none.
    const env = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', HOME: folder, ...NO_NETWORK };
    const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: folder, env }).catch(
      (failed: unknown) => failed as { stdout: string },
    );
    await rm(folder, { recursive: true });
    expect(JSON.parse(stdout)).toMatchObject({ problems: [], totals: { errors: 0, warnings: 0, ignored: 0 } });
  });

  it('has the response schemas that give the tests their types', () => {
    const routes = listRoutes(instance.gateway.services);
    const documented = Object.keys(RESPONSE_SCHEMAS).map((name) => {
      const route = routes.find(({ method, path }) => `${method} ${path}` === name.replace('?dryRun=true', ''));
      return [name, Object.values(route?.operation.responses ?? {})];
    });
    expect(documented).toEqual(
      Object.entries(RESPONSE_SCHEMAS).map(([name, schema]) => [name, expect.arrayContaining([schema])]),
    );
  });

  it('says who may call what', () => {
    expect(document.paths['/api/workflows/{id}/executions']?.get).toMatchObject({
      operationId: 'listWorkflowExecutions',
      'x-required-scope': 'executions:read',
      security: [{ apiKey: [] }, { session: [] }],
    });
    expect(document.paths['/api/api-keys']?.post?.security).toEqual([{ session: [] }]);
    const ids = operationsOf(document).map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('says what every response with a body is', () => {
    const unsaid = operationsOf(document).filter(({ responses }) =>
      Object.values(responses).some(({ description, content }) => content && description?.includes('no body')),
    );
    expect(unsaid.map(({ operationId }) => operationId)).toEqual([]);
  });

  it('names the headers of responses, the codes of errors, and takes any input', () => {
    const { components, paths } = document;
    const responses = paths['/api/workflows/{id}/execute']?.post?.responses ?? {};
    const namesOf = (status: string) => {
      const shared = responses[status]?.$ref?.split('/').at(-1) ?? '';
      return Object.keys((components.responses[shared] ?? responses[status])?.headers ?? {});
    };
    const rate = ['RateLimit', 'RateLimit-Policy'];
    expect(namesOf('202')).toEqual(['X-Request-Id', 'API-Version', 'Idempotency-Replayed', ...rate]);
    expect(namesOf('429')).toEqual(['X-Request-Id', 'API-Version', 'Link', 'Retry-After', ...rate]);
    expect(namesOf('503')).toEqual(['X-Request-Id', 'API-Version', 'Link', 'Retry-After']);
    expect(paths['/api/executions/{id}']?.get?.responses['200']?.headers).toHaveProperty('ETag');
    expect(components.schemas.ErrorCode?.enum).toEqual(Object.keys(ERRORS));
    expect(components.schemas.ExecuteBody?.properties?.input).toMatchObject({ additionalProperties: true });
  });

  it('names the schema of every response', () => {
    const unnamed = operationsOf(document).flatMap((operation) =>
      successesOf(operation).flatMap(({ content }) =>
        Object.entries(content)
          .filter(([type]) => type === 'application/json' || type === 'text/event-stream')
          .filter(([, { schema }]) => !/^#\/components\/schemas\/\w+Response$/.test(schema.$ref ?? ''))
          .map(([type]) => `${operation.operationId} ${type}`),
      ),
    );
    expect(unnamed).toEqual([]);
  });

  it('says of every object in a request, and of every map, which further members it may have', () => {
    const { schemas } = document.components;
    const requests = Object.entries(schemas).flatMap(([name, schema]) => (name.endsWith('Body') ? [schema] : []));
    const maps = objectsIn(schemas).filter((part) => !Object.hasOwn(part, 'properties'));
    const silent = [...requests, ...objectsIn(schemas.Definition), ...maps].filter(
      (part) => Reflect.get(part, 'type') === 'object' && !Object.hasOwn(part, 'additionalProperties'),
    );
    expect(silent).toEqual([]);
  });

  // Clients rely on what is in docs/openapi.json: `npm run openapi:accept` writes additions into it.
  it('has no breaking change since the accepted version, and no addition that was not accepted', async () => {
    const present = withoutExamples(document);
    const accepted = parseJson(await readFile(ACCEPTED, 'utf8').catch(() => '{}'));
    const changes = isJsonObject(accepted) ? findBreakingChanges(accepted, present) : [];
    if (process.env.OPENAPI_ACCEPT !== 'breaking') expect(changes).toEqual([]);
    if (process.env.OPENAPI_ACCEPT !== undefined) await writeFile(ACCEPTED, `${JSON.stringify(present, null, 1)}\n`);
    // Additions that are not in the file: accept them.
    else expect(present).toEqual(accepted);
  });

  it('asks for no member that has a default', () => {
    const asked = Object.entries(document.components.schemas).flatMap(([name, { properties = {}, required = [] }]) =>
      required.filter((member) => properties[member]?.default !== undefined).map((member) => `${name}.${member}`),
    );
    expect(asked).toEqual([]);
  });

  it('takes a date alone where a key or a run expires, and where a run starts', () => {
    const at = '2026-12-31';
    const check = createDocumentCheck(document);
    const issuesOf = (path: string, body: object) => check.issuesOfRequest('POST', path, body);
    for (const expiresAt of [at, `${at}T12:00:00Z`, null])
      expect(issuesOf('/api/api-keys', { name: 'CI', password: 'a long password', expiresAt })).toBeUndefined();
    expect(issuesOf('/api/api-keys/{id}/rotate', { password: 'a long password', expiresAt: at })).toBeUndefined();
    expect(issuesOf('/api/workflows/{id}/execute', { startAt: at, expiresAt: at })).toBeUndefined();
    expect(issuesOf('/api/api-keys', { name: 'CI', password: 'a long password', expiresAt: 'soon' })).toMatch('format');
  });

  it('types nodes and events of runs, and has the ETag of what If-Match can change', () => {
    const { components, paths } = document;
    expect(components.schemas.ExecutionResponse?.properties?.progress).toEqual({
      type: 'object',
      additionalProperties: { $ref: '#/components/schemas/NodeProgress' },
    });
    expect(components.schemas.NodeProgress?.properties?.output).toEqual({ $ref: '#/components/schemas/JsonValue' });
    const run = { $ref: '#/components/schemas/ExecutionResponse' };
    expect(paths['/api/executions/{id}/events']?.get?.responses['200']?.content?.['text/event-stream']).toMatchObject({
      schema: run,
      'x-events': { execution: { data: run } },
    });
    for (const path of ['/api/workflows/{id}', '/api/credentials/{id}']) {
      expect(paths[path]?.get?.responses['200']?.headers).toHaveProperty('ETag');
      expect(paths[path]?.patch?.responses['200']?.headers).toHaveProperty('ETag');
    }
  });

  it('has an example of every request and every response, each as its schema says', async () => {
    const issues = issuesOfExamples().map(({ operationId, issue }) => `${operationId}: ${issue}`);
    expect(issues).toEqual([]);
    const ids = operationsOf(document).map(({ operationId }) => operationId);
    expect((await namesOfExamples()).filter((name) => !ids.includes(name))).toEqual([]);
  });

  // Every response to the gateway's client is checked against the document, in this file and in every other.
  it('has every operation, each of which answers as it says', async () => {
    const { workspaceId } = instance;
    const inWorkspace = `?workspaceId=${workspaceId}`;
    await done('GET', '/healthz');
    await done('GET', '/readyz');
    await done('GET', '/metrics');

    // People and keys
    const { token } = await done('POST', '/api/auth/login', { email: OWNER.email, password: OWNER.password });
    await done('GET', '/api/auth/setup');
    await done('GET', '/api/auth/me');
    await done('GET', '/api/me');
    const sessions = await done('GET', '/api/auth/sessions', undefined, token);
    const other = sessions.data.find(({ current }) => !current);
    expect(other).toBeDefined();
    await done('POST', '/api/auth/logout', undefined, token);
    const again = await done('POST', '/api/auth/login', { email: OWNER.email, password: OWNER.password });
    const passwords = { currentPassword: OWNER.password, newPassword: `${OWNER.password}!` };
    await done('POST', '/api/auth/password', passwords);
    expect((await call('GET', '/api/auth/me', undefined, again.token)).status).toBe(401);
    const key = await done('POST', '/api/api-keys', {
      name: 'Nightly import',
      password: passwords.newPassword,
      preset: 'full',
    });
    await done('GET', '/api/api-keys');
    await done('POST', `/api/api-keys/${key.id}/rotate`, { password: passwords.newPassword });
    await done('POST', `/api/api-keys/${key.id}/revoke`);

    const codeVerifier = 'a'.repeat(43);
    const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
    const device = await done('POST', '/api/auth/devices', { name: 'laptop', codeChallenge }, null);
    await done('GET', `/api/auth/devices/${device.id}`);
    await done('POST', `/api/auth/devices/${device.id}/key`, { codeVerifier }, null);
    const allowed = { workspaceId, password: passwords.newPassword };
    await done('POST', `/api/auth/devices/${device.id}/approve`, allowed);
    await done('POST', `/api/auth/devices/${device.id}/key`, { codeVerifier }, null);

    await done('GET', '/api/auth/methods', undefined, null);
    identityProvider.accounts.set('g1', { email: 'linus@example.com', email_verified: true, name: 'Linus' });
    // The cookie of the browser is not in the walk's requests.
    const started = await instance.gateway.call('POST', '/api/auth/sso/start', { body: { next: '/w' } });
    const parameters = await identityProvider.signIn(started.body.authorizationUrl, 'g1');
    const cookie = (started.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    await done('POST', '/api/auth/sso/start', { next: '/w' }, null);
    const signedOn = await done('POST', '/api/auth/sso/finish', { parameters }, null, { cookie });
    await done('POST', '/api/auth/sso/logout', undefined, signedOn.token);
    await done('GET', '/api/users');
    await done('POST', `/api/users/${signedOn.user.id}/deactivate`);
    await done('POST', `/api/users/${signedOn.user.id}/activate`);
    await done('DELETE', `/api/users/${signedOn.user.id}/identities`);
    await done('POST', '/api/auth/password-resets', { email: 'linus@example.com' }, null);
    await instance.gateway.services.people.passwordResets?.drain();
    const message = (mails.messages.at(-1) ?? '').replaceAll('=\r\n', '');
    const [, resetToken = ''] = /reset-password#([\w-]{43})/.exec(message) ?? [];
    const redemption = { token: resetToken, newPassword: 'correct horse battery' };
    await done('POST', '/api/auth/password-resets/redeem', redemption, null);
    await done('DELETE', '/api/auth/sessions');

    // Workspaces and members
    const second = await done('POST', '/api/workspaces', { name: 'Marketing' });
    await done('GET', '/api/workspaces');
    await done('GET', `/api/workspaces/${second.id}`);
    await done('GET', `/api/workspaces/${second.id}/usage`);
    await done('PATCH', `/api/workspaces/${second.id}`, { name: 'Marketing and sales' });
    const members = `/api/workspaces/${second.id}/members` as const;
    const invite = await done('POST', `/api/workspaces/${second.id}/invites`, { role: 'editor' });
    const person = { email: 'grace@example.com', name: 'Grace', password: 'correct horse battery' };
    const joined = await done('POST', '/api/auth/accept-invite', { token: invite.token, ...person }, null);
    const unused = await done('POST', `/api/workspaces/${second.id}/invites`, { role: 'viewer' });
    await done('GET', `/api/workspaces/${second.id}/invites`);
    await done('DELETE', `/api/workspaces/${second.id}/invites/${unused.id}`);
    await done('GET', members);
    await done('PATCH', `${members}/${joined.user!.id}`, { role: 'viewer' });
    await done('DELETE', `${members}/${joined.user!.id}`);
    await done('POST', members, { email: person.email, role: 'admin' });
    await done('DELETE', `/api/workspaces/${second.id}/membership`, undefined, joined.token);

    // Second factors of that person
    const mineToo = joined.token;
    await done('POST', '/api/auth/confirm', { password: person.password }, mineToo);
    const app = await done('POST', '/api/auth/authenticator', undefined, mineToo);
    const early = { code: codeOf(app.secret, Date.now() - 30_000) };
    await done('POST', '/api/auth/authenticator/confirm', early, mineToo);
    const creation = await done('POST', '/api/auth/passkeys/options', undefined, mineToo);
    const authenticator = createAuthenticator();
    const passkey = authenticator.create(creation.options.challenge);
    const added = await done('POST', '/api/auth/passkeys', { state: creation.state, name: 'Laptop', passkey }, mineToo);
    const renewed = await done('POST', '/api/auth/recovery-codes', undefined, mineToo);
    await done('GET', '/api/auth/second-factors', undefined, mineToo);
    await done('POST', '/api/auth/confirm/options', undefined, mineToo);
    const credentials = { email: person.email, password: person.password };
    await done('POST', '/api/auth/login', credentials, null);
    await done('POST', '/api/auth/login/passkey', undefined, null);
    const pending = await instance.gateway.call('POST', '/api/auth/login', { body: credentials });
    const { state } = JSON.parse(pending.text) as { state: string };
    const browser = { cookie: (pending.headers.get('set-cookie') ?? '').split(';')[0] ?? '' };
    const recoveryCode = renewed.recoveryCodes?.[0];
    await done('POST', '/api/auth/login/second-factor', { state, recoveryCode }, null, browser);
    await done('DELETE', `/api/auth/passkeys/${added.id}`, undefined, mineToo);
    await done('DELETE', '/api/auth/authenticator', undefined, mineToo);
    const mine = await done('GET', '/api/auth/sessions', undefined, joined.token);
    await done('DELETE', `/api/auth/sessions/${mine.data[0]!.id}`, undefined, joined.token);

    // Data of a workspace
    const variable = await done('POST', '/api/variables', { workspaceId, name: 'rate', value: '7' });
    await done('GET', `/api/variables${inWorkspace}`);
    await done('PATCH', `/api/variables/${variable.id}`, { value: '8' });
    await done('GET', `/api/variables/${variable.id}/workflows`);
    await done('DELETE', `/api/variables/${variable.id}`);
    await done('POST', '/api/connectors?dryRun=true', { workspaceId, ...TRACKER });
    await done('POST', '/api/connectors', { workspaceId, ...TRACKER });
    await done('GET', `/api/connectors${inWorkspace}`);
    await done('GET', `/api/connectors/tracker/versions${inWorkspace}`);
    await done('GET', `/api/connectors/tracker/versions/1.0.0/operations${inWorkspace}`);
    await done('GET', `/api/connectors/tracker/versions/1.0.0/operations/issue.create${inWorkspace}`);
    await done('DELETE', `/api/connectors/tracker/versions/1.0.0${inWorkspace}`);
    const secret = { type: 'bearer', secret: { token: 'example' } };
    const credential = await done('POST', '/api/credentials', { workspaceId, name: 'Shop', ...secret });
    await done('GET', `/api/credentials${inWorkspace}`);
    await done('GET', `/api/credentials/${credential.id}`);
    await done('PATCH', `/api/credentials/${credential.id}`, { name: 'Store' });
    const chat = await serve((_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end('{"channels":[{"id":"C1","name":"general"}]}');
    });
    await done('POST', '/api/connectors', { workspaceId, ...chatAt(chat.url) });
    const ofMessages = { connector: 'chat', version: '1.0.0', operation: 'message.send', field: 'body.channel' };
    await done('POST', '/api/connectors/options', { workspaceId, credentialId: credential.id, ...ofMessages });
    await done('POST', `/api/credentials/${credential.id}/test`, { connector: 'chat', version: '1.0.0' });
    await done('DELETE', `/api/credentials/${credential.id}`);
    const { authorizationUrl, deviceAuthorizationUrl, tokenUrl } = provider.endpoints;
    const clientOf = (grant: string, more: object) => ({
      ...{ workspaceId, name: 'Shop', type: 'oauth2' },
      secret: { grant, ...OAUTH_CLIENT, tokenUrl, scopes: 'openid orders', ...more },
    });
    const ofPerson = await done('POST', '/api/credentials', clientOf('authorizationCode', { authorizationUrl }));
    const redirect = await done('POST', `/api/credentials/${ofPerson.id}/connect`);
    if (redirect.kind !== 'redirect') throw new Error(`the grant wants ${redirect.kind}`);
    const back = await provider.allow(redirect.authorizationUrl, redirect.redirectUrl);
    await done('POST', '/api/credentials/callback', { parameters: back.searchParams.toString() });
    await done('GET', `/api/credentials/${ofPerson.id}/workflows`);
    const ofDevice = await done('POST', '/api/credentials', clientOf('deviceCode', { deviceAuthorizationUrl }));
    const code = await done('POST', `/api/credentials/${ofDevice.id}/connect`);
    if (code.kind !== 'device') throw new Error(`the grant wants ${code.kind}`);
    await provider.allowDevice(code.userCode);
    await done('POST', `/api/credentials/${ofDevice.id}/connect/poll`, { attempt: code.attempt });
    await done('POST', '/api/events', {
      workspaceId,
      name: 'order.paid',
      key: 'A-17',
      data: { amount: 120 },
      id: 'evt_1Q2w3E',
    });
    const endpoint = await done('POST', '/api/event-endpoints', { workspaceId, url: 'https://shop.example/events' });
    const endpointPath = `/api/event-endpoints/${endpoint.id}` as const;
    await done('GET', `/api/event-endpoints${inWorkspace}`);
    await done('GET', endpointPath);
    await done('PATCH', endpointPath, { eventTypes: ['run.failed', 'run.timed_out'] });
    await done('GET', `${endpointPath}/secrets`);
    await done('POST', `${endpointPath}/rotate-secret`, { overlapSeconds: 3_600 });
    const test = await done('POST', `${endpointPath}/test`);
    await instance.db.eventDelivery.update({
      where: { id: test.id },
      data: { status: 'failed', finishedAt: new Date() },
    });
    await done('POST', `${endpointPath}/deliveries/${test.id}/replay`);
    await done('GET', `${endpointPath}/deliveries`);
    await done('POST', `${endpointPath}/replay`, { since: '2026-11-01T00:00:00Z' });
    await done('DELETE', endpointPath);
    const folder = await done('POST', '/api/folders', { workspaceId, name: 'Orders' });
    await done('GET', `/api/folders${inWorkspace}`);
    await done('PATCH', `/api/folders/${folder.id}`, { name: 'Old orders' });
    await done('DELETE', `/api/folders/${folder.id}`);

    // Workflows
    const definition = chain(
      { id: 'ask', type: 'approval', parameters: { message: 'Refund this order?' } },
      {
        id: 'form',
        type: 'human',
        parameters: {
          title: 'Note the reason',
          schema: { type: 'object', properties: { reason: { type: 'string' } } },
        },
      },
      { id: 'total', type: 'set', parameters: { fields: { total: 1 } } },
    );
    definition.edges = definition.edges.map((edge) =>
      edge.source === 'ask' ? { ...edge, sourceHandle: 'approved' } : edge,
    );
    const workflow = await done('POST', '/api/workflows', { workspaceId, name: 'Orders', definition });
    const path = `/api/workflows/${workflow.id}` as const;
    await done('GET', `/api/workflows${inWorkspace}`);
    await done('GET', path);
    await done('POST', '/api/workflows?dryRun=true', { workspaceId, name: 'Orders', definition });
    await done('POST', `${path}/versions?dryRun=true`, { definition, comment: 'Ask before the refund' });
    const version = await done('POST', `${path}/versions`, { definition, comment: 'Ask before the refund' });
    await done('GET', `${path}/versions`);
    await done('GET', `${path}/versions/${version.workflowVersionId}`);
    await done('PUT', `${path}/draft`, { definition, baseVersionId: version.workflowVersionId });
    await done('GET', `${path}/draft`);
    await done('DELETE', `${path}/draft`);
    await done('PATCH', path, { status: 'active' });
    await done('GET', `${path}/activations`);
    await done('POST', `${path}/duplicate`, { name: 'Orders of the other shop' });
    const exported = {
      name: 'Orders',
      nodes: [
        {
          name: 'Order',
          type: 'n8n-nodes-base.webhook',
          typeVersion: 2,
          parameters: { httpMethod: 'POST', path: 'o' },
        },
        { name: 'Tell us', type: 'n8n-nodes-base.telegram', typeVersion: 1.2, parameters: { text: 'An order' } },
      ],
      connections: { Order: { main: [[{ node: 'Tell us', type: 'main', index: 0 }]] } },
      settings: { executionOrder: 'v1' },
    };
    await done('POST', '/api/workflows/import/n8n?dryRun=true', { workspaceId, workflow: exported });
    const imported = await done('POST', '/api/workflows/import/n8n', { workspaceId, workflow: exported });
    await done('GET', `/api/workflows/${imported.id}/import-report`);
    await done('DELETE', `/api/workflows/${imported.id}/import-report`);
    await done('GET', '/api/node-types');
    const file = {
      workspaceId,
      slug: 'refunds',
      name: 'Refunds',
      status: 'active',
      managed: true,
      definition,
    } as const;
    await done('POST', '/api/workflows/apply?dryRun=true', file);
    await done('POST', '/api/workflows/apply', file);
    await done('GET', '/api/schedules/times?cron=0+9+*+*+1&timezone=Europe/Berlin');
    const hook = { nodes: [{ id: 'hook', type: 'trigger.webhook' }], edges: [] };
    const hooked = await done('POST', '/api/workflows', { workspaceId, name: 'Hooked', definition: hook });
    const hookPath = `/api/workflows/${hooked.id}` as const;
    const { url } = await done('POST', `${hookPath}/webhooks/hook/url`);
    await done('POST', `${hookPath}/webhooks/hook/test`);
    await done('PATCH', hookPath, { status: 'active' });
    await sendHook(instance.gateway, new URL(url).pathname, {
      body: '{"order":17}',
      headers: { 'content-type': 'application/json' },
    });
    const delivery = await until(async () => (await done('GET', `${hookPath}/deliveries`)).data[0], 'a delivery');
    await done('POST', `${hookPath}/deliveries/${delivery.id}/replay`);
    await done('DELETE', hookPath);
    const every = {
      id: 'morning',
      type: 'trigger.schedule',
      parameters: { cron: '0 9 * * 1-5', timezone: 'Europe/Berlin' },
    };
    const timed = await done('POST', '/api/workflows', {
      workspaceId,
      name: 'Morning report',
      definition: { nodes: [every], edges: [] },
    });
    const timedPath = `/api/workflows/${timed.id}` as const;
    await done('PATCH', timedPath, { status: 'active' });
    await done('POST', `${timedPath}/schedules/morning/pause`);
    await done('GET', `/api/schedules${inWorkspace}`);
    await done('POST', `${timedPath}/schedules/morning/resume`);
    await done('DELETE', timedPath);

    await done('POST', `/api/workspaces/${workspaceId}/callback-secrets/rotate`, { overlapSeconds: 3_600 });
    await done('GET', `/api/workspaces/${workspaceId}/callback-secrets`);
    // Runs
    const worker = await startTestWorker(instance);
    const receipt = await done('POST', `${path}/files?name=receipt.txt`, 'Paid: 120');
    const { executionId } = await done('POST', `${path}/execute`, {
      input: { orderId: 'A-1042', amount: 120, receipt },
      executionMode: 'debug',
      tags: ['import', 'customer:42'],
      metadata: { order: 'A-1042' },
    });
    const run = `/api/executions/${executionId}` as const;
    await done('GET', `${run}/files/${receipt.file.id}?name=receipt.txt`);
    await done('POST', `${run}/files/${receipt.file.id}/link`, { expiresInSeconds: 86_400, name: 'receipt.txt' });
    await done('POST', `${path}/execute/batch`, [
      { input: { orderId: 'A-1043', amount: 80 }, idempotencyKey: 'order-A-1043', executionMode: 'test' },
      { triggerNodeId: 'nowhere' },
    ]);
    const reaches = (status: string) => until(async () => (await done('GET', run)).status === status, status);
    await reaches('waiting_for_input');
    await done('GET', `/api/approvals${inWorkspace}`);
    await done('POST', `${run}/pause`);
    await done('POST', `${run}/resume`);
    await reaches('waiting_for_input');
    await done('POST', '/api/approvals/submit', { executionId, nodeId: 'ask', approved: true });
    await reaches('waiting_for_human');
    await done('GET', `/api/human-tasks${inWorkspace}`);
    await done('POST', `${run}/nodes/form/complete`, { data: { reason: 'Arrived broken' } });
    await reaches('success');
    await done('GET', `${run}/nodes/total/output`);
    await done('GET', `${run}/nodes/total/debug`);
    await done('GET', `${run}/result`);
    await done('PATCH', run, { metadata: { shipped: true } });
    await done('GET', `${run}/nodes/total/iterations`);
    const rerun = await done('POST', `${run}/rerun`);
    await done('POST', `/api/executions/${rerun.executionId}/stop`);
    const called = await done('POST', `${path}/execute`, { callbackUrl: 'https://shop.example/done' });
    await done('POST', `/api/executions/${called.executionId}/stop`);
    const callbacks = `/api/executions/${called.executionId}/callbacks` as const;
    const { data: sent } = await done('GET', callbacks);
    await instance.db.eventDelivery.update({
      where: { id: sent[0]?.id ?? '' },
      data: { status: 'failed', finishedAt: new Date() },
    });
    await done('POST', `${callbacks}/${sent[0]?.id ?? ''}/replay`);
    await done('POST', '/api/executions/stop', { workspaceId, all: true });
    const group = await addFailureGroup(instance, executionId);
    await done('GET', `/api/failure-groups${inWorkspace}`);
    await done('GET', `/api/failure-groups/${group.id}`);
    await done('PATCH', `/api/failure-groups/${group.id}`, { state: 'resolved' });
    const bulk = '/api/bulk-actions' as const;
    const filter = { status: ['failed'], startedAt: { gte: '2026-11-01' } };
    await done('POST', `${bulk}?dryRun=true`, { workspaceId, action: 'rerun', filter });
    const bulkAction = await done('POST', bulk, { workspaceId, action: 'rerun', filter, ratePerSecond: 50 });
    await done('GET', `${bulk}/${bulkAction.id}`);
    await done('GET', `${bulk}${inWorkspace}`);
    const slow = {
      workspaceId,
      action: 'stop',
      executionIds: [uuidv7(), uuidv7(), uuidv7(), uuidv7()],
      ratePerSecond: 1,
    };
    await done('POST', `${bulk}/${(await done('POST', bulk, slow)).id}/abort`);
    await done('GET', `/api/executions${inWorkspace}`);
    await done('GET', `/api/executions/histogram${inWorkspace}`);
    await done('GET', `${path}/executions?latest=true`);
    for (const format of ['csv', 'json']) await done('GET', `/api/executions/export${inWorkspace}&format=${format}`);
    await done('GET', `${run}/events`);
    await done('POST', `${run}/redact`);
    await done('DELETE', run);
    await worker.stop();

    // Operations
    await done('GET', '/api/monitoring/fleet');
    await done('GET', `/api/monitoring/stats${inWorkspace}`);
    await done('GET', `/api/monitoring/workflows${inWorkspace}`);
    await done('GET', `/api/monitoring/activity${inWorkspace}&workflowId=${workflow.id}`);
    await done('GET', `/api/insights${inWorkspace}`);
    await done('GET', `/api/ai/usage${inWorkspace}`);
    await writeAgentMemory(
      instance.db,
      { workspaceId, key: 'ada@example.com' },
      { executionId: newModelCallId(), place: 'clerk/' },
      { prompt: 'Where is order 17?', answer: 'It arrives on Monday.' },
    );
    await done('GET', `/api/ai/memories${inWorkspace}`);
    const memory = `/api/ai/memories/messages${inWorkspace}&key=ada@example.com` as const;
    await done('GET', memory);
    await done('DELETE', memory);
    await done('GET', `/api/audit-log${inWorkspace}`);
    await done('GET', '/api/admin/audit-log');
    const limits = `/api/admin/workspaces/${workspaceId}/limits` as const;
    await done('PUT', limits, await done('GET', limits));
    await done('GET', `/api/admin/workspaces/${workspaceId}/usage`);
    await done('PUT', '/api/admin/settings', await done('GET', '/api/admin/settings'));
    const { builtIn } = await done('GET', '/api/admin/model-prices');
    await done('PUT', '/api/admin/model-prices', { prices: builtIn.slice(0, 1) });
    await done('DELETE', path);
    await done('DELETE', `/api/workspaces/${second.id}`);

    if (process.env.OPENAPI_ACCEPT !== undefined) {
      await recordExamples(exchanges, new Set(issuesOfExamples().map(({ operationId }) => operationId)));
    }
    const operations = operationsOf(document).map(({ method, template }) => `${method} ${template}`);
    const missing = operations.filter((name) => !instance.gateway.responses.succeeded.has(name));
    // Only an instance without users can be set up: `startInstance` has done it.
    expect(missing).toEqual([]);
  });

  it('has the refusals that every operation may give', async () => {
    const refused = [
      await call('GET', '/api/workspaces', undefined, null),
      await call('GET', '/api/api-keys', undefined, instance.key),
      await call('GET', `/api/workflows?workspaceId=${instance.workspaceId}&limit=0`),
      await call('GET', '/api/workflows/01a1fb35-e8df-7352-8660-75a19a555603'),
      await call('POST', '/api/workflows', '{'),
      await instance.gateway.call('POST', '/api/workflows', {
        as: instance.session,
        headers: { 'content-encoding': 'br' },
        body: '{}',
      }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([401, 403, 400, 404, 400, 415]);
  });
});

describe('the page of the API', () => {
  it('comes from this host alone, scripts and all, and no script stands in it', async () => {
    const fetchText = async (path: string) => {
      const answer = await fetch(new URL(path, instance.gateway.url));
      return {
        status: answer.status,
        policy: answer.headers.get('content-security-policy') ?? '',
        text: await answer.text(),
      };
    };
    const page = await fetchText('/docs/api');
    expect(page.status).toBe(200);
    const policy = page.policy.split(';').find((part) => part.startsWith('script-src '));
    expect(policy).toBe("script-src 'self'");
    expect(page.text).not.toMatch(/<script[^>]*>[^<\s]/);
    const sources = [...page.text.matchAll(/<(?:script|link)[^>]* (?:src|href)="([^"]+)"/g)].map(
      ([, source]) => source ?? '',
    );
    expect(sources.length).toBeGreaterThan(3);
    for (const source of sources.filter((one) => one !== 'data:,')) {
      expect(source).toMatch(/^\/docs\//);
      expect((await fetchText(source)).status).toBe(200);
    }
    expect((await fetchText('/docs/api/swagger-ui-init.js')).text).toContain('/api/openapi.json');
    expect((await fetchText('/docs')).status).toBe(200);
  });
});
