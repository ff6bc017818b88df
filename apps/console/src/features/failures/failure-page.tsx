import type { FailureGroup, FailureGroupState } from '@deckhand/contracts';
import { Trans } from '@lingui/react';
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { BellOff, CircleCheck, ListVideo, RotateCw, Undo2 } from 'lucide-react';
import { type RunRow, runsQuery } from '../../api/executions.ts';
import { changeFailureState, failureGroupQuery } from '../../api/failure-groups.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { Breadcrumbs } from '../../components/breadcrumbs.tsx';
import { Broken } from '../../components/broken.tsx';
import { type Columns, DataTable } from '../../components/data-table.tsx';
import { AnchorLink, ButtonLink } from '../../components/links.tsx';
import { Loading } from '../../components/loading.tsx';
import { notifyProblem } from '../../components/notice-board.ts';
import { Page } from '../../components/page.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { formatNumber, i18n } from '../../language/i18n.ts';
import { StartBulkAction } from '../bulk-actions/start-bulk-action.tsx';
import { WorkflowName } from '../runs/workflow-name.tsx';
import { describeNode } from './describe-group.ts';

const route = getRouteApi('/w/$workspaceId/failures/$groupId');

/** Polling interval, in ms. */
const LIVE_MS = 5_000;
/** Number of runs that the page lists. */
const SHOWN_RUNS = 20;

/** A version of a workflow in a group. */
type AffectedVersion = FailureGroup['workflows'][number]['versions'][number] & { readonly workflowName: string };

const VERSION_COLUMNS: Columns<AffectedVersion> = [
  { id: 'workflow', header: i18n.t('Workflow'), cell: ({ row: { original } }) => original.workflowName },
  {
    id: 'version',
    header: i18n.t('Version'),
    cell: ({ row: { original } }) =>
      original.number === null ? i18n.t('Deleted') : i18n.t('Version {number}', { number: original.number }),
  },
  { id: 'count', header: i18n.t('Count'), cell: ({ row: { original } }) => formatNumber(original.count) },
  {
    id: 'lastSeenAt',
    header: i18n.t('Last seen'),
    cell: ({ row: { original } }) => <RelativeTime at={original.lastSeenAt} />,
  },
];

const RUN_COLUMNS: Columns<RunRow> = [
  {
    id: 'workflow',
    header: i18n.t('Workflow'),
    cell: ({ row: { original } }) => (
      <Link
        to="/w/$workspaceId/runs/$executionId"
        params={{ workspaceId: original.workspaceId, executionId: original.id }}
      >
        <WorkflowName workflowId={original.workflowId} />
      </Link>
    ),
  },
  { id: 'status', header: i18n.t('Status'), cell: ({ row: { original } }) => <StatusBadge status={original.status} /> },
  {
    id: 'createdAt',
    header: i18n.t('Started'),
    cell: ({ row: { original } }) => <RelativeTime at={original.createdAt} />,
  },
  { id: 'error', header: i18n.t('Error'), cell: ({ row: { original } }) => original.error?.message },
];

