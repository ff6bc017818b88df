import type { ScheduleEntry } from '@deckhand/contracts';
import { Button, Group } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { pauseSchedule, resumeSchedule, schedulesQuery } from '../../api/schedules.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { execute } from '../../api/workflows.ts';
import type { Columns } from '../../components/data-table.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { AnchorLink } from '../../components/links.tsx';
import { Listing } from '../../components/listing.tsx';
import { notify, notifyProblem } from '../../components/notice-board.ts';
import { Page } from '../../components/page.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { describeCron } from '../../graph/cron.ts';
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
  {
    id: 'cron',
    header: i18n.t('When'),
    cell: ({ row: { original } }) => <span title={original.cron}>{describeCron(original.cron)}</span>,
  },
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
    cell: ({ row: { original } }) => <LastRun schedule={original} />,
  },
  { id: 'blocked', header: i18n.t('Delayed by'), cell: ({ row: { original } }) => describeLimit(original.blockedBy) },
  {
    id: 'pause',
    header: '',
    cell: ({ row: { original } }) => (
      <Group gap="xs" wrap="nowrap">
        <RunNow schedule={original} />
        <PauseOrResume schedule={original} />
      </Group>
    ),
  },
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

/** When a schedule last led to a run, with a link to it. */
function LastRun({ schedule: { lastFireAt, lastExecutionId } }: { schedule: ScheduleEntry }) {
  const { workspaceId } = useWorkspace();
  if (lastExecutionId === null) return <RelativeTime at={lastFireAt} />;
  return (
    <AnchorLink size="sm" to="/w/$workspaceId/runs/$executionId" params={{ workspaceId, executionId: lastExecutionId }}>
      <RelativeTime at={lastFireAt} />
    </AnchorLink>
  );
}

/** The limits that delay runs of schedules, by their codes. */
const LIMITS: Readonly<Record<string, string>> = {
  workspace_over_quota: i18n.t('Quota of the workspace'),
  workspace_rate_limited: i18n.t('Rate limit of the workspace'),
  SCHEDULE_OVERLAP: i18n.t('Unfinished runs of the schedule'),
  CONCURRENCY_LIMIT: i18n.t('Other runs with the same key'),
  SERVICE_UNAVAILABLE: i18n.t('Other starts with the same key'),
};

/** Names a limit; one of a later version by its code. */
function describeLimit(code: string | null): string | null {
  return code === null ? null : (LIMITS[code] ?? code);
}

/** Starts a run of the live version as the schedule does, without the options of the trigger, and opens it. */
function RunNow({ schedule: { workflowId, workflowName, nodeId, timezone } }: { schedule: ScheduleEntry }) {
  const { workspaceId, can } = useWorkspace();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  if (!can('runs.start')) return null;
  return (
    <>
      <Button
        variant="default"
        size="compact-sm"
        aria-label={i18n.t('Run {nodeId} of {workflowName} now', { nodeId, workflowName })}
        onClick={() => setAsking(true)}
      >
        {i18n.t('Run now')}
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        question={i18n.t('Run {workflowName} now?', { workflowName })}
        consequence={i18n.t(
          'It starts even while runs of the schedule are unfinished. Options of the trigger, such as limits by a key, are not applied.',
        )}
        label={i18n.t('Run now')}
        act={async () => {
          const { executionId, warning } = await execute(workflowId, {
            version: 'active',
            triggerNodeId: nodeId,
            input: { scheduledFor: new Date().toISOString(), timezone, nodeId, isCatchUp: false },
          });
          if (warning !== undefined) notify(warning);
          await navigate({ to: '/w/$workspaceId/runs/$executionId', params: { workspaceId, executionId } });
        }}
        onClose={() => setAsking(false)}
      />
    </>
  );
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
