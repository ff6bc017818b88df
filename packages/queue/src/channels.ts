import { FINISHED_STATUSES, type FinishedStatus, parseOwnJson } from '@deckhand/contracts';
import type { Redis } from './connect.js';
import { CHANGES_CHANNEL, CONTROL_CHANNEL } from './names.js';

/** A notification of what a person asked of a run. It may be lost: the fence in the database is what makes it true. */
export interface ControlMessage {
  readonly type: 'stop' | 'pause' | 'resume' | 'answer';
  readonly executionIds: readonly string[];
}

/** A run that changed in a way somebody may wait for. */
export interface RunChange {
  readonly executionId: string;
  /** Its final status, if it has one: that is on disk, and does not change any more. */
  readonly ended?: FinishedStatus | undefined;
}

/** Notifies every worker. May be lost. */
export async function publishControl(redis: Redis, message: ControlMessage): Promise<void> {
  await redis.publish(CONTROL_CHANNEL, JSON.stringify(message));
}

/** Notifies every process that runs changed. May be lost: those who wait also poll the database. */
export async function publishChanges(redis: Redis, changes: readonly RunChange[]): Promise<void> {
  await redis.publish(CHANGES_CHANNEL, writeChanges(changes));
}

/**
 * Writes ids separated by spaces, each followed by its run's final status if there is one: earlier versions take that
 * for an unknown id.
 */
export function writeChanges(changes: readonly RunChange[]): string {
  return changes.flatMap(({ executionId, ended }) => (ended ? [executionId, ended] : [executionId])).join(' ');
}

/** Reads what `writeChanges` wrote. */
export function readChanges(text: string): RunChange[] {
  const words = text.split(' ');
  return words.flatMap((executionId, index) =>
    endOf(executionId) ? [] : [{ executionId, ended: endOf(words[index + 1]) }],
  );
}

function endOf(word: string | undefined): FinishedStatus | undefined {
  return FINISHED_STATUSES.find((status) => status === word);
}

/** Listens on a `subscriber` connection. */
export async function onControl(redis: Redis, listener: (message: ControlMessage) => void): Promise<void> {
  redis.on('message', (channel: string, text: string) => {
    if (channel === CONTROL_CHANNEL) {
      listener(parseOwnJson<ControlMessage>(text));
    }
  });
  await redis.subscribe(CONTROL_CHANNEL);
}

/** Listens on a `subscriber` connection. */
export async function onChanges(redis: Redis, listener: (changes: readonly RunChange[]) => void): Promise<void> {
  redis.on('message', (channel: string, text: string) => {
    if (channel === CHANGES_CHANNEL) listener(readChanges(text));
  });
  await redis.subscribe(CHANGES_CHANNEL);
}
