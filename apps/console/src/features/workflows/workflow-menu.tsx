import type { WorkflowEntry } from '@deckhand/contracts';
import { Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Copy, History, Siren, Trash2 } from 'lucide-react';
import { foldersQuery } from '../../api/folders.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { deleteWorkflow, duplicateWorkflow, updateWorkflow, workflowQuery } from '../../api/workflows.ts';
import { targetsOf } from '../../api/folder-tree.ts';
import { type Action, ActionMenu } from '../../components/action-menu.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { notify } from '../../components/notice-board.ts';
import { i18n } from '../../language/i18n.ts';
import { ActivationList } from './activation-list.tsx';
import { ErrorWorkflowForm } from './error-workflow-form.tsx';
import { moveAction, renameAction } from './list-actions.tsx';
import { NameForm } from './name-form.tsx';

/** The actions on a workflow in the list; none for roles below editor, nor where files define the workflow. */
export function WorkflowMenu({ workflow }: { workflow: WorkflowEntry }) {
  const { workspaceId, can } = useWorkspace();
  const queryClient = useQueryClient();
  const tree = useQuery(foldersQuery(workspaceId)).data;
  if (!can('editor') || !tree) return null;
  if (workflow.managed) {
    return (
      <Text size="xs" c="dimmed" title={i18n.t('Files define this workflow')}>
        {i18n.t('Managed')}
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
      label: i18n.t('Duplicate'),
      Icon: Copy,
      dialog: (close) => (
        <NameForm
          title={i18n.t('Duplicate {name}', { name })}
          name={i18n.t('{name} (copy)', { name })}
          submit={i18n.t('Duplicate')}
          act={async (next) => {
            await duplicateWorkflow(id, next);
            await refresh();
          }}
          onClose={close}
        />
      ),
    },
    {
      label: i18n.t('Error workflow'),
      Icon: Siren,
      dialog: (close) => (
        <ErrorWorkflowForm
          title={i18n.t('Error workflow of {name}', { name })}
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
      label: i18n.t('Activations'),
      Icon: History,
      dialog: (close) => <ActivationList workflowId={id} name={name} onClose={close} />,
    },
    {
      label: i18n.t('Delete'),
      Icon: Trash2,
      isDangerous: true,
      dialog: (close) => (
        <ConfirmDialog
          question={i18n.t('Delete the workflow {name}?', { name })}
          consequence={i18n.t(
            'Its versions, webhooks and schedules are deleted, and its runs in progress are stopped. Its runs stay in the list of runs.',
          )}
          label={i18n.t('Delete')}
          act={async () => {
            await deleteWorkflow(id);
            notify(i18n.t('The workflow {name} is deleted.', { name }));
            await refresh();
          }}
          onClose={close}
        />
      ),
    },
  ];
  return <ActionMenu of={name} actions={actions} />;
}
