import { NO_SERVICES } from '../../../../tests/harness/node-context.ts';
import { compileWorkflow, defineNodeType, output } from '@deckhand/engine';
import { createLogger, createMemoryBudget } from '@deckhand/runtime';
import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import Type from 'typebox';
import { createActiveRuns } from './active-runs.ts';
import { createCheckpointWriter } from '../checkpoints/checkpoint-writer.ts';
import { createWorkerMetrics } from '../metrics.ts';
import type { RunJob } from '@deckhand/queue';
import { createRunObserver } from './run-reports.ts';
import { type RunSession, startRunSession } from './run-session.ts';
import type { RunClaims, SessionParts } from './session-parts.ts';

const NO_PARAMETERS = Type.Object({}, { additionalProperties: false });
const DEFINITION = {
  nodes: [
    { id: 'start', type: 'trigger.manual' },
    { id: 'first', type: 'act' },
    { id: 'second', type: 'act' },
  ],
  edges: [
    { source: 'start', target: 'first' },
    { source: 'first', target: 'second' },
  ],
};

/** Members that a claimed run and a run snapshot share. */
const SHARED_MEMBERS = {
  workspaceId: 'w',
  workflowId: 'f',
  workflowVersionId: 'v',
  executionMode: 'normal',
  triggerNodeId: 'start',
  triggerData: 'null',
  traceParent: null,
} as const;

/** Creates a worker of fakes that records events in order. `act`: called when a node has its effect. */
function setUp(act: (nodeId: string) => void, isLimited = false, refusesFirstClaims = false) {
  const events: string[] = [];
  const base = { title: 'T', description: 'D', parameters: NO_PARAMETERS } as const;
  const trigger = defineNodeType({
    ...base,
    type: 'trigger.manual',
    category: 'trigger',
    hasEffects: false,
    run: () => output(null),
  });
  const effect = defineNodeType({
    ...base,
    type: 'act',
    category: 'action',
    hasEffects: true,
    async run(_parameters, { nodeId }) {
      await Promise.resolve();
      events.push(`run ${nodeId}`);
      act(nodeId);
      return output(nodeId);
    },
  });
  const compiled = compileWorkflow(DEFINITION, new Map([trigger, effect].map((type) => [type.type, type])));
  if ('issues' in compiled) throw new Error(JSON.stringify(compiled.issues));
  const active = createActiveRuns();
  const writer = createCheckpointWriter({
    async write(batch) {
      await new Promise((resolve) => setImmediate(resolve));
      if (refusesFirstClaims && batch.some(({ claim }) => claim)) return batch.map(() => 'fenced');
      for (const { nodeRuns, ending } of batch) {
        for (const row of nodeRuns) events.push(`write ${row.nodeId} ${row.status}`);
        if (ending) events.push(`write ${ending.status}`);
      }
      return batch.map(() => 'written');
    },
    prepare: () => undefined,
    ended: new AbortController().signal,
    onRetry: () => undefined,
    concurrency: 1,
    maxSize: 10,
  });
  const claims: RunClaims = {
    claim: ({ executionId, dispatch }) =>
      Promise.resolve({
        ...SHARED_MEMBERS,
        id: executionId,
        isProvisional: false,
        digest: null,
        epoch: 1,
        token: 'a token',
        dispatch,
        deadlineAt: new Date(Date.now() + 60_000),
        timeLeftMs: null,
        waitedSeconds: 0,
        startedSecondsAgo: 0,
        answerCount: 0,
        hasParent: false,
        rerunOf: null,
        rerunFromNodeId: null,
        rerunIterations: null,
        untilNodeId: null,
        mocks: null,
        holdsSlot: isLimited,
        concurrencyKey: isLimited ? 'key' : null,
        loopPositions: null,
      }),
    keyFreed: ({ key }: { readonly key: string }) => {
      events.push(`${key} freed`);
      return Promise.resolve();
    },
    slotFreed: () => {
      events.push('slot freed');
      return Promise.resolve();
    },
    release: () => {
      events.push('release');
      return Promise.resolve();
    },
  };
  const parts: SessionParts = {
    workerId: 'me',
    active,
    claims,
    loader: {
      loadVersion: () => Promise.resolve(compiled.workflow),
      loadRecords: () =>
        Promise.resolve({ records: new Map(), tallies: new Map(), positions: new Map(), outputBytes: 0 }),
      loadIterations: () => Promise.resolve({ records: new Map(), outputBytes: 0 }),
      withReused: (_claimed, own) => Promise.resolve(own),
      stopByEvents: () => Promise.resolve(false),
      loadAnswers: () => Promise.resolve(null),
    },
    environment: {
      now: Date.now,
      services: NO_SERVICES,
      openCredential: () => Promise.reject(new Error('there are no credentials')),
      answerLink: undefined,
      isBusy: () => true,
      loadVariables: () => Promise.resolve({}),
    },
    writer,
    memory: createMemoryBudget(1_000_000),
    notifier: {
      announce: () => void events.push('announce'),
      announceEnd: () => void events.push('announce'),
      finishChildren: () => Promise.resolve(),
      freeLocks: () => Promise.resolve(),
      wakeAt: () => undefined,
    },
    observe: createRunObserver(createWorkerMetrics(new Registry()), undefined),
    logger: createLogger({ name: 'test', level: 'silent' }),
  };
  return { events, parts, active };
}

