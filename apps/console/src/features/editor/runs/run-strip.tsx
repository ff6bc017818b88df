import { type Definition, isFinished } from '@deckhand/contracts';
import { CloseButton, Group } from '@mantine/core';
import { useWorkspace } from '../../../api/use-workspace.ts';
import { AnchorLink } from '../../../components/links.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { i18n } from '../../../language/i18n.ts';
import { Duration } from '../../runs/duration.tsx';
import { StopButton } from '../../runs/run-actions.tsx';
import { CANVAS } from '../../versions/sides.ts';
import { describeRunVersion } from '../../versions/version-facts.ts';
import { hasChanges } from '../model/editor-model.ts';
import { useEditor } from '../model/editor-session.tsx';
import { useCanvasRuns } from './canvas-runs.tsx';
import classes from './run-strip.module.css';

function titleOf(nodeId: string, definition: Definition | undefined): string {
  return definition?.nodes.find(({ id }) => id === nodeId)?.name ?? nodeId;
}

/** Summarizes the run on the canvas in a line, and says whether the canvas shows the version that ran. */
export function RunStrip({
  executionId,
  canvasNumber,
}: {
  executionId: string;
  /** The number of the version that the canvas started from. */
  canvasNumber: number | undefined;
}) {
  const { run, version, error, show } = useCanvasRuns().shown;
  const isDirty = useEditor(hasChanges);
  const { workspaceId, can } = useWorkspace();
  return (
    <Group className={classes.strip} gap="md" role="status" aria-label={i18n.t('Current run')}>
      {error instanceof Error && run === undefined ? (
        <span className={classes.error}>{error.message}</span>
      ) : (
        <StatusBadge status={run?.status ?? 'pending'} />
      )}
      {run && <Duration from={run.startedAt} to={run.finishedAt} />}
      {run && can('runs.control') && !isFinished(run.status) && <StopButton executionId={run.id} size="compact-sm" />}
      {run && version && canvasNumber !== undefined && (
        <span>
          {describeRunVersion(version.number, canvasNumber, isDirty)}
          {(version.number !== canvasNumber || isDirty) && (
            <>
              {' '}
              <AnchorLink
                to="/w/$workspaceId/workflows/$workflowId"
                params={{ workspaceId, workflowId: run.workflowId }}
                search={{ before: run.workflowVersionId, after: CANVAS }}
                size="sm"
                underline="always"
              >
                {i18n.t('Compare')}
              </AnchorLink>
            </>
          )}
        </span>
      )}
      {run?.data.untilNodeId !== undefined && (
        <span>{i18n.t('Ran up to {node}.', { node: titleOf(run.data.untilNodeId, version?.definition) })}</span>
      )}
      {run?.error && <span className={classes.error}>{run.error.message}</span>}
      <AnchorLink to="/w/$workspaceId/runs/$executionId" params={{ workspaceId, executionId }} size="sm">
        {i18n.t('Open run')}
      </AnchorLink>
      <CloseButton ml="auto" aria-label={i18n.t('Hide run')} onClick={() => show(undefined)} />
    </Group>
  );
}
