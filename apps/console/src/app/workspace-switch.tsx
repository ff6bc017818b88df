import type { MeResponse } from '@deckhand/contracts';
import { Select, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { ChevronsUpDown } from 'lucide-react';
import { useState } from 'react';
import { meQuery } from '../api/people.ts';
import { createWorkspace } from '../api/workspaces.ts';
import { FormDialog } from '../components/form-dialog.tsx';
import { i18n } from '../language/i18n.ts';

/** The value of the option that creates a workspace; others are ids. */
const NEW = 'new';

/** Selects the workspace of the pages, or creates one. */
export function WorkspaceSwitch({ workspaces }: { workspaces: MeResponse['workspaces'] }) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const { workspaceId = '' } = useParams({ strict: false });
  const [isCreating, setCreating] = useState(false);
  const open = (id: string): void => void navigate({ to: '/w/$workspaceId/workflows', params: { workspaceId: id } });
  return (
    <>
      <Select
        aria-label={i18n.t('Workspace')}
        data={[
          ...workspaces.map((workspace) => ({ value: workspace.workspaceId, label: workspace.name })),
          { value: NEW, label: i18n.t('New workspace…') },
        ]}
        value={workspaceId}
        allowDeselect={false}
        searchable={workspaces.length > 8}
        rightSection={<ChevronsUpDown size={14} aria-hidden />}
        comboboxProps={{ width: 240, position: 'bottom-start' }}
        size="sm"
        maw={220}
        miw={0}
        onChange={(value) => {
          if (value === NEW) setCreating(true);
          else if (value !== null) open(value);
        }}
      />
      {isCreating && (
        <FormDialog
          title={i18n.t('New workspace')}
          initial={{ name: '' }}
          submit={i18n.t('Create workspace')}
          act={async ({ name }) => {
            const { id } = await createWorkspace(name);
            await queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
            open(id);
          }}
          onClose={() => setCreating(false)}
        >
          {({ text }) => (
            <TextInput label={i18n.t('Workspace name')} required maxLength={200} data-autofocus {...text('name')} />
          )}
        </FormDialog>
      )}
    </>
  );
}
