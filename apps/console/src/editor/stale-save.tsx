import { Button, Group, Modal, Text } from '@mantine/core';

/** Somebody saved in between: nothing is lost, and the person decides what becomes of it. */
export function StaleSave({
  isOpen,
  isPending,
  onKeepEditing,
  onLoadTheirs,
  onSaveMine,
}: {
  isOpen: boolean;
  isPending: boolean;
  onKeepEditing: () => void;
  onLoadTheirs: () => void;
  onSaveMine: () => void;
}) {
  return (
    <Modal
      opened={isOpen}
      onClose={onKeepEditing}
      title="Somebody else saved a version meanwhile"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Text size="sm">
        Yours is not saved yet, and nothing of it is lost. Save it as the next version, in which their changes are
        missing but kept in theirs, or take theirs and do yours again.
      </Text>
      <Group justify="flex-end" mt="md" gap="xs">
        <Button variant="default" onClick={onLoadTheirs}>
          Take theirs
        </Button>
        <Button onClick={onSaveMine} loading={isPending}>
          Save mine on top
        </Button>
      </Group>
    </Modal>
  );
}
