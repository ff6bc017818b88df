import type { Execution, NodeProgress } from '@deckhand/contracts';
import { describe, expect, it } from '@jest/globals';
import { waitsOf } from './waits.ts';

const CREATED = '2026-01-05T09:00:00.000Z';
const NOW = Date.parse(CREATED) + 1_000;

const RUN = { status: 'pending', createdAt: CREATED, startAt: null, concurrency: null, progress: {} } as const;

const waiting: NodeProgress = { status: 'waiting', startedAt: CREATED, finishedAt: null, attempts: 1, outputBytes: 0 };

const reasons = (run: Partial<Execution>, nodes: { id: string; type: string }[] = []): (string | undefined)[][] =>
  waitsOf({ ...RUN, ...run }, { nodes }, NOW).map(({ nodeId, reason, since, until }) => [nodeId, reason, since, until]);

describe('a run that has not begun', () => {
  it('waits for its time, then for a slot of its key, then for a worker', () => {
    const startAt = '2026-01-05T10:00:00.000Z';
    const concurrency = { key: 'acme', limit: 2, isWaiting: true };
    const slot = 'Waits for other runs with the key acme: at most 2 at once';
    expect(reasons({ startAt, concurrency })).toEqual([[undefined, 'Starts later', undefined, startAt]]);
    expect(reasons({ startAt: CREATED, concurrency })).toEqual([[undefined, slot, undefined, undefined]]);
    expect(reasons({})).toEqual([[undefined, 'Waits in the queue for a worker', CREATED, undefined]]);
  });
});

describe('a run that has begun', () => {
  it('waits for each node that does, by its type', () => {
    const progress = { ask: waiting, other: waiting, done: { ...waiting, status: 'success' as const } };
    const nodes = [{ id: 'ask', type: 'approval' }];
    expect(reasons({ status: 'waiting_for_input', progress }, nodes)).toEqual([
      ['ask', 'Waits for an approval', CREATED, undefined],
      ['other', 'Waits', CREATED, undefined],
    ]);
    expect(reasons({ status: 'running' })).toEqual([]);
  });

  it('waits for people who approve a tool of an agent', () => {
    const progress = { 'helper.approval': waiting, 'set.approval': waiting };
    const nodes = [
      { id: 'helper', type: 'agent' },
      { id: 'set', type: 'set' },
    ];
    const waits = waitsOf({ ...RUN, status: 'waiting_for_input', progress }, { nodes }, NOW);
    expect(waits).toMatchObject([
      { nodeId: 'helper.approval', reason: 'Waits for an approval of a tool', isForPeople: true },
      { nodeId: 'set.approval', reason: 'Waits', isForPeople: false },
    ]);
  });

  it('waits for the next attempt of a node whose latest one failed, whatever its type', () => {
    const failed = (code: string): NodeProgress => ({
      ...waiting,
      attemptHistory: [{ startedAt: CREATED, finishedAt: CREATED, error: { code, message: 'no' } }],
    });
    const progress = { sub: failed('WORKFLOW_NOT_STARTED'), ask: failed('INTERNAL'), hold: failed('LOCK_WAITING') };
    const nodes = [
      { id: 'sub', type: 'workflow' },
      { id: 'ask', type: 'approval' },
      { id: 'hold', type: 'lock' },
    ];
    const waits = waitsOf({ ...RUN, status: 'running', progress }, { nodes }, NOW);
    expect(waits.map(({ reason, isForPeople }) => [reason, isForPeople])).toEqual([
      ['Waits for its next attempt', false],
      ['Waits for its next attempt', false],
      ['Waits for a lock', false],
    ]);
  });

  it('waits for a person who resumes it, once it is paused', () => {
    expect(reasons({ status: 'paused' })).toEqual([[undefined, 'Paused by a person', undefined, undefined]]);
  });
});
