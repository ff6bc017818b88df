import type { Definition, Execution, NodeProgress } from '@deckhand/contracts';
import { i18n } from '../../language/i18n.ts';

/** Stands for the question of an agent, which is a record of its own. */
const AGENT_APPROVAL = 'agent.approval';
/** The code of attempts that found the lock taken: the node waits for it. */
const WAITS_FOR_LOCK = 'LOCK_WAITING';

/** Why a run does not go on at the moment. */
export interface Wait {
  /** The node that waits; undefined for the run as a whole. */
  readonly nodeId: string | undefined;
  readonly reason: string;
  /** Since when, ISO 8601. */
  readonly since: string | undefined;
  /** Until when, ISO 8601. */
  readonly until: string | undefined;
  /** Whether people end it. */
  readonly isForPeople: boolean;
}

type WaitingRun = Pick<Execution, 'status' | 'createdAt' | 'startAt' | 'concurrency' | 'progress'>;

/** Returns why a run waits, its own reasons before those of its nodes. Empty for one that is finished or busy. */
export function waitsOf(
  run: WaitingRun,
  definition: Pick<Definition, 'nodes'>,
  /** The current time, in ms. */
  now: number,
): Wait[] {
  const waits = run.status === 'pending' ? waitsOfStart(run, now) : [];
  if (run.status === 'paused') waits.push(ofRun(i18n.t('Paused by a person')));
  for (const [nodeId, node] of Object.entries(run.progress)) {
    if (node.status !== 'waiting') continue;
    const reason = reasonOf(nodeId, node, definition);
    waits.push({ nodeId, ...reason, since: node.startedAt ?? undefined, until: undefined });
  }
  return waits;
}

/** Returns why a node waits, and whether people end it. */
function reasonOf(
  nodeId: string,
  { attemptHistory, error }: NodeProgress,
  { nodes }: Pick<Definition, 'nodes'>,
): Pick<Wait, 'reason' | 'isForPeople'> {
  const failure = attemptHistory?.at(-1)?.error ?? error;
  if (failure && failure.code !== WAITS_FOR_LOCK) {
    return { reason: i18n.t('Waits for its next attempt'), isForPeople: false };
  }
  const type = nodes.find(({ id }) => id === nodeId)?.type ?? typeOfPart(nodeId, nodes);
  return {
    reason: (type === undefined ? undefined : REASONS[type]) ?? i18n.t('Waits'),
    isForPeople: type === 'approval' || type === 'human' || type === AGENT_APPROVAL,
  };
}

/** Returns the type of a part of a node that has a record of its own; undefined for others. */
function typeOfPart(nodeId: string, nodes: Definition['nodes']): string | undefined {
  const owner = nodes.find(({ id, type }) => type === 'agent' && nodeId === `${id}.approval`);
  return owner && AGENT_APPROVAL;
}

function waitsOfStart({ startAt, concurrency, createdAt }: WaitingRun, now: number): Wait[] {
  if (startAt !== null && Date.parse(startAt) > now) return [ofRun(i18n.t('Starts later'), { until: startAt })];
  if (concurrency?.isWaiting === true) {
    const { key, limit } = concurrency;
    return [ofRun(i18n.t('Waits for other runs with the key {key}: at most {limit} at once', { key, limit }))];
  }
  return [ofRun(i18n.t('Waits in the queue for a worker'), { since: createdAt })];
}

function ofRun(reason: string, { since, until }: { since?: string; until?: string } = {}): Wait {
  return { nodeId: undefined, reason, since, until, isForPeople: false };
}

/** What nodes wait for, by their types. */
const REASONS: Readonly<Record<string, string>> = {
  approval: i18n.t('Waits for an approval'),
  human: i18n.t('Waits for a form'),
  wait: i18n.t('Waits for its time'),
  'wait.event': i18n.t('Waits for an event'),
  workflow: i18n.t('Waits for the run that it started'),
  lock: i18n.t('Waits for a lock'),
  [AGENT_APPROVAL]: i18n.t('Waits for an approval of a tool'),
};
