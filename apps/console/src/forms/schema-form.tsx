import type { JsonObject, JsonValue } from '@deckhand/contracts';
import { Input, Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import { FieldInput } from './field-input.js';
import { toFields, withMember } from './schema.js';

const NO_ISSUES: ReadonlyMap<string, string> = new Map();

/**
 * A form for an object, created from its JSON Schema. Every field also accepts an expression; empty fields are omitted.
 * @param onChange called with the whole object, and the name of the field that changed.
 */
export function SchemaForm({
  schema,
  value,
  issues = NO_ISSUES,
  onChange,
}: {
  schema: JsonValue;
  value: JsonObject;
  /** Issues by the name of their field. */
  issues?: ReadonlyMap<string, string> | undefined;
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
  const change = (name: string, next: JsonValue | undefined): void => onChange(withMember(value, name, next), name);
  return (
    <Stack gap="sm">
      {fields.map((field) => (
        <div key={field.name}>
          <FieldInput field={field} value={value[field.name]} onChange={(next) => change(field.name, next)} />
          {issues.has(field.name) && (
            <Input.Error mt={4} role="alert">
              {issues.get(field.name)}
            </Input.Error>
          )}
        </div>
      ))}
    </Stack>
  );
}
