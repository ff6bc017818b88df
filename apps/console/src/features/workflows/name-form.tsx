import { TextInput } from '@mantine/core';
import { FormDialog } from '../../components/form-dialog.tsx';
import { i18n } from '../../language/i18n.ts';

/** Asks for a name. */
export function NameForm({
  isOpen = true,
  title,
  name = '',
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
  return (
    <FormDialog
      isOpen={isOpen}
      title={title}
      initial={{ name }}
      submit={submit}
      act={(values) => act(values.name)}
      onClose={onClose}
    >
      {({ text }) => (
        <TextInput
          label={i18n.t('Name')}
          required
          maxLength={200}
          data-autofocus
          {...text('name')}
          onFocus={(event) => event.currentTarget.select()}
        />
      )}
    </FormDialog>
  );
}
