import {
  EXECUTION_STATUSES,
  type ExecuteBody,
  type Execution,
  type ExecutionHistogram,
  isFinished,
  type JsonValue,
  type NodeProgress,
  type RerunBody,
  type Workflow,
} from '@deckhand/contracts';
import { WORKSPACE } from './console.tsx';
import { example } from './contract.ts';
import { answer, type FakeRequest, pageOf, refusal } from './fake-api.ts';
import { newId } from './new-id.ts';

/** How a node of a fake run went; by default, it succeeded. */
export type FakeNode = Partial<NodeProgress>;

/** What a fake run is like. */
export interface FakeRun extends Partial<Omit<Execution, 'progress' | 'data'>> {
  readonly trigger?: JsonValue;
  readonly data?: Partial<Execution['data']>;
  /** By the ids of nodes; others are as far as the run is. */
  readonly nodes?: Readonly<Record<string, FakeNode>>;
}

/** The runs of the fake API. */
export interface FakeRuns {
  /** The newest first. */
  readonly all: Execution[];
  /** Adds a run of a workflow. @returns its id. */
  add(workflow: Workflow, run?: FakeRun): string;
  /** @throws when there is no such run. */
  get(id: string): Execution;
  /** Lets a run proceed; whoever follows it is told. */
  change(id: string, run: FakeRun): void;
  /** What was asked for: the starts of runs, and the reruns. */
  readonly asked: { readonly path: string; readonly body: ExecuteBody | RerunBody }[];
}

let clock = Date.parse('2026-01-05T09:00:00Z');

/** A time that is later than any before, ISO 8601. */
function now(): string {
  clock += 100;
  return new Date(clock).toISOString();
}

function countStatuses(runs: readonly Execution[]): ExecutionHistogram['statuses'] {
  const counts = { ...example('GET /api/executions/histogram').statuses };
  for (const status of EXECUTION_STATUSES) counts[status] = runs.filter((run) => run.status === status).length;
  return counts;
}

/**
 * Answers requests for runs and their outputs, and for what stops, pauses, redacts and deletes them, as the API does.
 * Runs do not proceed by themselves: a test says what becomes of them. @param begin what a started run is like.
 */
export function keepRuns(
  workflowOf?: (id: string) => Workflow,
  begin: (body: ExecuteBody | RerunBody, workflow: Workflow) => FakeRun = () => ({ status: 'running' }),
): FakeRuns {
  const all: Execution[] = [];
  const followers = new Map<string, Set<ReadableStreamDefaultController<Uint8Array>>>();
  const find = ({ params: { id } }: FakeRequest): Execution | undefined => all.find((run) => run.id === id);
  const withFound =
    <T, B>(respond: (found: Execution, request: FakeRequest<B>) => T) =>
    (request: FakeRequest<B>): T | Response => {
      const found = find(request);
      return found ? respond(found, request) : refusal('NOT_FOUND');
    };
  const becomes = (status: Execution['status']) =>
    withFound(({ id }) => {
      world.change(id, { status });
      return { executionId: id, status };
    });
  const started = (executionId: string) => ({ ...example('POST /api/workflows/:id/execute'), executionId });

  const world: FakeRuns = {
    all,
    asked: [],
    add(workflow, run = {}) {
      const id = newId();
      const base: Execution = {
        ...example('GET /api/executions/:id'),
        id,
        executionId: id,
        workflowId: workflow.id,
        workflowName: workflow.name,
        workflowVersionId: workflow.latestVersionId ?? '',
        workspaceId: WORKSPACE.workspaceId,
        executionMode: 'normal',
        status: 'success',
        tags: [],
        metadata: {},
        createdAt: now(),
        startedAt: now(),
        finishedAt: null,
        currentNodeId: null,
        progress: Object.fromEntries((workflow.definition?.nodes ?? []).map((node) => [node.id, BLANK])),
        data: { trigger: {}, triggerNodeId: workflow.definition?.nodes[0]?.id ?? '', approvals: [] },
      };
      all.unshift(proceed(base, run));
      return id;
    },
    get(id) {
      const found = all.find((run) => run.id === id);
      if (!found) throw new Error(`there is no run ${id}`);
      return found;
    },
    change(id, run) {
      const changed = proceed(world.get(id), run);
      all[all.findIndex((other) => other.id === id)] = changed;
      for (const follower of followers.get(id) ?? []) {
        follower.enqueue(new TextEncoder().encode(`event: execution\ndata: ${JSON.stringify(slim(changed))}\n\n`));
        if (isFinished(changed.status)) follower.close();
      }
      if (isFinished(changed.status)) followers.delete(id);
    },
  };

  answer('GET /api/executions', ({ query }) => {
    const has = (name: string, ...values: (string | null)[]): boolean => {
      const wanted = query.get(name)?.split(',');
      return (
        wanted === undefined ||
        wanted.every((part) => part === '') ||
        values.some((value) => wanted.includes(value ?? ''))
      );
    };
    const contains = (name: string, text: unknown): boolean =>
      JSON.stringify(text ?? '')
        .toLowerCase()
        .includes((query.get(name) ?? '').toLowerCase());
    const found = all.filter(
      (run) =>
        has('workflowId', run.workflowId) &&
        has('parentExecutionId', run.parentExecutionId) &&
        has('status', run.status) &&
        has('source', run.source) &&
        has('executionMode', run.executionMode) &&
        (query.get('tag') ?? '').split(',').every((tag) => tag === '' || run.tags.includes(tag)) &&
        contains('search', [run.workflowName, run.data.trigger]) &&
        contains('errorContains', run.error?.message) &&
        lengthOf(run) >= Number(query.get('minDurationMs') ?? 0),
    );
    const limit = Number(query.get('limit') ?? 100);
    return { ...pageOf(found.slice(0, limit).map(({ result: _result, ...run }) => run)), limit, nextCursor: null };
  });
  answer(
    'GET /api/executions/:id',
    withFound((run, { query }) => (query.get('slim') === 'true' ? slim(run) : run)),
  );
  // The last answer that matches counts, and `:id` would match too.
  answer('GET /api/executions/histogram', () => {
    const statuses = countStatuses(all);
    const bucket = { from: '2026-01-05T09:00:00.000Z', statuses };
    const { workspaceId } = WORKSPACE;
    const period = { from: bucket.from, to: '2026-01-05T09:05:00.000Z', bucketSeconds: 300 };
    return { workspaceId, ...period, isComplete: true, statuses, buckets: [bucket] };
  });
  answer(
    'GET /api/executions/:id/nodes/:nodeId/output',
    withFound(({ progress }, { params: { nodeId = '' } }) => {
      const { status, output = null } = progress[nodeId] ?? BLANK;
      return { nodeId, iteration: null, status, output };
    }),
  );
  answer('GET /api/executions/:id/events', (request) => {
    const run = find(request);
    if (!run) return refusal('NOT_FOUND');
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        followers.set(run.id, (followers.get(run.id) ?? new Set()).add(controller));
      },
      cancel: () => void followers.delete(run.id),
    });
    return new Response(stream, { headers: { 'content-type': 'text/event-stream' } });
  });
  answer('GET /api/executions/:id/callbacks', () => ({ data: [] }));
  answer('GET /api/executions/:id/nodes/:nodeId/debug', () => refusal('NOT_FOUND'));
  answer('POST /api/executions/:id/stop', becomes('stopped'));
  answer('POST /api/executions/:id/pause', becomes('paused'));
  answer('POST /api/executions/:id/resume', becomes('running'));
  answer(
    'POST /api/executions/:id/redact',
    withFound(({ id, status, data, progress }) => {
      const nodes = Object.keys(progress).map((nodeId) => [nodeId, { output: null }]);
      world.change(id, { data: { ...data, trigger: null }, result: null, nodes: Object.fromEntries(nodes) });
      return { executionId: id, status };
    }),
  );
  answer(
    'DELETE /api/executions/:id',
    withFound((run) => void all.splice(all.indexOf(run), 1)),
  );
  answer(
    'POST /api/executions/:id/rerun',
    withFound((run, { body }) => {
      world.asked.push({ path: 'rerun', body });
      return started(
        world.add(workflowFor(run.workflowId), { ...rerunOf(run, body), ...begin(body, workflowFor(run.workflowId)) }),
      );
    }),
  );
  answer('POST /api/workflows/:id/execute', ({ params: { id = '' }, body }) => {
    world.asked.push({ path: 'execute', body });
    const { input = {}, executionMode = 'normal' } = body;
    return started(
      world.add(workflowFor(id), {
        source: 'editor',
        executionMode,
        trigger: input,
        data: partOf(body),
        ...begin(body, workflowFor(id)),
      }),
    );
  });
  return world;

  function workflowFor(id: string): Workflow {
    if (!workflowOf) throw new Error(`no workflow of a fake run: ${id}`);
    return workflowOf(id);
  }
}

