import { Button, Group } from '@mantine/core';
import { i18n } from '../language/i18n.ts';
import { Problem } from './problem.tsx';

/**
 * The end of a form in a dialog: its error, and the buttons to submit and to cancel.
 * @param submit the label of the button that submits the form.
 */
export function FormFooter({
  error,
  advice,
  submit,
  isPending,
  isDisabled = false,
  isDangerous = false,
  onCancel,
}: {
  error: unknown;
  /** In place of the general advice for such errors. */
  advice?: string | undefined;
  submit: string;
  isPending: boolean;
  /** Whether the form cannot be submitted yet. */
  isDisabled?: boolean;
  /** Whether the action destroys something. */
  isDangerous?: boolean;
  onCancel: () => void;
}) {
  return (
    <>
      <Problem error={error} advice={advice} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onCancel}>
          {i18n.t('Cancel')}
        </Button>
        <Button type="submit" loading={isPending} disabled={isDisabled} {...(isDangerous && { color: 'red.9' })}>
          {submit}
        </Button>
      </Group>
    </>
  );
}
