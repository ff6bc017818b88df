import { Modal, Stack, Title } from '@mantine/core';
import { ShortcutList } from '../components/shortcut-list.js';
import { CANVAS_KEYS } from '../editor/canvas-keys.js';

const EVERYWHERE = [
  ['Ctrl K', 'search pages, workflows, runs and actions'],
  ['?', 'show these shortcuts'],
] as const;

/** Lists the keyboard shortcuts. */
export function Shortcuts({ onClose }: { onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack gap="sm">
        <Title order={3} size="h6">
          Everywhere
        </Title>
        <ShortcutList shortcuts={EVERYWHERE} />
        <Title order={3} size="h6">
          In the editor
        </Title>
        <ShortcutList shortcuts={CANVAS_KEYS} />
      </Stack>
    </Modal>
  );
}