const BLANK: NodeProgress = { status: 'pending', startedAt: null, finishedAt: null, attempts: 0, outputBytes: 0 };

function proceed(before: Execution, { nodes = {}, trigger, data, ...run }: FakeRun): Execution {
  const status = run.status ?? before.status;
  const progress = Object.entries(before.progress).map(([id, node]): [string, NodeProgress] => {
    const given = nodes[id] ?? (status === 'success' && node.status === 'pending' ? {} : undefined);
    if (given === undefined) return [id, node];
    const next = { ...node, status: 'success' as const, startedAt: node.startedAt ?? now(), attempts: 1, ...given };
    const isOver = ['success', 'failed', 'stopped', 'skipped'].includes(next.status);
    const outputBytes = JSON.stringify(next.output ?? null).length;
    return [id, { ...next, outputBytes, finishedAt: given.finishedAt ?? (isOver ? now() : null) }];
  });
  return {
    ...before,
    ...run,
    finishedAt: run.finishedAt ?? (isFinished(status) ? (before.finishedAt ?? now()) : null),
    progress: Object.fromEntries(progress),
    data: { ...before.data, ...data, ...(trigger !== undefined && { trigger }) },
  };
}

function rerunOf(run: Execution, body: RerunBody): FakeRun {
  const { fromNodeId } = body;
  return {
    source: 'rerun',
    rerunOf: run.id,
    trigger: run.data.trigger,
    data: { rerunOf: run.id, ...(fromNodeId !== undefined && { rerunFromNodeId: fromNodeId }), ...partOf(body) },
  };
}

/** Which part of the workflow a run is for, and what it is given. */
function partOf({ untilNodeId, mocks }: Pick<RerunBody, 'untilNodeId' | 'mocks'>): Partial<Execution['data']> {
  return {
    ...(untilNodeId !== undefined && { untilNodeId }),
    ...(mocks !== undefined && { mockedNodeIds: Object.keys(mocks) }),
  };
}

function lengthOf({ startedAt, finishedAt }: Execution): number {
  return startedAt === null || finishedAt === null ? 0 : Date.parse(finishedAt) - Date.parse(startedAt);
}

/** A run without its outputs. */
function slim(run: Execution): Execution {
  const progress = Object.entries(run.progress).map(([id, { output, ...node }]) => [
    id,
    output === undefined ? node : { ...node, outputOmitted: true },
  ]);
  return { ...run, progress: Object.fromEntries(progress) };
}
