import { Button, Group, Text } from '@mantine/core';
import { Dialog } from './dialog.tsx';
import { useMutation } from '@tanstack/react-query';
import { i18n } from '../language/i18n.ts';
import { Problem } from './problem.tsx';

/**
 * A dialog that asks for confirmation before an irreversible action. @param label on the button that does it, such as
 * "Revoke".
 */
export function ConfirmDialog({
  isOpen = true,
  question,
  consequence,
  label,
  act,
  onClose,
}: {
  isOpen?: boolean;
  question: string;
  consequence: string;
  label: string;
  act: () => Promise<unknown>;
  onClose: () => void;
}) {
  const action = useMutation({ mutationFn: act, onSuccess: onClose });
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={question}>
      <Text size="sm" mb="md">
        {consequence}
      </Text>
      <Problem error={action.error} />
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose}>
          {i18n.t('Cancel')}
        </Button>
        <Button color="red.9" loading={action.isPending} onClick={() => action.mutate()}>
          {label}
        </Button>
      </Group>
    </Dialog>
  );
}
