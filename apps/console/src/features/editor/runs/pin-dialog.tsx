import { type JsonValue, parseExactJson } from '@deckhand/contracts';
import { Button, Group, Modal, Stack, Textarea } from '@mantine/core';
import { getHotkeyHandler } from '@mantine/hooks';
import { useState } from 'react';
import { i18n } from '../../../language/i18n.ts';

/** Asks for the output that is pinned to a node, as JSON. */
export function PinDialog({
  title,
  initial,
  onClose,
  onPin,
}: {
  /** That of the node. */
  title: string;
  initial: JsonValue;
  onClose: () => void;
  onPin: (output: JsonValue) => void;
}) {
  const [text, setText] = useState(() => JSON.stringify(initial, undefined, 2));
  const output = readOutput(text);
  const pin = (): void => {
    if (output !== undefined) onPin(output);
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={i18n.t('Pinned output of {node}', { node: title })}
      closeButtonProps={{ 'aria-label': i18n.t('Close') }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          pin();
        }}
      >
        <Stack>
          <Textarea
            label={i18n.t('Output')}
            description={i18n.t('JSON that test runs use instead of running the node')}
            autosize
            minRows={6}
            maxRows={20}
            spellCheck={false}
            data-autofocus
            value={text}
            error={output === undefined ? i18n.t('Not JSON') : undefined}
            onChange={(event) => setText(event.currentTarget.value)}
            onKeyDown={getHotkeyHandler([['mod+Enter', pin]])}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {i18n.t('Cancel')}
            </Button>
            <Button type="submit" disabled={output === undefined}>
              {i18n.t('Pin output')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function readOutput(text: string): JsonValue | undefined {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}
