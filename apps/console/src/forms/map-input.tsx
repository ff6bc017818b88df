import type { JsonObject, JsonValue } from '@deckhand/contracts';
import { ActionIcon, Box, Button, Group, Input, Stack, TextInput } from '@mantine/core';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { markCode } from '../components/mark-code.tsx';
import { i18n, inSentence } from '../language/i18n.ts';
import { ExpressionInput } from './expression-input.tsx';
import type { Field } from './schema.ts';
import { fromText, toTextFor } from './values.ts';

/** An input for an object with any names: a row per member. */
export function MapInput({
  field: { label, description, isRequired },
  value,
  onChange,
}: {
  field: Field;
  value: JsonObject;
  onChange: (value: JsonValue | undefined) => void;
}) {
  // Rows without a name are not part of the value.
  const [rows, setRows] = useState<readonly (readonly [string, string])[]>(() => toRows(value));
  const isCurrent = JSON.stringify(toObject(rows)) === JSON.stringify(value);
  const shown = isCurrent ? rows : toRows(value);
  const set = (next: readonly (readonly [string, string])[]): void => {
    setRows(next);
    onChange(toObject(next));
  };
  const replace = (index: number, row: readonly [string, string]): void =>
    set(shown.map((before, at) => (at === index ? row : before)));
  return (
    <Input.Wrapper label={label} description={markCode(description)} required={isRequired} labelElement="div">
      <Stack gap={6} mt={4}>
        {shown.map(([name, text], index) => (
          // Rows have no identity other than their index.
          <Group key={index} gap={6} wrap="nowrap" align="flex-start">
            <TextInput
              aria-label={i18n.t('{label}: name {number}', { label, number: index + 1 })}
              placeholder={i18n.t('name')}
              value={name}
              error={
                name !== '' &&
                shown.slice(0, index).some(([other]) => other === name) &&
                i18n.t('Another row has this name')
              }
              onChange={(event) => replace(index, [event.currentTarget.value, text])}
              flex={2}
            />
            <Box flex={3} miw={0}>
              <ExpressionInput
                label={i18n.t('{label}: value {number}', { label, number: index + 1 })}
                isLabelHidden
                placeholder={i18n.t('value or {open} expression {close}', { open: '{{', close: '}}' })}
                value={text}
                onChange={(next) => replace(index, [name, next])}
              />
            </Box>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={
                name === '' ? i18n.t('Remove row {number}', { number: index + 1 }) : i18n.t('Remove {name}', { name })
              }
              onClick={() => set(shown.filter((_, at) => at !== index))}
            >
              <X size={16} aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        <Button
          variant="default"
          size="xs"
          leftSection={<Plus size={14} aria-hidden />}
          onClick={() => setRows([...shown, ['', '']])}
          w="fit-content"
        >
          {i18n.t('Add to {label}', { label: inSentence(label) })}
        </Button>
      </Stack>
    </Input.Wrapper>
  );
}

function toRows(value: JsonObject): [string, string][] {
  return Object.entries(value).map(([name, member]) => [name, toTextFor(member, fromMemberText)]);
}

function toObject(rows: readonly (readonly [string, string])[]): JsonObject {
  return Object.fromEntries(rows.filter(([name]) => name !== '').map(([name, text]) => [name, fromMemberText(text)]));
}

/** An empty text is a value, because its name is there. */
function fromMemberText(text: string): JsonValue {
  return fromText(text) ?? '';
}
