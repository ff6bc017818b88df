import type { Definition, NodeTypeEntry, Workflow } from '@deckhand/contracts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useBlocker } from '@tanstack/react-router';
import { ReactFlowProvider } from '@xyflow/react';
import { useMemo, useState } from 'react';
import { nodeTypesQuery, workflowQuery } from '../../api/workflows.js';
import { moveNodes } from '../../editor/edits.js';
import { useEditor } from '../../editor/use-editor.js';
import { useSave } from '../../editor/use-save.js';
import { placeNodes } from '../../graph/layout.js';
import { Broken } from '../../components/broken.js';
import { Loading } from '../../components/loading.js';
import { Comparison } from '../comparison/comparison.js';
import { Workbench } from './workbench.js';

const route = getRouteApi('/w/$workspaceId/workflows/$workflowId');

const EMPTY: Definition = { nodes: [], edges: [] };

/** The editor of a workflow, or the comparison of two of its versions. */
export function EditorPage() {
  const { workflowId } = route.useParams();
  const workflow = useQuery(workflowQuery(workflowId));
  const types = useQuery(nodeTypesQuery);
  const error = workflow.error ?? types.error;
  if (workflow.data && types.data) {
    return <Ready key={workflowId} workflow={workflow.data} entries={types.data.data} />;
  }
  if (error) return <Broken error={error} reset={() => void Promise.all([workflow.refetch(), types.refetch()])} />;
  return <Loading />;
}

/** The edited definition is kept while versions are compared. */
function Ready({ workflow, entries }: { workflow: Workflow; entries: readonly NodeTypeEntry[] }) {
  const { before, after } = route.useSearch();
  const types = useMemo(() => new Map(entries.map((entry) => [entry.type, entry])), [entries]);
  const [initial] = useState(() => {
    const definition = workflow.definition ?? EMPTY;
    return moveNodes(definition, placeNodes(definition, types));
  });
  const editor = useEditor(initial);
  const saving = useSave(workflow, editor);
  useBlocker({
    shouldBlockFn: ({ current, next }) =>
      editor.isDirty && current.pathname !== next.pathname && !window.confirm('Leave without saving?'),
    enableBeforeUnload: () => editor.isDirty,
  });
  if (after === undefined) {
    return (
      <ReactFlowProvider>
        <Workbench workflow={workflow} entries={entries} types={types} editor={editor} saving={saving} />
      </ReactFlowProvider>
    );
  }
  return (
    <Comparison
      workflow={workflow}
      types={types}
      canvas={editor.definition}
      isDirty={editor.isDirty}
      baseVersionId={saving.baseVersionId}
      before={before}
      after={after}
    />
  );
}
