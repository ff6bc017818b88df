import type { FleetResponse } from '@deckhand/contracts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { fleetQuery } from '../../api/monitoring.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { Broken } from '../../components/broken.tsx';
import { type Columns, DataTable } from '../../components/data-table.tsx';
import { describeDuration } from '../../components/durations.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { i18n } from '../../language/i18n.ts';
import figures from '../../components/figures.module.css';
import classes from './fleet-page.module.css';
import { Figure, RunFigures } from './run-figures.tsx';
import { SampleChart } from './sample-chart.tsx';
import { addSample, type FleetDetails, type Seen, type SeenWorker } from './seen.ts';
import { WorkerState } from './worker-state.tsx';

const COLUMNS: Columns<SeenWorker> = [
  {
    id: 'host',
    header: i18n.t('Worker'),
    cell: ({ row: { original } }) => i18n.t('{host}, process {pid}', { host: original.host, pid: original.pid }),
  },
  { id: 'state', header: i18n.t('State'), cell: ({ row: { original } }) => <WorkerState state={original.state} /> },
  {
    id: 'load',
    header: i18n.t('Runs'),
    cell: ({ row: { original } }) =>
      i18n.t('{active} of {concurrency}', { active: original.active, concurrency: original.concurrency }),
  },
  { id: 'version', header: i18n.t('Version'), cell: ({ row: { original } }) => original.version },
  {
    id: 'started',
    header: i18n.t('Started'),
    cell: ({ row: { original } }) => <RelativeTime at={original.startedAt} />,
  },
  {
    id: 'seen',
    header: i18n.t('Last heartbeat'),
    cell: ({ row: { original } }) => <RelativeTime at={original.lastSeenAt} />,
  },
];

/** The health of the fleet: its workers, its queue, and the results of the workspace's runs. */
export function FleetPage() {
  const { workspaceId } = useWorkspace();
  const fleet = useQuery(fleetQuery);
  return (
    <Page title={i18n.t('Fleet')}>
      {fleet.data ? (
        <Fleet fleet={fleet.data} at={fleet.dataUpdatedAt} />
      ) : fleet.isError ? (
        <Broken error={fleet.error} reset={() => void fleet.refetch()} />
      ) : (
        <Loading />
      )}
      <RunFigures key={workspaceId} workspaceId={workspaceId} />
    </Page>
  );
}

function Fleet({ fleet, at }: { fleet: FleetResponse; at: number }) {
  const { workers, data, queue } = fleet;
  return (
    <>
      <dl className={figures.numbers}>
        <Figure name={i18n.t('Live workers')} value={String(workers.live)} isBad={workers.live === 0} />
        <Figure name={i18n.t('Accepting runs')} value={String(workers.consuming)} isBad={workers.consuming === 0} />
        {queue && <Figure name={i18n.t({ id: 'queue: Running', message: 'Running' })} value={String(queue.active)} />}
        {queue && <Figure name={i18n.t('Delayed')} value={String(queue.delayed)} />}
      </dl>
      {workers.live === 0 && (
        <EmptyState title={i18n.t('No live workers')}>
          {i18n.t(
            'Runs are accepted and wait. Start a worker with npm run start:worker, against the same database and Redis.',
          )}
        </EmptyState>
      )}
      {data && queue && <Details details={{ data, queue }} at={at} />}
    </>
  );
}

/** The workers and the queue, for administrators of the instance. */
function Details({ details, at }: { details: FleetDetails; at: number }) {
  const seen = useSeen(details, at);
  return (
    <>
      <div className={classes.charts}>
        <SampleChart
          name={i18n.t('Waiting in the queue')}
          values={seen.samples.map(({ waiting }) => waiting)}
          describe={String}
        />
        <SampleChart
          name={i18n.t('Longest wait')}
          values={seen.samples.map(({ oldestWaitingSeconds }) => oldestWaitingSeconds)}
          describe={(seconds) =>
            seconds === 0 ? i18n.t({ id: 'wait: none', message: 'none' }) : describeDuration(seconds * 1_000)
          }
        />
      </div>
      {seen.workers.length > 0 && (
        <DataTable label={i18n.t('Workers')} columns={COLUMNS} rows={seen.workers} keyOf={({ id }) => id} />
      )}
    </>
  );
}

/**
 * Returns the history of the fleet since the page was opened; the API keeps none.
 * @param at when the response was received, Unix time in ms.
 */
function useSeen(fleet: FleetDetails, at: number): Seen {
  const [{ seen, upTo }, keep] = useState<{ seen: Seen; upTo: number }>(() => ({
    seen: addSample({ workers: [], samples: [] }, fleet, at),
    upTo: at,
  }));
  if (at <= upTo) return seen;
  const next = addSample(seen, fleet, at);
  // Derived from props, so it is stored while rendering: https://react.dev/reference/react/useState#storing-
  // information-from-previous-renders
  keep({ seen: next, upTo: at });
  return next;
}
