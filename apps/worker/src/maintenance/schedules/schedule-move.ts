import type { DueSchedule, ScheduleMove } from '@deckhand/db';
import { derivedId } from '../../session/derived-id.js';
import { planMove } from './plan-move.js';

/**
 * A schedule's way on from the time that is due, with the run of that time. The run's id follows from schedule and
 * time, so that one time has one run even where a clock that went back makes it due again.
 * @param now ms since the epoch.
 */
export function toScheduleMove(schedule: DueSchedule, now: number): ScheduleMove {
  const { workflowId, nodeId, timezone } = schedule;
  const { fireAt, isCatchUp, nextFireAt } = planMove(schedule, now);
  const move = { schedule, nextFireAt: new Date(nextFireAt) };
  if (fireAt === null) return { ...move, run: null };
  const at = new Date(fireAt);
  return {
    ...move,
    run: {
      at,
      request: {
        executionId: derivedId(fireAt, `${workflowId}/${nodeId}/${fireAt}`),
        workflowId,
        actor: null,
        versionId: schedule.workflowVersionId,
        triggerNodeId: nodeId,
        mode: 'normal',
        source: 'schedule',
        triggerData: JSON.stringify({ scheduledFor: at.toISOString(), timezone, nodeId, isCatchUp }),
      },
    },
  };
}
