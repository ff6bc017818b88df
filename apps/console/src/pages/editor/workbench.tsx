import type { ExecuteBody, NodeTypeEntry, Workflow } from '@deckhand/contracts';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { History, Play } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useWorkspace } from '../../api/use-workspace.ts';
import { execute, versionQuery } from '../../api/workflows.ts';
import { changeNode, changeSettings, endOfChain, moveNodes } from '../../editor/edits.ts';
import { EditorCanvas } from '../../editor/editor-canvas.tsx';
import { insertNode, type Spot } from '../../editor/insert-node.ts';
import { isAboutDefinition, issuesByNode } from '../../editor/issues.ts';
import { Keys } from '../../editor/keys.tsx';
import { NodeForm } from '../../editor/node-form.tsx';
import { NodePicker } from '../../editor/node-picker.tsx';
import { isNoteKey } from '../../editor/notes.ts';
import { RunNow } from '../../editor/run-now.tsx';
import { SaveIssues } from '../../editor/save-issues.tsx';
import { ScheduleBox } from '../../editor/schedule-box.tsx';
import { SaveWithComment } from '../../editor/save-with-comment.tsx';
import { StaleSave } from '../../editor/stale-save.tsx';
import { Tool } from '../../editor/tool.tsx';
import { Toolbar } from '../../editor/toolbar.tsx';
import type { DraftSync } from '../../editor/use-draft.ts';
import type { Editor } from '../../editor/use-editor.ts';
import { useInsertion } from '../../editor/use-insertion.ts';
import { canPin, usePins } from '../../editor/use-pins.ts';
import type { Saving } from '../../editor/use-save.ts';
import { useTestEvent } from '../../editor/use-test-event.ts';
import { useClipboard } from '../../editor/use-clipboard.ts';
import { useShortcuts } from '../../editor/use-shortcuts.ts';
import { Versions } from '../../editor/versions.tsx';
import { SETTING_PATHS, WorkflowSettings } from '../../editor/workflow-settings.tsx';
import { WebhookBox } from '../../editor/webhook-box.tsx';
import { isAllAt } from '../../forms/issue-at.ts';
import { NodeDataContext, type RenderNodeData } from '../../forms/sample-data.ts';
import { type NodeTypes } from '../../graph/handles.ts';
import { layOut, placeNodes } from '../../graph/layout.ts';
import { i18n } from '../../language/i18n.ts';
import { notify } from '../../components/notice-board.ts';
import { Page } from '../../components/page.tsx';
import { Problem } from '../../components/problem.tsx';
import { WorkflowPath } from '../workflows/workflow-path.tsx';
import { WorkflowTabs } from '../workflows/workflow-tabs.tsx';
import { Dock, NodeDataBeside } from './dock.tsx';
import type { NodeActionsOf } from './node-actions.tsx';
import { RunStrip } from './run-strip.tsx';
import { SplitDock } from './split-dock.tsx';
import { SplitInspector } from './split-inspector.tsx';
import { useDockSize } from './use-dock-size.ts';
import { useNodeRuns } from './use-node-runs.ts';
import { useReveal, useSteadyView } from './use-reveal.ts';
import { useShownRun } from './use-shown-run.ts';
import classes from './workbench.module.css';

const route = getRouteApi('/w/$workspaceId/workflows/$workflowId');

const NOTHING: ReadonlySet<string> = new Set();
const NEXT: Spot = { kind: 'next' };
const NO_ISSUES: Saving['issues'] = [];

