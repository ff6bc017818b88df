import {
  ActionIcon,
  Button,
  Checkbox,
  Fieldset,
  Group,
  Input,
  NativeSelect,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react';
import { FieldInput } from '../../forms/field-input.tsx';
import { labelOf, toTaskForm } from '../../forms/schema.ts';
import { i18n } from '../../language/i18n.ts';
import { type FieldType, type FormRow, hasChoices, limitsOf, toProperty, withType } from './form-rows.ts';

const TYPES: readonly { readonly value: FieldType; readonly label: string }[] = [
  { value: 'text', label: i18n.t('Text') },
  { value: 'longText', label: i18n.t('Long text') },
  { value: 'number', label: i18n.t('Number') },
  { value: 'integer', label: i18n.t('Whole number') },
  { value: 'flag', label: i18n.t('Yes/No') },
  { value: 'choice', label: i18n.t('Choice') },
  { value: 'choices', label: i18n.t('Multiple choice') },
  { value: 'date', label: i18n.t('Date') },
  { value: 'time', label: i18n.t('Date and time') },
  { value: 'email', label: i18n.t('E-mail') },
  { value: 'url', label: i18n.t('URL') },
  { value: 'texts', label: i18n.t('List of texts') },
  { value: 'file', label: i18n.t('File') },
  { value: 'files', label: i18n.t('Files') },
];

/** Labels of the limits, by their keywords. */
const LIMIT_LABELS: Readonly<Record<NonNullable<ReturnType<typeof limitsOf>>[number], string>> = {
  minLength: i18n.t('Min length'),
  maxLength: i18n.t('Max length'),
  minimum: i18n.t('Min'),
  maximum: i18n.t('Max'),
  minItems: i18n.t('Min items'),
  maxItems: i18n.t('Max items'),
};

/** Issues of a most that is less than its least, by the keyword of the latter. */
const LESS_THAN_LEAST = {
  minLength: i18n.t('Less than min length'),
  minimum: i18n.t('Less than min'),
  minItems: i18n.t('Less than min items'),
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
  const number = index + 1;
  return (
    <Fieldset legend={i18n.t('Field {number}', { number })} p="xs">
      <Stack gap="xs">
        <Group gap="xs" wrap="nowrap" align="flex-start">
          <TextInput
            label={i18n.t('Label')}
            autoFocus={isNew}
            placeholder={labelOf(row.name)}
            error={row.name === '' && nameIssue}
            value={row.label}
            onChange={(event) => onChange({ label: event.currentTarget.value })}
            flex={1}
          />
          <NativeSelect
            label={i18n.t('Type')}
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
            label={i18n.t('Required')}
            checked={row.isRequired}
            onChange={(event) => onChange({ isRequired: event.currentTarget.checked })}
          />
          <Group gap={4} wrap="nowrap">
            {/* Not disabled at either end, where the focus would be lost. */}
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={i18n.t('Move field {number} up', { number })}
              aria-disabled={index === 0}
              data-disabled={index === 0 || undefined}
              onClick={(event) => onMove(-1, event.currentTarget)}
            >
              <ArrowUp size={16} aria-hidden />
            </ActionIcon>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={i18n.t('Move field {number} down', { number })}
              aria-disabled={isLast}
              data-disabled={isLast || undefined}
              onClick={(event) => onMove(1, event.currentTarget)}
            >
              <ArrowDown size={16} aria-hidden />
            </ActionIcon>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={i18n.t('Remove field {number}', { number })}
              onClick={onRemove}
            >
              <X size={16} aria-hidden />
            </ActionIcon>
          </Group>
        </Group>
        <details>
          <Text component="summary" size="sm">
            {i18n.t('Options')}
          </Text>
          <Stack gap="xs" mt="xs">
            <TextInput
              label={i18n.t('Name')}
              description={i18n.t('Of the value in the output')}
              error={row.name !== '' && nameIssue}
              value={row.name}
              onChange={(event) => onChange({ name: event.currentTarget.value })}
            />
            <Textarea
              label={i18n.t('Help text')}
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
  // A file that somebody stored for a form would not be kept as long as the form.
  if (row.type === 'file' || row.type === 'files') return null;
  const property = { ...toProperty(row), title: i18n.t('Default'), description: '' };
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
        error={min !== undefined && max !== undefined && min > max && LESS_THAN_LEAST[least]}
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

/** The choices of a field: a row for each. */
function ChoiceRows({
  choices,
  onChange,
}: {
  choices: readonly string[];
  onChange: (choices: readonly string[]) => void;
}) {
  const add = (): void => onChange([...choices, '']);
  const issueOf = (choice: string, index: number): string | undefined =>
    choice !== '' && choices.indexOf(choice) < index ? i18n.t('Listed twice') : undefined;
  return (
    <Input.Wrapper
      label={i18n.t('Choices')}
      labelElement="div"
      error={choices.every((choice) => choice === '') && i18n.t('Add at least one choice')}
    >
      <Stack gap={6} my={4}>
        {choices.map((choice, index) => (
          // Rows have no identity other than their index.
          <Group key={index} gap={6} wrap="nowrap" align="flex-start">
            <TextInput
              aria-label={i18n.t('Choice {number}', { number: index + 1 })}
              // Only rows that were just added are empty.
              autoFocus={choice === ''}
              value={choice}
              error={issueOf(choice, index)}
              onChange={(event) => onChange(choices.with(index, event.currentTarget.value))}
              onKeyDown={(event) => {
                if (event.key === 'Enter' && choice !== '') add();
              }}
              flex={1}
            />
            {index > 0 && (
              <ActionIcon
                variant="subtle"
                color="gray"
                size="lg"
                aria-label={i18n.t('Move choice {number} up', { number: index + 1 })}
                onClick={() => onChange(choices.toSpliced(index - 1, 2, choice, ...choices.slice(index - 1, index)))}
              >
                <ArrowUp size={16} aria-hidden />
              </ActionIcon>
            )}
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={i18n.t('Remove choice {number}', { number: index + 1 })}
              onClick={() => onChange(choices.toSpliced(index, 1))}
            >
              <X size={16} aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        <Button variant="default" size="xs" leftSection={<Plus size={14} aria-hidden />} onClick={add} w="fit-content">
          {i18n.t('Add choice')}
        </Button>
      </Stack>
    </Input.Wrapper>
  );
}
