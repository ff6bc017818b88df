import type { Execution } from '@deckhand/contracts';
import { CloseButton, Group } from '@mantine/core';
import { useWorkspace } from '../../api/use-workspace.js';
import { AnchorLink } from '../../components/anchor-link.js';
import { StatusBadge } from '../../components/status-badge.js';
import { Duration } from '../runs/duration.js';
import classes from './run-strip.module.css';

/** Summarizes the run on the canvas in a line. */
export function RunStrip({
  executionId,
  run,
  onClose,
}: {
  executionId: string;
  run: Execution | undefined;
  onClose: () => void;
}) {
  const { workspaceId } = useWorkspace();
  return (
    <Group className={classes.strip} gap="md" role="status" aria-label="Current run">
      <StatusBadge status={run?.status ?? 'pending'} />
      {run && <Duration from={run.startedAt} to={run.finishedAt} />}
      {run?.error && <span className={classes.error}>{run.error.message}</span>}
      <AnchorLink to="/w/$workspaceId/runs/$executionId" params={{ workspaceId, executionId }} size="sm">
        Open run
      </AnchorLink>
      <CloseButton ml="auto" aria-label="Hide run" onClick={onClose} />
    </Group>
  );
}
