import { afterAll, beforeAll, expect } from '@jest/globals';
import { createServer, type Socket } from 'node:net';
import {
  callWithKey,
  chain,
  createWorkflow,
  expectWithin,
  type Instance,
  itInTime,
  startInstance,
  startTestWorker,
  stopAll,
  stopLater,
  until,
  type WorkerServices,
} from '../../harness/index.ts';
import { serve } from '../../harness/serve.ts';

let instance: Instance;
/** Never responds to /hang..., responds with 500 to /fail..., and records its requests. */
let receiver: string;
const asked: string[] = [];
/** Accepts connections and sends nothing. */
let silentPort: number;
const silent = new Set<Socket>();
/** When a call of a service settled, in ms of `performance.now`. */
const settled: { service: string; at: number }[] = [];

/** Records when each promise of a service settles: the end of a node in flight. */
function watch(services: WorkerServices): WorkerServices {
  const noted =
    <Given, Answer>(service: string, act: (given: Given) => Promise<Answer>) =>
    (given: Given) =>
      act(given).finally(() => settled.push({ service, at: performance.now() }));
  return {
    ...services,
    code: { run: noted('code', (script) => services.code.run(script)) },
    http: { request: noted('http', (request) => services.http.request(request)) },
    mail: { send: noted('mail', (message) => services.mail.send(message)) },
    postgres: { query: noted('postgres', (query) => services.postgres.query(query)) },
    sftp: services.sftp,
  };
}

