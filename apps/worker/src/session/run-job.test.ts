import { NO_SERVICES } from '../../../../tests/harness/node-context.js';
import { compileWorkflow, defineNodeType, output } from '@deckhand/engine';
import { createLogger } from '@deckhand/runtime';
import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import Type from 'typebox';
import { createActiveRuns } from './active-runs.js';
import { createCheckpointWriter } from '../checkpoints/checkpoint-writer.js';
import { createWorkerMetrics } from '../metrics.js';
import { runJob, type RunJobParts } from './run-job.js';
import { createRunWatcher } from './watch-run.js';

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

/** What a run is begun with, however the worker comes to know of it. */
const BEGUN_WITH = {
  workspaceId: 'w',
  workflowId: 'f',
  workflowVersionId: 'v',
  executionMode: 'normal',
  triggerNodeId: 'start',
  triggerData: 'null',
  traceParent: null,
} as const;

/** A worker of fakes that notes what happens in its order. `act`: what the effect of a node does. */
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
  if ('faults' in compiled) throw new Error(JSON.stringify(compiled.faults));
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
    isUnavailable: () => false,
    onRetry: () => undefined,
    concurrency: 1,
    maxSize: 10,
  });
  const parts: RunJobParts = {
    workerId: 'me',
    active,
    writer,
    watch: createRunWatcher(createWorkerMetrics(new Registry()), undefined),
    withOrigin: (_claimed, own) => Promise.resolve(own),
    openCredential: () => Promise.reject(new Error('there are no credentials')),
    services: NO_SERVICES,
    logger: createLogger({ name: 'test', level: 'silent' }),
    claim: ({ executionId, dispatch }) =>
      Promise.resolve({
        ...BEGUN_WITH,
        id: executionId,
        isProvisional: false,
        digest: null,
        epoch: 1,
        token: 'a token',
        dispatch,
        deadlineAt: new Date(Date.now() + 60_000),
        waitedSeconds: 0,
        startedSecondsAgo: 0,
        answers: 0,
        hasParent: false,
        rerunOf: null,
        rerunFromNodeId: null,
        holdsSlot: isLimited,
      }),
    slotLeft: () => {
      events.push('slot left');
      return Promise.resolve();
    },
    loadVersion: () => Promise.resolve(compiled.workflow),
    loadRecords: () => Promise.resolve({ records: new Map(), tallies: new Map() }),
    loadVars: () => Promise.resolve({}),
    loadAnswers: () => Promise.resolve(),
    finishChildren: () => Promise.resolve(),
    wakeAt: () => undefined,
    announce: () => void events.push('announce'),
    release: () => {
      events.push('release');
      return Promise.resolve();
    },
  };
  return { events, parts, active };
}

describe('a run', () => {
  it('starts a node with effects only after its start is on disk, and is announced only once it is finished there', async () => {
    const { events, parts } = setUp(() => undefined);
    await runJob({ executionId: 'r', dispatch: 1 }, parts);
    expect(events).toEqual([
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

  it('that is provisional is decided once its first checkpoint is on disk, and not before', async () => {
    const { events, parts } = setUp(() => undefined);
    const claim: RunJobParts['claim'] = async (job) => {
      const claimed = await parts.claim(job);
      return claimed && { ...claimed, isProvisional: true };
    };
    await runJob({ executionId: 'r', dispatch: 1 }, { ...parts, claim }, () => events.push('decided'));
    expect(events.slice(0, 4)).toEqual(['write start success', 'write first running', 'decided', 'run first']);
  });

  it('that is not to be had as its job carries it is asked for once, and run if it is to be had so', async () => {
    const queuedAt = Date.now();
    const carried = { ...BEGUN_WITH, deadlineAt: queuedAt + 60_000, queuedAt };
    const job = { executionId: 'r', dispatch: 1, carried };
    for (const isToBeHad of [true, false]) {
      const { events, parts, active } = setUp(() => undefined, false, true);
      const claim: RunJobParts['claim'] = async (asked) => {
        events.push(asked.carried ? 'begin as carried' : 'ask');
        const claimed = asked.carried || isToBeHad ? await parts.claim(asked) : undefined;
        return claimed && { ...claimed, isProvisional: asked.carried !== undefined };
      };
      await runJob(job, { ...parts, claim }, () => events.push('decided'));
      expect(events.slice(0, 2)).toEqual(['begin as carried', 'ask']);
      expect(events.slice(2)).toEqual(
        isToBeHad ? expect.arrayContaining(['decided', 'write success', 'announce']) : ['decided', 'decided'],
      );
      expect(active.size).toBe(0);
    }
  });

  it('is given back only after what finished last is on disk', async () => {
    const { events, parts, active } = setUp((nodeId) => {
      if (nodeId === 'first') active.get('r')?.pause();
    });
    await runJob({ executionId: 'r', dispatch: 1 }, parts);
    expect(events).toEqual([
      'write start success',
      'write first running',
      'run first',
      'write first success',
      'release',
    ]);
    expect(active.size).toBe(0);
  });

  it('that was taken over is neither written nor given back', async () => {
    const { events, parts, active } = setUp((nodeId) => {
      if (nodeId === 'first') active.get('r')?.halt('fenced');
    });
    await runJob({ executionId: 'r', dispatch: 1 }, parts);
    expect(events).toEqual(['write start success', 'write first running', 'run first']);
  });

  it('that counts under a limit leaves its slot once it is off its worker, however it went', async () => {
    const endings = {
      finished: setUp(() => undefined, true),
      fenced: setUp(() => endings.fenced.active.get('r')?.halt('fenced'), true),
      'given back': setUp(() => endings['given back'].active.get('r')?.pause(), true),
    };
    for (const { events, parts } of Object.values(endings)) {
      await runJob({ executionId: 'r', dispatch: 1 }, parts);
      expect(events.at(-1)).toBe('slot left');
      expect(events.filter((event) => event === 'slot left')).toHaveLength(1);
    }
    expect(endings.finished.events.at(-2)).toBe('announce');
    expect(endings['given back'].events.at(-2)).toBe('release');
  });

  it('goes its way when its slot cannot be given on', async () => {
    const { events, parts } = setUp(() => undefined, true);
    await runJob({ executionId: 'r', dispatch: 1 }, { ...parts, slotLeft: () => Promise.reject(new Error('away')) });
    expect(events.at(-1)).toBe('announce');
  });
});
