import {
  createApp,
  createHttpServer,
  createServices,
  listRoutes,
  readApiSettings,
  type ServerTimes,
  type Services,
} from '@deckhand/api';
import { createDatabase, type Database } from '@deckhand/db';
import type { LocalRedis } from '@deckhand/local';
import { createLogger } from '@deckhand/runtime';
import { Registry } from 'prom-client';
import supertest from 'supertest';
import { stopLater } from './cleanup.ts';
import type { ResponseCheck } from './document-check.ts';
import { createResponseCheck } from './openapi.ts';
import { createTestDatabase, startTestRedis } from './databases.ts';
import { databaseSettings } from './pooler.ts';
import type { ResponseBody } from './responses.ts';
import { until } from './until.ts';

/** The stores that gateways of a test share. */
export interface Stores {
  readonly databaseUrl: string;
  readonly db: Database;
  readonly redis: LocalRedis;
}

/** A gateway in this process, on a free port. */
export interface Gateway {
  readonly url: string;
  readonly services: Services;
  /** What it logged, a JSON text a line. */
  readonly log: readonly string[];
  /** Checks every response to `call` against the OpenAPI document. */
  readonly responses: ResponseCheck;
  /** Sends a request. A body that is not a string is sent as JSON. */
  call: Call<[options?: CallOptions]>;
}

export interface CallOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** A session token, or an API key. */
  readonly as?: string | undefined;
}

/** A response. `body` is parsed JSON; null, whatever its type, if there is none. */
export interface ApiResponse<Body = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
  readonly text: string;
}

/** Sends a request. The body of the response has the type that the contract has for method and path. */
export type Call<Rest extends readonly unknown[]> = <Method extends string, Path extends string>(
  method: Method,
  path: Path,
  ...rest: Rest
) => Promise<ApiResponse<ResponseBody<Method, Path>>>;

/** Sends a GET. */
export type Get<Rest extends readonly unknown[] = []> = <Path extends string>(
  path: Path,
  ...rest: Rest
) => Promise<ApiResponse<ResponseBody<'GET', Path>>>;

export const OWNER = {
  email: 'Owner@Example.com',
  password: 'correct horse battery',
  name: 'Ada',
  workspaceName: 'Home',
};

/** What gateways of a test want for the setup. */
export const TEST_SETUP_TOKEN = 'a token for the setup of tests';

/** The body that creates the owner. */
export const SETUP = { ...OWNER, token: TEST_SETUP_TOKEN };

/** Settings by which a password is hashed in a millisecond instead of a quarter of a second. */
export const FAST_PASSWORDS = { NODE_ENV: 'test', BCRYPT_ROUNDS: '4' };

/** What gateways and workers of a test seal secrets with. */
export const TEST_ENCRYPTION_KEY = 'a key for tests, thirty-two characters or more';

/** Clones a database and starts a Redis. */
export async function startStores(): Promise<Stores> {
  const { url } = await createTestDatabase();
  const db = createDatabase({ url, poolSize: 4 });
  stopLater({ stop: () => db.$disconnect() });
  return { databaseUrl: url, db, redis: await startTestRedis() };
}

/** How a gateway of a test differs from others. */
export interface GatewayOptions {
  /** Settings beside those it needs. */
  readonly env?: Readonly<Record<string, string>>;
  readonly times?: ServerTimes;
  /** URLs of the Redis servers of the queue's shards. */
  readonly shardUrls?: readonly string[];
  /** Whether it remembers what it logs; true by default. */
  readonly keepsLog?: boolean;
}

