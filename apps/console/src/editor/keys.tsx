import { Kbd, Stack, Text, Title } from '@mantine/core';

const KEYS = [
  ['Ctrl S', 'save a version'],
  ['Ctrl Z', 'take a step back'],
  ['Ctrl Shift Z', 'make it again'],
  ['Ctrl C, Ctrl V', 'copy what is chosen, and paste it'],
  ['Delete', 'remove what is chosen'],
] as const;

/** What stands where a node's form will be: how one goes on. */
export function Keys() {
  return (
    <Stack gap="sm">
      <Title order={2} size="h5">
        No node is chosen
      </Title>
      <Text size="sm" c="dimmed">
        Choose a node to change it, or add one from the list. A new one is connected to the one that is chosen; edges
        are drawn from the dot on a node&apos;s right to the one on another&apos;s left, or chosen in its form.
      </Text>
      {KEYS.map(([keys, meaning]) => (
        <Text key={keys} size="sm">
          <Kbd>{keys}</Kbd> {meaning}
        </Text>
      ))}
    </Stack>
  );
}
