import { Trans } from '@lingui/react';
import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { approvalsQuery, humanTasksQuery } from '../../api/approvals.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { Broken } from '../../components/broken.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { AnchorLink } from '../../components/links.tsx';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { ElapsedTime } from '../../components/relative-time.tsx';
import { i18n } from '../../language/i18n.ts';
import classes from './approval-inbox.module.css';
import { Decision } from './decision.tsx';
import { HumanForm } from './human-form.tsx';
import { MayNotAnswer } from './may-not-answer.tsx';

/** What runs of the workspace wait for: decisions and forms, the oldest first. */
export function ApprovalInbox() {
  const { workspaceId } = useWorkspace();
  const approvals = useQuery(approvalsQuery(workspaceId));
  const tasks = useQuery(humanTasksQuery(workspaceId));
  const isPending = approvals.isPending || tasks.isPending;
  const error = (approvals.data ? null : approvals.error) ?? (tasks.data ? null : tasks.error);
  const entries = [
    ...(approvals.data?.data ?? []).map((entry): Waiting => ({
      ...entry,
      executionId: entry.id,
      nodeId: entry.currentNodeId,
      title: entry.message,
      answer: <Decision entry={entry} />,
    })),
    ...(tasks.data?.data ?? []).map((task): Waiting => ({ ...task, answer: <HumanForm task={task} /> })),
  ].sort((one, other) => one.waitingSince.localeCompare(other.waitingSince));
  return (
    <Page title={i18n.t('Approvals and forms')}>
      {error ? (
        <Broken error={error} reset={() => void Promise.all([approvals.refetch(), tasks.refetch()])} />
      ) : isPending ? (
        <Loading />
      ) : entries.length === 0 ? (
        <EmptyState title={i18n.t('No pending approvals')}>
          {i18n.t(
            'Runs that reach an Approval node wait here for a decision, and runs that reach a Human task for its form.',
          )}
        </EmptyState>
      ) : (
        <Stack component="ul" className={classes.list}>
          {entries.map((entry) => (
            <Entry key={entry.waitId} entry={entry} />
          ))}
        </Stack>
      )}
    </Page>
  );
}

/** A wait of a run for a person. */
interface Waiting {
  readonly executionId: string;
  readonly nodeId: string;
  readonly waitId: string;
  readonly workflowName: string | null;
  readonly title: string;
  readonly waitingSince: string;
  readonly canAnswer: boolean;
  readonly answer: ReactNode;
}

function Entry({ entry }: { entry: Waiting }) {
  const { workspaceId, can } = useWorkspace();
  const { executionId, nodeId, workflowName, title, waitingSince, canAnswer, answer } = entry;
  return (
    <li className={classes.entry}>
      <div>
        <Title order={2} size="h5" className={classes.message}>
          {title}
        </Title>
        <Text size="sm" c="dimmed" mt={4}>
          {workflowName ?? i18n.t('Deleted workflow')} ·{' '}
          <Trans id="Waiting for <0/>" components={{ 0: <ElapsedTime since={waitingSince} /> }} />
        </Text>
        {can('runs.read') && (
          <AnchorLink
            to="/w/$workspaceId/runs/$executionId"
            params={{ workspaceId, executionId }}
            search={{ node: nodeId }}
            size="sm"
          >
            {i18n.t('Open run')}
          </AnchorLink>
        )}
      </div>
      {canAnswer ? answer : <MayNotAnswer />}
    </li>
  );
}
