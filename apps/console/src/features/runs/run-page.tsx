import { type Callback, type Definition, type Execution, isFinished } from '@deckhand/contracts';
import { Trans } from '@lingui/react';
import { Anchor, Stack, Tabs, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { callbacksQuery, replayCallback } from '../../api/executions.ts';
import { useLiveRun } from '../../api/follow-run.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { nodeTypesQuery, versionQuery } from '../../api/workflows.ts';
import { Breadcrumbs } from '../../components/breadcrumbs.tsx';
import { Broken } from '../../components/broken.tsx';
import { type Columns, DataTable } from '../../components/data-table.tsx';
import { AnchorLink, ButtonLink } from '../../components/links.tsx';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { ReplayButton } from '../../components/replay-button.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import type { NodeTypes } from '../../graph/handles.ts';
import { RunGraph } from '../../graph/run-graph.tsx';
import { i18n } from '../../language/i18n.ts';
import { Attempts } from '../event-endpoints/attempts.tsx';
import { CompareWith } from './compare-with.tsx';
import { iterationOf } from './iteration.ts';
import { NodePanel } from './node-panel.tsx';
import { RunActions } from './run-actions.tsx';
import { RunFacts } from './run-facts.tsx';
import classes from './run-page.module.css';
import { RunLogs } from './run-logs.tsx';
import { RunValue } from './run-value.tsx';
import { RunWaits } from './run-waits.tsx';
import { Timeline } from './timeline.tsx';
import { useWorkflowName } from './workflow-name.tsx';

const route = getRouteApi('/w/$workspaceId/runs/$executionId');

/** A run: live on the graph of its version, as a timeline, and with the output of each node. */
export function RunPage() {
  const { executionId } = route.useParams();
  const run = useLiveRun(executionId);
  if (run.isError) return <Broken error={run.error} reset={() => void run.refetch()} />;
  if (!run.data) return <Loading />;
  return <ShownRun key={executionId} run={run.data} />;
}

const EMPTY: Definition = { nodes: [], edges: [] };
const NO_TYPES: NodeTypes = new Map();

function ShownRun({ run }: { run: Execution }) {
  const { workspaceId, workflowId } = run;
  const { node: asked, iteration } = route.useSearch();
  const navigate = route.useNavigate();
  const name = useWorkflowName(run.workflowId);
  const version = useQuery(versionQuery(run.workflowId, run.workflowVersionId));
  const types = useQuery(nodeTypesQuery).data;
  const callbacks = useQuery({ ...callbacksQuery(run.id), enabled: isFinished(run.status) }).data?.data ?? [];
  // The failed node is selected at first, because it is what a person looks for.
  const selected = asked ?? run.error?.nodeId ?? undefined;
  const definition = version.data?.definition;
  const show = (node: string | undefined, at: string | undefined): void =>
    void navigate({
      search: { ...(node !== undefined && { node }), ...(at !== undefined && { iteration: at }) },
      replace: true,
      resetScroll: false,
    });
  // Other nodes of a loop are shown in the same iteration.
  const select = (node: string | undefined, at?: string): void =>
    show(
      node,
      at ??
        (node &&
          selected &&
          iterationOf(iteration, { from: selected, to: node }, definition ?? EMPTY, types ?? NO_TYPES)),
    );
  const titles = useMemo(
    () => new Map(definition?.nodes.map(({ id, name: title }) => [id, title ?? id])),
    [definition],
  );
  return (
    <Page
      title={name}
      above={
        <Breadcrumbs>
          <AnchorLink size="sm" to="/w/$workspaceId/workflows" params={{ workspaceId }}>
            {i18n.t('Workflows')}
          </AnchorLink>
          <AnchorLink size="sm" to="/w/$workspaceId/workflows/$workflowId" params={{ workspaceId, workflowId }}>
            {name}
          </AnchorLink>
          <AnchorLink
            size="sm"
            to="/w/$workspaceId/workflows/$workflowId/executions"
            params={{ workspaceId, workflowId }}
          >
            {i18n.t('Executions')}
          </AnchorLink>
        </Breadcrumbs>
      }
      actions={
        <>
          <ButtonLink
            variant="default"
            to="/w/$workspaceId/workflows/$workflowId"
            params={{ workspaceId: run.workspaceId, workflowId: run.workflowId }}
            search={selected === undefined ? { run: run.id } : { run: run.id, node: selected }}
          >
            {i18n.t('Open in editor')}
          </ButtonLink>
          <CompareWith run={run} />
          <RunActions run={run} selected={selected} titles={titles} />
        </>
      }
    >
      <RunFacts run={run} versionNumber={version.data?.number} onSelect={select} titles={titles} />
      <RunWaits run={run} definition={definition ?? EMPTY} titles={titles} onSelect={select} />
      <div className={classes.panes}>
        <section className={classes.graph} aria-label={i18n.t('Graph')}>
          {definition && types ? (
            <RunGraph
              definition={definition}
              types={types}
              progress={run.progress}
              selected={selected}
              onSelect={select}
            />
          ) : version.isError ? (
            <Broken error={version.error} reset={() => void version.refetch()} />
          ) : (
            <Loading />
          )}
        </section>
        <Tabs defaultValue="timeline" keepMounted={false} className={classes.tabs}>
          <Tabs.List>
            <Tabs.Tab value="timeline">{i18n.t('Timeline')}</Tabs.Tab>
            {run.executionMode === 'debug' && <Tabs.Tab value="logs">{i18n.t('All logs')}</Tabs.Tab>}
            <Tabs.Tab value="trigger">{i18n.t('Trigger data')}</Tabs.Tab>
            {callbacks.length > 0 && <Tabs.Tab value="callbacks">{i18n.t('Callbacks')}</Tabs.Tab>}
          </Tabs.List>
          <Tabs.Panel value="timeline" pt="sm">
            <Timeline
              run={run}
              definition={definition ?? EMPTY}
              titles={titles}
              selected={selected}
              onSelect={select}
            />
          </Tabs.Panel>
          <Tabs.Panel value="logs" pt="sm">
            <RunLogs run={run} titles={titles} onSelect={select} />
          </Tabs.Panel>
          <Tabs.Panel value="trigger" pt="sm">
            <RunValue executionId={run.id} label={i18n.t('Trigger data')} value={run.data.trigger} />
          </Tabs.Panel>
          <Tabs.Panel value="callbacks" pt="sm">
            <Callbacks executionId={run.id} callbacks={callbacks} />
          </Tabs.Panel>
        </Tabs>
        <section
          className={classes.panel}
          aria-label={selected === undefined ? i18n.t({ id: 'noun: Run', message: 'Run' }) : i18n.t('Node')}
        >
          {selected === undefined ? (
            <RunResult run={run} titles={titles} definition={definition} onSelect={select} />
          ) : (
            <NodePanel
              key={selected}
              run={run}
              nodeId={selected}
              title={titles.get(selected) ?? selected}
              node={definition?.nodes.find(({ id }) => id === selected)}
              definition={definition ?? EMPTY}
              titles={titles}
              iteration={iteration}
              onIteration={(next) => show(selected, next)}
              onClose={() => select(undefined)}
            />
          )}
        </section>
      </div>
    </Page>
  );
}

/** A callback and its run. */
type Row = Callback & { readonly executionId: string };

const COLUMNS: Columns<Row> = [
  { id: 'type', header: i18n.t('Event'), cell: ({ row: { original } }) => original.type },
  { id: 'status', header: i18n.t('Status'), cell: ({ row: { original } }) => <StatusBadge status={original.status} /> },
  { id: 'attempts', header: i18n.t('Attempts'), cell: ({ row: { original } }) => <Attempts delivery={original} /> },
  { id: 'at', header: i18n.t('Occurred'), cell: ({ row: { original } }) => <RelativeTime at={original.occurredAt} /> },
  { id: 'replay', header: '', cell: ({ row: { original } }) => <Replay callback={original} /> },
];

/** What was sent to the callback URL of a run. */
function Callbacks({ executionId, callbacks }: { executionId: string; callbacks: readonly Callback[] }) {
  const rows = callbacks.map((callback) => ({ ...callback, executionId }));
  return <DataTable label={i18n.t('Callbacks')} columns={COLUMNS} rows={rows} keyOf={({ id }) => id} />;
}

function Replay({ callback: { id, executionId, type, status } }: { callback: Row }) {
  const { can } = useWorkspace();
  const queryClient = useQueryClient();
  if (status === 'pending' || !can('runs.control')) return null;
  return (
    <ReplayButton
      type={type}
      replay={() => replayCallback(executionId, id)}
      onSettled={() => queryClient.invalidateQueries({ queryKey: callbacksQuery(executionId).queryKey })}
    />
  );
}

/** The type of nodes that answer the request of a webhook. */
const RESPOND = 'respond';

/** The default choices of an approval, as they were decided. */
const DECISIONS: Readonly<Record<string, string>> = {
  approved: i18n.t('Approved'),
  rejected: i18n.t('Rejected'),
};

/** The result of a run, and the decisions of people. */
function RunResult({
  run,
  titles,
  definition,
  onSelect,
}: {
  run: Execution;
  titles: ReadonlyMap<string, string>;
  definition: Definition | undefined;
  onSelect: (nodeId: string) => void;
}) {
  const { approvals } = run.data;
  // The node that has answered the request of the run, if there was one.
  const responder = definition?.nodes.find(
    ({ id, type }) => type === RESPOND && run.progress[id]?.status === 'success',
  );
  const hasResponded = run.source === 'webhook' && run.result === null && responder !== undefined;
  return (
    <Stack gap="sm">
      <Title order={2} size="h5">
        {i18n.t('Result')}
      </Title>
      {hasResponded ? (
        <Text size="sm">
          <Trans
            id="The response to the webhook is in the output of <0/>."
            components={{
              0: (
                <Anchor component="button" type="button" size="sm" onClick={() => onSelect(responder.id)}>
                  {titles.get(responder.id) ?? responder.id}
                </Anchor>
              ),
            }}
          />
        </Text>
      ) : run.result === null ? (
        <Text size="sm" c="dimmed">
          {isFinished(run.status)
            ? i18n.t('No End node set a result. Select a node to see its output.')
            : i18n.t('The run is in progress. Select a node to see its output.')}
        </Text>
      ) : (
        <RunValue executionId={run.id} label={i18n.t('Result')} value={run.result} />
      )}
      {approvals.length > 0 && (
        <>
          <Title order={2} size="h5">
            {i18n.t('Decisions')}
          </Title>
          {approvals.map(({ nodeId, decision, comment, by, byUser, at }) => {
            const values = {
              decision: <strong>{DECISIONS[decision] ?? decision}</strong>,
              node: <>{titles.get(nodeId) ?? nodeId}</>,
              person: <>{byUser?.name ?? i18n.t('Former member')}</>,
              time: <RelativeTime at={at} />,
            };
            return (
              <Text key={nodeId + at} size="sm">
                {by === null ? (
                  <Trans id="{decision} in {node} by a link, {time}" values={values} />
                ) : (
                  <Trans id="{decision} in {node} by {person}, {time}" values={values} />
                )}
                {comment !== null && comment !== '' && `: ${comment}`}
              </Text>
            );
          })}
        </>
      )}
    </Stack>
  );
}
