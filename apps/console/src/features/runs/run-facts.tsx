import type { Execution } from '@deckhand/contracts';
import { Trans } from '@lingui/react';
import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { AnchorLink } from '../../components/links.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { i18n } from '../../language/i18n.ts';
import { Duration } from './duration.tsx';
import { nextStepFor } from './next-step.ts';
import classes from './run-facts.module.css';
import { MODES, SOURCES } from './run-words.ts';

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
  const next = error ? nextStepFor(error.code) : undefined;
  return (
    <>
      <Group component="dl" className={classes.facts} gap="lg" mb="sm">
        <Fact name={i18n.t('Status')}>
          <StatusBadge status={run.status} />
        </Fact>
        <Fact name={i18n.t('Queued at')}>
          <RelativeTime at={run.createdAt} />
        </Fact>
        <Fact name={i18n.t('Duration')}>
          <Duration from={run.startedAt} to={run.finishedAt} />
        </Fact>
        <Fact name={i18n.t('Trigger')}>{SOURCES[run.source]}</Fact>
        <Fact name={i18n.t('Mode')}>{MODES[run.executionMode]}</Fact>
        <Fact name={i18n.t('Version')}>
          <AnchorLink
            to="/w/$workspaceId/workflows/$workflowId"
            params={{ workspaceId, workflowId: run.workflowId }}
            search={{ after: run.workflowVersionId }}
            aria-label={i18n.t('Show version {number}', { number: versionNumber ?? '' })}
          >
            {versionNumber}
          </AnchorLink>
        </Fact>
        {run.parentExecutionId !== null && (
          <Fact name={i18n.t('Started by run')}>
            <AnchorLink
              to="/w/$workspaceId/runs/$executionId"
              params={{ workspaceId, executionId: run.parentExecutionId }}
              {...(run.parentNodeId !== null && { search: { node: run.parentNodeId } })}
            >
              {run.parentExecutionId.slice(0, 8)}
            </AnchorLink>
          </Fact>
        )}
        {data.rerunOf !== undefined && (
          <Fact name={i18n.t('Re-run of')}>
            <AnchorLink to="/w/$workspaceId/runs/$executionId" params={{ workspaceId, executionId: data.rerunOf }}>
              {data.rerunOf.slice(0, 8)}
            </AnchorLink>
          </Fact>
        )}
        {run.errorOf !== null && (
          <Fact name={i18n.t('Error of')}>
            <AnchorLink to="/w/$workspaceId/runs/$executionId" params={{ workspaceId, executionId: run.errorOf }}>
              {run.errorOf.slice(0, 8)}
            </AnchorLink>
          </Fact>
        )}
        {run.errorExecutionId !== null && (
          <Fact name={i18n.t('Error workflow')}>
            <AnchorLink
              to="/w/$workspaceId/runs/$executionId"
              params={{ workspaceId, executionId: run.errorExecutionId }}
            >
              {run.errorExecutionId.slice(0, 8)}
            </AnchorLink>
          </Fact>
        )}
        {run.errorStartCode !== null && (
          <Fact name={i18n.t('Error workflow')}>{i18n.t('not started: {code}', { code: run.errorStartCode })}</Fact>
        )}
        <Fact name={i18n.t('Id')}>
          <code className={classes.id}>{run.id}</code>
        </Fact>
      </Group>
      {error && (
        <div className={classes.error} role="alert">
          {failedNode === undefined ? (
            <strong>{error.code}</strong>
          ) : (
            <Trans
              id="<0/> in <1/>"
              components={{
                0: <strong>{error.code}</strong>,
                1: (
                  <button type="button" className={classes.node} onClick={() => onSelect(failedNode)}>
                    {titles.get(failedNode) ?? failedNode}
                  </button>
                ),
              }}
            />
          )}
          <Text size="sm">{error.message}</Text>
          {next && (
            <Text size="sm" mt={4}>
              {next.advice}{' '}
              {next.area === 'credentials' && (
                <AnchorLink size="sm" to="/w/$workspaceId/credentials" params={{ workspaceId }}>
                  {i18n.t('Credentials')}
                </AnchorLink>
              )}
              {next.area === 'fleet' && (
                <AnchorLink size="sm" to="/w/$workspaceId/fleet" params={{ workspaceId }}>
                  {i18n.t('Fleet')}
                </AnchorLink>
              )}
            </Text>
          )}
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