beforeAll(async () => {
  instance = await startInstance();
  await startTestWorker(instance, { watch });
  ({ url: receiver } = await serve((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    if (path.startsWith('/hang')) return;
    response.writeHead(path.startsWith('/fail') ? 500 : 200, { 'content-type': 'application/json' }).end('{}');
  }));
  const server = createServer((socket) => {
    silent.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => silent.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stopLater({ stop: () => new Promise<void>((resolve) => server.close(() => resolve())) });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  silentPort = address.port;
});
afterAll(stopAll);

const call = callWithKey(() => instance);
const read = async (id: string) => (await call('GET', `/api/executions/${id}`)).body;
const http = (id: string, path: string, more: object = {}) => ({
  id,
  type: 'http',
  parameters: { url: `${receiver}${path}` },
  ...more,
});

/** A kind of node in flight: its workflow, whose next node requests /after, and how to detect that it is in flight. */
interface Kind {
  readonly definition: object;
  readonly inFlight: (id: string) => Promise<boolean>;
  /** The service whose promise settles; none for nodes that occupy no worker. */
  readonly service?: string;
}

const nodeIs = (status: string) => async (id: string) => (await read(id)).progress.it?.status === status;

async function credential(type: string, secret: object): Promise<string> {
  const { body } = await call('POST', '/api/credentials', {
    workspaceId: instance.workspaceId,
    name: type,
    type,
    secret,
  });
  return body.id;
}

async function kinds(): Promise<Record<string, Kind>> {
  const after = (name: string) => http('after', `/after/${name}`);
  const inChain = (name: string, node: object) => chain({ id: 'it', type: '', ...node }, after(name));
  const handled = (name: string, node: object, handle: string) => ({
    nodes: [{ id: 'start', type: 'trigger.manual' }, { id: 'it', ...node }, after(name)],
    edges: [
      { source: 'start', target: 'it' },
      { source: 'it', sourceHandle: handle, target: 'after' },
    ],
  });
  const database = await credential('postgres', { connectionString: instance.databaseUrl });
  const mail = await credential('smtp', { host: '127.0.0.1', port: silentPort });
  const child = await createWorkflow(instance, chain(http('hang', '/hang/child'), after('child')));
  const isAsked = (path: string) => () => Promise.resolve(asked.includes(path));
  const sleeping = async () => {
    const [row] = await instance.db.$queryRaw<{ count: bigint }[]>`
      SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(300)%' AND state = 'active'`;
    return Number(row?.count) === 1;
  };
  return {
    http: {
      definition: inChain('http', http('it', '/hang/http')),
      inFlight: isAsked('/hang/http'),
      service: 'http',
    },
    'http in a loop': {
      definition: {
        nodes: [
          { id: 'start', type: 'trigger.manual' },
          { id: 'each', type: 'loop', parameters: { items: [1, 2, 3] } },
          http('it', '/hang/loop'),
          after('loop'),
        ],
        edges: [
          { source: 'start', target: 'each' },
          { source: 'each', sourceHandle: 'body', target: 'it' },
          { source: 'each', sourceHandle: 'done', target: 'after' },
        ],
      },
      inFlight: isAsked('/hang/loop'),
      service: 'http',
    },
    'workflow, its child in http': {
      definition: inChain('workflow', { type: 'workflow', parameters: { workflowId: child, waitForCompletion: true } }),
      inFlight: isAsked('/hang/child'),
      service: 'http',
    },
    code: {
      definition: inChain('code', { type: 'code', parameters: { source: 'for (;;);' }, timeoutSeconds: 60 }),
      inFlight: nodeIs('running'),
      service: 'code',
    },
    postgres: {
      definition: inChain('postgres', {
        type: 'postgres',
        parameters: { query: 'SELECT pg_sleep(300)' },
        credentialId: database,
      }),
      inFlight: sleeping,
      service: 'postgres',
    },
    email: {
      definition: inChain('email', {
        type: 'email',
        parameters: { from: 'a@example.com', to: 'b@example.com', subject: 's', text: 't' },
        credentialId: mail,
      }),
      inFlight: () => Promise.resolve(silent.size === 1),
      service: 'mail',
    },
    'http between two attempts': {
      definition: inChain('retry', http('it', '/fail/retry', { retry: { maxAttempts: 5, delayMs: 500, factor: 1 } })),
      inFlight: isAsked('/fail/retry'),
    },
    wait: {
      definition: inChain('wait', { type: 'wait', parameters: { seconds: 1 } }),
      inFlight: nodeIs('waiting'),
    },
    approval: {
      definition: handled(
        'approval',
        { type: 'approval', parameters: { message: 'Go on?', timeoutSeconds: 1 } },
        'approved',
      ),
      inFlight: nodeIs('waiting'),
    },
    human: {
      definition: inChain('human', {
        type: 'human',
        parameters: { title: 'Fill in', schema: { type: 'object' } },
      }),
      inFlight: nodeIs('waiting'),
    },
  };
}

itInTime('a stop reaches every kind of node in flight, and nothing runs after it', async () => {
  asked.length = 0;
  const took: { readonly kind: string; readonly ms: number }[] = [];
  const stopped: string[] = [];
  for (const [kind, { definition, inFlight, service }] of Object.entries(await kinds())) {
    const workflowId = await createWorkflow(instance, definition);
    const { body } = await call('POST', `/api/workflows/${workflowId}/execute`, {});
    const id: string = body.executionId;
    await until(() => inFlight(id), `${kind} in flight`);
    settled.length = 0;
    const stoppedAt = performance.now();
    const { status } = await call('POST', `/api/executions/${id}/stop`);
    expect([kind, status]).toEqual([kind, 200]);
    if (service !== undefined) {
      const end = await until(() => settled.find((one) => one.service === service), `the end of ${kind}`);
      took.push({ kind, ms: end.at - stoppedAt });
    }
    stopped.push(id);
  }
  // Their connections were closed, too.
  await until(() => silent.size === 0, 'the end of the connection to the mail server');
  await until(async () => {
    const sessions = await instance.db.$queryRaw<unknown[]>`
        SELECT 1 FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(300)%' AND state = 'active'`;
    return sessions.length === 0;
  }, 'the end of the query');
  // Longer than all their waits, time limits and delays: measured by another run that waits for as long.
  const last = await createWorkflow(instance, chain({ id: 'it', type: 'wait', parameters: { seconds: 2 } }));
  const { body } = await call('POST', `/api/workflows/${last}/execute`, {});
  await until(async () => (await read(body.executionId)).status === 'success', 'the last run');
  for (const id of stopped) {
    const run = await read(id);
    expect(run.status).toBe('stopped');
    const statuses = Object.values<{ status: string }>(run.progress).map(({ status }) => status);
    expect(statuses).not.toContain('running');
    expect(statuses).not.toContain('waiting');
  }
  expect(asked.filter((path) => path.startsWith('/after'))).toEqual([]);
  expect(asked.filter((path) => path === '/fail/retry')).toHaveLength(1);
  for (const { kind, ms } of took) expectWithin({ what: `stop ${kind}`, ms: 0 }, ms);
});
