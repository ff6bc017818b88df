import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useWorkspace } from '../../api/use-workspace.ts';
import { versionQuery } from '../../api/workflows.ts';
import { Page } from '../../components/page.tsx';
import { i18n } from '../../language/i18n.ts';
import { Versions } from '../versions/versions.tsx';
import { WorkflowPath } from '../workflows/workflow-path.tsx';
import { WorkflowTabs } from '../workflows/workflow-tabs.tsx';
import { EditorCanvas } from './canvas/editor-canvas.tsx';
import { useClipboard } from './canvas/use-clipboard.ts';
import { useReveal, useSteadyView } from './canvas/use-reveal.ts';
import { ImportReport } from './import-report.tsx';
import { InsertionProvider } from './inspector/insertion.tsx';
import { Inspector } from './inspector/inspector.tsx';
import { SplitInspector } from './inspector/split-inspector.tsx';
import { selectedNode } from './model/editor-model.ts';
import { useEditor, useEditorSession, usePinnedOutputs } from './model/editor-session.tsx';
import { NodePicker } from './node-picker.tsx';
import { CanvasRunsProvider, useCanvasRuns } from './runs/canvas-runs.tsx';
import { Dock } from './runs/dock.tsx';
import { RunNow } from './runs/run-now.tsx';
import { RunStrip } from './runs/run-strip.tsx';
import { SplitDock, useDockSize } from './runs/split-dock.tsx';
import { StaleSave } from './saving/conflicts.tsx';
import { SaveProblems } from './saving/save-issues.tsx';
import { SaveWithComment } from './saving/save-with-comment.tsx';
import { WorkflowSettings } from './settings/workflow-settings.tsx';
import { Toolbar } from './toolbar.tsx';
import { useShortcuts } from './use-shortcuts.ts';
import classes from './workbench.module.css';

/** Edits, saves and tests a workflow. A run that is started here is shown on the same canvas. */
export function Workbench() {
  return (
    <CanvasRunsProvider>
      <InsertionProvider>
        <Bench />
      </InsertionProvider>
    </CanvasRunsProvider>
  );
}

function Bench() {
  const { workflow, model } = useEditorSession();
  const { workspaceId } = useWorkspace();
  const reveal = useReveal();
  const [addedId, setAddedId] = useState<string>();
  useClipboard(model);
  useShortcuts();
  // A dialog is not open again when the person returns from a comparison.
  useEffect(() => () => model.close(), [model]);
  return (
    <Page
      isFull
      title={workflow.name}
      above={<WorkflowPath workflow={workflow} />}
      tabs={<WorkflowTabs workspaceId={workspaceId} workflowId={workflow.id} />}
      actions={<Toolbar />}
    >
      {workflow.managed && (
        <p className={classes.managed} role="note">
          {workflow.slug === null
            ? i18n.t('Files define this workflow: change them, and apply them with the command line.')
            : i18n.t('Files define this workflow ({slug}): change them, and apply them with the command line.', {
                slug: workflow.slug,
              })}
        </p>
      )}
      <SplitInspector inspector={<Inspector addedId={addedId} />}>
        <Stage />
      </SplitInspector>
      <NodePicker
        onAdded={({ id, position }) => {
          reveal(position);
          setAddedId(id);
        }}
      />
      <RunNow />
      <SaveWithComment />
      <StaleSave />
      <WorkflowSettings />
      <Versions />
    </Page>
  );
}

/** The canvas, and below it the data of the selected node in the run that the canvas shows. */
function Stage() {
  const { workflow } = useEditorSession();
  const { shown } = useCanvasRuns();
  const [dockSize, setDockSize] = useDockSize();
  const baseVersionId = useEditor((state) => state.baseVersionId);
  const hasPins = Object.keys(usePinnedOutputs()).length > 0;
  useSteadyView(useEditor(selectedNode)?.position);
  const { data: base } = useQuery({
    ...versionQuery(workflow.id, baseVersionId ?? ''),
    enabled: baseVersionId !== null && shown.executionId !== undefined,
  });
  const dock =
    shown.executionId === undefined && !hasPins ? undefined : (
      <Dock isOpen={dockSize.isOpen} onToggle={() => setDockSize({ ...dockSize, isOpen: !dockSize.isOpen })} />
    );
  return (
    <section
      className={classes.canvas}
      data-docked={dock !== undefined && dockSize.isOpen}
      aria-label={i18n.t('Graph')}
    >
      <SplitDock
        dock={dock}
        isOpen={dockSize.isOpen}
        share={dockSize.share}
        onShare={(share) => setDockSize({ ...dockSize, share })}
      >
        {/* On the canvas, which keeps its place. */}
        <div className={classes.notes}>
          <SaveProblems />
          <ImportReport />
          {shown.executionId !== undefined && <RunStrip executionId={shown.executionId} canvasNumber={base?.number} />}
        </div>
        <EditorCanvas />
      </SplitDock>
    </section>
  );
}
