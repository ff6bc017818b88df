import type { DueSchedule, ScheduleHold, ScheduleMove } from '@deckhand/db';
import { createLogger } from '@deckhand/runtime';
import { describe, expect, it } from '@jest/globals';
import { fireSchedules } from './fire-schedules.ts';

const NOW = Date.parse('2026-05-04T09:00:00Z');

const schedule = (nodeId: string, cron = '0 * * * *'): DueSchedule => ({
  workspaceId: 's',
  workflowId: 'w',
  nodeId,
  workflowVersionId: 'v',
  cron,
  timezone: 'UTC',
  catchUp: false,
  nextFireAt: new Date(NOW),
  isHeld: false,
  options: null,
});

/** Fires schedules, one of which cannot be moved. @returns for how long it is held, in ms. */
async function holdAfter(
  due: readonly DueSchedule[],
  move: (moves: readonly ScheduleMove[]) => void,
): Promise<number[]> {
  const holds: ScheduleHold[] = [];
  let left = due;
  await fireSchedules({
    hasLease: () => Promise.resolve(true),
    findDue() {
      const found = left;
      left = [];
      return Promise.resolve([...found]);
    },
    findNextCheck: () => Promise.resolve(null),
    move(moves) {
      move(moves);
      return Promise.resolve(moves.map(() => ({ kind: 'moved' }) as const));
    },
    hold(added) {
      holds.push(...added);
      return Promise.resolve(added.length);
    },
    onStarted: () => undefined,
    onBadRow: () => undefined,
    announce: () => Promise.resolve(),
    logger: createLogger({ name: 'test', level: 'silent' }),
    now: () => NOW,
  });
  return holds.map(({ until }) => until.getTime() - NOW);
}

describe('a schedule that cannot be fired', () => {
  const failWith = (error: Error) => (moves: readonly ScheduleMove[]) => {
    if (moves.some(({ schedule: { nodeId } }) => nodeId === 'bad')) throw error;
  };
  const due = [schedule('good'), schedule('bad')];

  it('is tried again after seconds when the error says nothing of its row', async () => {
    expect(await holdAfter(due, failWith(new Error('unexpected')))).toEqual([2_000]);
    expect(await holdAfter(due, failWith(Object.assign(new Error('busy'), { code: 'XX000' })))).toEqual([2_000]);
  });

  it('is held for a minute when its own values are at fault', async () => {
    expect(await holdAfter(due, failWith(Object.assign(new Error('too long'), { code: '22001' })))).toEqual([60_000]);
  });

  it('is held for a minute when its rule cannot be planned', async () => {
    expect(await holdAfter([schedule('good'), schedule('bad', 'never')], () => undefined)).toEqual([60_000]);
  });
});
