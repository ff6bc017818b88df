import { Stack, Text, Title } from '@mantine/core';
import { ShortcutList } from '../../../components/shortcut-list.tsx';
import { i18n } from '../../../language/i18n.ts';
import { CANVAS_KEYS } from '../canvas-keys.ts';

/** Shown while no node is selected: the keyboard shortcuts of the canvas. */
export function Keys() {
  return (
    <Stack gap="sm">
      <Title order={2} size="h5">
        {i18n.t('Select a node')}
      </Title>
      <Text size="sm" c="dimmed">
        {i18n.t(
          'Select a node to edit it, or add one: it is connected to the selected one, or to the end of a chain. A click on the dot on the right of a node adds one after it. To connect nodes, drag from that dot to the dot on the left of another, or select the next step in the form.',
        )}
      </Text>
      <ShortcutList shortcuts={CANVAS_KEYS} />
    </Stack>
  );
}
