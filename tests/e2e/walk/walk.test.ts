import { createDatabase, type Database } from '@deckhand/db';
import { afterAll, describe, expect, it } from '@jest/globals';
import {
  createTestDatabase,
  OWNER,
  type ReceivedCall,
  randomSeed,
  SETUP,
  spawnApp,
  startReceiver,
  startTestRedis,
  stopAll,
  stopLater,
  until,
} from '../../harness/index.ts';
import { type Clients, createClients, drawSteps, type Observation } from './clients.ts';
import { groupBy } from './group-by.ts';
import {
  type Period,
  readForbiddenChanges,
  readHistory,
  readStarts,
  readWaits,
  recordHistory,
  type Start,
  type WaitRecord,
} from './history.ts';
import { type EndedRun, faultsOf } from './verdicts.ts';
import { childWorkflow, otherWorkflows, type WalkedWorkflow } from './workflows.ts';

const CLIENTS = 8;
const STEPS = Number(process.env.WALK_STEPS ?? 350);
const SEED = randomSeed();

afterAll(stopAll);

type Workflow = WalkedWorkflow & { readonly id: string };

async function post(url: string, path: string, headers: Record<string, string>, body: object) {
  const answer = await fetch(`${url}/api/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  return (await answer.json()) as Record<string, string>;
}

/** Creates the owner, and saves the workflows. @returns a key with full access, and the workflows. */
async function setUp(
  url: string,
  receiverUrl: string,
): Promise<{ key: string; workspaceId: string; workflows: Workflow[] }> {
  const { token } = await post(url, 'auth/setup', {}, SETUP);
  const session = { authorization: `Bearer ${token}` };
  const { name, password } = OWNER;
  const { key = '' } = await post(url, 'api-keys', session, { name, password, preset: 'full' });
  const me = await (await fetch(`${url}/api/auth/me`, { headers: session })).json();
  const { workspaceId = '' } = (me as { workspaces: { workspaceId: string }[] }).workspaces[0] ?? {};
  const workflows: Workflow[] = [];
  async function save(workflow: WalkedWorkflow): Promise<string> {
    const { name: called, definition } = workflow;
    const { id = '' } = await post(url, 'workflows', session, { workspaceId, name: called, definition });
    workflows.push({ ...workflow, id });
    return id;
  }
  const child = childWorkflow(receiverUrl);
  const childId = await save(child);
  for (const workflow of otherWorkflows(receiverUrl, childId)) await save(workflow);
  return { key, workspaceId, workflows };
}

/** Resumes and answers every paused or waiting run until all are finished. */
async function finishAll(db: Database, clients: Clients, workflows: readonly Workflow[]): Promise<void> {
  const byId = new Map(workflows.map((workflow) => [workflow.id, workflow]));
  let turn = 0;
  await until(async () => {
    const open = await db.execution.findMany({
      where: { status: { notIn: ['success', 'failed', 'timeout', 'stopped'] } },
      select: { id: true, workflowId: true },
    });
    turn += 1;
    await Promise.all(
      open.map(async ({ id, workflowId }) => {
        const workflow = byId.get(workflowId);
        if (workflow) await clients.finish(id, workflow, turn);
      }),
    );
    return open.length === 0;
  }, 'the end of every run');
}

function toEndedRun(
  { body, executionId: id }: Observation,
  context: {
    workflows: readonly Workflow[];
    history: ReadonlyMap<string, Period[]>;
    starts: ReadonlyMap<string, Start[]>;
    waits: ReadonlyMap<string, WaitRecord[]>;
    observations: ReadonlyMap<string, Observation[]>;
    calls: ReadonlyMap<string, ReceivedCall[]>;
  },
): EndedRun {
  const told = body as {
    status: EndedRun['status'];
    workflowId: string;
    parentExecutionId: string | null;
    data: { approvals: EndedRun['approvals'] };
    progress: Record<string, { output?: { count?: number } }>;
  };
  const workflow = context.workflows.find((one) => one.id === told.workflowId);
  if (!workflow) throw new Error(`a run of no workflow: ${id}`);
  return {
    id,
    status: told.status,
    workflow,
    approvals: told.data.approvals,
    count: told.progress.form?.output?.count,
    periods: context.history.get(id) ?? [],
    periodsOfParent: context.history.get(told.parentExecutionId ?? '') ?? [],
    starts: context.starts.get(id) ?? [],
    waits: context.waits.get(id) ?? [],
    observations: context.observations.get(id) ?? [],
    calls: (context.calls.get(id) ?? []).map((call) => ({ ...call, path: call.path.split('/').slice(2).join('/') })),
  };
}

describe('a random walk of many clients over two APIs and two workers', () => {
  it('never leaves the table of statuses, loses no decision, applies none twice, and ends', async () => {
    process.stdout.write(`walk: WALK_STEPS=${STEPS}\n`);
    const { url: DATABASE_URL } = await createTestDatabase();
    const db = createDatabase({ url: DATABASE_URL, poolSize: 4 });
    stopLater({ stop: () => db.$disconnect() });
    await recordHistory(db);
    const redis = await startTestRedis();
    const env = { DATABASE_URL, REDIS_URL: redis.url, WORKER_CONCURRENCY: '50', LOG_LEVEL: 'warn' };
    const apis = await Promise.all([spawnApp('api', env), spawnApp('api', env)]);
    await Promise.all([spawnApp('worker', env), spawnApp('worker', env)]);
    const receiver = await startReceiver(() => 5);

    const urls = apis.map(({ url }) => url);
    const saved = await setUp(urls[0] ?? '', receiver.url);
    const { workflows } = saved;
    const clients = createClients({ urls, ...saved });
    await Promise.all(
      Array.from({ length: CLIENTS }, async (_, client) => {
        for (const step of drawSteps(SEED + client, STEPS)) await clients.take(step);
      }),
    );
    await finishAll(db, clients, workflows);

    const context = {
      workflows,
      history: await readHistory(db),
      starts: await readStarts(db),
      waits: groupBy(await readWaits(db), (wait) => wait.executionId),
      observations: groupBy(clients.observations, (seen) => seen.executionId),
      calls: groupBy(receiver.calls, ({ path }) => path.split('/')[1] ?? ''),
    };
    const runs: EndedRun[] = [];
    for (const id of context.history.keys()) runs.push(toEndedRun(await clients.read(id), context));

    expect(await readForbiddenChanges(db)).toEqual([]);
    expect(runs.flatMap(faultsOf)).toEqual([]);
    expect(context.observations.get('')?.filter(({ act, status }) => status !== (act === 'list' ? 200 : 202))).toEqual(
      [],
    );
    report(runs, clients.observations, receiver.calls.length);
  });
});

function report(runs: readonly EndedRun[], observations: readonly Observation[], calls: number): void {
  const ends = groupBy(runs, ({ status }) => status);
  const answers = groupBy(observations, ({ act, status }) => `${act} ${status}`);
  const counts = (groups: ReadonlyMap<string, readonly unknown[]>) =>
    [...groups]
      .map(([name, members]) => `${members.length} ${name}`)
      .sort()
      .join(', ');
  const moves = runs.reduce((sum, { periods }) => sum + periods.length, 0);
  process.stdout.write(
    `walk: ${runs.length} runs (${counts(ends)}), ${moves} statuses, ${calls} calls; answers: ${counts(answers)}\n`,
  );
}
