import type { NodeStatus } from '@deckhand/contracts';
import type { NodeRunRow } from '@deckhand/db';
import { describe, expect, it } from '@jest/globals';
import { countIteration, emptyTally, summarise } from './node-tally.ts';

const row = (status: NodeStatus, rest: Partial<NodeRunRow> = {}): NodeRunRow => ({
  nodeId: 'node',
  status,
  startedAt: 5,
  finishedAt: null,
  attempts: 1,
  attemptHistory: null,
  handle: null,
  output: '1',
  outputRef: null,
  outputBytes: 1,
  error: null,
  state: null,
  debug: null,
  ...rest,
});

/** Counts steps of iterations: each is the iteration, its row, and its status before. */
function tallyOf(...steps: readonly (readonly [string, NodeRunRow, NodeStatus?])[]) {
  const tally = emptyTally(5);
  for (const [iteration, step, before] of steps) countIteration(tally, { iteration }, step, before);
  return tally;
}

describe('the summary of a node in a loop', () => {
  it('counts each iteration once, with its latest status', () => {
    const last = row('success');
    const tally = tallyOf(['0', row('running')], ['0', last, 'running'], ['1', row('running')]);
    expect(summarise(tally, last, false)).toMatchObject({
      iterations: 2,
      lastIteration: '1',
      startedAt: 5,
      output: null,
    });
    expect(summarise(tally, last, false).iterationCounts).toBe('{"running":1,"success":1}');
  });

  it('has the size of all outputs', () => {
    const tally = tallyOf(['0', row('success', { outputBytes: 3 })], ['1', row('success', { outputBytes: 4 })]);
    expect(summarise(tally, row('success'), false).outputBytes).toBe(7);
  });

  it.each<[when: string, hasRunFailed: boolean, status: NodeStatus, error: string | null]>([
    ['stays failed when the run fails and stops the other iterations', true, 'failed', 'broken'],
    ['is stopped when the run ends otherwise', false, 'stopped', null],
  ])('%s', (_when, hasRunFailed, status, error) => {
    const stopped = row('stopped');
    const tally = tallyOf(['0', row('failed', { error: 'broken' })], ['1', stopped, 'running']);
    expect(summarise(tally, stopped, hasRunFailed)).toMatchObject({ status, error });
  });

  it('is stopped when the run fails and none of its iterations has', () => {
    const stopped = row('stopped');
    expect(summarise(tallyOf(['0', stopped, 'running']), stopped, true).status).toBe('stopped');
  });
});
