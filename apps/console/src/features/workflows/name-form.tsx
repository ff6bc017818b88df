import { Modal, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { FormFooter } from '../../components/form-footer.tsx';
import { i18n } from '../../language/i18n.ts';

/** Asks for a name. */
export function NameForm({
  isOpen = true,
  title,
  name: before = '',
  submit,
  act,
  onClose,
}: {
  isOpen?: boolean;
  title: string;
  name?: string;
  submit: string;
  act: (name: string) => Promise<unknown>;
  onClose: () => void;
}) {
  const [name, setName] = useState(before);
  const naming = useMutation({
    mutationFn: act,
    onSuccess() {
      setName(before);
      onClose();
    },
  });
  return (
    <Modal opened={isOpen} onClose={onClose} title={title} closeButtonProps={{ 'aria-label': i18n.t('Close') }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          naming.mutate(name);
        }}
      >
        <Stack>
          <TextInput
            label={i18n.t('Name')}
            required
            maxLength={200}
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            onFocus={(event) => event.currentTarget.select()}
          />
          <FormFooter error={naming.error} submit={submit} isPending={naming.isPending} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}
