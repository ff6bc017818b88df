import { NO_SERVICES } from '../../../tests/harness/node-context.js';
import { compileWorkflow, defineNodeType, output } from '@deckhand/engine';
import { createLogger } from '@deckhand/runtime';
import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import Type from 'typebox';
import { createActiveRuns } from './active-runs.js';
import { createCheckpointWriter } from './checkpoint-writer.js';
import { createWorkerMetrics } from './metrics.js';
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

/** A worker of fakes that notes what happens in its order. `act`: what the effect of a node does. */
function setUp(act: (nodeId: string) => void) {
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
    active,
    writer,
    watch: createRunWatcher(createWorkerMetrics(new Registry()), undefined),
    withOrigin: (_claimed, own) => Promise.resolve(own),
    openCredential: () => Promise.reject(new Error('there are no credentials')),
    services: NO_SERVICES,
    logger: createLogger({ name: 'test', level: 'silent' }),
    claim: ({ executionId, dispatch }) =>
      Promise.resolve({
        id: executionId,
        workspaceId: 'w',
        workflowVersionId: 'v',
        executionMode: 'normal',
        triggerNodeId: 'start',
        triggerData: 'null',
        epoch: 1,
        dispatch,
        deadlineAt: new Date(Date.now() + 60_000),
        waitedSeconds: 0,
        startedSecondsAgo: 0,
        answers: 0,
        hasParent: false,
        rerunOf: null,
        rerunFromNodeId: null,
        traceParent: null,
      }),
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
});
