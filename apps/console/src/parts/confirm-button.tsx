import { Button, Group, Modal, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { Problem } from './problem.js';

/**
 * Asks before it does what cannot be undone.
 * @param label on the button, such as "Revoke"; `of` says of what, for screen readers.
 */
export function ConfirmButton({
  label,
  of,
  question,
  consequence,
  act,
}: {
  label: string;
  of: string;
  question: string;
  consequence: string;
  act: () => Promise<unknown>;
}) {
  const [isAsking, asking] = useDisclosure(false);
  const action = useMutation({ mutationFn: act, onSuccess: asking.close });
  return (
    <>
      <Button variant="default" size="compact-sm" aria-label={`${label} ${of}`} onClick={asking.open}>
        {label}
      </Button>
      <Modal opened={isAsking} onClose={asking.close} title={question} closeButtonProps={{ 'aria-label': 'Close' }}>
        <Text size="sm" mb="md">
          {consequence}
        </Text>
        <Problem error={action.error} />
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={asking.close}>
            Cancel
          </Button>
          <Button color="red" loading={action.isPending} onClick={() => action.mutate()}>
            {label}
          </Button>
        </Group>
      </Modal>
    </>
  );
}
