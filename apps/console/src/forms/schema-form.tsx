import type { JsonObject, JsonValue } from '@deckhand/contracts';
import { Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import { FieldInput } from './field-input.js';
import { toFields } from './schema.js';

/**
 * A form for an object, created from its JSON Schema. Every field also accepts an expression; empty fields are omitted.
 * @param onChange called with the whole object, and the name of the field that changed.
 */
export function SchemaForm({
  schema,
  value,
  onChange,
}: {
  schema: JsonValue;
  value: JsonObject;
  onChange: (value: JsonObject, name: string) => void;
}) {
  const fields = useMemo(() => toFields(schema), [schema]);
  if (fields.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No settings.
      </Text>
    );
  }
  const change = (name: string, next: JsonValue | undefined): void => {
    const { [name]: _, ...others } = value;
    onChange(next === undefined ? others : { ...others, [name]: next }, name);
  };
  return (
    <Stack gap="sm">
      {fields.map((field) => (
        <FieldInput
          key={field.name}
          field={field}
          value={value[field.name]}
          onChange={(next) => change(field.name, next)}
        />
      ))}
    </Stack>
  );
}
