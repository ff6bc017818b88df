import { DeckhandError } from '@deckhand/contracts';

/**
 * Maximum number of operations that one workspace may have in progress in one API process. Each occupies a connection
 * to PostgreSQL, or that of a caller for a minute or more.
 */
const SHARES = {
  exports: 3,
  searches: 8,
  uploads: 8,
  'webhook files': 32,
  'form uploads': 8,
  downloads: 32,
  'event streams': 1_000,
  'waits for runs': 1_000,
} as const;

/** Maximum number of operations of all workspaces, of those that hold memory for as long as a caller likes. */
const TOTALS: Readonly<Partial<Record<keyof typeof SHARES, number>>> = {
  uploads: 64,
  'webhook files': 128,
  'form uploads': 64,
  downloads: 128,
};

const RETRY_AFTER_SECONDS = 1;

/** Keeps one workspace from using up a resource of the process. */
export interface WorkspaceShares {
  /**
   * Runs `work` and counts it towards the share of the workspace.
   * @throws DeckhandError RATE_LIMITED with Retry-After if the share is used up, SERVICE_UNAVAILABLE if the workspaces
   * together have too many of them. Then `work` does not run.
   */
  within<T>(workspaceId: string, kind: keyof typeof SHARES, work: () => Promise<T>): Promise<T>;
}

/** Creates the shares of one process. */
export function createWorkspaceShares(): WorkspaceShares {
  /** Operations in progress by kind, and by kind and workspace, without zeros. */
  const counts = new Map<string, number>();
  return {
    async within(workspaceId, kind, work) {
      const key = `${kind} ${workspaceId.toLowerCase()}`;
      const count = counts.get(key) ?? 0;
      if (count >= SHARES[kind]) {
        throw new DeckhandError('RATE_LIMITED', {
          message: `The workspace has ${count} ${kind} in progress`,
          details: { limit: SHARES[kind], retryAfterSeconds: RETRY_AFTER_SECONDS },
          headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
        });
      }
      if ((counts.get(kind) ?? 0) >= (TOTALS[kind] ?? Infinity)) {
        throw new DeckhandError('SERVICE_UNAVAILABLE', {
          message: `Too many ${kind} are in progress: try again later`,
        });
      }
      add(kind, 1);
      add(key, 1);
      try {
        return await work();
      } finally {
        add(kind, -1);
        add(key, -1);
      }
    },
  };

  function add(key: string, change: 1 | -1): void {
    const count = (counts.get(key) ?? 0) + change;
    if (count === 0) counts.delete(key);
    else counts.set(key, count);
  }
}
