import { isJsonObject, type JsonValue } from '@deckhand/contracts';
import { Checkbox, MultiSelect, PasswordInput, Select, TagsInput, Textarea, TextInput } from '@mantine/core';
import { MapInput } from './map-input.js';
import type { Field } from './schema.js';
import { TextAsValue } from './text-as-value.js';
import { fromNumberText, fromText, isExpression, toText } from './values.js';

/** The input that fits a field. */
export function FieldInput({
  field,
  value,
  onChange,
}: {
  field: Field;
  value: JsonValue | undefined;
  onChange: (value: JsonValue | undefined) => void;
}) {
  const { label, description, isRequired, isSecret, fallback, kind } = field;
  const common = { label, description, required: isRequired };
  const placeholder = fallback === undefined ? '' : toText(fallback).replaceAll(/\s+/g, ' ');
  const onText = (text: string): void => onChange(text === '' ? undefined : text);
  // An expression in a field of fixed choices is edited as the text it is.
  if (isExpression(value) && kind.kind !== 'code') {
    return <Textarea {...common} autosize value={value} onChange={(event) => onText(event.currentTarget.value)} />;
  }
  switch (kind.kind) {
    case 'choice':
      return (
        <Select
          {...common}
          data={kind.options}
          placeholder={placeholder}
          clearable={!isRequired}
          value={typeof value === 'string' ? value : null}
          onChange={(choice) => onChange(choice ?? undefined)}
        />
      );
    case 'choices':
      return (
        <MultiSelect
          {...common}
          data={kind.options}
          value={texts(value)}
          onChange={(list) => onChange(orNothing(list))}
        />
      );
    case 'texts':
      return (
        <TagsInput
          {...common}
          placeholder={value === undefined ? placeholder : ''}
          value={texts(value)}
          onChange={(list) => onChange(orNothing(list))}
        />
      );
    case 'flag':
      return (
        <Checkbox
          label={label}
          description={description}
          checked={typeof value === 'boolean' ? value : fallback === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      );
    case 'number':
      return (
        <TextInput
          {...common}
          inputMode="decimal"
          placeholder={placeholder}
          value={toText(value)}
          onChange={(event) => onChange(fromNumberText(event.currentTarget.value))}
        />
      );
    case 'map':
      return (
        <MapInput field={field} value={value !== undefined && isJsonObject(value) ? value : {}} onChange={onChange} />
      );
    case 'code':
      return (
        <Textarea
          {...common}
          autosize
          minRows={8}
          maxRows={24}
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
          value={toText(value)}
          onChange={(event) => onText(event.currentTarget.value)}
        />
      );
    case 'text':
      return isSecret ? (
        <PasswordInput
          {...common}
          autoComplete="off"
          value={toText(value)}
          onChange={(event) => onText(event.currentTarget.value)}
        />
      ) : (
        <Textarea
          {...common}
          autosize
          maxRows={10}
          placeholder={placeholder}
          value={toText(value)}
          onChange={(event) => onText(event.currentTarget.value)}
        />
      );
    case 'json':
      return <TextAsValue {...common} placeholder={placeholder} value={value} read={fromText} onChange={onChange} />;
  }
}

function texts(value: JsonValue | undefined): string[] {
  if (!Array.isArray(value)) return [];
  const list: readonly unknown[] = value;
  return list.filter((one): one is string => typeof one === 'string');
}

function orNothing(list: readonly string[]): JsonValue | undefined {
  return list.length === 0 ? undefined : list;
}
