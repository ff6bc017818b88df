import type { VariableEntry } from '@deckhand/contracts';
import { Button, Group, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useWorkspace } from '../../api/use-workspace.ts';
import {
  createVariable,
  deleteVariable,
  updateVariable,
  variablesQuery,
  variableUsesQuery,
} from '../../api/variables.ts';
import { Broken } from '../../components/broken.tsx';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import type { Columns } from '../../components/data-table.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { AnchorLink } from '../../components/links.tsx';
import { Listing } from '../../components/listing.tsx';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { i18n } from '../../language/i18n.ts';

/** Most workflows that the API lists. */
const MAX_USES = 100;

const COLUMNS: Columns<VariableEntry> = [
  { id: 'name', header: i18n.t('Name'), cell: ({ row: { original } }) => <code>{`$vars.${original.name}`}</code> },
  { id: 'value', header: i18n.t('Value'), cell: ({ row: { original } }) => original.value },
  {
    id: 'updated',
    header: i18n.t('Changed'),
    cell: ({ row: { original } }) => <RelativeTime at={original.updatedAt} />,
  },
  { id: 'actions', header: '', cell: ({ row: { original } }) => <Actions variable={original} /> },
];

/** The variables of the workspace. */
export function VariableList() {
  const { workspaceId, can } = useWorkspace();
  const query = useQuery(variablesQuery(workspaceId));
  const [isCreating, setCreating] = useState(false);
  const newButton = can('variables.change') && (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setCreating(true)}>
      {i18n.t('New variable')}
    </Button>
  );
  return (
    <Page title={i18n.t('Variables')} actions={newButton}>
      <Listing
        label={i18n.t('Variables')}
        query={query}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title={i18n.t('No variable yet')} action={newButton}>
            {i18n.t(
              'A variable is a text that workflows share, such as a URL. In expressions it is $vars.name. Use credentials for secrets.',
            )}
          </EmptyState>
        }
      />
      {isCreating && <VariableForm workspaceId={workspaceId} onClose={() => setCreating(false)} />}
    </Page>
  );
}

function Actions({ variable }: { variable: VariableEntry }) {
  const { workspaceId, can } = useWorkspace();
  const queryClient = useQueryClient();
  const [isEditing, setEditing] = useState(false);
  const [isShowing, setShowing] = useState(false);
  const whereUsed = (
    <>
      <Button
        variant="default"
        size="compact-sm"
        aria-label={i18n.t('Where {name} is used', { name: variable.name })}
        onClick={() => setShowing(true)}
      >
        {i18n.t('Where used')}
      </Button>
      {isShowing && <Uses variable={variable} onClose={() => setShowing(false)} />}
    </>
  );
  if (!can('variables.change')) return whereUsed;
  return (
    <Group gap="xs" wrap="nowrap">
      {whereUsed}
      <Button
        variant="default"
        size="compact-sm"
        aria-label={i18n.t('Change {name}', { name: variable.name })}
        onClick={() => setEditing(true)}
      >
        {i18n.t('Change')}
      </Button>
      <ConfirmButton
        label={i18n.t('Delete')}
        of={variable.name}
        question={i18n.t('Delete the variable {name}?', { name: variable.name })}
        consequence={i18n.t('Expressions that use it will get no value.')}
        act={async () => {
          await deleteVariable(variable.id);
          await queryClient.invalidateQueries({ queryKey: variablesQuery(workspaceId).queryKey });
        }}
      />
      {isEditing && <VariableForm workspaceId={workspaceId} variable={variable} onClose={() => setEditing(false)} />}
    </Group>
  );
}

/** Lists the workflows that read a variable. */
function Uses({ variable: { id, name }, onClose }: { variable: VariableEntry; onClose: () => void }) {
  const { workspaceId } = useWorkspace();
  const uses = useQuery(variableUsesQuery(id));
  return (
    <Dialog title={i18n.t('Where {name} is used', { name })} onClose={onClose}>
      {uses.isError ? (
        <Broken error={uses.error} reset={() => void uses.refetch()} />
      ) : !uses.data ? (
        <Loading />
      ) : uses.data.data.length === 0 ? (
        <Text size="sm">{i18n.t('No workflow names it. Names that expressions compute are not found.')}</Text>
      ) : (
        <>
          <ul>
            {uses.data.data.map(({ workflowId, name: workflow }) => (
              <li key={workflowId}>
                <AnchorLink size="sm" to="/w/$workspaceId/workflows/$workflowId" params={{ workspaceId, workflowId }}>
                  {workflow}
                </AnchorLink>
              </li>
            ))}
          </ul>
          {uses.data.data.length >= MAX_USES && (
            <Text size="xs" c="dimmed">
              {i18n.t('Only the first {count} workflows are shown; there may be more.', { count: MAX_USES })}
            </Text>
          )}
        </>
      )}
    </Dialog>
  );
}

/** Creates a variable, or changes the name or value of one. */
function VariableForm({
  workspaceId,
  variable,
  onClose,
}: {
  workspaceId: string;
  variable?: VariableEntry;
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  return (
    <FormDialog
      title={variable ? i18n.t('Change {name}', { name: variable.name }) : i18n.t('New variable')}
      initial={{ name: variable?.name ?? '', value: variable?.value ?? '' }}
      submit={i18n.t('Save')}
      act={async (values) => {
        await (variable ? updateVariable(variable.id, values) : createVariable({ workspaceId, ...values }));
        await queryClient.invalidateQueries({ queryKey: variablesQuery(workspaceId).queryKey });
      }}
      onClose={onClose}
    >
      {({ text }) => (
        <>
          <TextInput
            label={i18n.t('Name')}
            description={i18n.t('Letters, digits and _; in expressions $vars.name')}
            required
            pattern="[A-Za-z_][A-Za-z0-9_]{0,63}"
            data-autofocus
            {...text('name')}
          />
          <Textarea label={i18n.t('Value')} autosize maxRows={12} maxLength={65_536} {...text('value')} />
        </>
      )}
    </FormDialog>
  );
}
