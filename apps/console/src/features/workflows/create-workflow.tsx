import type { FolderEntry } from '@deckhand/contracts';
import { Modal, Stack, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { createWorkflow } from '../../api/workflows.ts';
import { FormFooter } from '../../components/form-footer.tsx';
import { FIRST_DEFINITION } from '../editor/model/first-definition.ts';
import { i18n } from '../../language/i18n.ts';
import type { Template } from '../../templates/index.ts';
import { TemplateSelect } from './template-select.tsx';

/** Asks for a name and creates a workflow that can run at once, empty or by a template, in the current folder. */
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
  const [template, setTemplate] = useState<Template>();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const creation = useMutation({
    mutationFn: createWorkflow,
    async onSuccess({ id }) {
      await queryClient.invalidateQueries({ queryKey: ['workflows', workspaceId] });
      setName('');
      setDescription('');
      setTemplate(undefined);
      onClose();
      await navigate({ to: '/w/$workspaceId/workflows/$workflowId', params: { workspaceId, workflowId: id } });
    },
  });
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={folder ? i18n.t('New workflow in {folder}', { folder: folder.name }) : i18n.t('New workflow')}
      closeButtonProps={{ 'aria-label': i18n.t('Close') }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const definition = template?.definition ?? FIRST_DEFINITION;
          creation.mutate({ workspaceId, name, description, folderId: folder?.id ?? null, definition });
        }}
      >
        <Stack>
          <TemplateSelect
            value={template}
            onChange={(chosen) => {
              setTemplate(chosen);
              // What somebody typed stays.
              if (name === '' || name === template?.name) setName(chosen?.name ?? '');
              if (description === '' || description === template?.description)
                setDescription(chosen?.description ?? '');
            }}
          />
          <TextInput
            label={i18n.t('Name')}
            required
            maxLength={200}
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Textarea
            label={i18n.t('Description')}
            description={i18n.t('Shown in the list of workflows')}
            autosize
            minRows={2}
            maxLength={10_000}
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          <FormFooter
            error={creation.error}
            submit={i18n.t('Create')}
            isPending={creation.isPending}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Modal>
  );
}
