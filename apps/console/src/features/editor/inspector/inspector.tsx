import type { NodeDefinition } from '@deckhand/contracts';
import { Stack, Text, Title } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useWorkspace } from '../../../api/use-workspace.ts';
import { ShortcutList } from '../../../components/shortcut-list.tsx';
import { NodeDataContext } from '../../../forms/sample-data.ts';
import { i18n } from '../../../language/i18n.ts';
import { CANVAS_KEYS } from '../canvas-keys.ts';
import { selectedNode } from '../model/editor-model.ts';
import { useEditor, useEditorSession } from '../model/editor-session.tsx';
import { changeNode } from '../model/edits.ts';
import { useCanvasRuns } from '../runs/canvas-runs.tsx';
import { NodeDataBeside } from '../runs/dock.tsx';
import { SaveProblems } from '../saving/save-issues.tsx';
import classes from '../workbench.module.css';
import { NodeForm } from './node-form.tsx';
import { ScheduleBox } from './schedule-box.tsx';
import { useTestEvent } from './use-test-event.ts';
import { WebhookBox } from './webhook-box.tsx';

/**
 * The form of the selected node; without one, the keyboard shortcuts.
 * @param addedId the node that was added last: its form gets the focus
 */
export function Inspector({ addedId }: { addedId: string | undefined }) {
  const { workflow, model, versions } = useEditorSession();
  const { can } = useWorkspace();
  const { shown } = useCanvasRuns();
  const node = useEditor(selectedNode);
  const section = useRef<HTMLElement>(null);
  const isAdded = addedId !== undefined && node?.id === addedId;
  useEffect(() => {
    if (isAdded) section.current?.focus();
  }, [isAdded, addedId]);
  const form = node && model.types.get(node.type)?.form;
  const schedule = Object.entries(form?.inputs ?? {}).find(([, input]) => input === 'cron')?.[0];
  // Here, because a test goes on while another node is selected.
  const test = useTestEvent(workflow, { onSave: () => versions.save(), onRun: shown.show });
  return (
    // Scrolled by keyboard also while there is nothing in it to focus.
    <section ref={section} className={classes.form} aria-label={i18n.t('Node')} tabIndex={node ? -1 : 0}>
      {node ? (
        <>
          {/* Not among the disabled fields: URLs are copied and tested in a managed workflow, too. */}
          {form?.panel === 'webhook' && (
            <WebhookBox workflow={workflow} nodeId={node.id} test={can('runs.start') ? test : undefined} />
          )}
          <NodeDataContext
            value={(onInsert) => (
              <NodeDataBeside node={node} onInsert={onInsert}>
                <SaveProblems />
              </NodeDataBeside>
            )}
          >
            <NodeForm key={node.id} node={node}>
              {schedule !== undefined && <ScheduleOf node={node} parameter={schedule} />}
            </NodeForm>
          </NodeDataContext>
        </>
      ) : (
        <Keys />
      )}
    </section>
  );
}

/** The schedule of a cron expression, above its field. */
function ScheduleOf({ node, parameter }: { node: NodeDefinition; parameter: string }) {
  const { model } = useEditorSession();
  return (
    <ScheduleBox
      cron={node.parameters?.[parameter]}
      timezone={node.parameters?.timezone}
      onChange={(cron) =>
        model.apply(
          (before) =>
            changeNode(before, node.id, (old) => ({ ...old, parameters: { ...old.parameters, [parameter]: cron } })),
          `${node.id} ${parameter}`,
        )
      }
    />
  );
}

/** Shown while no node is selected: the keyboard shortcuts of the canvas. */
function Keys() {
  return (
    <Stack gap="sm">
      <Title order={2} size="h5">
        {i18n.t('Select a node')}
      </Title>
      <Text size="sm" c="dimmed">
        {i18n.t(
          'Select a node to edit it, or add one: it is connected to the selected one, or to the end of a chain. A click on the dot on the right of a node adds one after it. To connect nodes, drag from that dot to the dot on the left of another, or select the next step in the form.',
        )}
      </Text>
      <ShortcutList shortcuts={CANVAS_KEYS} />
    </Stack>
  );
}
