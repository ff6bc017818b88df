/** Every status of an execution, in the order of the contract's table. */
export const EXECUTION_STATUSES = [
  'pending',
  'running',
  'paused',
  'waiting_for_input',
  'waiting_for_human',
  'success',
  'failed',
  'timeout',
  'stopped',
] as const;

export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];

/** Statuses that no later write changes. */
export const FINISHED_STATUSES = ['success', 'failed', 'timeout', 'stopped'] as const satisfies ExecutionStatus[];

export type FinishedStatus = (typeof FINISHED_STATUSES)[number];

/** Statuses of a run that waits for a person. */
export const WAITING_STATUSES = ['waiting_for_input', 'waiting_for_human'] as const satisfies ExecutionStatus[];

/** Events that move an execution from one status to another. */
export const EXECUTION_EVENTS = [
  'claim',
  'queueFailed',
  'pause',
  'resume',
  'waitForInput',
  'waitForHuman',
  'endWait',
  'succeed',
  'fail',
  'timeOut',
  'stop',
] as const;

export type ExecutionEvent = (typeof EXECUTION_EVENTS)[number];

/** Statuses of a run that has not ended. */
export const UNFINISHED_STATUSES = [
  'pending',
  'running',
  'paused',
  ...WAITING_STATUSES,
] as const satisfies ExecutionStatus[];

/**
 * Transition table: for each event, the statuses it may leave and the status it leads to. Every writer takes its
 * condition from this table. `endWait` is a decision, a form or a due time that resumes a resting run.
 */
export const EXECUTION_TRANSITIONS: Readonly<
  Record<ExecutionEvent, { readonly from: readonly ExecutionStatus[]; readonly to: ExecutionStatus }>
> = {
  claim: { from: ['pending', 'running', ...WAITING_STATUSES], to: 'running' },
  queueFailed: { from: ['pending'], to: 'failed' },
  pause: { from: ['pending', 'running', ...WAITING_STATUSES], to: 'paused' },
  resume: { from: ['paused'], to: 'running' },
  waitForInput: { from: ['running'], to: 'waiting_for_input' },
  waitForHuman: { from: ['running'], to: 'waiting_for_human' },
  endWait: { from: WAITING_STATUSES, to: 'running' },
  succeed: { from: ['running'], to: 'success' },
  fail: { from: ['running'], to: 'failed' },
  timeOut: { from: UNFINISHED_STATUSES, to: 'timeout' },
  stop: { from: UNFINISHED_STATUSES, to: 'stopped' },
};

/** True when the event may move an execution that has this status. */
export function canMove(status: ExecutionStatus, event: ExecutionEvent): boolean {
  return EXECUTION_TRANSITIONS[event].from.includes(status);
}

/** True for a status that no later write changes. */
export function isFinished(status: ExecutionStatus): boolean {
  return (FINISHED_STATUSES as readonly ExecutionStatus[]).includes(status);
}

/** Every status of a node run. */
export const NODE_STATUSES = ['pending', 'running', 'success', 'failed', 'skipped', 'waiting', 'stopped'] as const;

export type NodeStatus = (typeof NODE_STATUSES)[number];

/** Kinds of waits of a resting run: for a decision, a form, a time, another run, or an event. */
export const WAIT_KINDS = ['approval', 'human', 'time', 'workflow', 'event'] as const;

export type WaitKind = (typeof WAIT_KINDS)[number];

/** Modes of a run: whether nodes have effects, and what is recorded. */
export const EXECUTION_MODES = ['normal', 'test', 'debug', 'sandbox'] as const;

/** Modes of runs that are left out of statistics, and have no events. */
export const TEST_MODES = ['test', 'debug', 'sandbox'] as const;

export type ExecutionMode = (typeof EXECUTION_MODES)[number];

/** Ways to start a run. */
export const EXECUTION_SOURCES = [
  'api',
  'editor',
  'webhook',
  'schedule',
  'rerun',
  'workflow',
  'error',
  'event',
] as const;

export type ExecutionSource = (typeof EXECUTION_SOURCES)[number];