/** Runs a session to its end, and records when it is known whether the run is claimed. */
async function runJob(
  { events, parts }: Pick<ReturnType<typeof setUp>, 'events' | 'parts'>,
  { claims = {}, job = { executionId: 'r', dispatch: 1 } }: { claims?: Partial<RunClaims>; job?: RunJob } = {},
): Promise<void> {
  const session = startRunSession(job, { ...parts, claims: { ...parts.claims, ...claims } });
  void session.claimed.then(
    (isClaimed) => events.push(isClaimed ? 'claimed' : 'not claimed'),
    () => events.push('claiming failed'),
  );
  await session.done;
}

describe('a run', () => {
  it('starts a node with effects after its start is on disk, and is announced after its end is on disk', async () => {
    const worker = setUp(() => undefined);
    await runJob(worker);
    expect(worker.events).toEqual([
      'claimed',
      'write start success',
      'write first running',
      'run first',
      'write first success',
      'write second running',
      'run second',
      'write second success',
      'write success',
      'announce',
    ]);
  });

  it('is claimed when its first checkpoint is on disk, and not before, if it is provisional', async () => {
    const worker = setUp(() => undefined);
    await runJob(worker, {
      claims: {
        async claim(job) {
          const claimed = await worker.parts.claims.claim(job);
          return claimed && { ...claimed, isProvisional: true };
        },
      },
    });
    expect(worker.events.slice(0, 4)).toEqual(['write start success', 'write first running', 'claimed', 'run first']);
  });

  it.each([true, false])(
    'is claimed from the database when the claim by its snapshot failed (available there: %s)',
    async (canBeClaimed) => {
      const queuedAt = Date.now();
      const snapshot = { ...SHARED_MEMBERS, deadlineAt: queuedAt + 60_000, queuedAt };
      const worker = setUp(() => undefined, false, true);
      const { events, parts, active } = worker;
      await runJob(worker, {
        job: { executionId: 'r', dispatch: 1, snapshot },
        claims: {
          async claim(job) {
            events.push(job.snapshot ? 'claim by snapshot' : 'claim from the database');
            const claimed = job.snapshot || canBeClaimed ? await parts.claims.claim(job) : undefined;
            return claimed && { ...claimed, isProvisional: job.snapshot !== undefined };
          },
        },
      });
      expect(events.slice(0, 2)).toEqual(['claim by snapshot', 'claim from the database']);
      expect(events.slice(2)).toEqual(
        canBeClaimed ? expect.arrayContaining(['claimed', 'write success', 'announce']) : ['not claimed'],
      );
      expect(active.size).toBe(0);
    },
  );

  it('rejects `claimed` and frees its place when claiming fails', async () => {
    const worker = setUp(() => undefined);
    await runJob(worker, { claims: { claim: () => Promise.reject(new Error('refused')) } });
    expect(worker.events).toEqual(['claiming failed']);
    expect(worker.active.size).toBe(0);
  });

  it('is released only after the record of its last node is on disk', async () => {
    const worker = setUp((nodeId) => {
      if (nodeId === 'first') worker.active.get('r')?.pause();
    });
    await runJob(worker);
    expect(worker.events).toEqual([
      'claimed',
      'write start success',
      'write first running',
      'run first',
      'write first success',
      'release',
    ]);
    expect(worker.active.size).toBe(0);
  });

  it('is claimed again when its next dispatch arrives before its session has ended', async () => {
    const worker = setUp(() => worker.active.get('r')?.pause());
    const { parts, active } = worker;
    let next: RunSession | undefined;
    let repeated: RunSession | undefined;
    await runJob(worker, {
      claims: {
        async release(run) {
          await parts.claims.release(run);
          next = startRunSession({ executionId: 'r', dispatch: 2 }, parts);
          repeated = startRunSession({ executionId: 'r', dispatch: 2 }, parts);
          expect(active.size).toBe(1);
        },
      },
    });
    await expect(repeated?.claimed).resolves.toBe(false);
    await expect(next?.claimed).resolves.toBe(true);
    await next?.done;
    expect(active.size).toBe(0);
  });

  it('leaves its place to a later dispatch at once, because it is no longer held', async () => {
    let next: RunSession | undefined;
    const worker = setUp((nodeId) => {
      if (nodeId === 'first') next ??= startRunSession({ executionId: 'r', dispatch: 2 }, worker.parts);
    });
    await runJob(worker);
    expect(worker.events).not.toContain('write first success');
    await expect(next?.claimed).resolves.toBe(true);
    await next?.done;
    expect(worker.events).toContain('write success');
  });

  it('is neither written nor released after another worker has claimed it', async () => {
    const worker = setUp((nodeId) => {
      if (nodeId === 'first') worker.active.get('r')?.halt('fenced');
    });
    await runJob(worker);
    expect(worker.events).toEqual(['claimed', 'write start success', 'write first running', 'run first']);
  });

  it('frees its key and its slot once, as its last steps, whether it is finished, fenced or released', async () => {
    const endings = {
      finished: setUp(() => undefined, true),
      fenced: setUp(() => endings.fenced.active.get('r')?.halt('fenced'), true),
      released: setUp(() => endings.released.active.get('r')?.pause(), true),
    };
    for (const worker of Object.values(endings)) {
      await runJob(worker);
      expect(worker.events.at(-1)).toBe('slot freed');
      expect(worker.events.at(-2)).toBe('key freed');
      expect(worker.events.filter((event) => event.endsWith(' freed'))).toHaveLength(2);
    }
    expect(endings.finished.events.at(-3)).toBe('announce');
    expect(endings.released.events.at(-3)).toBe('release');
  });

  it('ends normally when the next held back or waiting run cannot be dispatched', async () => {
    const worker = setUp(() => undefined, true);
    const fail = (): Promise<void> => Promise.reject(new Error('away'));
    await runJob(worker, { claims: { slotFreed: fail, keyFreed: fail } });
    expect(worker.events.at(-1)).toBe('announce');
  });
});