/** A failure group with its runs. */
export function FailurePage() {
  const { workspaceId, groupId } = route.useParams();
  const query = useQuery({ ...failureGroupQuery(groupId), refetchInterval: LIVE_MS });
  const runs = useInfiniteQuery({
    ...runsQuery(workspaceId, { failureGroup: groupId }),
    refetchInterval: LIVE_MS,
  });
  if (query.isError && !query.data) return <Broken error={query.error} reset={() => void query.refetch()} />;
  if (!query.data) return <Loading />;
  const group = query.data;
  const shown = runs.data?.pages[0]?.data.slice(0, SHOWN_RUNS) ?? [];
  const versions = group.workflows.flatMap((workflow) =>
    workflow.versions.map((version) => ({
      ...version,
      workflowName: workflow.workflowName ?? i18n.t('Deleted workflow'),
    })),
  );
  return (
    <Page
      title={group.message || i18n.t('No message')}
      above={
        <Breadcrumbs>
          <AnchorLink size="sm" to="/w/$workspaceId/failures" params={{ workspaceId }}>
            {i18n.t('Failures')}
          </AnchorLink>
        </Breadcrumbs>
      }
      actions={<Actions group={group} />}
    >
      <Stack gap="lg">
        <Group gap="lg">
          <StatusBadge status={group.state} />
          <Text size="sm">{describeNode(group)}</Text>
          <Text size="sm">{i18n.t('{count, plural, one {# failure} other {# failures}}', { count: group.count })}</Text>
          <Text size="sm">
            <Trans id="First seen <0/>" components={{ 0: <RelativeTime at={group.firstSeenAt} /> }} />
          </Text>
          <Text size="sm">
            <Trans id="Last seen <0/>" components={{ 0: <RelativeTime at={group.lastSeenAt} /> }} />
          </Text>
        </Group>
        <section>
          <Title order={2} size="h4" mb="xs">
            {i18n.t('Affected versions')}
          </Title>
          <DataTable
            label={i18n.t('Affected versions')}
            columns={VERSION_COLUMNS}
            rows={versions}
            keyOf={({ workflowVersionId }) => workflowVersionId}
          />
        </section>
        <section>
          <Group justify="space-between" mb="xs">
            <Title order={2} size="h4">
              {i18n.t('Latest runs')}
            </Title>
            <ButtonLink
              to="/w/$workspaceId/runs"
              params={{ workspaceId }}
              search={{ failureGroup: groupId }}
              variant="default"
              size="xs"
              leftSection={<ListVideo size={14} aria-hidden />}
            >
              {i18n.t('Show all runs')}
            </ButtonLink>
          </Group>
          {shown.length > 0 ? (
            <DataTable label={i18n.t('Latest runs')} columns={RUN_COLUMNS} rows={shown} keyOf={({ id }) => id} />
          ) : (
            <Text size="sm" c="dimmed">
              {runs.isPending ? i18n.t('Loading…') : i18n.t('The runs of this group were deleted.')}
            </Text>
          )}
        </section>
      </Stack>
    </Page>
  );
}

function Actions({ group: { id, workspaceId, state, workflows } }: { group: FailureGroup }) {
  const { can } = useWorkspace();
  const queryClient = useQueryClient();
  const [isAsking, asking] = useDisclosure(false);
  const change = useMutation({
    mutationFn: (next: FailureGroupState) => changeFailureState(id, next),
    onError: notifyProblem,
    onSuccess: (changed) => queryClient.setQueryData(failureGroupQuery(id).queryKey, changed),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['failure-groups', workspaceId] }),
  });
  if (!can('runs.control')) return null;
  return (
    <>
      {state === 'open' ? (
        <>
          <Button
            variant="default"
            leftSection={<BellOff size={16} aria-hidden />}
            disabled={change.isPending}
            onClick={() => change.mutate('ignored')}
          >
            {i18n.t('Ignore')}
          </Button>
          <Button
            variant="default"
            leftSection={<CircleCheck size={16} aria-hidden />}
            disabled={change.isPending}
            onClick={() => change.mutate('resolved')}
          >
            {i18n.t('Resolve')}
          </Button>
        </>
      ) : (
        <Button
          variant="default"
          leftSection={<Undo2 size={16} aria-hidden />}
          disabled={change.isPending}
          onClick={() => change.mutate('open')}
        >
          {i18n.t('Reopen')}
        </Button>
      )}
      <Button leftSection={<RotateCw size={16} aria-hidden />} onClick={asking.open}>
        {i18n.t('Re-run all')}
      </Button>
      {isAsking && (
        <StartBulkAction
          workspaceId={workspaceId}
          action="rerun"
          target={{ filter: { failureGroup: id } }}
          workflowId={workflows.length === 1 ? workflows[0]?.workflowId : undefined}
          onClose={asking.close}
        />
      )}
    </>
  );
}
