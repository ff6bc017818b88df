import { DeckhandError } from '@deckhand/contracts';
import { EventEmitter, once } from 'node:events';

/**
 * Maximum number of operations that one workspace may have in progress in one API process. Each occupies a connection
 * to PostgreSQL, or that of a caller for a minute or more.
 */
const SHARES = {
  exports: 3,
  'tests of credentials': 4,
  searches: 8,
  histograms: 2,
  insights: 2,
  uploads: 8,
  'webhook files': 32,
  'form uploads': 8,
  downloads: 32,
  'downloads by links': 16,
  'downloads by links from your network': 4,
  'files of webhook responses': 32,
  'event streams': 1_000,
  'waits for runs': 1_000,
} as const;

/** Maximum number of operations of all workspaces, of those that hold memory for as long as a caller likes. */
const TOTALS: Readonly<Partial<Record<keyof typeof SHARES, number>>> = {
  'tests of credentials': 32,
  uploads: 64,
  'webhook files': 128,
  'form uploads': 64,
  downloads: 128,
  'downloads by links': 64,
  'files of webhook responses': 64,
};

const RETRY_AFTER_SECONDS = 1;

/** Keeps one workspace, or one caller without a key, from using up a resource of the process. */
export interface WorkspaceShares {
  /**
   * Runs `work` and counts it towards the share of a workspace or a network.
   * @throws DeckhandError RATE_LIMITED with Retry-After if the share is used up, SERVICE_UNAVAILABLE if all together
   * have too many of them. Then `work` does not run.
   */
  within<T>(owner: string, kind: keyof typeof SHARES, work: () => Promise<T>): Promise<T>;
  /**
   * Runs `work` as soon as the share has room for it.
   * @returns false if the signal aborts first. Then `work` does not run.
   */
  onceFree(
    owner: string,
    kind: keyof typeof SHARES,
    work: () => Promise<void>,
    options: { readonly signal: AbortSignal },
  ): Promise<boolean>;
}

/** Creates the shares of one process. */
export function createWorkspaceShares(): WorkspaceShares {
  /** Operations in progress by kind, and by kind and owner, without zeros. */
  const counts = new Map<string, number>();
  /** Emits the kind of each operation that has ended. */
  const ends = new EventEmitter().setMaxListeners(0);

  function refusalOf(owner: string, kind: keyof typeof SHARES): DeckhandError | undefined {
    if ((counts.get(keyOf(owner, kind)) ?? 0) >= SHARES[kind]) {
      return new DeckhandError('RATE_LIMITED', {
        message: `Too many ${kind} are in progress: ${SHARES[kind]}`,
        details: { limit: SHARES[kind], retryAfterSeconds: RETRY_AFTER_SECONDS },
        headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
      });
    }
    if ((counts.get(kind) ?? 0) < (TOTALS[kind] ?? Infinity)) return undefined;
    return new DeckhandError('SERVICE_UNAVAILABLE', {
      message: `Too many ${kind} are in progress: try again later`,
    });
  }
  async function count<T>(owner: string, kind: keyof typeof SHARES, work: () => Promise<T>): Promise<T> {
    add(kind, 1);
    add(keyOf(owner, kind), 1);
    try {
      return await work();
    } finally {
      add(kind, -1);
      add(keyOf(owner, kind), -1);
      ends.emit(kind);
    }
  }
  return {
    async within(owner, kind, work) {
      const refusal = refusalOf(owner, kind);
      if (refusal) throw refusal;
      return count(owner, kind, work);
    },
    async onceFree(owner, kind, work, { signal }) {
      while (refusalOf(owner, kind)) {
        // Waiters check in the order in which they came.
        const isWorthChecking = await once(ends, kind, { signal }).then(
          () => true,
          () => false,
        );
        if (!isWorthChecking) return false;
      }
      await count(owner, kind, work);
      return true;
    },
  };

  function add(key: string, change: 1 | -1): void {
    const count = (counts.get(key) ?? 0) + change;
    if (count === 0) counts.delete(key);
    else counts.set(key, count);
  }
}

function keyOf(owner: string, kind: keyof typeof SHARES): string {
  return `${kind} ${owner.toLowerCase()}`;
}
