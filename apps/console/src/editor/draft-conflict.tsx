import { Button, Group, Modal, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Problem } from '../components/problem.tsx';
import { i18n } from '../language/i18n.ts';
import type { DraftSync } from './use-draft.ts';

/** Shown while somebody else's draft is newer: the person decides which one to continue with. */
export function DraftConflict({ sync }: { sync: DraftSync }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" size="xs" onClick={open}>
        {i18n.t('Resolve…')}
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title={i18n.t('Somebody else is editing this workflow')}
        closeButtonProps={{ 'aria-label': i18n.t('Close') }}
      >
        <Text size="sm">
          {i18n.t(
            'A workflow has one draft, and theirs is newer. Continue with it, or replace it by yours. Both of you can still save versions.',
          )}
        </Text>
        <Problem error={sync.error} />
        <Group justify="flex-end" mt="md" gap="xs">
          <Button variant="default" loading={sync.isResolving} onClick={sync.loadTheirs}>
            {i18n.t('Load their draft')}
          </Button>
          <Button loading={sync.isResolving} onClick={sync.saveMine}>
            {i18n.t('Replace their draft')}
          </Button>
        </Group>
      </Modal>
    </>
  );
}
