import { Stack, Title } from '@mantine/core';
import { Dialog } from '../components/dialog.tsx';
import { ShortcutList } from '../components/shortcut-list.tsx';
import { CANVAS_KEYS } from '../features/editor/canvas-keys.ts';
import { i18n } from '../language/i18n.ts';

const EVERYWHERE = [
  ['Ctrl K', i18n.t('search pages, workflows, runs and actions')],
  ['?', i18n.t('show these shortcuts')],
] as const;

/** Lists the keyboard shortcuts. */
export function Shortcuts({ onClose }: { onClose: () => void }) {
  return (
    <Dialog onClose={onClose} title={i18n.t('Keyboard shortcuts')}>
      <Stack gap="sm">
        <Title order={3} size="h6">
          {i18n.t('Everywhere')}
        </Title>
        <ShortcutList shortcuts={EVERYWHERE} />
        <Title order={3} size="h6">
          {i18n.t('In the editor')}
        </Title>
        <ShortcutList shortcuts={CANVAS_KEYS} />
      </Stack>
    </Dialog>
  );
}
