import type {
  AcceptedInvite,
  CreatedInvite,
  Definition,
  LoginResponse,
  PageOf,
  WorkspaceEntry,
} from '@deckhand/contracts';
import { spawnApp } from './apps.ts';
import { onceInProcess } from './cleanup.ts';
import { createTestDatabase, startTestRedis } from './databases.ts';
import { OWNER, SETUP } from './gateway.ts';

/** The API with the built console, and a worker, as people run them. */
export interface Stack {
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Somebody who is signed in. */
export interface SignedIn {
  readonly token: string;
  /** ISO 8601. */
  readonly expiresAt: string;
  readonly workspaceId: string;
}

/** A stack, and the owner of a workspace there. */
export interface OwnedStack extends Stack, SignedIn {
  readonly email: string;
  /** Sends a request as the owner. @throws when the response is an error. */
  say<T>(method: string, path: string, body?: object): Promise<T>;
  /** Saves a workflow. @returns its id. */
  createWorkflow(name: string, definition: Definition): Promise<string>;
  /** Starts a run. @returns its id. */
  start(workflowId: string, input?: object): Promise<string>;
}

/** Starts a stack of the test file's own, without users: for tests of the setup. */
export async function startStack(): Promise<Stack> {
  const { url: databaseUrl } = await createTestDatabase();
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: (await startTestRedis()).url, LOG_LEVEL: 'warn' };
  const [api] = await Promise.all([spawnApp('api', env), spawnApp('worker', env)]);
  return { url: api.url, env };
}

/** Starts a stack of the test file's own, whose owner administrates the instance. */
export async function startOwnedStack(): Promise<OwnedStack> {
  const stack = await startStack();
  const session = await send<LoginResponse>(stack.url, '', 'POST', '/api/auth/setup', SETUP);
  const { data } = await send<PageOf<WorkspaceEntry>>(stack.url, session.token, 'GET', '/api/workspaces');
  return owned(stack, { ...session, email: OWNER.email, workspaceId: data[0]?.workspaceId ?? '' });
}

/** The stack that the test files of this process share. */
const sharedStack = onceInProcess(startOwnedStack);

let people = 0;

/** Returns the stack that test files share, with a person and a workspace of the file's own. Nobody else is there. */
export async function shareStack(): Promise<OwnedStack> {
  const shared = await sharedStack();
  const joined = await join(shared, 'viewer', OWNER.name);
  const { url } = shared;
  const own = await send<WorkspaceEntry>(url, joined.token, 'POST', '/api/workspaces', { name: OWNER.workspaceName });
  await send(url, joined.token, 'DELETE', `/api/workspaces/${shared.workspaceId}/membership`);
  return owned(shared, { ...joined, workspaceId: own.workspaceId });
}

/** Lets a new person join the workspace of a stack. */
export async function join(
  { url, token, workspaceId }: OwnedStack,
  role: CreatedInvite['role'],
  name = 'Grace',
): Promise<SignedIn & { readonly email: string }> {
  people += 1;
  const email = `${name.toLowerCase()}-${people}@example.com`;
  const invite = await send<CreatedInvite>(url, token, 'POST', `/api/workspaces/${workspaceId}/invites`, { role });
  const person = { token: invite.token, name, email, password: OWNER.password };
  const accepted = await send<AcceptedInvite>(url, '', 'POST', '/api/auth/accept-invite', person);
  return { token: accepted.token ?? '', expiresAt: accepted.expiresAt ?? '', workspaceId, email };
}

function owned(stack: Stack, owner: SignedIn & { readonly email: string }): OwnedStack {
  const { token, workspaceId } = owner;
  const say = <T>(method: string, path: string, body?: object): Promise<T> =>
    send<T>(stack.url, token, method, path, body);
  return {
    ...stack,
    ...owner,
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
