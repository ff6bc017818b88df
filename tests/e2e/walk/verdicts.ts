import { EXECUTION_TRANSITIONS, type ExecutionStatus, isFinished } from '@deckhand/contracts';
import type { ReceivedCall } from '../../harness/index.ts';
import type { Observation } from './clients.ts';
import { endOf, type Period, type Start, statusesBetween, type WaitRecord } from './history.ts';
import type { WalkedWorkflow } from './workflows.ts';

/** Maximum delay until a commit is visible, in ms. */
const SLACK_MS = 500;

/** The final state of a run, by the API. */
export interface EndedRun {
  readonly id: string;
  readonly status: ExecutionStatus;
  readonly workflow: WalkedWorkflow;
  readonly approvals: readonly { readonly nodeId: string; readonly decision: string }[];
  /** The submitted data, if the form's node has an output. */
  readonly count: number | undefined;
  readonly periods: readonly Period[];
  /** The statuses of the run that started it; empty without one. */
  readonly periodsOfParent: readonly Period[];
  readonly starts: readonly Start[];
  readonly waits: readonly WaitRecord[];
  readonly observations: readonly Observation[];
  readonly calls: readonly ReceivedCall[];
}

/**
 * Returns the allowed changes of a status. The first checkpoint of a run claims it and may also end it: two moves in
 * one write.
 */
const ALLOWED = new Set(
  Object.values(EXECUTION_TRANSITIONS).flatMap(({ from, to }) => [
    ...from.map((status) => `${status} → ${to}`),
    ...(from.includes('running') ? [`pending → ${to}`] : []),
  ]),
);

/** Returns the guarantees that a run violates, in words; none for a correct run. */
export function faultsOf(run: EndedRun): string[] {
  const faults = [
    ...faultsOfMoves(run),
    ...run.observations.flatMap((seen) => faultsOfAnswer(seen, run)),
    ...faultsOfDecisions(run),
    ...faultsOfForm(run),
    ...faultsOfCalls(run),
  ];
  return faults.map((fault) => `${run.id} (${run.workflow.name}, ${run.status}): ${fault}`);
}

/**
 * A run starts as pending, or as paused if the run that starts it is paused, and its status changes only as the table
 * allows.
 */
function faultsOfMoves({ periods, periodsOfParent }: EndedRun): string[] {
  const moves = periods.slice(1).map(({ status }, index) => `${periods[index]?.status} → ${status}`);
  const [first] = periods;
  const statusesOfParent = first ? statusesBetween(periodsOfParent, first.from, first.from, SLACK_MS) : [];
  const isFirst = first?.status === 'pending' || (first?.status === 'paused' && statusesOfParent.includes('paused'));
  return [...(isFirst ? [] : [`it began as ${first?.status}`]), ...moves.filter((move) => !ALLOWED.has(move))];
}

/** A response agrees with the state of the run at some time during the request. */
function faultsOfAnswer(seen: Observation, { periods, waits }: EndedRun): string[] {
  const { act, status, body, sentAt, answeredAt } = seen;
  const could = statusesBetween(periods, sentAt, answeredAt, SLACK_MS);
  const began = (wanted: ExecutionStatus, after?: ExecutionStatus) =>
    periods.some(
      (period, index) =>
        period.status === wanted &&
        (after === undefined || periods[index - 1]?.status === after) &&
        period.from >= sentAt - 1 &&
        period.from <= answeredAt + 1,
    );
  const isWell = (): boolean => {
    switch (`${act} ${status}`) {
      case 'stop 200':
        return began('stopped') && body.status === 'stopped';
      case 'pause 200':
        return began('paused') && body.status === 'paused';
      case 'resume 200':
        return began('running', 'paused');
      case 'stop 409':
        return could.some(isFinished);
      case 'pause 409':
        return could.some((had) => isFinished(had) || had === 'paused');
      case 'resume 409':
        return could.some((had) => had !== 'paused');
      case 'rerun 202':
        return (endOf(periods)?.from ?? Infinity) <= answeredAt + 1;
      case 'rerun 422':
        return could.some((had) => !isFinished(had));
      case 'read 200':
        return could.some((had) => had === body.status);
      case 'submit 200':
      case 'complete 200':
        return could.some((had) => !isFinished(had) && had !== 'paused' && had !== 'pending');
      case 'submit 400':
      case 'complete 400':
        if (body.code === 'VALIDATION_FAILED') return isUnfit(seen);
        return (body.code === 'NOT_WAITING' || body.code === 'ALREADY_DECIDED') && !wasWaiting(seen, waits, periods);
      default:
        return false;
    }
  };
  const isCoded = status < 400 || status !== 409 || body.code === 'INVALID_STATE';
  if (isWell() && isCoded) return [];
  return [`${act} was answered ${status} ${JSON.stringify(body)} while it was ${could.join(', ')}`];
}

