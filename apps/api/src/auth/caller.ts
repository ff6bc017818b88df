import type { User } from '@deckhand/contracts';
import type { Actor } from '@deckhand/db';

/** A signed-in person. */
export interface SessionCaller extends Actor {
  readonly kind: 'session';
  readonly sessionId: string;
  readonly user: User;
  /** Whether the person must add a second factor first. */
  readonly lacksSecondFactor: boolean;
}

/** An API key: acts as the person who made it, within its scopes and its workspace. */
export interface KeyCaller extends Actor {
  readonly kind: 'key';
  readonly apiKeyId: string;
  readonly scopes: readonly string[];
}

/** Who calls. */
export type Caller = SessionCaller | KeyCaller;
