import type { VersionEntry, Workflow } from '@deckhand/contracts';
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { notifyProblem } from '../../components/notice-board.ts';
import { CANVAS } from '../../editor/sides.ts';
import { usePublish } from '../../editor/use-publication.ts';
import type { Saving } from '../../editor/use-save.ts';
import { labelPublish } from '../../editor/version-facts.ts';

const route = getRouteApi('/w/$workspaceId/workflows/$workflowId');

/** Makes the later side of the comparison live; a canvas with changes is saved as a version before. */
export function Publish({
  workflow,
  versions,
  isDirty,
  saving,
  after,
}: {
  workflow: Workflow;
  /** The newest first. */
  versions: readonly VersionEntry[];
  isDirty: boolean;
  saving: Saving;
  after: string;
}) {
  const navigate = route.useNavigate();
  const publish = usePublish(workflow.id);
  const isCanvas = after === CANVAS && isDirty;
  const versionId = after === CANVAS ? saving.baseVersionId : after;
  const numberOf = (id: string | null) => versions.find((one) => one.workflowVersionId === id)?.number;
  const number = isCanvas ? (versions[0]?.number ?? 0) + 1 : numberOf(versionId);
  const liveId = workflow.status === 'active' ? workflow.activeVersionId : null;
  const release = useMutation({
    async mutationFn(published: number) {
      const saved = isCanvas ? await saving.save() : versionId;
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
