import type { FolderEntry } from '@deckhand/contracts';
import { List, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { createWorkflow } from '../../api/workflows.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { i18n } from '../../language/i18n.ts';
import type { Template } from '../../templates/index.ts';
import { FIRST_DEFINITION } from '../editor/model/first-definition.ts';

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

/** Loaded on demand, because most visits create no workflow. */
const templatesQuery = {
  queryKey: ['templates'],
  queryFn: async () => (await import('../../templates/index.ts')).TEMPLATES,
  staleTime: Infinity,
};

/** Offers the templates that a new workflow can start with, and says what the chosen one needs; undefined is none. */
function TemplateSelect({
  value,
  onChange,
}: {
  value: Template | undefined;
  onChange: (template: Template | undefined) => void;
}) {
  const { data: templates = [] } = useQuery(templatesQuery);
  const variables = Object.entries(value?.variables ?? {});
  return (
    <Stack gap="xs">
      <Select
        label={i18n.t('Start with')}
        placeholder={i18n.t('An empty workflow')}
        data={templates.map(({ name }) => name)}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': i18n.t('Start with an empty workflow') }}
        nothingFoundMessage={i18n.t('No such template')}
        value={value?.name ?? null}
        onChange={(name) => onChange(templates.find((template) => template.name === name))}
      />
      {variables.length > 0 && (
        <>
          <Text size="sm">{i18n.t('It needs these variables of the workspace:')}</Text>
          <List size="sm">
            {variables.map(([name, meaning]) => (
              <List.Item key={name}>
                <b>{name}</b>: {meaning}
              </List.Item>
            ))}
          </List>
        </>
      )}
    </Stack>
  );
}