/** Edits, saves and tests a workflow. A run that is started here is shown on the same canvas. */
export function Workbench({
  workflow,
  entries,
  types,
  editor,
  saving,
  sync,
  isReadOnly,
}: {
  workflow: Workflow;
  entries: readonly NodeTypeEntry[];
  types: NodeTypes;
  editor: Editor;
  saving: Saving;
  sync: DraftSync;
  isReadOnly: boolean;
}) {
  const { workspaceId, can } = useWorkspace();
  const reveal = useReveal();
  const { definition, apply } = editor;
  const { node: asked } = route.useSearch();
  const [selected, setSelected] = useState(() => (asked === undefined ? NOTHING : new Set([asked])));
  /** Where a node is being added. */
  const [spot, setSpot] = useState<Spot>();
  const [isAsking, asking] = useDisclosure(false);
  const [isCommenting, commenting] = useDisclosure(false);
  const [isShowingVersions, versions] = useDisclosure(false);
  const [isShowingSettings, settings] = useDisclosure(false);
  const shown = useShownRun(workflow);
  const insertion = useInsertion();
  const pins = usePins(workflow.id, definition, types);
  const hasPins = Object.keys(pins.outputs).length > 0;
  const [dockSize, setDockSize] = useDockSize();
  const { data: base } = useQuery({
    ...versionQuery(workflow.id, saving.baseVersionId ?? ''),
    enabled: saving.baseVersionId !== null && shown.executionId !== undefined,
  });

  // Issues of the definition are shown on the canvas or at their fields.
  const showWhy = (error: unknown): void => {
    if (isAboutDefinition(error)) commenting.close();
    if (isAllAt(error, SETTING_PATHS)) settings.open();
  };
  const save = (comment?: string): void => void saving.save(comment).then(commenting.close, showWhy);
  const saveOrShowWhy = (): Promise<string | null> =>
    saving.save().catch((error: unknown) => {
      showWhy(error);
      throw error;
    });
  const isSaidInDialog = isCommenting || (isShowingSettings && isAllAt(saving.refusal, SETTING_PATHS));
  const start = useMutation({
    async mutationFn(body: ExecuteBody) {
      await saving.save();
      return execute(workflow.id, body);
    },
    onSuccess({ executionId, warning }) {
      asking.close();
      shown.show(executionId);
      if (warning !== undefined) notify(warning);
    },
    onError: (error) => {
      if (!editor.isDirty) return;
      asking.close();
      showWhy(error);
    },
  });

  const test = useTestEvent(workflow, { onSave: saveOrShowWhy, onRun: shown.show });
  const issues = useMemo(() => issuesByNode(saving.issues), [saving.issues]);
  const choose = (nodeId: string): void => {
    setSelected(new Set([nodeId]));
    reveal(definition.nodes.find(({ id }) => id === nodeId)?.position);
  };
  const changeCron = (nodeId: string, cron: string): void =>
    apply(
      (before) => changeNode(before, nodeId, (node) => ({ ...node, parameters: { ...node.parameters, cron } })),
      `${nodeId} cron`,
    );
  const chosen = selected.size === 1 ? definition.nodes.find(({ id }) => selected.has(id)) : undefined;
  const nodeRuns = useNodeRuns(workflow, chosen, { shown, pins, types, onSave: saveOrShowWhy });
  const hasDialog = isCommenting || isShowingVersions || isShowingSettings;
  useClipboard(editor, selected, { select: setSelected, isReadOnly });
  useShortcuts(editor, {
    save: () => {
      // Saves from the dialog go through its comment.
      if (!isCommenting && !isReadOnly) save();
    },
    run: () => {
      if (can('editor') && !hasDialog) asking.open();
    },
    test: () => {
      if (!hasDialog && !isAsking && !nodeRuns.isStarting) nodeRuns.onTest?.();
    },
    add: () => setSpot(NEXT),
    isReadOnly,
  });
  useSteadyView(chosen?.position);
  useHotkeys(
    [
      [
        'F6',
        () => {
          const { current: dock } = insertion.dock.ref;
          if (dock?.contains(document.activeElement)) insertion.field?.focus();
          else dock?.focus();
        },
      ],
    ],
    [],
    true,
  );
  const add = (entry: NodeTypeEntry, spot: Spot): void => {
    const last = [...selected].every(isNoteKey) ? endOfChain(definition, types) : chosen;
    const inserted = insertNode(definition, entry, spot, { types, last });
    apply(() => inserted.definition);
    setSelected(new Set([inserted.node.id]));
    setSpot(undefined);
    reveal(inserted.node.position);
  };
  // After an output no run can start.
  const offered = useMemo(
    () => (spot === undefined || spot.kind === 'next' ? entries : entries.filter(({ isTrigger }) => !isTrigger)),
    [entries, spot],
  );

  const actions: NodeActionsOf = {
    pins,
    canPin: chosen !== undefined && can('editor') && canPin(chosen, types),
    ...nodeRuns,
  };
  const problems = (
    <>
      <Problem error={isSaidInDialog ? null : saving.error} />
      <SaveIssues issues={isSaidInDialog ? NO_ISSUES : saving.issues} onSelect={choose} />
    </>
  );
  const renderNodeData: RenderNodeData | undefined =
    chosen &&
    ((onInsert) => (
      <NodeDataBeside shown={shown} definition={definition} chosen={chosen} onInsert={onInsert} actions={actions}>
        {problems}
      </NodeDataBeside>
    ));
  const dock =
    shown.executionId === undefined && !hasPins ? undefined : (
      <Dock
        shown={shown}
        definition={definition}
        chosen={chosen}
        insertion={insertion}
        isOpen={dockSize.isOpen}
        onToggle={() => setDockSize({ ...dockSize, isOpen: !dockSize.isOpen })}
        actions={actions}
      />
    );

  return (
    <Page
      isFull
      title={workflow.name}
      above={<WorkflowPath workflow={workflow} />}
      tabs={<WorkflowTabs workspaceId={workspaceId} workflowId={workflow.id} />}
      actions={
        isReadOnly ? (
          <>
            {can('editor') && (
              <Tool label={i18n.t('Run')} onClick={asking.open}>
                <Play size={17} aria-hidden />
              </Tool>
            )}
            <Tool label={i18n.t('Versions')} onClick={versions.open}>
              <History size={17} aria-hidden />
            </Tool>
          </>
        ) : (
          <Toolbar
            workflow={workflow}
            onAdd={() => setSpot(NEXT)}
            editor={editor}
            sync={sync}
            isSaving={saving.isPending}
            onSave={() => save()}
            onSaveToActivate={saveOrShowWhy}
            onSaveWithComment={commenting.open}
            onRun={asking.open}
            onVersions={versions.open}
            onSettings={settings.open}
            onTidy={() => apply((before) => moveNodes(before, layOut(before, types)))}
          />
        )
      }
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
      <SplitInspector
        inspector={
          // Scrolled by keyboard also while there is nothing in it to focus.
          <section className={classes.form} aria-label={i18n.t('Node')} tabIndex={chosen ? undefined : 0}>
            {chosen ? (
              <>
                {/* Not among the disabled fields: URLs are copied and tested in a managed workflow, too. */}
                {chosen.type === 'trigger.webhook' && (
                  <WebhookBox workflow={workflow} nodeId={chosen.id} test={can('editor') ? test : undefined} />
                )}
                <NodeDataContext value={renderNodeData}>
                  <NodeForm
                    key={chosen.id}
                    definition={definition}
                    node={chosen}
                    types={types}
                    workspaceId={workspaceId}
                    workflowId={workflow.id}
                    issues={saving.issues}
                    shown={shown.run}
                    insertion={insertion}
                    isReadOnly={isReadOnly}
                    onEdit={apply}
                    onClose={() => setSelected(NOTHING)}
                  >
                    {chosen.type === 'trigger.schedule' && (
                      <ScheduleBox
                        parameters={chosen.parameters ?? {}}
                        onChange={(cron) => changeCron(chosen.id, cron)}
                      />
                    )}
                  </NodeForm>
                </NodeDataContext>
              </>
            ) : (
              <Keys />
            )}
          </section>
        }
      >
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
              {problems}
              {shown.executionId !== undefined && (
                <RunStrip
                  executionId={shown.executionId}
                  shown={shown}
                  canvasNumber={base?.number}
                  isDirty={editor.isDirty}
                  onClose={() => shown.show(undefined)}
                />
              )}
            </div>
            <EditorCanvas
              definition={definition}
              types={types}
              issues={issues}
              progress={shown.run?.progress}
              ran={shown.version?.definition}
              pinned={pins.outputs}
              selected={selected}
              onSelect={setSelected}
              onReveal={choose}
              onEdit={apply}
              onAdd={setSpot}
              isReadOnly={isReadOnly}
            />
          </SplitDock>
        </section>
      </SplitInspector>
      <NodePicker
        types={offered}
        isOpen={spot !== undefined}
        onClose={() => setSpot(undefined)}
        onPick={(type) => add(type, spot ?? NEXT)}
      />
      <RunNow
        workflowId={workflow.id}
        definition={definition}
        isTrigger={(type) => types.get(type)?.isTrigger ?? false}
        pinned={pins.outputs}
        isOpen={isAsking}
        isPending={start.isPending}
        error={start.error}
        onClose={asking.close}
        onRun={(body) => start.mutate(body)}
      />
      <SaveWithComment
        initial={saving.comment}
        isOpen={isCommenting}
        isPending={saving.isPending}
        error={saving.error}
        onClose={() => {
          commenting.close();
          saving.forget();
        }}
        onSave={save}
      />
      <StaleSave
        isOpen={saving.isStale}
        onKeepEditing={saving.forget}
        onLoadTheirs={saving.takeTheirs}
        onSaveMine={saving.saveOnTop}
      />
      <WorkflowSettings
        settings={definition.settings}
        error={saving.refusal}
        isOpen={isShowingSettings}
        onClose={settings.close}
        onChange={(next) => apply((before) => changeSettings(before, next))}
      />
      <Versions
        workflow={workflow}
        isDirty={editor.isDirty}
        isReadOnly={isReadOnly}
        isOpen={isShowingVersions}
        onClose={versions.close}
        onDiscard={saving.takeTheirs}
        onTake={(taken) => apply(() => moveNodes(taken, placeNodes(taken, types)))}
      />
    </Page>
  );
}
