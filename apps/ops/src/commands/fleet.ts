import { countRunsByWorker } from '@deckhand/db';
import type { FleetEntry } from '@deckhand/queue';
import { durationText, printResult, table, type Text } from '@deckhand/terminal';
import { Command } from 'commander';
import { withStores } from '../open-stores.ts';
import { createWorkerWatch } from '../runs/worker-watch.ts';

/** A worker, with its runs according to both stores. */
interface WorkerRow {
  readonly id: string;
  /**
   * The state in its last heartbeat, or `dead`; `silent` if its heartbeat is late and Redis refuses writes, so that a
   * dead worker cannot be recognized; `unknown` for a worker that owns runs but has no heartbeat.
   */
  readonly state: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  /** Number of runs in its last heartbeat. */
  readonly active: number;
  readonly concurrency: number;
  /** Number of runs that it owns in the database. */
  readonly held: number;
  readonly startedAt: string;
  readonly lastSeenAt: string;
  /** Age of its last heartbeat, in ms by Redis's clock; null without one. */
  readonly silentForMs: number | null;
}

/** Creates `fleet`, which shows the workers and their runs. */
export function fleetCommand(): Command {
  return new Command('fleet')
    .summary('workers, their states and the runs that they hold')
    .description(
      'Lists every worker with a heartbeat in the last ten minutes, and every worker that still owns runs.\n\n' +
        'A worker sends a heartbeat once a second, or every five seconds while it stands by without runs. Without one for two seconds longer ' +
        'it is dead, and other workers continue its runs within seconds. So if a `dead` or `unknown` worker holds runs for longer, no live worker is there to take them. ' +
        '`silent` has a late heartbeat while Redis refuses writes, so it is not known whether it is dead.',
    )
    .option('--json', 'print one JSON document')
    .action(async ({ json }: { json?: boolean }) => {
      const workers = await withStores(async ({ db, redis }) => {
        const watch = createWorkerWatch(redis);
        const [seen, holding] = await Promise.all([watch.read(), countRunsByWorker(db)]);
        const inTime = new Set(seen.filter(({ isLive }) => isLive).map(({ id }) => id));
        const late = [...seen.map(({ id }) => id), ...holding.keys()].filter((id) => !inTime.has(id));
        const isDecided = await watch.decide(late);
        const [fleet, held] = await Promise.all([watch.read(), countRunsByWorker(db)]);
        const stateOf = ({ id, state }: FleetEntry): string => {
          if (watch.isDead(id)) return 'dead';
          return isDecided || inTime.has(id) ? state : 'silent';
        };
        const known: WorkerRow[] = fleet.map((worker) => ({
          ...worker,
          state: stateOf(worker),
          held: held.get(worker.id) ?? 0,
        }));
        const ids = new Set(known.map(({ id }) => id));
        return [...known, ...[...held].filter(([id]) => !ids.has(id)).map(([id, runs]) => unknownWorker(id, runs))];
      });
      const live = workers.filter(({ state }) => state !== 'dead' && state !== 'unknown');
      const consuming = workers.filter(({ state }) => state === 'consuming').length;
      printResult(json, { live: live.length, consuming, workers }, () => [
        ...toTable(workers),
        `${live.length} live, ${consuming} of them take jobs`,
      ]);
    });
}

function unknownWorker(id: string, held: number): WorkerRow {
  const nothing = { host: '', pid: 0, version: '', active: 0, concurrency: 0, startedAt: '', lastSeenAt: '' };
  return { id, state: 'unknown', held, silentForMs: null, ...nothing };
}

/** Returns the lines about workers, and an empty one; none without workers. */
function toTable(workers: readonly WorkerRow[]): readonly Text[] {
  if (workers.length === 0) return [];
  const seconds = (ms: number | null): string => (ms === null ? '' : durationText(ms));
  const upFor = ({ startedAt, lastSeenAt, silentForMs }: WorkerRow): number | null =>
    silentForMs === null ? null : Date.parse(lastSeenAt) + silentForMs - Date.parse(startedAt);
  const lines = table(
    ['worker', 'state', 'host', 'pid', 'version', 'holds', 'of', 'in database', 'up for', 'seen ago'],
    workers.map((worker) => [
      worker.id,
      worker.state,
      worker.host,
      worker.pid,
      worker.version,
      worker.active,
      worker.concurrency,
      worker.held,
      seconds(upFor(worker)),
      seconds(worker.silentForMs),
    ]),
    '',
  );
  return [...lines, ''];
}
