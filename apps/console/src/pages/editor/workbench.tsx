import type { ExecuteBody, NodeTypeEntry, Workflow } from '@deckhand/contracts';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useReactFlow } from '@xyflow/react';
import { History, Play } from 'lucide-react';
import { useState } from 'react';
import { useWorkspace } from '../../api/use-workspace.js';
import { execute } from '../../api/workflows.js';
import { addNode, changeSettings, moveNodes, newNode, placeBeside } from '../../editor/edits.js';
import { EditorCanvas } from '../../editor/editor-canvas.js';
import { isAboutDefinition } from '../../editor/issues.js';
import { Keys } from '../../editor/keys.js';
import { NodeForm } from '../../editor/node-form.js';
import { Palette } from '../../editor/palette.js';
import { RunNow } from '../../editor/run-now.js';
import { SaveWithComment } from '../../editor/save-with-comment.js';
import { StaleSave } from '../../editor/stale-save.js';
import { Tool } from '../../editor/tool.js';
import { Toolbar } from '../../editor/toolbar.js';
import type { DraftSync } from '../../editor/use-draft.js';
import type { Editor } from '../../editor/use-editor.js';
import type { Saving } from '../../editor/use-save.js';
import { useShortcuts } from '../../editor/use-shortcuts.js';
import { Versions } from '../../editor/versions.js';
import { SETTING_PATHS, WorkflowSettings } from '../../editor/workflow-settings.js';
import { WebhookBox } from '../../editor/webhook-box.js';
import { isAllAt } from '../../forms/issue-at.js';
import { type NodeTypes, outputHandles } from '../../graph/handles.js';
import { layOut, placeNodes, type Position } from '../../graph/layout.js';
import { notify } from '../../components/notice-board.js';
import { Page } from '../../components/page.js';
import { Problem } from '../../components/problem.js';
import { RunStrip } from './run-strip.js';
import { useShownRun } from './use-shown-run.js';
import classes from './workbench.module.css';

const NOTHING: ReadonlySet<string> = new Set();

