import { type JsonValue, parseExactJson } from '@deckhand/contracts';
import { Textarea } from '@mantine/core';
import { FormDialog, submitBy } from '../../../components/form-dialog.tsx';
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
  return (
    <FormDialog
      title={i18n.t('Pinned output of {node}', { node: title })}
      initial={{ json: JSON.stringify(initial, undefined, 2) }}
      submit={i18n.t('Pin output')}
      canSubmit={({ json }) => readOutput(json) !== undefined}
      act={({ json }) => {
        const output = readOutput(json);
        if (output !== undefined) onPin(output);
      }}
      onClose={onClose}
    >
      {({ values: { json }, text }) => (
        <Textarea
          label={i18n.t('Output')}
          description={i18n.t('JSON that test runs use instead of running the node')}
          autosize
          minRows={6}
          maxRows={20}
          spellCheck={false}
          data-autofocus
          {...text('json')}
          error={readOutput(json) === undefined ? i18n.t('Not JSON') : undefined}
          onKeyDown={submitBy('mod+Enter')}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
        />
      )}
    </FormDialog>
  );
}

function readOutput(text: string): JsonValue | undefined {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}
