import { afterAll, describe, expect, it } from '@jest/globals';
import { NodeError, type OpenedCredential } from '@deckhand/engine';
import { createMemoryFiles } from '@deckhand/testing/memory-files';
import type { RequestListener } from 'node:http';
import { stopAll } from '../../../../tests/harness/cleanup.ts';
import { connectorsOf, trackerAt } from '../../../../tests/harness/connectors.ts';
import { startMailServer } from '../../../../tests/harness/mail-server.ts';
import { NO_SERVICES } from '../../../../tests/harness/node-context.ts';
import { serve } from '../../../../tests/harness/serve.ts';
import { startTestSftpServer } from '../../../../tests/harness/sftp-server.ts';
import { createMailSender } from '../email/send.ts';
import { createHttpClient } from '../http/client.ts';
import { createSftpClient } from '../sftp/client.ts';
import { checkCredential, type CheckContext, type CheckTarget } from './check-credential.ts';

const http = createHttpClient({ allowPrivate: true });
const SERVICES = {
  ...NO_SERVICES,
  ...{ http, mail: createMailSender({ allowPrivate: true }), sftp: createSftpClient({ allowPrivate: true }) },
};

afterAll(async () => {
  await http.close();
  await stopAll();
});

const SERVER: CheckTarget = { kind: 'server' };

/** Checks a credential. @returns `ok`, or the code and the message of the failure. */
async function check(credential: OpenedCredential, target = SERVER, given: Partial<CheckContext> = {}) {
  const context: CheckContext = {
    ...{ workspaceId: 'w', credentialId: 'c', services: SERVICES, files: createMemoryFiles(), idempotencyKey: 'test' },
    ...{ credential: () => Promise.resolve(credential), now: () => 0, signal: () => AbortSignal.timeout(20_000) },
    ...given,
  };
  return checkCredential(target, context).then(
    () => 'ok',
    (error: unknown) => (error instanceof NodeError ? [error.code, error.message] : error),
  );
}

/** Serves responses, and collects what was requested. */
async function served(respond: RequestListener) {
  const requests: string[] = [];
  const { url } = await serve((request, response) => {
    const { method, url: path, headers } = request;
    const key = headers.authorization ?? headers['x-api-key'] ?? headers['x-goog-api-key'] ?? '';
    requests.push(`${method} ${path} ${String(key)}`);
    respond(request, response);
  });
  return { url, requests };
}

const bearer: OpenedCredential = { type: 'bearer', secret: { token: 'token' } };

describe('a check at an address', () => {
  it.each<[number, string | readonly string[]]>([
    [204, 'ok'],
    [302, ['HTTP_STATUS', 'GET URL/me answered 302, which is not a success']],
    [401, ['HTTP_STATUS', 'GET URL/me answered 401: bad token']],
  ])('that answers %i', async (status, expected) => {
    const { url, requests } = await served((_request, response) =>
      response.writeHead(status, { location: '/sign-in' }).end(status === 401 ? 'bad token' : undefined),
    );
    const result = await check(bearer, { kind: 'url', url: `${url}/me?key=hidden` });
    expect(JSON.parse(JSON.stringify(result).replaceAll(url, 'URL'))).toEqual(expected);
    expect(requests).toEqual(['GET /me?key=hidden Bearer token']);
  });

  it('with a private address is refused', async () => {
    const guarded = createHttpClient({ allowPrivate: false });
    const services = { ...SERVICES, http: guarded };
    const result = await check(bearer, { kind: 'url', url: 'http://127.0.0.1:1/me' }, { services });
    expect(result).toEqual(['ADDRESS_REFUSED', expect.any(String)]);
    await guarded.close();
  });

  it('ends with its time', async () => {
    const { url } = await served(() => undefined);
    const controller = new AbortController();
    const reason = new NodeError('NODE_TIMEOUT', 'too late');
    const checked = check(bearer, { kind: 'url', url }, { signal: () => controller.signal });
    controller.abort(reason);
    expect(await checked).toEqual(['NODE_TIMEOUT', 'too late']);
  });
});

