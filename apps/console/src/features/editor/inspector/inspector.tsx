import type { NodeDefinition } from '@deckhand/contracts';
import { useWorkspace } from '../../../api/use-workspace.ts';
import { useCanvasRuns } from '../runs/canvas-runs.tsx';
import { selectedNode } from '../model/editor-model.ts';
import { useEditor, useEditorSession } from '../model/editor-session.tsx';
import { changeNode } from '../model/edits.ts';
import { Keys } from './keys.tsx';
import { NodeForm } from './node-form.tsx';
import { SaveProblems } from '../saving/save-issues.tsx';
import { ScheduleBox } from './schedule-box.tsx';
import { useTestEvent } from './use-test-event.ts';
import { WebhookBox } from './webhook-box.tsx';
import { NodeDataContext } from '../../../forms/sample-data.ts';
import { i18n } from '../../../language/i18n.ts';
import { NodeDataBeside } from '../runs/dock.tsx';
import classes from '../workbench.module.css';

/** The form of the selected node; without one, the keyboard shortcuts. */
export function Inspector() {
  const { workflow, versions } = useEditorSession();
  const { can } = useWorkspace();
  const { shown } = useCanvasRuns();
  const node = useEditor(selectedNode);
  // Here, because a test goes on while another node is selected.
  const test = useTestEvent(workflow, { onSave: () => versions.save(), onRun: shown.show });
  return (
    // Scrolled by keyboard also while there is nothing in it to focus.
    <section className={classes.form} aria-label={i18n.t('Node')} tabIndex={node ? undefined : 0}>
      {node ? (
        <>
          {/* Not among the disabled fields: URLs are copied and tested in a managed workflow, too. */}
          {node.type === 'trigger.webhook' && (
            <WebhookBox workflow={workflow} nodeId={node.id} test={can('editor') ? test : undefined} />
          )}
          <NodeDataContext
            value={(onInsert) => (
              <NodeDataBeside node={node} onInsert={onInsert}>
                <SaveProblems />
              </NodeDataBeside>
            )}
          >
            <NodeForm key={node.id} node={node}>
              {node.type === 'trigger.schedule' && <ScheduleOf node={node} />}
            </NodeForm>
          </NodeDataContext>
        </>
      ) : (
        <Keys />
      )}
    </section>
  );
}

function ScheduleOf({ node }: { node: NodeDefinition }) {
  const { model } = useEditorSession();
  return (
    <ScheduleBox
      parameters={node.parameters ?? {}}
      onChange={(cron) =>
        model.apply(
          (before) => changeNode(before, node.id, (old) => ({ ...old, parameters: { ...old.parameters, cron } })),
          `${node.id} cron`,
        )
      }
    />
  );
}