/** Edits, saves and tests a workflow. A run that is started here is shown on the same canvas. */
export function Workbench({
  workflow,
  entries,
  types,
  editor,
  saving,
  sync,
}: {
  workflow: Workflow;
  entries: readonly NodeTypeEntry[];
  types: NodeTypes;
  editor: Editor;
  saving: Saving;
  sync: DraftSync;
}) {
  const { workspaceId, can } = useWorkspace();
  const isReadOnly = !can('editor') || workflow.managed;
  const flow = useReactFlow();
  const { definition, apply } = editor;
  const [selected, setSelected] = useState(NOTHING);
  const [isAsking, asking] = useDisclosure(false);
  const [isCommenting, commenting] = useDisclosure(false);
  const [isShowingVersions, versions] = useDisclosure(false);
  const [isShowingSettings, settings] = useDisclosure(false);
  const shown = useShownRun();

  // Issues of the definition are shown on the canvas or at their fields.
  const showWhy = (error: unknown): void => {
    if (isAboutDefinition(error)) commenting.close();
    if (isAllAt(error, SETTING_PATHS)) settings.open();
  };
  const save = (comment?: string): void => {
    if (!saving.isPending) void saving.save(comment).then(commenting.close, showWhy);
  };
  const saveToActivate = (): Promise<string | null> =>
    saving.save().catch((error: unknown) => {
      showWhy(error);
      throw error;
    });
  const isSaidInDialog = isCommenting || (isShowingSettings && isAllAt(saving.refusal, SETTING_PATHS));
  useShortcuts(editor, selected, {
    save: () => {
      // Saves from the dialog go through its comment.
      if (!isCommenting && !isReadOnly) save();
    },
    select: setSelected,
  });

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

  const chosen = selected.size === 1 ? definition.nodes.find(({ id }) => selected.has(id)) : undefined;
  const add = (entry: NodeTypeEntry, position?: Position): void => {
    const after = position === undefined && !entry.isTrigger ? chosen : undefined;
    const node = newNode(definition, entry, position ?? placeBeside(definition, chosen));
    const handle = after && outputHandles(after, types)[0];
    const edge = after && {
      source: after.id,
      target: node.id,
      ...(handle === undefined ? {} : { sourceHandle: handle }),
    };
    apply((before) => addNode(before, node, edge));
    setSelected(new Set([node.id]));
    // A dropped node is already in view.
    if (position) return;
    requestAnimationFrame(() => void flow.fitView({ minZoom: 0.4, maxZoom: 1, padding: 0.15 }));
  };

  return (
    <Page
      title={workflow.name}
      actions={
        isReadOnly ? (
          <>
            {can('editor') && (
              <Tool label="Run" onClick={asking.open}>
                <Play size={17} aria-hidden />
              </Tool>
            )}
            <Tool label="Versions" onClick={versions.open}>
              <History size={17} aria-hidden />
            </Tool>
          </>
        ) : (
          <Toolbar
            workflow={workflow}
            editor={editor}
            sync={sync}
            isSaving={saving.isPending}
            onSave={() => save()}
            onSaveToActivate={saveToActivate}
            onSaveWithComment={commenting.open}
            onRun={asking.open}
            onVersions={versions.open}
            onSettings={settings.open}
            onTidy={() => apply((before) => moveNodes(before, layOut(before, types)))}
          />
        )
      }
    >
      <Problem error={isSaidInDialog ? null : saving.error} />
      {workflow.managed && (
        <p className={classes.managed} role="note">
          Files define this workflow{workflow.slug !== null && ` (${workflow.slug})`}: change them, and apply them with
          the command line.
        </p>
      )}
      {shown.executionId !== undefined && (
        <RunStrip executionId={shown.executionId} run={shown.run} onClose={() => shown.show(undefined)} />
      )}
      <div className={classes.bench} data-readonly={isReadOnly}>
        {!isReadOnly && (
          <section className={classes.palette} aria-label="Add nodes">
            <Palette types={entries} onAdd={add} />
          </section>
        )}
        <section className={classes.canvas} aria-label="Graph">
          <EditorCanvas
            definition={definition}
            types={types}
            issues={saving.issues}
            progress={shown.run?.progress}
            selected={selected}
            onSelect={setSelected}
            onEdit={apply}
            onDropType={(type, position) => {
              const entry = types.get(type);
              if (entry) add(entry, position);
            }}
            isReadOnly={isReadOnly}
          />
        </section>
        <section className={classes.form} aria-label="Node">
          {chosen ? (
            <fieldset disabled={isReadOnly} className={classes.fields}>
              {saving.issues.has(chosen.id) && (
                <p className={classes.issue} role="alert">
                  {saving.issues.get(chosen.id)}
                </p>
              )}
              {chosen.type === 'trigger.webhook' && <WebhookBox workflow={workflow} nodeId={chosen.id} />}
              <NodeForm
                key={chosen.id}
                definition={definition}
                node={chosen}
                types={types}
                workspaceId={workspaceId}
                workflowId={workflow.id}
                shown={shown.run}
                isReadOnly={isReadOnly}
                onEdit={apply}
                onClose={() => setSelected(NOTHING)}
              />
            </fieldset>
          ) : (
            <Keys />
          )}
        </section>
      </div>
      <RunNow
        definition={definition}
        isTrigger={(type) => types.get(type)?.isTrigger ?? false}
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
        isPending={saving.isPending}
        onKeepEditing={saving.forget}
        onLoadTheirs={() => void saving.takeTheirs()}
        onSaveMine={() => void saving.saveOnTop().catch(() => undefined)}
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
        onDiscard={() => void saving.takeTheirs()}
        onTake={(taken) => apply(() => moveNodes(taken, placeNodes(taken, types)))}
      />
    </Page>
  );
}
