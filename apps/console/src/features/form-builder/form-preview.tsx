import type { JsonObject } from '@deckhand/contracts';
import { Code, Paper, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { ExpressionFormContext } from '../../forms/sample-data.ts';
import { TaskForm } from '../../forms/task-form.tsx';
import { i18n } from '../../language/i18n.ts';
import { checkForm } from './check-form.ts';
import { type FormRow, toSchema } from './form-rows.ts';

const NO_ISSUES: ReadonlyMap<string, string> = new Map();

/** The form as the inbox shows it. It can be filled in, and submits nothing. */
export function FormPreview({ rows }: { rows: readonly FormRow[] }) {
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
