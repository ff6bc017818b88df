import { FINISHED_STATUSES, type FinishedStatus, parseOwnJson } from '@deckhand/contracts';
import type { Redis } from './connect.ts';
import { CHANGES_CHANNEL, CONTROL_CHANNEL } from './names.ts';

/**
 * Notifies workers that a person acted on runs, or that events have come, which concern no certain runs. May be lost:
 * what counts is the change in the database.
 */
export interface ControlMessage {
  readonly type: 'stop' | 'pause' | 'resume' | 'answer' | 'events';
  readonly executionIds: readonly string[];
}

/** A change of a run for which somebody may wait. */
export interface RunChange {
  readonly executionId: string;
  /** The final status, if the run has ended. It is on disk and does not change any more. */
  readonly ended?: FinishedStatus | undefined;
  /** The result of a run that has ended, signed (`createResultSignatures`): base64url. */
  readonly signedResult?: string | undefined;
  /** Whether a node has responded to the caller. The run has not ended. */
  readonly hasResponse?: boolean;
}

/** Follows the id of a run of which a node has responded to the caller. */
const RESPONDED = 'responded';
/** Begins the result of a run that has ended. */
const RESULT_PREFIX = 'result:';

/** Notifies every worker. May be lost. */
export async function publishControl(redis: Redis, message: ControlMessage): Promise<void> {
  await redis.publish(CONTROL_CHANNEL, JSON.stringify(message));
}

/** Notifies every process that runs changed. May be lost: those who wait also poll the database. */
export async function publishChanges(redis: Redis, changes: readonly RunChange[]): Promise<void> {
  await redis.publish(CHANGES_CHANNEL, writeChanges(changes));
}

/**
 * Serialises changes: ids separated by spaces, each followed by the final status of its run and its result, or by
 * `responded`, if there is one. Earlier versions read the result and `responded` as unknown ids.
 */
export function writeChanges(changes: readonly RunChange[]): string {
  return changes
    .flatMap(({ executionId, ended, signedResult, hasResponse }) => {
      if (!ended) return hasResponse ? [executionId, RESPONDED] : [executionId];
      return signedResult === undefined ? [executionId, ended] : [executionId, ended, RESULT_PREFIX + signedResult];
    })
    .join(' ');
}

/** Parses the output of `writeChanges`. */
export function readChanges(text: string): RunChange[] {
  const words = text.split(' ');
  return words.flatMap((executionId, index) => {
    if (endOf(executionId) || executionId === RESPONDED || executionId.startsWith(RESULT_PREFIX)) return [];
    const [next, afterNext] = words.slice(index + 1, index + 3);
    const ended = endOf(next);
    const signedResult = ended && afterNext?.startsWith(RESULT_PREFIX) && afterNext.slice(RESULT_PREFIX.length);
    return [
      { executionId, ended, ...(signedResult && { signedResult }), ...(next === RESPONDED && { hasResponse: true }) },
    ];
  });
}

function endOf(word: string | undefined): FinishedStatus | undefined {
  return FINISHED_STATUSES.find((status) => status === word);
}

/** Subscribes to control messages on a `subscriber` connection. */
export async function onControl(redis: Redis, listener: (message: ControlMessage) => void): Promise<void> {
  redis.on('message', (channel: string, text: string) => {
    if (channel === CONTROL_CHANNEL) {
      listener(parseOwnJson<ControlMessage>(text));
    }
  });
  await redis.subscribe(CONTROL_CHANNEL);
}

/** Subscribes to changes of runs on a `subscriber` connection. */
export async function onChanges(redis: Redis, listener: (changes: readonly RunChange[]) => void): Promise<void> {
  redis.on('message', (channel: string, text: string) => {
    if (channel === CHANGES_CHANNEL) listener(readChanges(text));
  });
  await redis.subscribe(CHANGES_CHANNEL);
}
