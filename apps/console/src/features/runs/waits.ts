import type { Definition, Execution } from '@deckhand/contracts';
import { i18n } from '../../language/i18n.ts';

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
  for (const [nodeId, { status, startedAt }] of Object.entries(run.progress)) {
    if (status !== 'waiting') continue;
    const node = definition.nodes.find(({ id }) => id === nodeId);
    const reason = (node && REASONS[node.type]) ?? i18n.t('Waits');
    const isForPeople = node?.type === 'approval' || node?.type === 'human';
    waits.push({ nodeId, reason, since: startedAt ?? undefined, until: undefined, isForPeople });
  }
  return waits;
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
  agent: i18n.t('Waits for an approval of a tool'),
};
