import type { Definition, LoginResponse, PageOf, WorkspaceEntry } from '@deckhand/contracts';
import { spawnApp } from './apps.ts';
import { createTestDatabase, startTestRedis } from './databases.ts';
import { SETUP } from './gateway.ts';

/** The built API with the built console, and a worker, as people run them. */
export interface Stack {
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A stack whose owner is there already. */
export interface OwnedStack extends Stack {
  readonly workspaceId: string;
  readonly token: string;
  /** Sends a request as the owner. @throws when the response is an error. */
  say<T>(method: string, path: string, body?: object): Promise<T>;
  /** Saves a workflow. @returns its id. */
  createWorkflow(name: string, definition: Definition): Promise<string>;
  /** Starts a run. @returns its id. */
  start(workflowId: string, input?: object): Promise<string>;
}

/** Starts the stack, without users. */
export async function startStack(): Promise<Stack> {
  const { url: databaseUrl } = await createTestDatabase();
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: (await startTestRedis()).url, LOG_LEVEL: 'warn' };
  const [api] = await Promise.all([spawnApp('api', env), spawnApp('worker', env)]);
  return { url: api.url, env };
}

/** Starts the stack and sets it up. */
export async function startOwnedStack(): Promise<OwnedStack> {
  const stack = await startStack();
  const { token } = await send<LoginResponse>(stack.url, '', 'POST', '/api/auth/setup', SETUP);
  const say = <T>(method: string, path: string, body?: object): Promise<T> =>
    send<T>(stack.url, token, method, path, body);
  const [workspace] = (await say<PageOf<WorkspaceEntry>>('GET', '/api/workspaces')).data;
  const workspaceId = workspace?.workspaceId ?? '';
  return {
    ...stack,
    token,
    workspaceId,
    say,
    async createWorkflow(name, definition) {
      return (await say<{ id: string }>('POST', '/api/workflows', { workspaceId, name, definition })).id;
    },
    async start(workflowId, input = {}) {
      const path = `/api/workflows/${workflowId}/execute`;
      return (await say<{ executionId: string }>('POST', path, { input })).executionId;
    },
  };
}

async function send<T>(url: string, token: string, method: string, path: string, body?: object): Promise<T> {
  const answer = await fetch(url + path, {
    method,
    headers: {
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${text}`);
  return JSON.parse(text === '' ? 'null' : text) as T;
}
