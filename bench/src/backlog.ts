import { setTimeout as sleep } from 'node:timers/promises';
import { Prisma } from '@deckhand/db';
import { generateRuns } from './generate-runs.ts';
import { createOwners } from './lists.ts';
import type { Stack } from './stack.ts';

/** Runs that are written while no worker lives. */
const RUNS = 60_000;
/** They are spread over so many days, and all but those of the last day are deleted afterwards. */
const DAYS = 30;
const RETENTION_DAYS = 1;
const POLL_MS = 50;
const TIMEOUT_MS = 600_000;

/** How fast maintenance worked off a backlog without a load. */
export interface BacklogRow {
  readonly work: string;
  readonly runs: number;
  readonly perSecond: number;
}

/** Measures how fast a worker without runs indexes finished runs for search, and deletes expired ones one by one. */
export async function backlog(stack: Stack): Promise<BacklogRow[]> {
  await stack.worker.kill('SIGKILL');
  const { owner, other } = await createOwners(stack);
  const spacingSeconds = (DAYS * 86_400) / RUNS;
  await generateRuns(stack.db, [owner, other], { count: RUNS, spacingSeconds }, () => undefined);
  await stack.db.$executeRaw`ANALYZE`;
  await stack.addWorker();
  const indexing = await timeDrain(() => count(stack, Prisma.sql`SELECT FROM unindexed_executions`));
  await stack.db.setting.upsert({
    where: { name: 'runRetentionDays' },
    create: { name: 'runRetentionDays', value: RETENTION_DAYS },
    update: { value: RETENTION_DAYS },
  });
  const expired = Prisma.sql`SELECT FROM executions WHERE finished_at <= now() - ${RETENTION_DAYS}::int * interval '1 day'`;
  const retention = await timeDrain(() => count(stack, expired));
  return [
    { work: 'indexed for search', ...indexing },
    { work: 'deleted one by one', ...retention },
  ];
}

async function count(stack: Stack, rows: Prisma.Sql): Promise<number> {
  const [row] = await stack.db.$queryRaw<{ count: number }[]>(
    Prisma.sql`SELECT count(*)::int AS count FROM (${rows}) r`,
  );
  return row?.count ?? 0;
}

/** Waits until nothing is left. The time counts from when less is left than at first. */
async function timeDrain(left: () => Promise<number>): Promise<Pick<BacklogRow, 'runs' | 'perSecond'>> {
  const deadline = performance.now() + TIMEOUT_MS;
  const first = await left();
  let startedAt: number | undefined;
  for (;;) {
    const now = await left();
    if (now < first) startedAt ??= performance.now();
    if (now === 0) break;
    if (performance.now() > deadline) throw new Error(`${now} of ${first} runs are left`);
    await sleep(POLL_MS);
  }
  return { runs: first, perSecond: first / ((performance.now() - (startedAt ?? NaN)) / 1_000) };
}
