import { Kbd, Stack, Text, Title } from '@mantine/core';

const KEYS = [
  ['N', 'add a node'],
  ['Ctrl S', 'save a version'],
  ['Ctrl Enter', 'run the workflow'],
  ['Ctrl Shift Enter', 'test the selected node'],
  ['Ctrl Z', 'undo'],
  ['Ctrl Shift Z', 'redo'],
  ['Ctrl C, Ctrl V', 'copy and paste the selection'],
  ['Shift S', 'add a note'],
  ['Ctrl F', 'find a node'],
  ['Shift', 'with the mouse: select an area'],
  ['Delete', 'delete the selection'],
  ['F6', 'go to the data of the run, and back to the field'],
] as const;

/** Shown while no node is selected: the keyboard shortcuts of the canvas. */
export function Keys() {
  return (
    <Stack gap="sm">
      <Title order={2} size="h5">
        Select a node
      </Title>
      <Text size="sm" c="dimmed">
        Select a node to edit it, or add one: it is connected to the selected one, or to the end of a chain. A click on
        the dot on the right of a node adds one after it. To connect nodes, drag from that dot to the dot on the left of
        another, or select the next step in the form.
      </Text>
      {KEYS.map(([keys, meaning]) => (
        <Text key={keys} size="sm">
          <Kbd>{keys}</Kbd> {meaning}
        </Text>
      ))}
    </Stack>
  );
}
