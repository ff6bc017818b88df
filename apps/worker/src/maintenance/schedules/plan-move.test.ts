import type { DueSchedule } from '@deckhand/db';
import { describe, expect, it } from '@jest/globals';
import { planMove } from './plan-move.ts';

const time = (text: string): number => Date.parse(`2026-05-04T${text}Z`);

function schedule(cron: string, due: string, changes: Partial<DueSchedule> = {}): DueSchedule {
  return {
    workspaceId: 's',
    workflowId: 'w',
    nodeId: 'n',
    workflowVersionId: 'v',
    cron,
    timezone: 'UTC',
    catchUp: false,
    nextFireAt: new Date(time(due)),
    isHeld: false,
    options: null,
    ...changes,
  };
}

describe('a schedule that is due', () => {
  it('fires its time and continues to the next', () => {
    expect(planMove(schedule('0 * * * *', '09:00:00'), time('09:00:00'))).toEqual({
      fireAt: time('09:00:00'),
      isCatchUp: false,
      nextFireAt: time('10:00:00'),
    });
  });

  it('fires each of several times that are a little late, one after the other', () => {
    const cron = '*/10 * * * * *';
    const now = time('09:00:35');
    expect(planMove(schedule(cron, '09:00:00'), now)).toMatchObject({
      fireAt: time('09:00:00'),
      nextFireAt: time('09:00:10'),
    });
    expect(planMove(schedule(cron, '09:00:30'), now)).toMatchObject({
      fireAt: time('09:00:30'),
      nextFireAt: time('09:00:40'),
    });
  });

  it('fires a time that is a minute late, and not one that is later', () => {
    expect(planMove(schedule('0 * * * *', '09:00:00'), time('09:01:00'))).toMatchObject({ fireAt: time('09:00:00') });
    expect(planMove(schedule('0 * * * *', '09:00:00'), time('09:01:01'))).toEqual({
      fireAt: null,
      isCatchUp: false,
      nextFireAt: time('10:00:00'),
    });
  });
});

describe('a schedule that a limit delayed', () => {
  it('fires the latest of the times that have passed meanwhile, once', () => {
    const held = (due: string) => schedule('*/5 * * * * *', due, { isHeld: true });
    expect(planMove(held('09:00:00'), time('09:00:17'))).toEqual({
      fireAt: time('09:00:15'),
      isCatchUp: false,
      nextFireAt: time('09:00:20'),
    });
    expect(planMove(held('08:00:00'), time('09:00:17'))).toMatchObject({ fireAt: time('09:00:15'), isCatchUp: false });
    expect(planMove(held('09:00:15'), time('09:00:17'))).toMatchObject({ fireAt: time('09:00:15') });
  });
});

describe('a schedule that was missed', () => {
  it('leaves out all but the times of the last minute', () => {
    expect(planMove(schedule('*/30 * * * * *', '02:00:00'), time('09:00:10'))).toEqual({
      fireAt: null,
      isCatchUp: false,
      nextFireAt: time('08:59:30'),
    });
  });

  it.each(['catchUp', 'isHeld'] as const)('gets one run for the last of its times when it is to: %s', (why) => {
    expect(planMove(schedule('0 * * * *', '02:00:00', { [why]: true }), time('09:20:00'))).toEqual({
      fireAt: time('09:00:00'),
      isCatchUp: true,
      nextFireAt: time('10:00:00'),
    });
  });

  it('gets that run too when one time alone was missed', () => {
    expect(planMove(schedule('0 2 * * *', '02:00:00', { catchUp: true }), time('09:20:00'))).toMatchObject({
      fireAt: time('02:00:00'),
      isCatchUp: true,
    });
  });

  it('needs none of its own when another time has come', () => {
    expect(planMove(schedule('0 * * * *', '02:00:00', { catchUp: true }), time('09:00:10'))).toEqual({
      fireAt: null,
      isCatchUp: false,
      nextFireAt: time('09:00:00'),
    });
  });

  it('is planned at once, however long it was', () => {
    const longAgo = schedule('* * 2 * * *', '02:00:00', {
      catchUp: true,
      nextFireAt: new Date('2019-01-01T02:00:00Z'),
    });
    expect(planMove(longAgo, time('09:20:00'))).toMatchObject({ fireAt: time('02:59:59'), isCatchUp: true });
  });
});