it('a check with a connector calls its operation, and fails with what the service says', async () => {
  const answers = [200, 403];
  const { url, requests } = await served((_request, response) => {
    response.writeHead(answers.shift() ?? 500, { 'content-type': 'application/json' });
    response.end('{"issues":[],"error":{"message":"The key was revoked"}}');
  });
  const services = { ...SERVICES, connectors: connectorsOf(trackerAt(url)) };
  const name = { connector: 'tracker', version: '1.0.0', operation: 'issue.list' };
  const key: OpenedCredential = { type: 'apiKey', secret: { value: 'key', header: 'x-api-key' } };
  expect(await check(key, { kind: 'operation', name }, { services })).toBe('ok');
  expect(requests).toEqual(['GET /issues?per_page=2 key']);
  expect(await check(key, { kind: 'operation', name }, { services })).toEqual([
    'HTTP_STATUS',
    `GET ${url}/issues answered 403: The key was revoked`,
  ]);
});

describe('a check of a model provider lists its models', () => {
  it.each([
    ['anthropic', '/models key'],
    ['google', '/models key'],
    ['mistral', '/models Bearer key'],
    ['openai', '/models Bearer key'],
    ['openaiCompatible', '/models Bearer key'],
  ] as const)('of %s', async (provider, request) => {
    const { url, requests } = await served((_request, response) => response.end('{"data":[]}'));
    const credential: OpenedCredential = { type: 'model', secret: { provider, apiKey: 'key', baseUrl: `${url}/v1` } };
    expect(await check(credential)).toBe('ok');
    expect(requests).toEqual([`GET /v1${request}`]);
  });

  it('and says why it refused the key', async () => {
    const { url } = await served((_request, response) => response.writeHead(401).end('{"error":"invalid key"}'));
    const credential: OpenedCredential = { type: 'model', secret: { provider: 'openaiCompatible', baseUrl: url } };
    expect(await check(credential)).toEqual([
      'MODEL_FAILED',
      'the provider responded with 401: {"error":"invalid key"}',
    ]);
  });
});

describe('a check of a store', () => {
  const secret = { accessKeyId: 'AKIA', secretAccessKey: 'secret' };

  it.each([
    ['lists an object of its bucket', { bucket: 'orders' }, 'GET /orders/?list-type=2&max-keys=1'],
    ['lists its buckets without one', {}, 'GET /'],
  ])('%s', async (_what, more, request) => {
    const { url, requests } = await served((_request, response) => response.end('<ListBucketResult/>'));
    expect(await check({ type: 's3', secret: { ...secret, endpoint: url, ...more } })).toBe('ok');
    expect(requests).toMatchObject([expect.stringContaining(`${request} AWS4-HMAC-SHA256 Credential=AKIA/`)]);
  });

  it('says what the store said', async () => {
    const { url } = await served((_request, response) =>
      response.writeHead(403).end('<Error><Code>InvalidAccessKeyId</Code><Message>No such key</Message></Error>'),
    );
    expect(await check({ type: 's3', secret: { ...secret, endpoint: url } })).toEqual([
      'S3_FAILED',
      'GET : 403 InvalidAccessKeyId No such key',
    ]);
  });
});

it('a check of a mail server signs in, and sends nothing', async () => {
  const { port, users, messages } = await startMailServer();
  const login = { host: '127.0.0.1', port, username: 'ada' };
  expect(await check({ type: 'smtp', secret: { ...login, password: 'right-password' } })).toBe('ok');
  expect(await check({ type: 'smtp', secret: { ...login, password: 'wrong-password' } })).toEqual([
    'EMAIL_FAILED',
    expect.stringContaining('Invalid username or password'),
  ]);
  expect([users, messages]).toEqual([['ada:right-password', 'ada:wrong-password'], []]);
});

it('a check of an SFTP server signs in, and lists a folder', async () => {
  const server = await startTestSftpServer();
  server.files.set('/', Buffer.alloc(0));
  const { host, port, fingerprint } = server;
  const secret = { host, port, fingerprint, username: 'ada', password: 'secret' };
  expect(await check({ type: 'sftp', secret })).toBe('ok');
  expect(await check({ type: 'sftp', secret: { ...secret, password: 'wrong' } })).toEqual([
    expect.stringMatching(/^SFTP_/),
    expect.stringContaining('authentication'),
  ]);
});

it('a credential that goes anywhere has no server to check', async () => {
  expect(await check(bearer)).toEqual(['CREDENTIAL_UNSUITABLE', expect.any(String)]);
});
