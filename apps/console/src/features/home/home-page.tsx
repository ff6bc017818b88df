import { Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { credentialsQuery } from '../../api/credentials.ts';
import { newestRunsQuery } from '../../api/executions.ts';
import { fleetQuery } from '../../api/monitoring.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { workflowNamesQuery } from '../../api/workflow-names.ts';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { i18n } from '../../language/i18n.ts';
import type { CardState } from './card.tsx';
import { ConnectionsCard, FAILED, FailingCard, WaitingCard, WorkersCard } from './cards.tsx';
import { byWorkflow } from './failing-workflows.ts';
import classes from './home-page.module.css';

/** How often failed runs and credentials are fetched, in ms. */
const LIVE_MS = 15_000;
const CREDENTIALS_MS = 60_000;

/** Answers whether anything is wrong in the workspace. In one without workflows, nothing can be. */
export function HomePage() {
  const { workspaceId, name } = useWorkspace();
  const names = useQuery(workflowNamesQuery(workspaceId));
  if (names.data?.size === 0) return <Navigate to="/w/$workspaceId/workflows" params={{ workspaceId }} replace />;
  return (
    <Page title={name || i18n.t('Home')}>{names.isPending ? <Loading /> : <Cards workspaceId={workspaceId} />}</Page>
  );
}

function Cards({ workspaceId }: { workspaceId: string }) {
  const failed = useQuery({
    ...newestRunsQuery(workspaceId, { ...FAILED, executionMode: 'normal,sandbox' }),
    refetchInterval: LIVE_MS,
  });
  const fleet = useQuery(fleetQuery);
  const credentials = useQuery({ ...credentialsQuery(workspaceId), refetchInterval: CREDENTIALS_MS });
  const failing = byWorkflow(failed.data?.data ?? []);
  const broken = credentials.data?.data.filter(({ connection }) => connection?.status === 'reconnect_needed') ?? [];
  const states = {
    failing: stateOf(failed, failing.length === 0),
    workers: stateOf(fleet, (fleet.data?.workers.consuming ?? 0) > 0),
    connections: stateOf(credentials, broken.length === 0),
  };
  return (
    <>
      <Verdict states={Object.values(states)} />
      <div className={classes.cards}>
        <FailingCard
          workspaceId={workspaceId}
          state={states.failing}
          failing={failing}
          hasMore={failed.data?.hasMore ?? false}
        />
        <WaitingCard workspaceId={workspaceId} />
        <WorkersCard workspaceId={workspaceId} state={states.workers} workers={fleet.data?.workers} />
        <ConnectionsCard
          workspaceId={workspaceId}
          state={states.connections}
          names={broken.map((credential) => credential.name)}
        />
      </div>
    </>
  );
}

/** @param isWell counts once there is a response, unless a later request failed. */
function stateOf({ data, isError }: { data: unknown; isError: boolean }, isWell: boolean): CardState {
  if (isError) return 'unknown';
  if (data === undefined) return 'loading';
  return isWell ? 'well' : 'wrong';
}

/** The answer in a line. */
function Verdict({ states }: { states: readonly CardState[] }) {
  const wrong = states.filter((state) => state === 'wrong').length;
  const isWell = states.every((state) => state === 'well');
  const text =
    wrong > 0
      ? i18n.t('{count, plural, one {# thing is wrong} other {# things are wrong}}', { count: wrong })
      : isWell
        ? i18n.t('Nothing is wrong')
        : i18n.t('Checking …');
  return (
    <div role="status">
      <Title order={2} size="h3" mb="md" className={classes.verdict} data-wrong={wrong > 0}>
        {text}
      </Title>
    </div>
  );
}
