import { ActionIcon, Checkbox, Fieldset, Group, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { ArrowDown, ArrowUp, X } from 'lucide-react';
import { FieldInput } from '../forms/field-input.js';
import { labelOf, toTaskForm } from '../forms/schema.js';
import { ChoiceRows } from './choice-rows.js';
import { type FieldType, type FormRow, hasChoices, limitsOf, toProperty, withType } from './form-rows.js';

const TYPES: readonly { readonly value: FieldType; readonly label: string }[] = [
  { value: 'text', label: 'Text' },
  { value: 'longText', label: 'Long text' },
  { value: 'number', label: 'Number' },
  { value: 'integer', label: 'Whole number' },
  { value: 'flag', label: 'Yes/No' },
  { value: 'choice', label: 'Choice' },
  { value: 'choices', label: 'Multiple choice' },
  { value: 'date', label: 'Date' },
  { value: 'time', label: 'Date and time' },
  { value: 'email', label: 'E-mail' },
  { value: 'url', label: 'URL' },
  { value: 'texts', label: 'List of texts' },
];

/** Labels of the limits, by their keywords. */
const LIMIT_LABELS: Readonly<Record<NonNullable<ReturnType<typeof limitsOf>>[number], string>> = {
  minLength: 'Min length',
  maxLength: 'Max length',
  minimum: 'Min',
  maximum: 'Max',
  minItems: 'Min items',
  maxItems: 'Max items',
};

/** The inputs for a field of a form. */
export function FormRowInput({
  row,
  index,
  isLast,
  isNew,
  nameIssue,
  onChange,
  onMove,
  onRemove,
}: {
  row: FormRow;
  index: number;
  isLast: boolean;
  /** Whether it was just added: its label has the focus. */
  isNew: boolean;
  nameIssue: string | undefined;
  onChange: (part: Partial<FormRow>) => void;
  /** Called with -1 or 1, and the button. */
  onMove: (by: number, button: HTMLElement) => void;
  onRemove: () => void;
}) {
  const title = `field ${index + 1}`;
  return (
    <Fieldset legend={`Field ${index + 1}`} p="xs">
      <Stack gap="xs">
        <Group gap="xs" wrap="nowrap" align="flex-start">
          <TextInput
            label="Label"
            autoFocus={isNew}
            placeholder={labelOf(row.name)}
            error={row.name === '' && nameIssue}
            value={row.label}
            onChange={(event) => onChange({ label: event.currentTarget.value })}
            flex={1}
          />
          <NativeSelect
            label="Type"
            data={[...TYPES]}
            value={row.type}
            onChange={({ currentTarget: { value } }) => {
              const type = TYPES.find((one) => one.value === value)?.value;
              if (type) onChange(withType(row, type));
            }}
            w={128}
          />
        </Group>
        {hasChoices(row.type) && <ChoiceRows choices={row.choices} onChange={(choices) => onChange({ choices })} />}
        <Group justify="space-between" wrap="nowrap">
          <Checkbox
            label="Required"
            checked={row.isRequired}
            onChange={(event) => onChange({ isRequired: event.currentTarget.checked })}
          />
          <Group gap={4} wrap="nowrap">
            {/* Not disabled at either end, where the focus would be lost. */}
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Move ${title} up`}
              aria-disabled={index === 0}
              data-disabled={index === 0 || undefined}
              onClick={(event) => onMove(-1, event.currentTarget)}
            >
              <ArrowUp size={16} aria-hidden />
            </ActionIcon>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Move ${title} down`}
              aria-disabled={isLast}
              data-disabled={isLast || undefined}
              onClick={(event) => onMove(1, event.currentTarget)}
            >
              <ArrowDown size={16} aria-hidden />
            </ActionIcon>
            <ActionIcon variant="subtle" color="gray" aria-label={`Remove ${title}`} onClick={onRemove}>
              <X size={16} aria-hidden />
            </ActionIcon>
          </Group>
        </Group>
        <details>
          <Text component="summary" size="sm">
            Options
          </Text>
          <Stack gap="xs" mt="xs">
            <TextInput
              label="Name"
              description="Of the value in the output"
              error={row.name !== '' && nameIssue}
              value={row.name}
              onChange={(event) => onChange({ name: event.currentTarget.value })}
            />
            <Textarea
              label="Help text"
              autosize
              value={row.help}
              onChange={(event) => onChange({ help: event.currentTarget.value })}
            />
            <DefaultInput row={row} onChange={onChange} />
            <Limits row={row} onChange={onChange} />
          </Stack>
        </details>
      </Stack>
    </Fieldset>
  );
}

type PartProps = Readonly<{ row: FormRow; onChange: (part: Partial<FormRow>) => void }>;

/** The default of a field, in the input that its form has for it. */
function DefaultInput({ row, onChange }: PartProps) {
  const property = { ...toProperty(row), title: 'Default', description: '' };
  const [field] = toTaskForm({ properties: { default: property } }).fields;
  return field && <FieldInput field={field} value={row.fallback} onChange={(fallback) => onChange({ fallback })} />;
}

function Limits({ row: { type, min, max }, onChange }: PartProps) {
  const limits = limitsOf(type);
  if (!limits) return null;
  const [least, most] = limits;
  // Lengths and sizes are whole numbers.
  const common = { type: 'number', flex: 1, ...(least !== 'minimum' && { min: 0, step: 1 }) };
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <TextInput
        {...common}
        label={LIMIT_LABELS[least]}
        value={min ?? ''}
        onChange={(event) => onChange({ min: toNumber(event.currentTarget.value) })}
      />
      <TextInput
        {...common}
        label={LIMIT_LABELS[most]}
        error={min !== undefined && max !== undefined && min > max && `Less than ${LIMIT_LABELS[least].toLowerCase()}`}
        value={max ?? ''}
        onChange={(event) => onChange({ max: toNumber(event.currentTarget.value) })}
      />
    </Group>
  );
}

/** Parses what an input for numbers has: nothing, or a number. */
function toNumber(text: string): number | undefined {
  return text === '' ? undefined : Number(text);
}
