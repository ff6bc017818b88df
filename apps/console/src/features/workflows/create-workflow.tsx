import type { FolderEntry } from '@deckhand/contracts';
import { Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { createWorkflow } from '../../api/workflows.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { i18n } from '../../language/i18n.ts';
import type { Template } from '../../templates/index.ts';
import { FIRST_DEFINITION } from '../editor/model/first-definition.ts';
import { TemplateSelect } from './template-select.tsx';

/** What a workflow is created with. */
interface NewWorkflow {
  readonly name: string;
  readonly description: string;
  readonly template: Template | undefined;
}

const EMPTY: NewWorkflow = { name: '', description: '', template: undefined };

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
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return (
    <FormDialog
      isOpen={isOpen}
      title={folder ? i18n.t('New workflow in {folder}', { folder: folder.name }) : i18n.t('New workflow')}
      initial={EMPTY}
      submit={i18n.t('Create')}
      act={async ({ name, description, template }) => {
        const definition = template?.definition ?? FIRST_DEFINITION;
        const { id } = await createWorkflow({
          workspaceId,
          name,
          description,
          folderId: folder?.id ?? null,
          definition,
        });
        await queryClient.invalidateQueries({ queryKey: ['workflows', workspaceId] });
        await navigate({ to: '/w/$workspaceId/workflows/$workflowId', params: { workspaceId, workflowId: id } });
      }}
      onClose={onClose}
    >
      {({ values: { name, description, template }, set, text }) => (
        <>
          <TemplateSelect
            value={template}
            onChange={(chosen) =>
              set({
                template: chosen,
                // What somebody typed stays.
                ...((name === '' || name === template?.name) && { name: chosen?.name ?? '' }),
                ...((description === '' || description === template?.description) && {
                  description: chosen?.description ?? '',
                }),
              })
            }
          />
          <TextInput label={i18n.t('Name')} required maxLength={200} data-autofocus {...text('name')} />
          <Textarea
            label={i18n.t('Description')}
            description={i18n.t('Shown in the list of workflows')}
            autosize
            minRows={2}
            maxLength={10_000}
            {...text('description')}
          />
        </>
      )}
    </FormDialog>
  );
}
