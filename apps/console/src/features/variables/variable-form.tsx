import type { VariableEntry } from '@deckhand/contracts';
import { Modal, Stack, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { createVariable, updateVariable, variablesQuery } from '../../api/variables.ts';
import { FormFooter } from '../../components/form-footer.tsx';
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
  const [name, setName] = useState(variable?.name ?? '');
  const [value, setValue] = useState(variable?.value ?? '');
  const saving = useMutation({
    mutationFn: () =>
      variable ? updateVariable(variable.id, { name, value }) : createVariable({ workspaceId, name, value }),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: variablesQuery(workspaceId).queryKey });
      onClose();
    },
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={variable ? i18n.t('Change {name}', { name: variable.name }) : i18n.t('New variable')}
      closeButtonProps={{ 'aria-label': i18n.t('Close') }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate();
        }}
      >
        <Stack>
          <TextInput
            label={i18n.t('Name')}
            description={i18n.t('Letters, digits and _; in expressions $vars.name')}
            required
            pattern="[A-Za-z_][A-Za-z0-9_]{0,63}"
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Textarea
            label={i18n.t('Value')}
            autosize
            maxRows={12}
            maxLength={65_536}
            value={value}
            onChange={(event) => setValue(event.currentTarget.value)}
          />
          <FormFooter error={saving.error} submit={i18n.t('Save')} isPending={saving.isPending} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}
