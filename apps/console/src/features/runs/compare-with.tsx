import type { Execution } from '@deckhand/contracts';
import { Button, Text } from '@mantine/core';
import { Dialog } from '../../components/dialog.tsx';
import { useDisclosure } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowLeftRight } from 'lucide-react';
import { runsQuery } from '../../api/executions.ts';
import { Loading } from '../../components/loading.tsx';
import { Problem } from '../../components/problem.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { i18n } from '../../language/i18n.ts';
import classes from './compare-with.module.css';
import { Duration } from './duration.tsx';

/** Number of runs to choose from. */
const CHOICES = 20;

/** Chooses another run of the same workflow to compare a run with. */
export function CompareWith({ run }: { run: Execution }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" leftSection={<ArrowLeftRight size={16} aria-hidden />} onClick={open}>
        {i18n.t('Compare with…')}
      </Button>
      <Dialog isOpen={isOpen} onClose={close} title={i18n.t('Compare with another run')} size="lg">
        <Choices run={run} />
      </Dialog>
    </>
  );
}

function Choices({ run }: { run: Execution }) {
  const query = useInfiniteQuery(runsQuery(run.workspaceId, { workflowId: run.workflowId }));
  if (query.isError) return <Problem error={query.error} />;
  if (!query.data) return <Loading />;
  const others = query.data.pages.flatMap(({ data }) => data).filter(({ id }) => id !== run.id);
  if (others.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {i18n.t('The workflow has no other run.')}
      </Text>
    );
  }
  return (
    <>
      <Text size="sm" mb="sm">
        {i18n.t('The latest runs of the workflow. To compare others, select two in the list of runs.')}
      </Text>
      <ul className={classes.list} aria-label={i18n.t('Other runs')}>
        {others.slice(0, CHOICES).map(({ id, status, createdAt, startedAt, finishedAt, source }) => (
          <li key={id}>
            <Link
              className={classes.run}
              to="/w/$workspaceId/runs/compare"
              params={{ workspaceId: run.workspaceId }}
              search={id < run.id ? { left: id, right: run.id } : { left: run.id, right: id }}
            >
              <StatusBadge status={status} />
              <RelativeTime at={createdAt} />
              <span>
                <Duration from={startedAt} to={finishedAt} />
              </span>
              <span>{source}</span>
              <code>{id.slice(-8)}</code>
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
