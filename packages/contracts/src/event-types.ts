import type { FinishedStatus, WaitKind } from './execution-status.ts';

/** Types of the events that are sent to the endpoints of a workspace. */
export const EVENT_TYPES = [
  'run.started',
  'run.succeeded',
  'run.failed',
  'run.timed_out',
  'run.stopped',
  'approval.requested',
  'approval.decided',
  'human_task.requested',
  'human_task.completed',
  'workflow.activated',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** The type of the event that a person sends to an endpoint to try it. No filter applies to it. */
export const TEST_EVENT_TYPE = 'endpoint.test';

/** The event of a run that ends with this status. */
export const RUN_END_EVENTS: Readonly<Record<FinishedStatus, EventType>> = {
  success: 'run.succeeded',
  failed: 'run.failed',
  timeout: 'run.timed_out',
  stopped: 'run.stopped',
};

/** A wait for a person. */
export type PersonWaitKind = Extract<WaitKind, 'approval' | 'human'>;

/** The events of a wait for a person: when it begins, and when it is answered. */
export const WAIT_EVENTS: Readonly<
  Record<PersonWaitKind, { readonly begun: EventType; readonly answered: EventType }>
> = {
  approval: { begun: 'approval.requested', answered: 'approval.decided' },
  human: { begun: 'human_task.requested', answered: 'human_task.completed' },
};
