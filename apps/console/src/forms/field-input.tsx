import { isJsonObject, type JsonValue } from '@deckhand/contracts';
import {
  Checkbox,
  Fieldset,
  MultiSelect,
  PasswordInput,
  Select,
  Stack,
  TagsInput,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useContext } from 'react';
import { editorsQuery } from '../code/load.ts';
import { fromLocalTime, toLocalTime } from '../components/local-time.ts';
import { markCode } from '../components/mark-code.tsx';
import { i18n } from '../language/i18n.ts';
import { ExpressionInput } from './expression-input.tsx';
import { FilesInput } from './files-input.tsx';
import { MapInput } from './map-input.tsx';
import { RowsInput, rowsOf } from './rows-input.tsx';
import { ExpressionFormContext } from './sample-data.ts';
import { type Field, withMember } from './schema.ts';
import { TextAsValue } from './text-as-value.tsx';
import type { TextField } from './text-field.ts';
import { fromExpressionText, fromNumberText, fromText, isExpression, toText } from './values.ts';
import { WorkflowSelect } from './workflow-select.tsx';

/** Kinds of fields that are typed as text: the text does not change the kind of field. */
const TYPED: ReadonlySet<string> = new Set(['text', 'json', 'expression', 'number', 'code']);

/** Properties of the input for a field. */
export interface FieldInputProps {
  readonly field: Field;
  readonly value: JsonValue | undefined;
  /** @param part what of the value has changed, if it has parts: changes of the same part are undone together. */
  readonly onChange: (value: JsonValue | undefined, part?: string) => void;
}

/** The input for a field. */
export function FieldInput({ field, value, onChange }: FieldInputProps) {
  const { label, isRequired, isSecret, fallback, kind } = field;
  const inNode = useContext(ExpressionFormContext) !== undefined;
  const description = markCode(field.description);
  const common = { label, description, required: isRequired };
  const placeholder = fallback === undefined ? '' : toText(fallback).replaceAll(/\s+/g, ' ');
  const onText = (text: string): void => onChange(text === '' ? undefined : text);
  // An expression in a field with fixed choices is edited as text; other fields are text anyway.
  if (isExpression(value) && !TYPED.has(kind.kind)) {
    return <ExpressionInput {...common} value={value} onChange={onText} />;
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
        <TextAsValue {...common} placeholder={placeholder} value={value} read={fromNumberText} onChange={onChange} />
      );
    case 'date':
      return (
        <TextInput
          {...common}
          type="date"
          value={toText(value)}
          onChange={(event) => onText(event.currentTarget.value)}
        />
      );
    case 'time':
      return (
        <TextInput
          {...common}
          type="datetime-local"
          value={toLocalTime(toText(value))}
          onChange={(event) => onChange(fromLocalTime(event.currentTarget.value))}
        />
      );
    case 'map':
      return (
        <MapInput field={field} value={value !== undefined && isJsonObject(value) ? value : {}} onChange={onChange} />
      );
    case 'rows': {
      const rows = rowsOf(value);
      return rows ? (
        <RowsInput
          field={field}
          fields={kind.fields}
          one={kind.one}
          rows={rows}
          renderField={(one, member, onMember) => <FieldInput field={one} value={member} onChange={onMember} />}
          onChange={onChange}
        />
      ) : (
        <TextAsValue {...common} value={value} read={fromText} onChange={onChange} />
      );
    }
    case 'group':
      return <GroupInput field={field} fields={kind.fields} value={value} onChange={onChange} />;
    case 'workflow':
      return (
        <WorkflowSelect
          {...common}
          clearable
          placeholder={i18n.t('Choose a workflow')}
          value={typeof value === 'string' ? value : null}
          // An expression or an id is taken, too.
          onType={(text) => {
            if (isExpression(text) || UUID.test(text)) onChange(text);
          }}
          onChange={(id) => onChange(id ?? undefined)}
        />
      );
    case 'code':
      return <ScriptInput {...common} value={toText(value)} onChange={onText} />;
    case 'text': {
      const text = { ...common, value: toText(value) };
      if (isSecret) {
        return <PasswordInput {...text} autoComplete="off" onChange={(event) => onText(event.currentTarget.value)} />;
      }
      if (inNode || kind.style === undefined) {
        return <ExpressionInput {...text} placeholder={placeholder} onChange={onText} />;
      }
      return kind.style === 'long' ? (
        <Textarea {...text} autosize minRows={4} maxRows={14} onChange={(event) => onText(event.currentTarget.value)} />
      ) : (
        <TextInput
          {...text}
          type={kind.style}
          placeholder={placeholder}
          onChange={(event) => onText(event.currentTarget.value)}
        />
      );
    }
    case 'expression':
      return (
        <TextAsValue
          {...common}
          isOneExpression={inNode}
          placeholder={placeholder}
          value={value}
          read={inNode ? fromExpressionText : fromText}
          onChange={onChange}
        />
      );
    case 'files':
      return <FilesInput {...common} files={kind.files} onChange={onChange} />;
    case 'form':
    case 'json':
      return <TextAsValue {...common} placeholder={placeholder} value={value} read={fromText} onChange={onChange} />;
  }
}

/** The fields of an object, which is omitted while all of them are empty. */
function GroupInput({ field, fields, value, onChange }: FieldInputProps & { fields: readonly Field[] }) {
  const object = value !== undefined && isJsonObject(value) ? value : {};
  const change = (name: string, next: JsonValue | undefined, part?: string): void => {
    const changed = withMember(object, name, next);
    onChange(Object.keys(changed).length === 0 ? undefined : changed, part === undefined ? name : `${name} ${part}`);
  };
  return (
    <Fieldset legend={field.label}>
      <Stack gap="sm">
        <Text size="xs" c="dimmed">
          {markCode(field.description)}
        </Text>
        {fields.map((member) => (
          <FieldInput
            key={member.name}
            field={member}
            value={Object.hasOwn(object, member.name) ? object[member.name] : undefined}
            onChange={(next, part) => change(member.name, next, part)}
          />
        ))}
      </Stack>
    </Fieldset>
  );
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

function texts(value: JsonValue | undefined): string[] {
  if (!Array.isArray(value)) return [];
  const list: readonly unknown[] = value;
  return list.filter((one): one is string => typeof one === 'string');
}

function orNothing(list: readonly string[]): JsonValue | undefined {
  return list.length === 0 ? undefined : list;
}

/** A field for JavaScript. */
function ScriptInput(props: TextField) {
  const form = useContext(ExpressionFormContext);
  const { data: editors } = useQuery(editorsQuery);
  if (editors) return <editors.ScriptEditor {...props} isReadOnly={form?.isReadOnly ?? false} />;
  const { label, description, required, value, onChange } = props;
  return (
    <Textarea
      label={label}
      description={description}
      required={required ?? false}
      readOnly={form?.isReadOnly ?? false}
      autosize
      minRows={8}
      maxRows={24}
      spellCheck={false}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
