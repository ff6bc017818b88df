import type { Definition, FolderEntry } from '@deckhand/contracts';
import { Modal, Stack, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { createWorkflow } from '../../api/workflows.js';
import { FormFooter } from '../../components/form-footer.js';

/** The definition of a new workflow. */
const FIRST: Definition = { nodes: [{ id: 'start', type: 'trigger.manual', name: 'Start' }], edges: [] };

/** Asks for a name and creates a workflow that can run at once, in the current folder. */
export function CreateWorkflow({
  workspaceId,
  folder,
  isOpen,
  onClose,
}: {
  workspaceId: string;
  folder: FolderEntry | undefined;
  isOpen: boolean;
  onClose: () => void;
}) {
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const creation = useMutation({
    mutationFn: createWorkflow,
    async onSuccess({ id }) {
      await queryClient.invalidateQueries({ queryKey: ['workflows', workspaceId] });
      setName('');
      setDescription('');
      onClose();
      await navigate({ to: '/w/$workspaceId/workflows/$workflowId', params: { workspaceId, workflowId: id } });
    },
  });
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={folder ? `New workflow in ${folder.name}` : 'New workflow'}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          creation.mutate({ workspaceId, name, description, folderId: folder?.id ?? null, definition: FIRST });
        }}
      >
        <Stack>
          <TextInput
            label="Name"
            required
            maxLength={200}
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Textarea
            label="Description"
            description="Shown in the list of workflows"
            autosize
            minRows={2}
            maxLength={10_000}
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          <FormFooter error={creation.error} submit="Create" isPending={creation.isPending} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}