/** Starts a gateway on the stores: each call gives one more replica. */
export async function startGateway(
  stores: Stores,
  { env, times, shardUrls, keepsLog = true }: GatewayOptions = {},
): Promise<Gateway> {
  const settings = readApiSettings({
    ...databaseSettings(stores.databaseUrl),
    REDIS_URL: stores.redis.url,
    ENCRYPTION_KEY: TEST_ENCRYPTION_KEY,
    SETUP_TOKEN: TEST_SETUP_TOKEN,
    ...FAST_PASSWORDS,
    PORT: '0',
    PUBLIC_URL: 'https://deckhand.example',
    ...env,
  });
  const log: string[] = [];
  const write = (line: string): void => {
    if (keepsLog) log.push(line);
  };
  const logger = createLogger({ name: 'api', level: 'debug', destination: { write } });
  const db = createDatabase({
    url: settings.DATABASE_URL,
    poolSize: 8,
    preparesStatements: settings.DATABASE_PREPARED_STATEMENTS,
  });
  const replica =
    settings.DATABASE_REPLICA_URL === undefined
      ? undefined
      : createDatabase({ url: settings.DATABASE_REPLICA_URL, poolSize: 8 });
  const services = await createServices({ settings, db, replica, logger, shardUrls, registry: new Registry() });
  await until(() => services.monitoring.redis.status === 'ready');
  const server = createHttpServer(createApp(services), times);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the gateway has no port');
  const url = `http://127.0.0.1:${address.port}`;
  stopLater({
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await services.close();
      await Promise.all([db.$disconnect(), replica?.$disconnect()]);
    },
  });
  const responses = createResponseCheck(listRoutes(services));
  return {
    url,
    services,
    log,
    responses,
    async call(method, path, options) {
      const answer = await send(url, method, path, options ?? {});
      const type = answer.headers.get('content-type')?.split(';')[0] ?? '';
      responses.check(method, path, { ...answer, type });
      return answer;
    },
  };
}

async function send<Method extends string, Path extends string>(
  url: string,
  method: Method,
  path: Path,
  { body, headers, as }: CallOptions,
): Promise<ApiResponse<ResponseBody<Method, Path>>> {
  const request = supertest(url)[methodName(method)](path);
  if (body !== undefined) request.set('content-type', 'application/json');
  if (as !== undefined) {
    if (as.startsWith('dk_')) request.set('x-api-key', as);
    else request.set('authorization', `Bearer ${as}`);
  }
  request.set(headers ?? {});
  if (body !== undefined) request.send(typeof body === 'string' ? body : JSON.stringify(body));
  const answer = await request;
  const isJson = answer.type === 'application/json';
  return {
    status: answer.status,
    headers: new Headers(answer.headers),
    body: isJson ? answer.body : null,
    text: Buffer.isBuffer(answer.body) ? answer.body.toString('latin1') : answer.text,
  };
}

function methodName(method: string): 'get' | 'post' | 'put' | 'patch' | 'delete' {
  switch (method) {
    case 'GET':
      return 'get';
    case 'POST':
      return 'post';
    case 'PUT':
      return 'put';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return 'delete';
    default:
      throw new Error(`no test sends ${method}`);
  }
}

/** An instance that is set up: its owner's session, a key with full access, and the first workspace. */
export interface Instance extends Stores {
  readonly gateway: Gateway;
  readonly session: string;
  readonly key: string;
  readonly workspaceId: string;
}

/** Starts a gateway, on stores of its own unless some are given, and signs the first owner up. */
export async function startInstance(given?: Stores, options?: GatewayOptions): Promise<Instance> {
  const stores = given ?? (await startStores());
  const gateway = await startGateway(stores, options);
  const { body } = await gateway.call('POST', '/api/auth/setup', { body: SETUP });
  const session = body.token;
  const key = await createKey(gateway, session, { preset: 'full' });
  const me = await gateway.call('GET', '/api/auth/me', { as: session });
  return { ...stores, gateway, session, key, workspaceId: me.body.workspaces[0]!.workspaceId };
}

/** Creates an API key of the owner. */
export async function createKey(gateway: Gateway, session: string, options: object): Promise<string> {
  const { status, body, text } = await gateway.call('POST', '/api/api-keys', {
    as: session,
    body: { name: 'test', password: OWNER.password, ...options },
  });
  if (status !== 201) throw new Error(text);
  return body.key;
}

/** Returns a function that sends requests with the key of an instance, which may be started later. */
export function callWithKey(instance: () => Instance): Call<[body?: unknown]> {
  return (method, path, body) => {
    const { gateway, key } = instance();
    return gateway.call(method, path, { as: key, ...(body === undefined ? {} : { body }) });
  };
}

/** Saves a workflow. @returns its id. */
export async function createWorkflow(instance: Instance, definition?: object): Promise<string> {
  const { status, body, text } = await instance.gateway.call('POST', '/api/workflows', {
    as: instance.session,
    body: { workspaceId: instance.workspaceId, name: 'Test', ...(definition === undefined ? {} : { definition }) },
  });
  if (status !== 201) throw new Error(text);
  return body.id;
}
