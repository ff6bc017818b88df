import { Kbd, Text } from '@mantine/core';
import { nameKeys } from './key-names.ts';

/** A list of keyboard shortcuts. */
export function ShortcutList({ shortcuts }: { shortcuts: readonly (readonly [keys: string, meaning: string])[] }) {
  return shortcuts.map(([keys, meaning]) => (
    <Text key={keys} size="sm">
      <Kbd>{nameKeys(keys)}</Kbd> {meaning}
    </Text>
  ));
}
