import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { listRoutes } from '@deckhand/api';
import { afterAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  buildWorld,
  createRandom,
  type Instance,
  runs,
  randomSeed,
  startInstance,
  startTestWorker,
  stopAll,
  WORLD_DEFINITION,
} from '../../harness/index.ts';
import { valuesOf } from '../../harness/values-of.ts';

/** Duration, in seconds. */
const SECONDS = Number(process.env.FUZZ_SECONDS ?? runs(10, 30));
const SEED = randomSeed();
/** Number of concurrent requests. */
const AT_ONCE = 4;
/** Number of ids that are remembered, the latest ones. */
const MAX_IDS = 300;
/** Maximum growth of the heap between the first third and the end, in bytes. */
const MAX_GROWTH = 32 * 1024 * 1024;

/** Operations that would end the session that sends, never respond, or wait for slow hashes. */
const LEFT_OUT = [
  'GET /api/executions/:id/events',
  'POST /api/auth/logout',
  'POST /api/auth/sso/logout',
  'POST /api/auth/password',
  'DELETE /api/auth/sessions/:id',
  'POST /api/auth/confirm',
  'POST /api/auth/setup',
  'POST /api/auth/login',
  'POST /api/auth/accept-invite',
  'POST /api/auth/devices/:id/approve',
  'POST /api/api-keys',
  'POST /api/api-keys/:id/rotate',
];

afterAll(stopAll);

type Fuzzed = ReturnType<typeof listRoutes>[number];

/** Requests to a route: most fit its schemas, some nearly do. */
function requestsTo({ method, path, operation }: Fuzzed, ids: () => readonly string[]) {
  const odd = fc.constantFrom(
    '0',
    '%00',
    '%2e%2e',
    'a'.repeat(300),
    '00000000-0000-7000-8000-000000000000',
    '%F0%9F%92%A5',
  );
  const known = fc.nat().map((n) => ids()[n % ids().length] ?? '0');
  const part = fc.oneof({ arbitrary: known, weight: 9 }, { arbitrary: odd, weight: 1 });
  const name = fc.oneof(part, fc.constantFrom('ask', 'form', 'hook', 'start'));
  const parts = path
    .split('/')
    .map((piece) => (piece.startsWith(':') ? (piece === ':nodeId' ? name : part) : fc.constant(piece)));
  // An unknown parameter is a 400 before anything else is checked.
  const query = operation.query ? valuesOf({ ...operation.query, additionalProperties: false }, ids) : fc.constant({});
  const body = operation.body ? bodiesOf(operation.body, ids) : fc.constant(undefined);
  return fc.tuple(fc.tuple(...parts), query, body).map(([pieces, given, content]) => {
    const params = new URLSearchParams();
    for (const [key, value] of Object.entries(given ?? {})) params.set(key.slice(0, 50), textOf(value).slice(0, 500));
    // Without waiting for a run to change.
    params.delete('wait');
    return { method, path: `${pieces.join('/')}?${params.toString().slice(0, 4_000)}`, body: content };
  });
}

/** Returns a value as text in a query: lists are separated by commas. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Bodies. A third of those with a definition have a valid one except for one node. */
function bodiesOf(schema: object, ids: () => readonly string[]): fc.Arbitrary<unknown> {
  const bodies = valuesOf(schema, ids);
  if (!JSON.stringify(schema).includes('"definition"')) return bodies;
  const { nodes } = WORLD_DEFINITION;
  const spoilt = fc.tuple(
    fc.nat(nodes.length - 1),
    fc.jsonValue(),
    fc.constantFrom('parameters', 'id', 'retry', 'type', 'name'),
  );
  return fc.tuple(bodies, spoilt, fc.nat(2)).map(([body, [at, value, member], choice]) => {
    if (choice > 0 || typeof body !== 'object' || body === null) return body;
    const spoiled = nodes.map((node, index) => (index === at && choice === 0 ? { ...node, [member]: value } : node));
    return { ...body, definition: { ...WORLD_DEFINITION, nodes: spoiled } };
  });
}

/** Returns the size of the heap after a garbage collection, in bytes. */
function readHeap(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

/** Adds the ids of a response to those that requests use. */
function remember(ids: string[], text: string): void {
  ids.push(
    ...(text.slice(0, 20_000).match(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g) ?? []).slice(
      0,
      5,
    ),
  );
  if (ids.length > MAX_IDS) ids.splice(0, ids.length - MAX_IDS);
}

it(
  'every route answers whatever is sent with what it documents, and with no 5xx',
  async () => {
    const instance: Instance = await startInstance(undefined, { keepsLog: false });
    const world = await buildWorld(instance);
    await startTestWorker(instance);
    const ids = [instance.workspaceId, world.workflowId, world.versionId, ...Object.values(world.ran)];
    const routes = listRoutes(instance.gateway.services)
      .filter(({ method, path }) => !LEFT_OUT.includes(`${method} ${path}`))
      // Rarely, because without the workspace little is left.
      .filter(({ method, path }) => `${method} ${path}` !== 'DELETE /api/workspaces/:id');
    const requests = routes.map((route) => requestsTo(route, () => ids));

    const random = createRandom(SEED);
    const counts = new Map<number, number>();
    let slowest = { ms: 0, what: '' };
    let heapBefore = 0;
    const begunAt = performance.now();
    const elapsed = (): number => (performance.now() - begunAt) / 1_000;

    async function sendAgain(): Promise<void> {
      while (elapsed() < SECONDS) {
        const arbitrary = requests[Math.floor(random() * requests.length)];
        if (!arbitrary) continue;
        const [request] = fc.sample(arbitrary, { numRuns: 1, seed: Math.floor(random() * 2 ** 31) });
        if (!request) continue;
        const { method, path, body } = request;
        const sentAt = performance.now();
        const answer = await instance.gateway.call(method, path, {
          as: instance.session,
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const ms = performance.now() - sentAt;
        if (ms > slowest.ms) slowest = { ms, what: `${method} ${path.split('?')[0]}` };
        counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1);
        if (answer.status >= 500)
          throw new Error(
            `FC_SEED=${SEED}: ${answer.status} to ${method} ${path} ${JSON.stringify(body)}: ${answer.text}`,
          );
        remember(ids, answer.text);
        if (heapBefore === 0 && elapsed() > SECONDS / 3) heapBefore = readHeap();
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, sendAgain));
    const growth = readHeap() - heapBefore;
    const all = [...counts].sort(([a], [b]) => a - b).map(([status, count]) => `${count} × ${status}`);
    process.stdout.write(
      `fuzzing: ${routes.length} routes for ${SECONDS} s with seed ${SEED}: ${all.join(', ')}; ` +
        `slowest ${Math.round(slowest.ms)} ms (${slowest.what}); heap ${Math.round(growth / 1_024)} KiB more than after a third\n`,
    );
    expect(counts.get(200)).toBeGreaterThan(0);
    expect(counts.get(400)).toBeGreaterThan(0);
    expect(growth).toBeLessThan(MAX_GROWTH);
  },
  (SECONDS + 60) * 1_000,
);
