import type { FleetResponse } from '@deckhand/contracts';
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { approvalsQuery, humanTasksQuery } from '../../api/approvals.ts';
import { AnchorLink } from '../../components/links.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { formatNumber, i18n } from '../../language/i18n.ts';
import { Card, type CardState } from './card.tsx';
import type { FailingWorkflow } from './failing-workflows.ts';
import classes from './home-page.module.css';

/** Workflows, and connections, that a card lists at most. */
const MAX_LISTED = 5;

/** Which runs make a workflow a failing one. */
export const FAILED = { status: 'failed,timeout', within: '24h' } as const;

/** The workflows whose runs failed. @param hasMore whether more runs failed than were counted. */
export function FailingCard({
  workspaceId,
  state,
  failing,
  hasMore,
}: {
  workspaceId: string;
  state: CardState;
  failing: readonly FailingWorkflow[];
  hasMore: boolean;
}) {
  return (
    <Card
      title={i18n.t('Failing workflows, last 24 hours')}
      state={state}
      wellText={i18n.t('No run failed')}
      link={
        <AnchorLink size="sm" to="/w/$workspaceId/failures" params={{ workspaceId }}>
          {i18n.t('All failures')}
        </AnchorLink>
      }
    >
      <ul className={classes.list}>
        {failing.slice(0, MAX_LISTED).map(({ workflowId, workflowName, count, lastAt }) => (
          <li key={workflowId}>
            <AnchorLink to="/w/$workspaceId/runs" params={{ workspaceId }} search={{ ...FAILED, workflowId }}>
              {workflowName ?? i18n.t('Deleted workflow {id}', { id: workflowId.slice(0, 8) })}
            </AnchorLink>
            <Text span size="sm" c="dimmed">
              {hasMore ? i18n.t('{count} or more failed', { count }) : i18n.t('{count} failed', { count })}
              {' · '}
              <RelativeTime at={lastAt} />
            </Text>
          </li>
        ))}
      </ul>
      {failing.length > MAX_LISTED && (
        <Text size="sm" c="dimmed">
          {i18n.t('and {count, plural, one {# more workflow} other {# more workflows}}', {
            count: failing.length - MAX_LISTED,
          })}
        </Text>
      )}
    </Card>
  );
}

/** How many runs wait for people. */
export function WaitingCard({ workspaceId }: { workspaceId: string }) {
  const approvals = useQuery(approvalsQuery(workspaceId));
  const tasks = useQuery(humanTasksQuery(workspaceId));
  const count = (approvals.data?.data.length ?? 0) + (tasks.data?.data.length ?? 0);
  const isLoaded = approvals.data !== undefined && tasks.data !== undefined;
  const known: CardState = count > 0 ? 'waiting' : isLoaded ? 'well' : 'loading';
  return (
    <Card
      title={i18n.t('Waiting for people')}
      state={approvals.isError || tasks.isError ? 'unknown' : known}
      wellText={i18n.t('No run waits for a person')}
      link={
        <AnchorLink size="sm" to="/w/$workspaceId/approvals" params={{ workspaceId }}>
          {i18n.t('Approvals')}
        </AnchorLink>
      }
    >
      <Text>{i18n.t('{count, plural, one {# approval or form} other {# approvals and forms}}', { count })}</Text>
    </Card>
  );
}

/** Whether workers accept runs. */
export function WorkersCard({
  workspaceId,
  state,
  workers = { live: 0, consuming: 0 },
}: {
  workspaceId: string;
  state: CardState;
  workers: FleetResponse['workers'] | undefined;
}) {
  const { live, consuming } = workers;
  return (
    <Card
      title={i18n.t('Workers')}
      state={state}
      wellText={i18n.t('{live} live, {consuming} accepting runs', {
        live: formatNumber(live),
        consuming: formatNumber(consuming),
      })}
      link={
        <AnchorLink size="sm" to="/w/$workspaceId/fleet" params={{ workspaceId }}>
          {i18n.t('Fleet')}
        </AnchorLink>
      }
    >
      <Text>
        {live === 0
          ? i18n.t('No live workers. Runs are accepted and wait.')
          : i18n.t('No worker accepts runs. They wait.')}
      </Text>
    </Card>
  );
}

/** The credentials whose connection a provider no longer accepts. */
export function ConnectionsCard({
  workspaceId,
  state,
  names,
}: {
  workspaceId: string;
  state: CardState;
  names: readonly string[];
}) {
  return (
    <Card
      title={i18n.t('Connections')}
      state={state}
      wellText={i18n.t('No connection needs to be renewed')}
      link={
        <AnchorLink size="sm" to="/w/$workspaceId/credentials" params={{ workspaceId }}>
          {i18n.t('Credentials')}
        </AnchorLink>
      }
    >
      <Text>{i18n.t('Reconnect these credentials:')}</Text>
      <ul className={classes.list}>
        {names.slice(0, MAX_LISTED).map((name, index) => (
          <li key={index}>{name}</li>
        ))}
      </ul>
      {names.length > MAX_LISTED && (
        <Text size="sm" c="dimmed">
          {i18n.t('and {count} more', { count: names.length - MAX_LISTED })}
        </Text>
      )}
    </Card>
  );
}
