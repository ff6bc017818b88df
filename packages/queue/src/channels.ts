import { parseOwnJson } from '@deckhand/contracts';
import type { Redis } from './connect.js';
import { CHANGES_CHANNEL, CONTROL_CHANNEL } from './names.js';

/** What a person asked of a run. A hint: the database's fence is what makes it true. */
export interface ControlMessage {
  readonly type: 'stop' | 'pause' | 'resume' | 'answer';
  readonly executionIds: readonly string[];
}

/** Tells every worker. May be lost. */
export async function publishControl(redis: Redis, message: ControlMessage): Promise<void> {
  await redis.publish(CONTROL_CHANNEL, JSON.stringify(message));
}

/** Tells every process that runs changed. May be lost: those who wait also look at the database now and then. */
export async function publishChanges(redis: Redis, executionIds: readonly string[]): Promise<void> {
  await redis.publish(CHANGES_CHANNEL, executionIds.join(' '));
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
export async function onChanges(redis: Redis, listener: (executionIds: readonly string[]) => void): Promise<void> {
  redis.on('message', (channel: string, text: string) => {
    if (channel === CHANGES_CHANNEL) listener(text.split(' '));
  });
  await redis.subscribe(CHANGES_CHANNEL);
}
