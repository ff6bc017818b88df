import type { VariableEntry } from '@deckhand/contracts';
import { Modal, Stack, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { createVariable, updateVariable, variablesQuery } from '../../api/variables.js';
import { FormFooter } from '../../components/form-footer.js';

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
      title={variable ? `Change ${variable.name}` : 'New variable'}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate();
        }}
      >
        <Stack>
          <TextInput
            label="Name"
            description="Letters, digits and _; in expressions $vars.name"
            required
            pattern="[A-Za-z_][A-Za-z0-9_]{0,63}"
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Textarea
            label="Value"
            autosize
            maxRows={12}
            maxLength={65_536}
            value={value}
            onChange={(event) => setValue(event.currentTarget.value)}
          />
          <FormFooter error={saving.error} submit="Save" isPending={saving.isPending} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}
