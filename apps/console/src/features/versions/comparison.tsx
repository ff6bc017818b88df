import type { Definition, VersionEntry } from '@deckhand/contracts';
import { useQuery } from '@tanstack/react-query';
import { ReactFlowProvider } from '@xyflow/react';
import { versionQuery, versionsQuery } from '../../api/workflows.ts';
import { CANVAS, NOTHING, predecessorOf } from './sides.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { Broken } from '../../components/broken.tsx';
import { ButtonLink } from '../../components/button-link.tsx';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { definitionOf, isDirty as isDirtyState } from '../editor/model/editor-model.ts';
import { useEditor, useEditorSession } from '../editor/model/editor-session.tsx';
import { i18n } from '../../language/i18n.ts';
import { WorkflowPath } from '../workflows/workflow-path.tsx';
import { Changes } from './changes.tsx';
import { Publish } from './publish.tsx';
import { SideChoice } from './side-choice.tsx';

const EMPTY: Definition = { nodes: [], edges: [] };

/**
 * Shows the changes from one version of a workflow to another.
 * @param after a version's id, or one of the names in `sides.ts`. @param before by default the previous one.
 */
export function Comparison({ before, after }: { before: string | undefined; after: string }) {
  const { workflow } = useEditorSession();
  const isReadOnly = useEditor((state) => state.isReadOnly);
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
          {versions.data && !isReadOnly && <Publish versions={versions.data.data} after={after} />}
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
  const isDirty = useEditor(isDirtyState);
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
