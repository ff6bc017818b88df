import { DeckhandError } from '@deckhand/contracts';

/**
 * What one workspace may have going on at once in one API process. Each holds a connection to PostgreSQL, or a caller's
 * connection for up to a minute or more.
 */
const SHARES = {
  exports: 3,
  searches: 8,
  'event streams': 1_000,
  'waits for runs': 1_000,
} as const;

const RETRY_AFTER_SECONDS = 1;

/** Keeps one workspace from taking all that a process has of something. */
export interface WorkspaceShares {
  /**
   * Does some work while the workspace has not got its share.
   * @throws DeckhandError RATE_LIMITED with Retry-After, before anything is done, while it has.
   */
  within<T>(workspaceId: string, kind: keyof typeof SHARES, work: () => Promise<T>): Promise<T>;
}

/** The shares of one process. */
export function createWorkspaceShares(): WorkspaceShares {
  /** By kind and workspace; those without any are left out. */
  const counts = new Map<string, number>();
  return {
    async within(workspaceId, kind, work) {
      const key = `${kind} ${workspaceId.toLowerCase()}`;
      const count = counts.get(key) ?? 0;
      if (count >= SHARES[kind]) {
        throw new DeckhandError('RATE_LIMITED', {
          message: `The workspace has ${count} ${kind} at once already`,
          details: { limit: SHARES[kind], retryAfterSeconds: RETRY_AFTER_SECONDS },
          headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
        });
      }
      counts.set(key, count + 1);
      try {
        return await work();
      } finally {
        const left = (counts.get(key) ?? 1) - 1;
        if (left === 0) counts.delete(key);
        else counts.set(key, left);
      }
    },
  };
}
