import { Button, Group, Modal, Text } from '@mantine/core';

/** Shown if another version was saved meanwhile: nothing is lost, and the person decides which one to continue with. */
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
      title="Somebody else saved a version in the meantime"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Text size="sm">
        Your changes are not saved yet, and none are lost. Save yours as the latest version (theirs stays in the list of
        versions), or load their version and make your changes again.
      </Text>
      <Group justify="flex-end" mt="md" gap="xs">
        <Button variant="default" onClick={onLoadTheirs}>
          Load their version
        </Button>
        <Button onClick={onSaveMine} loading={isPending}>
          Save mine as latest
        </Button>
      </Group>
    </Modal>
  );
}
