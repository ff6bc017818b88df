import type { ExecuteBody, NodeTypeEntry, Workflow } from '@deckhand/contracts';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { History, Play } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useWorkspace } from '../../api/use-workspace.js';
import { execute } from '../../api/workflows.js';
import {
  addNode,
  changeNode,
  changeSettings,
  endOfChain,
  moveNodes,
  newNode,
  placeBeside,
  removeNodes,
} from '../../editor/edits.js';
import { EditorCanvas } from '../../editor/editor-canvas.js';
import { isFirst } from '../../editor/first-definition.js';
import { isAboutDefinition, issuesByNode } from '../../editor/issues.js';
import { Keys } from '../../editor/keys.js';
import { NodeForm } from '../../editor/node-form.js';
import { Palette } from '../../editor/palette.js';
import { RunNow } from '../../editor/run-now.js';
import { SaveIssues } from '../../editor/save-issues.js';
import { ScheduleBox } from '../../editor/schedule-box.js';
import { SaveWithComment } from '../../editor/save-with-comment.js';
import { StaleSave } from '../../editor/stale-save.js';
import { Tool } from '../../editor/tool.js';
import { Toolbar } from '../../editor/toolbar.js';
import type { DraftSync } from '../../editor/use-draft.js';
import type { Editor } from '../../editor/use-editor.js';
import type { Saving } from '../../editor/use-save.js';
import { useTestEvent } from '../../editor/use-test-event.js';
import { useShortcuts } from '../../editor/use-shortcuts.js';
import { Versions } from '../../editor/versions.js';
import { SETTING_PATHS, WorkflowSettings } from '../../editor/workflow-settings.js';
import { WebhookBox } from '../../editor/webhook-box.js';
import { isAllAt } from '../../forms/issue-at.js';
import { freeHandle, type NodeTypes } from '../../graph/handles.js';
import { layOut, placeNodes, type Position } from '../../graph/layout.js';
import { notify } from '../../components/notice-board.js';
import { Page } from '../../components/page.js';
import { Problem } from '../../components/problem.js';
import { RunStrip } from './run-strip.js';
import { useReveal } from './use-reveal.js';
import { useShownRun } from './use-shown-run.js';
import classes from './workbench.module.css';

const NOTHING: ReadonlySet<string> = new Set();
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
  const saveOrShowWhy = (): Promise<string | null> =>
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
    run: () => {
      if (can('editor') && !isCommenting && !isShowingVersions && !isShowingSettings) asking.open();
    },
    select: setSelected,
    isReadOnly,
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
  const add = (entry: NodeTypeEntry, position?: Position): void => {
    const last = selected.size === 0 ? endOfChain(definition, types) : chosen;
    const after = position === undefined && !entry.isTrigger ? last : undefined;
    // A first trigger of one's own is instead of the one that every workflow begins with.
    const [first] = entry.isTrigger && isFirst(definition) ? definition.nodes : [];
    const base = first ? removeNodes(definition, new Set([first.id])) : definition;
    const node = newNode(base, entry, position ?? first?.position ?? placeBeside(base, last));
    const handle = after && freeHandle(after, definition, types);
    const edge = after && {
      source: after.id,
      target: node.id,
      ...(handle === undefined ? {} : { sourceHandle: handle }),
    };
    apply(() => addNode(base, node, edge));
    setSelected(new Set([node.id]));
    reveal(node.position);
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
          Files define this workflow{workflow.slug !== null && ` (${workflow.slug})`}: change them, and apply them with
          the command line.
        </p>
      )}
      <div className={classes.bench} data-readonly={isReadOnly}>
        {!isReadOnly && (
          <section className={classes.palette} aria-label="Add nodes">
            <Palette types={entries} onAdd={add} />
          </section>
        )}
        <section className={classes.canvas} aria-label="Graph">
          {/* On the canvas, which keeps its place. */}
          <div className={classes.notes}>
            <Problem error={isSaidInDialog ? null : saving.error} />
            <SaveIssues issues={isSaidInDialog ? NO_ISSUES : saving.issues} onSelect={choose} />
            {shown.executionId !== undefined && (
              <RunStrip executionId={shown.executionId} run={shown.run} onClose={() => shown.show(undefined)} />
            )}
          </div>
          <EditorCanvas
            definition={definition}
            types={types}
            issues={issues}
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
            <>
              {/* Not among the disabled fields: URLs are copied and tested in a managed workflow, too. */}
              {chosen.type === 'trigger.webhook' && (
                <WebhookBox workflow={workflow} nodeId={chosen.id} test={can('editor') ? test : undefined} />
              )}
              <NodeForm
                key={chosen.id}
                definition={definition}
                node={chosen}
                types={types}
                workspaceId={workspaceId}
                workflowId={workflow.id}
                issues={saving.issues}
                shown={shown.run}
                isReadOnly={isReadOnly}
                onEdit={apply}
                onClose={() => setSelected(NOTHING)}
              >
                {chosen.type === 'trigger.schedule' && (
                  <ScheduleBox parameters={chosen.parameters ?? {}} onChange={(cron) => changeCron(chosen.id, cron)} />
                )}
              </NodeForm>
            </>
          ) : (
            <Keys />
          )}
        </section>
      </div>
      <RunNow
        workflowId={workflow.id}
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
