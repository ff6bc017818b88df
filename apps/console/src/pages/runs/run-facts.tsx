import type { Execution } from '@deckhand/contracts';
import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { RelativeTime } from '../../components/relative-time.js';
import { StatusBadge } from '../../components/status-badge.js';
import { Duration } from './duration.js';
import classes from './run-facts.module.css';
import { AnchorLink } from '../../components/anchor-link.js';

/** The main facts of a run. */
export function RunFacts({
  run,
  versionNumber,
  titles,
  onSelect,
}: {
  run: Execution;
  versionNumber: number | undefined;
  titles: ReadonlyMap<string, string>;
  onSelect: (nodeId: string) => void;
}) {
  const { error, data, workspaceId } = run;
  const failedNode = error?.nodeId ?? undefined;
  return (
    <>
      <Group component="dl" className={classes.facts} gap="lg" mb="sm">
        <Fact name="Status">
          <StatusBadge status={run.status} />
        </Fact>
        <Fact name="Queued at">
          <RelativeTime at={run.createdAt} />
        </Fact>
        <Fact name="Duration">
          <Duration from={run.startedAt} to={run.finishedAt} />
        </Fact>
        <Fact name="Trigger">{run.source}</Fact>
        <Fact name="Mode">{run.executionMode}</Fact>
        <Fact name="Version">
          <AnchorLink
            to="/w/$workspaceId/workflows/$workflowId"
            params={{ workspaceId, workflowId: run.workflowId }}
            search={{ after: run.workflowVersionId }}
            aria-label={`Show version ${versionNumber ?? ''}`}
          >
            {versionNumber}
          </AnchorLink>
        </Fact>
        {data.rerunOf !== undefined && (
          <Fact name="Re-run of">
            <AnchorLink to="/w/$workspaceId/runs/$executionId" params={{ workspaceId, executionId: data.rerunOf }}>
              {data.rerunOf.slice(0, 8)}
            </AnchorLink>
          </Fact>
        )}
        {run.errorOf !== null && (
          <Fact name="Error of">
            <AnchorLink to="/w/$workspaceId/runs/$executionId" params={{ workspaceId, executionId: run.errorOf }}>
              {run.errorOf.slice(0, 8)}
            </AnchorLink>
          </Fact>
        )}
        {run.errorExecutionId !== null && (
          <Fact name="Error workflow">
            <AnchorLink
              to="/w/$workspaceId/runs/$executionId"
              params={{ workspaceId, executionId: run.errorExecutionId }}
            >
              {run.errorExecutionId.slice(0, 8)}
            </AnchorLink>
          </Fact>
        )}
        {run.errorStartCode !== null && <Fact name="Error workflow">not started: {run.errorStartCode}</Fact>}
        <Fact name="Id">
          <code className={classes.id}>{run.id}</code>
        </Fact>
      </Group>
      {error && (
        <div className={classes.error} role="alert">
          <strong>{error.code}</strong>
          {failedNode !== undefined && (
            <>
              {' in '}
              <button type="button" className={classes.node} onClick={() => onSelect(failedNode)}>
                {titles.get(failedNode) ?? failedNode}
              </button>
            </>
          )}
          <Text size="sm">{error.message}</Text>
        </div>
      )}
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
