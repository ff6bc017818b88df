import { isJsonObject, type JsonObject, type JsonValue } from '@deckhand/contracts';
import { ActionIcon, Button, Fieldset, Group, Input, Stack } from '@mantine/core';
import { ArrowUp, Plus, X } from 'lucide-react';
import { type ReactNode, Fragment } from 'react';
import { markCode } from '../components/mark-code.tsx';
import { i18n, inSentence } from '../language/i18n.ts';
import { type Field, withMember } from './schema.ts';

/**
 * An input for a list of objects of one shape: a group of fields per object.
 * @param one what an object is called. `renderField` renders the input for a field of an object.
 */
export function RowsInput({
  field: { label, description, isRequired },
  fields,
  one,
  rows,
  renderField,
  onChange,
}: {
  field: Field;
  fields: readonly Field[];
  one: string;
  rows: readonly JsonObject[];
  renderField: (
    field: Field,
    value: JsonValue | undefined,
    onChange: (value: JsonValue | undefined) => void,
  ) => ReactNode;
  onChange: (value: JsonValue | undefined) => void;
}) {
  const set = (next: readonly JsonObject[]): void => onChange(next.length === 0 ? undefined : next);
  return (
    <Input.Wrapper label={label} description={markCode(description)} required={isRequired} labelElement="div">
      <Stack gap="xs" mt={4}>
        {rows.map((row, index) => (
          // Rows have no identity other than their index.
          <Fieldset key={index} legend={`${one} ${index + 1}`} p="xs">
            <Stack gap="xs">
              {fields.map((field) => (
                <Fragment key={field.name}>
                  {renderField(
                    // The descriptions are the same in each row.
                    index === 0 ? field : { ...field, description: '' },
                    row[field.name],
                    (value) => set(rows.with(index, withMember(row, field.name, value))),
                  )}
                </Fragment>
              ))}
              <Group gap={4} justify="flex-end">
                {index > 0 && (
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={i18n.t('Move {one} {number} up', { one: inSentence(one), number: index + 1 })}
                    onClick={() => set(rows.toSpliced(index - 1, 2, row, ...rows.slice(index - 1, index)))}
                  >
                    <ArrowUp size={16} aria-hidden />
                  </ActionIcon>
                )}
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={i18n.t('Remove {one} {number}', { one: inSentence(one), number: index + 1 })}
                  onClick={() => set(rows.toSpliced(index, 1))}
                >
                  <X size={16} aria-hidden />
                </ActionIcon>
              </Group>
            </Stack>
          </Fieldset>
        ))}
        <Button
          variant="default"
          size="xs"
          leftSection={<Plus size={14} aria-hidden />}
          onClick={() => set([...rows, {}])}
          w="fit-content"
        >
          {i18n.t('Add {one}', { one: inSentence(one) })}
        </Button>
      </Stack>
    </Input.Wrapper>
  );
}

/** Returns the rows of a value; undefined if it is not a list of objects. */
export function rowsOf(value: JsonValue | undefined): readonly JsonObject[] | undefined {
  if (value === undefined) return [];
  const list: readonly unknown[] = Array.isArray(value) ? value : [null];
  const rows = list.filter((one) => isJsonObject(one));
  return rows.length === list.length ? rows : undefined;
}
