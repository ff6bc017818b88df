import type { ApprovalEntry } from '@deckhand/contracts';
import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { approvalsQuery } from '../../api/approvals.js';
import { useWorkspace } from '../../api/use-workspace.js';
import { AnchorLink } from '../../components/anchor-link.js';
import { Broken } from '../../components/broken.js';
import { EmptyState } from '../../components/empty-state.js';
import { Loading } from '../../components/loading.js';
import { ElapsedTime } from '../../components/relative-time.js';
import { Page } from '../../components/page.js';
import classes from './approval-inbox.module.css';
import { Decision } from './decision.js';

/** The pending approvals, the oldest first. */
export function ApprovalInbox() {
  const { workspaceId, can } = useWorkspace();
  const query = useQuery(approvalsQuery(workspaceId));
  const open = query.data?.data ?? [];
  return (
    <Page title="Approvals">
      {query.isError && !query.data ? (
        <Broken error={query.error} reset={() => void query.refetch()} />
      ) : query.isPending ? (
        <Loading />
      ) : open.length === 0 ? (
        <EmptyState title="No pending approvals">
          Runs that reach an Approval node wait here for a decision. Forms are on the page of their run.
        </EmptyState>
      ) : (
        <Stack component="ul" className={classes.list}>
          {open.map((entry) => (
            <Entry key={entry.waitId} entry={entry} workspaceId={workspaceId} canDecide={can('editor')} />
          ))}
        </Stack>
      )}
    </Page>
  );
}

function Entry({ entry, workspaceId, canDecide }: { entry: ApprovalEntry; workspaceId: string; canDecide: boolean }) {
  const { id, currentNodeId, workflowName, message, waitingSince } = entry;
  return (
    <li className={classes.entry}>
      <div>
        <Title order={2} size="h5" className={classes.message}>
          {message}
        </Title>
        <Text size="sm" c="dimmed" mt={4}>
          {workflowName ?? 'Deleted workflow'} · Waiting for <ElapsedTime since={waitingSince} />
        </Text>
        <AnchorLink
          to="/w/$workspaceId/runs/$executionId"
          params={{ workspaceId, executionId: id }}
          search={{ node: currentNodeId }}
          size="sm"
        >
          Open run
        </AnchorLink>
      </div>
      {canDecide && <Decision entry={entry} />}
    </li>
  );
}
