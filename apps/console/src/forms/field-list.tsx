import type { JsonObject, JsonValue } from '@deckhand/contracts';
import { Input, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { FieldInput, type FieldInputProps } from './field-input.tsx';
import { type Field, withMember } from './schema.ts';

const NO_ISSUES: ReadonlyMap<string, string> = new Map();

/**
 * The inputs for the fields of an object; empty fields are omitted from it.
 * @param onChange called with the whole object, and the name of the field that changed, or of a part of it.
 */
export function FieldList({
  fields,
  value,
  issues = NO_ISSUES,
  renderInput = renderFieldInput,
  onChange,
}: {
  fields: readonly Field[];
  value: JsonObject;
  /** Issues by the name of their field. */
  issues?: ReadonlyMap<string, string> | undefined;
  renderInput?: ((props: FieldInputProps) => ReactNode) | undefined;
  onChange: (value: JsonObject, name: string) => void;
}) {
  const change = (name: string, next: JsonValue | undefined, part?: string): void =>
    onChange(withMember(value, name, next), part === undefined ? name : `${name} ${part}`);
  return (
    <Stack gap="sm">
      {fields.map((field) => (
        <div key={field.name}>
          {renderInput({
            field,
            // A name such as "constructor" is also one of every object's.
            value: Object.hasOwn(value, field.name) ? value[field.name] : undefined,
            onChange: (next, part) => change(field.name, next, part),
          })}
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

function renderFieldInput(props: FieldInputProps): ReactNode {
  return <FieldInput {...props} />;
}
