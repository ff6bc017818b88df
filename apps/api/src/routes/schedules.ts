import {
  ListSchedulesQuery,
  ListScheduleTimesQuery,
  pageOf,
  ScheduleEntry,
  ScheduleTimes,
  validationFailed,
  WorkflowSchedule,
} from '@deckhand/contracts';
import { listSchedules as list, pauseSchedule as pause, resumeSchedule as resume } from '@deckhand/db';
import { findScheduleIssues, nextDueTime } from '@deckhand/nodes';
import type { Request, Response } from 'express';
import type { Caller } from '../auth/caller.ts';
import { pathId, pathNodeId, queryReader } from '../http/read-request.ts';
import { refuseBody } from '../http/refuse-body.ts';
import { sendJson } from '../http/respond.ts';
import { forKey, type Route } from '../http/route.ts';
import type { ResourceContext } from '../contexts.ts';

const readQuery = queryReader(ListSchedulesQuery);

/** GET /api/schedules */
export function listSchedules({ db }: ResourceContext): Route {
  return forKey(
    'GET',
    '/api/schedules',
    'schedules:read',
    {
      summary: 'List the schedules of a workspace',
      description: 'Lists the schedules of active versions, with their next times.',
      returns: 'Schedules of active versions, the next one first, those without a next time last',
      query: ListSchedulesQuery,
      responses: { 200: pageOf(ScheduleEntry) },
    },
    async (request, response, caller) => {
      sendJson(response, 200, await list(db, caller, readQuery(request)));
    },
  );
}

/** Number of times that are listed. */
const TIMES = 5;

const readTimesQuery = queryReader(ListScheduleTimesQuery);

/** GET /api/schedules/times */
export function listScheduleTimes(): Route {
  return forKey(
    'GET',
    '/api/schedules/times',
    'schedules:read',
    {
      summary: 'List the next times of a cron expression',
      description: 'Lists the times at which a schedule would start runs, before one is saved.',
      returns: 'The next five times',
      query: ListScheduleTimesQuery,
      responses: { 200: ScheduleTimes },
    },
    (request, response) => {
      const rule = readTimesQuery(request);
      const issues = findScheduleIssues(rule);
      if (issues.length > 0) throw validationFailed(issues);
      const times: string[] = [];
      for (let after = Date.now(); times.length < TIMES;) {
        after = nextDueTime(rule, after);
        times.push(new Date(after).toISOString());
      }
      sendJson(response, 200, { times });
    },
  );
}

type Change = (
  actor: Caller,
  key: { readonly workflowId: string; readonly nodeId: string },
) => Promise<WorkflowSchedule>;

/** POST /api/workflows/{id}/schedules/{nodeId}/pause */
export function pauseSchedule(context: ResourceContext): Route {
  return forKey(
    'POST',
    '/api/workflows/:id/schedules/:nodeId/pause',
    'workflows:write',
    {
      summary: 'Pause a schedule',
      description: 'The workflow stays active, and its other triggers continue.',
      returns: 'The paused schedule',
      takesIdempotencyKey: true,
      responses: { 200: WorkflowSchedule },
    },
    handle(context, (actor, key) => pause(context.db, actor, key)),
  );
}

/** POST /api/workflows/{id}/schedules/{nodeId}/resume */
export function resumeSchedule(context: ResourceContext): Route {
  return forKey(
    'POST',
    '/api/workflows/:id/schedules/:nodeId/resume',
    'workflows:write',
    {
      summary: 'Resume a schedule',
      description: 'Its next time is after now. Times during the pause are not caught up.',
      returns: 'The schedule, with its next time',
      takesIdempotencyKey: true,
      responses: { 200: WorkflowSchedule },
    },
    handle(context, (actor, key) => resume(context.db, actor, key, (rule, now) => new Date(nextDueTime(rule, now)))),
  );
}

function handle({ answerOnce }: ResourceContext, change: Change) {
  return async (request: Request, response: Response, caller: Caller): Promise<void> => {
    const key = { workflowId: pathId(request), nodeId: pathNodeId(request) };
    await refuseBody(request);
    await answerOnce({ request, response, caller, body: null }, async (actor) => {
      return { status: 200, body: await change(actor, key) };
    });
  };
}
