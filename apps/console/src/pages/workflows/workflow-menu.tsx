import type { WorkflowEntry } from '@deckhand/contracts';
import { Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Copy, History, Siren, Trash2 } from 'lucide-react';
import { foldersQuery } from '../../api/folders.js';
import { useWorkspace } from '../../api/use-workspace.js';
import { deleteWorkflow, duplicateWorkflow, updateWorkflow, workflowQuery } from '../../api/workflows.js';
import { targetsOf } from '../../folders/tree.js';
import { type Action, ActionMenu } from '../../components/action-menu.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { notify } from '../../components/notice-board.js';
import { ActivationList } from './activation-list.js';
import { ErrorWorkflowForm } from './error-workflow-form.js';
import { moveAction, renameAction } from './list-actions.js';
import { NameForm } from './name-form.js';

/** The actions on a workflow in the list; none for roles below editor, nor where files define the workflow. */
export function WorkflowMenu({ workflow }: { workflow: WorkflowEntry }) {
  const { workspaceId, can } = useWorkspace();
  const queryClient = useQueryClient();
  const tree = useQuery(foldersQuery(workspaceId)).data;
  if (!can('editor') || !tree) return null;
  if (workflow.managed) {
    return (
      <Text size="xs" c="dimmed" title="Files define this workflow">
        Managed
      </Text>
    );
  }
  const { id, name, folderId } = workflow;
  const refresh = async (): Promise<void> => {
    queryClient.removeQueries({ queryKey: workflowQuery(id).queryKey });
    await queryClient.invalidateQueries({ queryKey: ['workflows', workspaceId] });
  };
  const actions: Action[] = [
    renameAction(name, async (next) => {
      await updateWorkflow(id, { name: next });
      await refresh();
    }),
    moveAction({
      name,
      targets: targetsOf(tree, folderId),
      act: async (next) => {
        await updateWorkflow(id, { folderId: next });
        await refresh();
      },
    }),
    {
      label: 'Duplicate',
      Icon: Copy,
      dialog: (close) => (
        <NameForm
          title={`Duplicate ${name}`}
          name={`${name} (copy)`}
          submit="Duplicate"
          act={async (next) => {
            await duplicateWorkflow(id, next);
            await refresh();
          }}
          onClose={close}
        />
      ),
    },
    {
      label: 'Error workflow',
      Icon: Siren,
      dialog: (close) => (
        <ErrorWorkflowForm
          title={`Error workflow of ${name}`}
          value={workflow.errorWorkflowId}
          act={async (errorWorkflowId) => {
            await updateWorkflow(id, { errorWorkflowId });
            await refresh();
          }}
          onClose={close}
        />
      ),
    },
    {
      label: 'Activations',
      Icon: History,
      dialog: (close) => <ActivationList workflowId={id} name={name} onClose={close} />,
    },
    {
      label: 'Delete',
      Icon: Trash2,
      isDangerous: true,
      dialog: (close) => (
        <ConfirmDialog
          question={`Delete the workflow ${name}?`}
          consequence="Its versions, webhooks and schedules are deleted, and its runs in progress are stopped. Its runs stay in the list of runs."
          label="Delete"
          act={async () => {
            await deleteWorkflow(id);
            notify(`The workflow ${name} is deleted.`);
            await refresh();
          }}
          onClose={close}
        />
      ),
    },
  ];
  return <ActionMenu of={name} actions={actions} />;
}
