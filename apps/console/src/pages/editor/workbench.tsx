import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useWorkspace } from '../../api/use-workspace.ts';
import { versionQuery } from '../../api/workflows.ts';
import { Page } from '../../components/page.tsx';
import { CanvasRunsProvider, useCanvasRuns } from '../../editor/canvas-runs.tsx';
import { EditorCanvas } from '../../editor/editor-canvas.tsx';
import { selectedNode } from '../../editor/editor-model.ts';
import { useEditor, useEditorSession, usePinnedOutputs } from '../../editor/editor-session.tsx';
import { InsertionProvider } from '../../editor/insertion.tsx';
import { NodePicker } from '../../editor/node-picker.tsx';
import { RunNow } from '../../editor/run-now.tsx';
import { SaveProblems } from '../../editor/save-issues.tsx';
import { SaveWithComment } from '../../editor/save-with-comment.tsx';
import { StaleSave } from '../../editor/stale-save.tsx';
import { Toolbar } from '../../editor/toolbar.tsx';
import { useClipboard } from '../../editor/use-clipboard.ts';
import { useReveal, useSteadyView } from '../../editor/use-reveal.ts';
import { useShortcuts } from '../../editor/use-shortcuts.ts';
import { Versions } from '../../editor/versions.tsx';
import { WorkflowSettings } from '../../editor/workflow-settings.tsx';
import { i18n } from '../../language/i18n.ts';
import { WorkflowPath } from '../workflows/workflow-path.tsx';
import { WorkflowTabs } from '../workflows/workflow-tabs.tsx';
import { Dock } from './dock.tsx';
import { Inspector } from './inspector.tsx';
import { RunStrip } from './run-strip.tsx';
import { SplitDock } from './split-dock.tsx';
import { SplitInspector } from './split-inspector.tsx';
import { useDockSize } from './use-dock-size.ts';
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
      <SplitInspector inspector={<Inspector />}>
        <Stage />
      </SplitInspector>
      <NodePicker onAdded={({ position }) => reveal(position)} />
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
          {shown.executionId !== undefined && <RunStrip executionId={shown.executionId} canvasNumber={base?.number} />}
        </div>
        <EditorCanvas />
      </SplitDock>
    </section>
  );
}
