import type { FleetAnswer, RunStats } from '@deckhand/contracts';
import { Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { fleetQuery, statsQuery } from '../../api/monitoring.js';
import { useWorkspace } from '../../api/use-workspace.js';
import { Broken } from '../../parts/broken.js';
import { type Columns, DataTable } from '../../parts/data-table.js';
import { describeDuration } from '../../parts/durations.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Loading } from '../../parts/loading.js';
import { Moment } from '../../parts/moment.js';
import { Page } from '../../parts/page.js';
import classes from './fleet-page.module.css';
import { RunChart } from './run-chart.js';

type Worker = FleetAnswer['data'][number];

const COLUMNS: Columns<Worker> = [
  { id: 'host', header: 'Worker', cell: ({ row: { original } }) => `${original.host}, process ${original.pid}` },
  { id: 'state', header: 'State', cell: ({ row: { original } }) => original.state },
  { id: 'load', header: 'Runs', cell: ({ row: { original } }) => `${original.active} of ${original.concurrency}` },
  { id: 'version', header: 'Version', cell: ({ row: { original } }) => original.version },
  { id: 'started', header: 'Started', cell: ({ row: { original } }) => <Moment at={original.startedAt} /> },
  { id: 'seen', header: 'Last heard of', cell: ({ row: { original } }) => <Moment at={original.lastSeenAt} /> },
];

/** Whether the fleet is well: its workers, its queue, and how the runs of the last day went. */
export function FleetPage() {
  const { workspaceId } = useWorkspace();
  const fleet = useQuery(fleetQuery);
  const stats = useQuery(statsQuery(workspaceId));
  return (
    <Page title="Fleet">
      {fleet.data ? (
        <Fleet fleet={fleet.data} />
      ) : fleet.isError ? (
        <Broken error={fleet.error} reset={() => void fleet.refetch()} />
      ) : (
        <Loading />
      )}
      <Title order={2} size="h4" mt="lg" mb="sm">
        Runs of the last day
      </Title>
      {stats.data ? (
        <Stats stats={stats.data} />
      ) : stats.isError ? (
        <Broken error={stats.error} reset={() => void stats.refetch()} />
      ) : (
        <Loading />
      )}
    </Page>
  );
}

function Fleet({ fleet: { workers, data, queue } }: { fleet: FleetAnswer }) {
  return (
    <>
      <dl className={classes.numbers}>
        <Figure name="Workers live" value={String(workers.live)} isBad={workers.live === 0} />
        <Figure name="Taking runs" value={String(workers.consuming)} isBad={workers.consuming === 0} />
        <Figure name="Waiting in the queue" value={String(queue.waiting)} />
        <Figure name="Longest wait" value={describeDuration(queue.oldestWaitingSeconds * 1_000)} />
        <Figure name="Under way" value={String(queue.active)} />
      </dl>
      {data.length === 0 ? (
        <EmptyState title="No worker is live">
          Runs are accepted and wait. Start a worker with npm run start:worker, against the same database and Redis.
        </EmptyState>
      ) : (
        <DataTable label="Workers" columns={COLUMNS} rows={data} keyOf={({ id }) => id} />
      )}
    </>
  );
}

function Stats({ stats }: { stats: RunStats }) {
  const { statuses, total, runMs, waitMs } = stats;
  const failures = statuses.failed + statuses.timeout;
  return (
    <>
      <dl className={classes.numbers}>
        <Figure name="Runs" value={String(total)} />
        <Figure name="Failed or timed out" value={String(failures)} isBad={failures > 0} />
        <Figure name="Wait, 95 of 100 within" value={waitMs ? describeDuration(waitMs.p95) : '–'} />
        <Figure name="Run time, half within" value={runMs ? describeDuration(runMs.p50) : '–'} />
        <Figure name="Run time, 95 of 100 within" value={runMs ? describeDuration(runMs.p95) : '–'} />
      </dl>
      {total > 0 && <RunChart stats={stats} />}
    </>
  );
}

function Figure({ name, value, isBad = false }: { name: string; value: string; isBad?: boolean }) {
  return (
    <div className={classes.figure}>
      <dt>{name}</dt>
      <dd data-bad={isBad}>{value}</dd>
    </div>
  );
}
