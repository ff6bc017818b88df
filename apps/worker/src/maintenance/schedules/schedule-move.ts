import type { DueSchedule, ScheduleMove } from '@deckhand/db';
import { compileTriggerOptions } from '@deckhand/nodes';
import { derivedId } from '../../session/derived-id.ts';
import { planMove } from './plan-move.ts';

/**
 * Returns the move of a schedule from its due time, with the run of that time. The run's id is derived from schedule
 * and time, so one time has one run even if a clock that was set back makes it due again.
 * @param now ms since the epoch.
 */
export function toScheduleMove(schedule: DueSchedule, now: number): ScheduleMove {
  const { workflowId, nodeId, timezone, options } = schedule;
  const { fireAt, isCatchUp, nextFireAt } = planMove(schedule, now);
  const move = { schedule, nextFireAt: new Date(nextFireAt) };
  if (fireAt === null) return { ...move, fireAt, request: null };
  const at = new Date(fireAt);
  const trigger = { scheduledFor: at.toISOString(), timezone, nodeId, isCatchUp };
  return {
    ...move,
    fireAt: at,
    request: {
      executionId: derivedId(fireAt, `${workflowId}/${nodeId}/${fireAt}`),
      workflowId,
      actor: null,
      versionId: schedule.workflowVersionId,
      triggerNodeId: nodeId,
      mode: 'normal',
      source: 'schedule',
      triggerData: JSON.stringify(trigger),
      options: compileTriggerOptions(options ?? undefined)(() => trigger),
    },
  };
}
