import type { JsonObject, JsonValue } from '@deckhand/contracts';
import { Text } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import { i18n } from '../language/i18n.ts';
import type { FieldInputProps } from './field-input.tsx';
import { FieldList } from './field-list.tsx';
import { fieldsFor, toFields } from './schema.ts';

/**
 * A form for an object, created from its JSON Schema. Every field also accepts an expression; empty fields are omitted.
 * @param onChange called with the whole object, and the name of the field that changed, or of a part of it.
 */
export function SchemaForm({
  schema,
  inputs,
  shownFor,
  ...props
}: {
  schema: JsonValue;
  /** Names of inputs that the schema does not imply, by field. */
  inputs?: Readonly<Record<string, string>>;
  /** Values of other fields without which a field is not shown, by field. */
  shownFor?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  value: JsonObject;
  /** Issues by the name of their field. */
  issues?: ReadonlyMap<string, string> | undefined;
  renderInput?: (props: FieldInputProps) => ReactNode;
  onChange: (value: JsonObject, name: string) => void;
}) {
  const fields = useMemo(() => toFields(schema, inputs), [schema, inputs]);
  if (fields.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {i18n.t('No settings.')}
      </Text>
    );
  }
  return <FieldList fields={shownFor ? fieldsFor(fields, shownFor, props.value) : fields} {...props} />;
}
