import { type Execution, isFinished } from '@deckhand/contracts';
import { Trans } from '@lingui/react';
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ReactFlowProvider } from '@xyflow/react';
import { useMemo } from 'react';
import { wholeRunQuery } from '../../api/executions.ts';
import { useLiveRun } from '../../api/follow-run.ts';
import { nodeTypesQuery, versionQuery } from '../../api/workflows.ts';
import { Broken } from '../../components/broken.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { AnchorLink, ButtonLink } from '../../components/links.tsx';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import type { NodeTypes } from '../../graph/handles.ts';
import { RunGraph } from '../../graph/run-graph.tsx';
import { i18n } from '../../language/i18n.ts';
import { Duration } from '../runs/duration.tsx';
import { SOURCES } from '../runs/run-words.ts';
import { useWorkflowName } from '../runs/workflow-name.tsx';
import { compareNodes, type Side } from './compare-nodes.ts';
import { NodeDifference } from './node-difference.tsx';
import { NodeTable } from './node-table.tsx';
import classes from './run-comparison.module.css';

const route = getRouteApi('/w/$workspaceId/runs/compare');

/** Two runs of a workflow side by side: on their graphs, node by node, and value by value. */
export function RunComparison() {
  const { left = '', right = '' } = route.useSearch();
  const [first, second] = [useSide(left), useSide(right)];
  const nodeTypes = useQuery(nodeTypesQuery);
  const error = first.error ?? second.error ?? nodeTypes.error;
  if (left === '' || right === '')
    return <EmptyState title={i18n.t('Select two runs')}>{i18n.t('Select them in the list of runs.')}</EmptyState>;
  if (error) return <Broken error={error} reset={() => window.location.reload()} />;
  if (!first.side || !second.side || !nodeTypes.data) return <Loading />;
  return <Compared key={left + right} left={first.side} right={second.side} types={nodeTypes.data} />;
}

/** A run, the definition of its version, and the number of that. */
interface NumberedSide extends Side {
  readonly number: number;
}

/** Reads a run, with its outputs once it is finished. */
function useSide(executionId: string): { readonly side: NumberedSide | undefined; readonly error: Error | null } {
  const live = useLiveRun(executionId === '' ? undefined : executionId);
  const { data } = live;
  const whole = useQuery({ ...wholeRunQuery(executionId), enabled: data !== undefined && isFinished(data.status) });
  const version = useQuery({
    ...versionQuery(data?.workflowId ?? '', data?.workflowVersionId ?? ''),
    enabled: data !== undefined,
  });
  const run = whole.data ?? data;
  const side = useMemo(
    () => run && version.data && { run, definition: version.data.definition, number: version.data.number },
    [run, version.data],
  );
  return { side, error: live.error ?? whole.error ?? version.error };
}

function Compared({ left, right, types }: { left: NumberedSide; right: NumberedSide; types: NodeTypes }) {
  const { workspaceId, workflowId } = right.run;
  const { node: asked } = route.useSearch();
  const navigate = route.useNavigate();
  const name = useWorkflowName(workflowId);
  const pairs = useMemo(() => compareNodes(left, right), [left, right]);
  const selected = pairs.find(({ nodeId }) => nodeId === asked) ?? pairs.find(({ differs }) => differs);
  const select = (node: string | undefined): void =>
    void navigate({ search: (before) => ({ ...before, node }), replace: true, resetScroll: false });
  const count = pairs.filter(({ differs }) => differs).length;
  const areOfOne = left.run.workflowId === workflowId;
  return (
    <Page
      title={i18n.t('Compare runs of {name}', { name })}
      actions={
        <ButtonLink variant="default" to="/w/$workspaceId/runs" params={{ workspaceId }} search={{ workflowId }}>
          {i18n.t('Runs of the workflow')}
        </ButtonLink>
      }
    >
      <p className={classes.summary} role="status">
        {i18n.t('{count, plural, =0 {No node differs.} one {# node differs.} other {# nodes differ.}}', { count })}
        {!areOfOne && ` ${i18n.t('The runs are of different workflows.')}`}
        {areOfOne && left.number !== right.number && (
          <>
            {' '}
            <Trans
              id="The versions differ: <0>version {left} and version {right}</0>."
              values={{ left: left.number, right: right.number }}
              components={{
                0: (
                  <AnchorLink
                    to="/w/$workspaceId/workflows/$workflowId"
                    params={{ workspaceId, workflowId }}
                    search={{ before: left.run.workflowVersionId, after: right.run.workflowVersionId }}
                  />
                ),
              }}
            />
          </>
        )}
      </p>
      <div className={classes.sides}>
        {[left, right].map((side, index) => (
          <section key={side.run.id} aria-label={NAMES[index]}>
            <Facts name={NAMES[index] ?? ''} run={side.run} number={side.number} />
            <div className={classes.graph}>
              <ReactFlowProvider>
                <RunGraph
                  definition={side.definition}
                  types={types}
                  progress={side.run.progress}
                  selected={selected?.nodeId}
                  onSelect={select}
                />
              </ReactFlowProvider>
            </div>
          </section>
        ))}
      </div>
      <div className={classes.columns}>
        <NodeTable pairs={pairs} selected={selected?.nodeId} onSelect={select} />
        <section className={classes.panel} aria-label={i18n.t('Node')}>
          {selected ? (
            <NodeDifference key={selected.nodeId} pair={selected} left={left} right={right} />
          ) : (
            <Text size="sm" c="dimmed">
              {i18n.t('Select a node to compare its input and output.')}
            </Text>
          )}
        </section>
      </div>
    </Page>
  );
}

const NAMES = [i18n.t('First run'), i18n.t('Second run')];

function Facts({ name, run, number }: { name: string; run: Execution; number: number }) {
  const { workspaceId, id: executionId } = run;
  return (
    <div className={classes.facts}>
      <AnchorLink to="/w/$workspaceId/runs/$executionId" params={{ workspaceId, executionId }}>
        {name}
      </AnchorLink>
      <StatusBadge status={run.status} />
      <span>
        <Duration from={run.startedAt} to={run.finishedAt} />
      </span>
      <span>{i18n.t('Version {number}', { number })}</span>
      <span>{SOURCES[run.source]}</span>
      <RelativeTime at={run.createdAt} />
    </div>
  );
}
