import { Kbd, Text } from '@mantine/core';

/** A list of keyboard shortcuts. */
export function ShortcutList({ shortcuts }: { shortcuts: readonly (readonly [keys: string, meaning: string])[] }) {
  return shortcuts.map(([keys, meaning]) => (
    <Text key={keys} size="sm">
      <Kbd>{keys}</Kbd> {meaning}
    </Text>
  ));
}
