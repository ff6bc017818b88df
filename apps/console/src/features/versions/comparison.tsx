import type { Definition, VersionEntry } from '@deckhand/contracts';
import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ReactFlowProvider } from '@xyflow/react';
import { useWorkspace } from '../../api/use-workspace.ts';
import { versionQuery, versionsQuery } from '../../api/workflows.ts';
import { Broken } from '../../components/broken.tsx';
import { AnchorLink, ButtonLink } from '../../components/links.tsx';
import { Loading } from '../../components/loading.tsx';
import { notifyProblem } from '../../components/notice-board.ts';
import { Page } from '../../components/page.tsx';
import { i18n } from '../../language/i18n.ts';
import { definitionOf, hasChanges } from '../editor/model/editor-model.ts';
import { useEditor, useEditorSession } from '../editor/model/editor-session.tsx';
import { WorkflowPath } from '../workflows/workflow-path.tsx';
import { Changes } from './changes.tsx';
import { SideChoice } from './side-choice.tsx';
import { CANVAS, NOTHING, predecessorOf } from './sides.ts';
import { usePublish } from './use-publication.ts';
import { labelPublish } from './version-facts.ts';

const EMPTY: Definition = { nodes: [], edges: [] };

/**
 * Shows the changes from one version of a workflow to another.
 * @param after a version's id, or one of the names in `sides.ts`. @param before by default the previous one.
 */
export function Comparison({ before, after }: { before: string | undefined; after: string }) {
  const { workflow } = useEditorSession();
  const mayPublish = useWorkspace().can('workflows.publish') && !workflow.managed;
  const baseVersionId = useEditor((state) => state.baseVersionId);
  const { id: workflowId, workspaceId } = workflow;
  const versions = useQuery(versionsQuery(workflowId));
  return (
    <Page
      title={i18n.t('Compare versions of {name}', { name: workflow.name })}
      above={
        <WorkflowPath workflow={workflow}>
          <AnchorLink
            size="sm"
            to="/w/$workspaceId/workflows/$workflowId"
            params={{ workspaceId, workflowId }}
            search={{}}
          >
            {workflow.name}
          </AnchorLink>
        </WorkflowPath>
      }
      actions={
        <>
          {versions.data && mayPublish && <Publish versions={versions.data.data} after={after} />}
          <ButtonLink
            variant="default"
            to="/w/$workspaceId/workflows/$workflowId"
            params={{ workspaceId, workflowId }}
            search={{}}
          >
            {i18n.t('Back to the workflow')}
          </ButtonLink>
        </>
      }
    >
      {versions.data ? (
        <Compared
          versions={versions.data.data}
          before={before ?? predecessorOf(after, versions.data.data, baseVersionId)}
          after={after}
        />
      ) : versions.isError ? (
        <Broken error={versions.error} reset={() => void versions.refetch()} />
      ) : (
        <Loading />
      )}
    </Page>
  );
}

function Compared({ versions, before, after }: { versions: readonly VersionEntry[]; before: string; after: string }) {
  const { workflow, model } = useEditorSession();
  const canvas = useEditor(definitionOf);
  const isDirty = useEditor(hasChanges);
  const left = useSide(workflow.id, before, canvas);
  const right = useSide(workflow.id, after, canvas);
  const error = left.error ?? right.error;
  return (
    <>
      <SideChoice workflow={workflow} versions={versions} isDirty={isDirty} before={before} after={after} />
      {error ? (
        <Broken error={error} reset={() => void Promise.all([left.refetch(), right.refetch()])} />
      ) : left.definition && right.definition ? (
        <ReactFlowProvider key={`${before} ${after}`}>
          <Changes before={left.definition} after={right.definition} types={model.types} />
        </ReactFlowProvider>
      ) : (
        <Loading />
      )}
    </>
  );
}

/** Returns the definition of a side; undefined while it is being loaded. */
function useSide(workflowId: string, side: string, canvas: Definition) {
  const own = side === CANVAS ? canvas : side === NOTHING ? EMPTY : undefined;
  const { data, error, refetch } = useQuery({ ...versionQuery(workflowId, side), enabled: own === undefined });
  return { definition: own ?? data?.definition, error, refetch };
}

const route = getRouteApi('/w/$workspaceId/workflows/$workflowId');

/** Makes the later side of the comparison live; a canvas with changes is saved as a version before. */
function Publish({
  versions,
  after,
}: {
  /** The newest first. */
  versions: readonly VersionEntry[];
  after: string;
}) {
  const { workflow, versions: saver } = useEditorSession();
  const isDirty = useEditor(hasChanges);
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
