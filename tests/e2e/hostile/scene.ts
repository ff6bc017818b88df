import { Agent, request as sendRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Definition, type JsonValue, parseOwnJson } from '@deckhand/contracts';
import { v7 as uuidv7 } from 'uuid';
import {
  addKey,
  addPerson,
  type Instance,
  type ErrorMembers,
  type KeyLimits,
  type ResponseBody,
  spawnApp,
  startInstance,
  type TestApp,
} from '../../harness/index.ts';

/** Time limit of a call, in ms: a hanging call is noticed. On a slow machine, an attacker waits long for a response. */
const CALL_MS = 150_000;

/** A response of the API. An error of the connection is status 0 with its code. */
export interface Reply {
  readonly status: number;
  /** The code of an error; "" for a success. */
  readonly code: string;
}

/** Somebody with a workspace and a key. */
export interface Tenant {
  readonly workspaceId: string;
  readonly key: string;
  /** Calls the API under attack; a body that is not a string is sent as JSON. */
  call<Method extends string, Path extends string>(
    method: Method,
    path: Path,
    body?: unknown,
  ): Promise<Reply & { readonly body: ResponseBody<Method, Path> }>;
  /** Saves a workflow. @returns its id. @throws for a response other than 201. */
  save(definition: unknown): Promise<string>;
  /** Starts a run and waits for its end. @returns "success", or "failed" and the code. */
  run(workflowId: string, input?: unknown): Promise<string>;
  /** The same for a definition that is saved first. */
  runOnce(definition: unknown, input?: unknown): Promise<string>;
}

/** A fleet of real processes, an attacker and a victim. */
export interface Scene {
  readonly instance: Instance;
  readonly api: TestApp;
  readonly workers: readonly TestApp[];
  readonly attacker: Tenant;
  readonly victim: Tenant;
}

/** Starts the API, two workers and two tenants. */
export async function startScene(): Promise<Scene> {
  const instance = await startInstance();
  const env = { DATABASE_URL: instance.databaseUrl, REDIS_URL: instance.redis.url };
  const api = await spawnApp('api', env);
  const workers = [await spawnApp('worker', env), await spawnApp('worker', env)];
  return {
    instance,
    api,
    workers,
    attacker: await addTenant(instance, api.url),
    victim: await addTenant(instance, api.url),
  };
}

/** Adds a person with a workspace of their own. */
async function addTenant(instance: Instance, url: string, limits?: KeyLimits): Promise<Tenant> {
  const { db } = instance;
  const { userId } = await addPerson(instance);
  const workspaceId = uuidv7();
  await db.workspace.create({ data: { id: workspaceId, name: 'Own' } });
  await db.membership.create({ data: { workspaceId, userId, role: 'owner' } });
  const { key } = await addKey(instance, userId, limits);
  const agent = new Agent({ keepAlive: true });

  const call = async <Method extends string, Path extends string>(method: Method, path: Path, body?: unknown) => {
    const reply = await callApi(url + path, { method, agent, headers: { 'x-api-key': key }, body: toText(body) });
    return { ...reply, body: parseOwnJson<ResponseBody<Method, Path>>(reply.json) };
  };
  const save: Tenant['save'] = async (definition) => {
    const { status, body } = await call('POST', '/api/workflows', { workspaceId, name: 'W', definition });
    if (status !== 201) throw new Error(`saved with ${status}: ${JSON.stringify(body).slice(0, 500)}`);
    return body.id;
  };
  const run: Tenant['run'] = async (workflowId, input = {}) => {
    const started = await call('POST', `/api/workflows/${workflowId}/execute`, { input });
    if (started.status !== 202 && started.status !== 200) return `not started: ${outcomeOf(started)}`;
    return untilEnd(call, started.body.executionId);
  };
  return {
    workspaceId,
    key,
    call,
    save,
    run,
    runOnce: async (definition, input) => run(await save(definition), input),
  };
}

/** Follows a run to its end, up to the time limit of a call. */
async function untilEnd(call: Tenant['call'], executionId: string): Promise<string> {
  const until = performance.now() + CALL_MS;
  while (performance.now() < until) {
    const { status, body } = await call('GET', `/api/executions/${executionId}?wait=10&slim=true`);
    if (status !== 200) return `unreadable: ${status}`;
    if (body.status === 'success') return 'success';
    if (['failed', 'stopped'].includes(body.status)) return `${body.status} ${body.error?.code ?? ''}`.trim();
  }
  return 'not ended';
}

/** Returns the status and code of a response. */
export function outcomeOf({ status, code }: Reply): string {
  return `${status} ${code}`.trim();
}

interface Call {
  readonly method: string;
  readonly agent: Agent;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/**
 * Sends a request over a connection of the agent. The server may close an idle connection in the moment in which it is
 * used again, and then has not seen the request: it is sent again, as every HTTP client does (RFC 9112, section 9.3.1).
 * `json` is the body as text; `null` for another type than JSON.
 */
function callApi(url: string, call: Call): Promise<Reply & { json: string }> {
  const { method, agent, headers, body } = call;
  return new Promise((resolve) => {
    const fail = (error: NodeJS.ErrnoException): void => {
      if (sent.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')) resolve(callApi(url, call));
      else resolve({ status: 0, code: error.code ?? error.message, json: 'null' });
    };
    const ofBody =
      body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = sendRequest(
      url,
      { method, agent, headers: { ...ofBody, ...headers }, timeout: CALL_MS },
      (response) => {
        text(response).then((content) => {
          const isJson = response.headers['content-type']?.startsWith('application/json') === true;
          const json = isJson && content !== '' ? content : 'null';
          const code = parseOwnJson<ErrorMembers | null>(json)?.code ?? '';
          resolve({ status: response.statusCode ?? 0, code, json });
        }, fail);
      },
    );
    sent.on('error', fail);
    sent.on('timeout', () => sent.destroy(new Error('no answer')));
    sent.end(body);
  });
}

function toText(body: unknown): string | undefined {
  return body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
}

/** A definition that is one chain behind a manual trigger. */
export function chainOf(...nodes: readonly object[]): Definition {
  const all = [
    { id: 'start', type: 'trigger.manual' },
    ...nodes.map((node, n) => ({ id: `n${n}`, type: 'set', ...node })),
  ];
  return { nodes: all, edges: all.slice(1).map(({ id }, n) => ({ source: all[n]?.id ?? '', target: id })) };
}

/** A list of so many items. */
export function listOf<T extends JsonValue>(length: number, item: (n: number) => T): T[] {
  return Array.from({ length }, (_, n) => item(n));
}
