import { Button, Group, Modal, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Problem } from '../components/problem.js';
import type { DraftSync } from './use-draft.js';

/** Shown while somebody else's draft is newer: the person decides which one to continue with. */
export function DraftConflict({ sync }: { sync: DraftSync }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" size="xs" onClick={open}>
        Resolve…
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title="Somebody else is editing this workflow"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Text size="sm">
          A workflow has one draft, and theirs is newer. Continue with it, or replace it by yours. Both of you can still
          save versions.
        </Text>
        <Problem error={sync.error} />
        <Group justify="flex-end" mt="md" gap="xs">
          <Button variant="default" loading={sync.isResolving} onClick={sync.loadTheirs}>
            Load their draft
          </Button>
          <Button loading={sync.isResolving} onClick={sync.saveMine}>
            Replace their draft
          </Button>
        </Group>
      </Modal>
    </>
  );
}
