import { type Database, pruneData, pruneRuns, readInstanceSettings } from '@deckhand/db';

/** Runs of one statement: few, so that none holds its locks for long. */
const BATCH = 200;
/** How long a tick goes on with either, in ms: a backlog takes many. */
const BUDGET_MS = 200;

/** What retention took. */
export interface Pruned {
  /** Runs that lost their data. */
  readonly data: number;
  /** Runs that went. */
  readonly runs: number;
}

/**
 * Takes data, and later whole runs, that are older than the instance keeps them. A run loses its data first, also where only
 * runs have a time: so the workspaces' stored bytes are right, and large outputs go, in one place.
 */
export async function applyRetention(db: Database): Promise<Pruned> {
  const { dataRetentionDays, runRetentionDays } = await readInstanceSettings(db);
  const dataDays = dataRetentionDays ?? runRetentionDays;
  const all = async (days: number | null, prune: typeof pruneData): Promise<number> => {
    let count = 0;
    if (days === null) return count;
    const end = performance.now() + BUDGET_MS;
    for (let last = BATCH; last === BATCH && performance.now() < end; count += last) {
      last = await prune(db, { days, limit: BATCH });
    }
    return count;
  };
  return { data: await all(dataDays, pruneData), runs: await all(runRetentionDays, pruneRuns) };
}