/** Values that no approval and no form accepts. */
function isUnfit({ answer }: Observation): boolean {
  return answer === 'perhaps' || answer === 'many';
}

/** Returns whether the node waited, and the run would have accepted an answer, during the whole request. */
function wasWaiting(seen: Observation, waits: readonly WaitRecord[], periods: readonly Period[]): boolean {
  const { nodeId, sentAt, answeredAt } = seen;
  const had = statusesBetween(periods, sentAt - SLACK_MS, answeredAt, SLACK_MS);
  const isOpen = waits.some(
    (wait) => wait.nodeId === nodeId && wait.openedAt + SLACK_MS < sentAt && wait.answeredAt > answeredAt,
  );
  return isOpen && had.every((status) => status === 'waiting_for_input' || status === 'waiting_for_human');
}

const accepted = (run: EndedRun, act: Observation['act'], nodeId: string) =>
  run.observations.filter((seen) => seen.act === act && seen.nodeId === nodeId && seen.status === 200);

/** An accepted decision is recorded once, and selects the branch of the run. */
function faultsOfDecisions(run: EndedRun): string[] {
  return run.workflow.approvals.flatMap((nodeId) => {
    const kept = run.approvals.filter((entry) => entry.nodeId === nodeId).map(({ decision }) => decision);
    const taken = new Set(accepted(run, 'submit', nodeId).map(({ answer }) => answer));
    const called = new Set(run.calls.map(({ path }) => path).filter((path) => path.startsWith(`${nodeId}/`)));
    const wanted = new Set(kept.map((decision) => `${nodeId}/${decision}`));
    const faults: string[] = [];
    if (JSON.stringify([...taken]) !== JSON.stringify(kept)) {
      faults.push(
        `${nodeId}: ${[...taken].join(', ') || 'nothing'} was taken, ${kept.join(', ') || 'nothing'} is kept`,
      );
    }
    if ([...called].some((path) => !wanted.has(path)))
      faults.push(`${nodeId}: ${[...called].join(', ')} was called against ${kept.join()}`);
    const hasToFollow = run.status === 'success' || (run.status === 'failed' && kept.includes('rejected'));
    if (hasToFollow && (kept.length === 0 || called.size === 0)) faults.push(`${nodeId}: it ended without a decision`);
    return faults;
  });
}

/** Submitted data is recorded, and is the input of the next node. */
function faultsOfForm(run: EndedRun): string[] {
  return run.workflow.forms.flatMap((nodeId) => {
    const taken = new Set(accepted(run, 'complete', nodeId).map(({ answer }) => answer));
    const called = run.calls.filter(({ path }) => path.startsWith(`${nodeId}/`)).map(({ path }) => path);
    const [count] = taken;
    if (taken.size > 1) return [`${nodeId}: ${[...taken].join(', ')} were all taken`];
    if (called.some((path) => path !== `${nodeId}/${count}`))
      return [`${nodeId}: ${called.join()} was called, ${count} taken`];
    if (run.status !== 'success') return [];
    if (String(run.count) !== count || called.length !== 1)
      return [`${nodeId}: ${count} was taken, ${run.count} is kept`];
    return [];
  });
}

/**
 * No call is made twice, none by a node whose start was not on disk while the run was running, and every successful run
 * makes the last one.
 */
function faultsOfCalls({ status, workflow, calls, starts }: EndedRun): string[] {
  const keys = new Set(calls.map(({ idempotencyKey }) => idempotencyKey));
  const paths = calls.map(({ path }) => path);
  const faults: string[] = [];
  if (keys.size !== calls.length || new Set(paths).size !== calls.length)
    faults.push(`called twice: ${paths.join(', ')}`);
  for (const { path, idempotencyKey, at } of calls) {
    // A call's time is in whole ms.
    const start = starts.findLast((one) => one.idempotencyKey === idempotencyKey && one.at <= at + 1);
    if (start?.runStatus !== 'running')
      faults.push(`${path} was called, its start on disk while the run was ${start?.runStatus ?? 'unknown'}`);
  }
  if (status === 'success' && workflow.lastCall !== null && !paths.includes(workflow.lastCall)) {
    faults.push(`succeeded without ${workflow.lastCall}`);
  }
  return faults;
}
