import type { JsonObject, JsonValue } from '@deckhand/contracts';
import { Button, Code, Paper, Stack, Text } from '@mantine/core';
import { Plus } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { ExpressionFormContext } from '../../forms/sample-data.ts';
import { TaskForm } from '../../forms/task-form.tsx';
import { i18n } from '../../language/i18n.ts';
import { checkForm } from './check-form.ts';
import { FormRowInput } from './form-row-input.tsx';
import { EMPTY_ROW, type FormRow, nameIssue, nameOf, toSchema } from './form-rows.ts';

/** A row on the screen, which may have no name yet. */
interface Entry {
  /** Stays the same when the row moves. */
  readonly id: number;
  readonly row: FormRow;
  /** Whether the name follows the label: only until it is edited, and never that of a saved field. */
  readonly isNameDerived: boolean;
}

/** The fields of a form, and its preview. */
export function FormFields({
  rows,
  schema,
  onChange,
}: {
  rows: readonly FormRow[];
  /** The schema of the rows; undefined while there is none. */
  schema: JsonValue | undefined;
  /** @param part what has changed: changes of the same part are undone together. */
  onChange: (schema: JsonObject, part: string) => void;
}) {
  // Rows without a name are not part of the schema.
  const [entries, setEntries] = useState(() => toEntries(rows));
  // By their text, which includes the order of the fields.
  const current = JSON.stringify(schema ?? toSchema([]));
  const isCurrent = textOf(entries) === current;
  const shown = isCurrent ? entries : toEntries(rows);
  const shownRows = shown.map(({ row }) => row);
  const addButton = useRef<HTMLButtonElement>(null);

  const set = (next: readonly Entry[], part: string): void => {
    setEntries(next);
    if (textOf(next) !== current) onChange(toSchema(next.map(({ row }) => row)), part);
  };
  const change = (index: number, entry: Entry, part: Partial<FormRow>): void => {
    const isNameDerived = entry.isNameDerived && part.name === undefined;
    const row = { ...entry.row, ...part };
    const others = shownRows.filter((_, at) => at !== index).map(({ name }) => name);
    const name = isNameDerived ? nameOf(row.label, others) : row.name;
    set(shown.with(index, { ...entry, row: { ...row, name }, isNameDerived }), `field ${entry.id}`);
  };
  const move = (index: number, to: number, button: HTMLElement): void => {
    const entry = shown[index];
    if (!entry || to < 0 || to >= shown.length) return;
    flushSync(() => set(shown.toSpliced(index, 1).toSpliced(to, 0, entry), `move ${entry.id} to ${to}`));
    // Moving an element takes the focus from it.
    button.focus();
  };
  return (
    <Stack gap="xs">
      {shown.map((entry, index) => (
        <FormRowInput
          key={entry.id}
          row={entry.row}
          index={index}
          isLast={index === shown.length - 1}
          isNew={entry.isNameDerived}
          nameIssue={nameIssue(shownRows, index)}
          onChange={(part) => change(index, entry, part)}
          onMove={(by, button) => move(index, index + by, button)}
          onRemove={() => {
            set(shown.toSpliced(index, 1), `remove ${entry.id}`);
            addButton.current?.focus();
          }}
        />
      ))}
      <Button
        ref={addButton}
        variant="default"
        size="xs"
        leftSection={<Plus size={14} aria-hidden />}
        onClick={() => {
          const id = Math.max(-1, ...shown.map((entry) => entry.id)) + 1;
          set([...shown, { id, row: EMPTY_ROW, isNameDerived: true }], `add ${id}`);
        }}
        w="fit-content"
      >
        {i18n.t('Add field')}
      </Button>
      <FormPreview key={JSON.stringify(toSchema(shownRows))} rows={shownRows} />
    </Stack>
  );
}

function textOf(entries: readonly Entry[]): string {
  return JSON.stringify(toSchema(entries.map(({ row }) => row)));
}

function toEntries(rows: readonly FormRow[]): readonly Entry[] {
  return rows.map((row, id) => ({ id, row, isNameDerived: false }));
}

const NO_ISSUES: ReadonlyMap<string, string> = new Map();

/** The form as the inbox shows it. It can be filled in, and submits nothing. */
function FormPreview({ rows }: { rows: readonly FormRow[] }) {
  const schema = useMemo(() => toSchema(rows), [rows]);
  const [submitted, setSubmitted] = useState<JsonObject | undefined>();
  const issues = submitted ? checkForm(rows, submitted) : NO_ISSUES;
  return (
    <Paper component="section" aria-label={i18n.t('Preview')} withBorder p="xs">
      <Text size="sm" c="dimmed" mb="xs">
        {i18n.t('Preview')}
      </Text>
      {/* People who fill in a form write no expressions. */}
      <ExpressionFormContext value={undefined}>
        <TaskForm schema={schema} issues={issues} onSubmit={setSubmitted} />
      </ExpressionFormContext>
      {/* Always there, so that screen readers notice what it will say. */}
      <div role="status">
        {submitted && issues.size === 0 && (
          <>
            <Text size="sm" mt="xs" mb={4}>
              {i18n.t('Valid. The output would be:')}
            </Text>
            <Code block>{JSON.stringify(submitted, null, 2)}</Code>
          </>
        )}
      </div>
    </Paper>
  );
}
