import type { VersionEntry } from '@deckhand/contracts';
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { notifyProblem } from '../../components/notice-board.ts';
import { CANVAS } from './sides.ts';
import { usePublish } from './use-publication.ts';
import { isDirty as isDirtyState } from '../editor/model/editor-model.ts';
import { useEditor, useEditorSession } from '../editor/model/editor-session.tsx';
import { labelPublish } from './version-facts.ts';

const route = getRouteApi('/w/$workspaceId/workflows/$workflowId');

/** Makes the later side of the comparison live; a canvas with changes is saved as a version before. */
export function Publish({
  versions,
  after,
}: {
  /** The newest first. */
  versions: readonly VersionEntry[];
  after: string;
}) {
  const { workflow, versions: saver } = useEditorSession();
  const isDirty = useEditor(isDirtyState);
  const baseVersionId = useEditor((state) => state.baseVersionId);
  const navigate = route.useNavigate();
  const publish = usePublish(workflow.id);
  const isCanvas = after === CANVAS && isDirty;
  const versionId = after === CANVAS ? baseVersionId : after;
  const numberOf = (id: string | null) => versions.find((one) => one.workflowVersionId === id)?.number;
  const number = isCanvas ? (versions[0]?.number ?? 0) + 1 : numberOf(versionId);
  const liveId = workflow.status === 'active' ? workflow.activeVersionId : null;
  const release = useMutation({
    async mutationFn(published: number) {
      const saved = isCanvas ? await saver.save() : versionId;
      await publish.mutateAsync({ versionId: saved, seen: workflow, number: published }).catch(notifyProblem);
    },
    // The editor shows why the canvas could not be saved.
    onSettled: () => navigate({ search: {} }),
  });
  if (number === undefined || (!isCanvas && versionId === liveId)) return null;
  return (
    <Button loading={release.isPending} onClick={() => release.mutate(number)}>
      {labelPublish(number, numberOf(liveId))}
    </Button>
  );
}
