import type { VariableEntry } from '@deckhand/contracts';
import { Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { createVariable, updateVariable, variablesQuery } from '../../api/variables.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { i18n } from '../../language/i18n.ts';

/** Creates a variable, or changes the name or value of one. */
export function VariableForm({
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
