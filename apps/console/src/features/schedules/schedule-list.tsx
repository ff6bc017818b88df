import type { ScheduleEntry } from '@deckhand/contracts';
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { pauseSchedule, resumeSchedule, schedulesQuery } from '../../api/schedules.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import type { Columns } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Listing } from '../../components/listing.tsx';
import { notifyProblem } from '../../components/notice-board.ts';
import { Page } from '../../components/page.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { dateLocale, i18n } from '../../language/i18n.ts';

const COLUMNS: Columns<ScheduleEntry> = [
  {
    id: 'workflow',
    header: i18n.t('Workflow'),
    cell: ({ row: { original } }) => (
      <Link
        from="/w/$workspaceId/schedules"
        to="/w/$workspaceId/workflows/$workflowId"
        params={{ workflowId: original.workflowId }}
      >
        {original.workflowName}
      </Link>
    ),
  },
  { id: 'cron', header: i18n.t('Cron'), cell: ({ row: { original } }) => <code>{original.cron}</code> },
  { id: 'timezone', header: i18n.t('Time zone'), cell: ({ row: { original } }) => original.timezone },
  {
    id: 'next',
    header: i18n.t('Next run'),
    cell: ({ row: { original } }) =>
      original.pausedAt === null ? <LocalTime at={original.nextFireAt} /> : i18n.t('Paused'),
  },
  {
    id: 'last',
    header: i18n.t('Last run'),
    cell: ({ row: { original } }) => <RelativeTime at={original.lastFireAt} />,
  },
  { id: 'blocked', header: i18n.t('Delayed by'), cell: ({ row: { original } }) => original.blockedBy },
  { id: 'pause', header: '', cell: ({ row: { original } }) => <PauseOrResume schedule={original} /> },
];

/** The schedules of the active workflows of the workspace. */
export function ScheduleList() {
  const { workspaceId } = useWorkspace();
  return (
    <Page title={i18n.t('Schedules')}>
      <Listing
        label={i18n.t('Schedules')}
        query={useQuery(schedulesQuery(workspaceId))}
        columns={COLUMNS}
        keyOf={({ workflowId, nodeId }) => `${workflowId} ${nodeId}`}
        empty={
          <EmptyState title={i18n.t('No schedules')}>
            {i18n.t('Activate a workflow with a schedule trigger to run it by itself.')}
          </EmptyState>
        }
      />
    </Page>
  );
}

function LocalTime({ at }: { at: string | null }) {
  if (at === null) return null;
  const format = new Intl.DateTimeFormat(dateLocale(), { dateStyle: 'medium', timeStyle: 'short' });
  return <time dateTime={at}>{format.format(new Date(at))}</time>;
}

function PauseOrResume({ schedule: { workflowId, workflowName, nodeId, pausedAt } }: { schedule: ScheduleEntry }) {
  const { workspaceId, can } = useWorkspace();
  const queryClient = useQueryClient();
  const isPaused = pausedAt !== null;
  const change = useMutation({
    mutationFn: () => (isPaused ? resumeSchedule(workflowId, nodeId) : pauseSchedule(workflowId, nodeId)),
    onError: notifyProblem,
    onSettled: () => queryClient.invalidateQueries({ queryKey: schedulesQuery(workspaceId).queryKey }),
  });
  if (!can('runs.control')) return null;
  return (
    <Button
      variant="default"
      size="compact-sm"
      aria-label={
        isPaused
          ? i18n.t('Resume {nodeId} of {workflowName}', { nodeId, workflowName })
          : i18n.t('Pause {nodeId} of {workflowName}', { nodeId, workflowName })
      }
      loading={change.isPending}
      onClick={() => change.mutate()}
    >
      {isPaused ? i18n.t('Resume') : i18n.t('Pause')}
    </Button>
  );
}
