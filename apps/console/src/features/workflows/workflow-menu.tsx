import { type ActivationEntry, NO_ERROR_WORKFLOW, type WorkflowEntry } from '@deckhand/contracts';
import { Table, Text, Textarea } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Copy, FileText, History, Siren, Trash2 } from 'lucide-react';
import { targetsOf } from '../../api/folder-tree.ts';
import { foldersQuery } from '../../api/folders.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import {
  activationsQuery,
  deleteWorkflow,
  duplicateWorkflow,
  updateWorkflow,
  workflowQuery,
} from '../../api/workflows.ts';
import { type Action, ActionMenu } from '../../components/action-menu.tsx';
import { Broken } from '../../components/broken.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FormDialog, submitBy } from '../../components/form-dialog.tsx';
import { Loading } from '../../components/loading.tsx';
import { notify } from '../../components/notice-board.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { i18n } from '../../language/i18n.ts';
import { ErrorWorkflowSelect } from './error-workflow-select.tsx';
import { moveAction, NameForm, renameAction } from './list-actions.tsx';

/** The actions on a workflow in the list; none for roles below editor, nor where files define the workflow. */
export function WorkflowMenu({ workflow }: { workflow: WorkflowEntry }) {
  const { workspaceId, can } = useWorkspace();
  const queryClient = useQueryClient();
  const tree = useQuery(foldersQuery(workspaceId)).data;
  if (!can('workflows.edit') || !tree) return null;
  if (workflow.managed) {
    return (
      <Text size="xs" c="dimmed" title={i18n.t('Files define this workflow')}>
        {i18n.t('Managed')}
      </Text>
    );
  }
  const { id, name, folderId } = workflow;
  // What runs by triggers is decided by publishers.
  const isOthers = workflow.status === 'active' && !can('workflows.publish');
  const refresh = async (): Promise<void> => {
    queryClient.removeQueries({ queryKey: workflowQuery(id).queryKey });
    await queryClient.invalidateQueries({ queryKey: ['workflows', workspaceId] });
  };
  const deletion: Action = {
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
  };
  const errorWorkflow: Action = {
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
      label: i18n.t('Description'),
      Icon: FileText,
      dialog: (close) => (
        <DescriptionForm
          title={i18n.t('Description of {name}', { name })}
          description={workflow.description}
          act={async (description) => {
            await updateWorkflow(id, { description });
            await refresh();
          }}
          onClose={close}
        />
      ),
    },
    ...(isOthers ? [] : [errorWorkflow]),
    {
      label: i18n.t('Activations'),
      Icon: History,
      dialog: (close) => <ActivationList workflowId={id} name={name} onClose={close} />,
    },
    // Deleting an active one is also withdrawing it.
    ...(isOthers ? [] : [deletion]),
  ];
  return <ActionMenu of={name} actions={actions} />;
}

/** Asks for the description of a workflow. */
function DescriptionForm({
  title,
  description,
  act,
  onClose,
}: {
  title: string;
  description: string;
  act: (description: string) => Promise<unknown>;
  onClose: () => void;
}) {
  return (
    <FormDialog
      title={title}
      initial={{ description }}
      submit={i18n.t('Save')}
      act={(values) => act(values.description)}
      onClose={onClose}
    >
      {({ text }) => (
        <Textarea
          label={i18n.t('Description')}
          autosize
          minRows={3}
          maxRows={12}
          maxLength={10_000}
          data-autofocus
          onKeyDown={submitBy('mod+Enter')}
          {...text('description')}
        />
      )}
    </FormDialog>
  );
}

const OF_WORKSPACE = 'workspace';

/** Asks for the workflow that is started when a run fails. */
function ErrorWorkflowForm({
  title,
  value,
  act,
  onClose,
}: {
  title: string;
  /** Null for that of the workspace. */
  value: string | null;
  act: (errorWorkflowId: string | null) => Promise<unknown>;
  onClose: () => void;
}) {
  return (
    <FormDialog
      title={title}
      initial={{ chosen: value ?? OF_WORKSPACE }}
      submit={i18n.t('Save')}
      act={({ chosen }) => act(chosen === OF_WORKSPACE ? null : chosen)}
      onClose={onClose}
    >
      {({ field }) => (
        <ErrorWorkflowSelect
          label={i18n.t('When a run fails or times out, start')}
          description={i18n.t('Its active version gets the failed run, its error and the failed node')}
          fixed={[
            { value: OF_WORKSPACE, label: i18n.t('The error workflow of the workspace') },
            { value: NO_ERROR_WORKFLOW, label: i18n.t('No workflow') },
          ]}
          {...field('chosen')}
        />
      )}
    </FormDialog>
  );
}

/** Lists who activated and deactivated a workflow, and published its versions. */
function ActivationList({ workflowId, name, onClose }: { workflowId: string; name: string; onClose: () => void }) {
  return (
    <Dialog size="lg" onClose={onClose} title={i18n.t('Activations of {name}', { name })}>
      <Activations workflowId={workflowId} />
    </Dialog>
  );
}

function Activations({ workflowId }: { workflowId: string }) {
  const query = useQuery(activationsQuery(workflowId));
  if (query.isError) return <Broken error={query.error} reset={() => void query.refetch()} />;
  if (!query.data) return <Loading />;
  if (query.data.data.length === 0)
    return <EmptyState title={i18n.t('Never active')}>{i18n.t('Turn it on in the editor.')}</EmptyState>;
  return (
    <Table aria-label={i18n.t('Activations')}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{i18n.t({ id: 'noun: Change', message: 'Change' })}</Table.Th>
          <Table.Th>{i18n.t('Who')}</Table.Th>
          <Table.Th>{i18n.t('When')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {query.data.data.map((entry) => (
          <Table.Tr key={entry.id}>
            <Table.Td>{describeChange(entry)}</Table.Td>
            <Table.Td>{entry.byUser?.name ?? i18n.t('Former member')}</Table.Td>
            <Table.Td>
              <RelativeTime at={entry.at} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function describeChange({ status, activeVersionNumber }: ActivationEntry): string {
  if (status !== 'active') return i18n.t('Deactivated');
  return activeVersionNumber === null
    ? i18n.t('Activated')
    : i18n.t('Version {number} active', { number: activeVersionNumber });
}
