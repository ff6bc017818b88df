import type { JsonObject, JsonValue } from '@deckhand/contracts';
import { Button, Stack } from '@mantine/core';
import { type ReactNode, useMemo, useState } from 'react';
import { i18n } from '../language/i18n.ts';
import { FieldList } from './field-list.tsx';
import { useIsStoring } from './files-input.tsx';
import { toTaskForm } from './schema.ts';

/** The form of a human task, as a person fills it in. */
export function TaskForm({
  schema,
  issues,
  isPending = false,
  isSubmitted = false,
  children,
  onSubmit,
}: {
  schema: JsonValue;
  /** Issues of the last submission by the name of their field. */
  issues: ReadonlyMap<string, string>;
  isPending?: boolean;
  isSubmitted?: boolean;
  /** Shown above the button. */
  children?: ReactNode;
  onSubmit: (data: JsonObject) => void;
}) {
  const { fields, start } = useMemo(() => toTaskForm(schema), [schema]);
  const [data, setData] = useState(start);
  const isStoring = useIsStoring();
  return (
    <form
      // The browser would only show the first issue.
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(data);
      }}
    >
      <Stack gap="sm">
        <FieldList fields={fields} value={data} issues={issues} onChange={setData} />
        {children}
        <Button type="submit" loading={isPending} disabled={isSubmitted || isStoring} w="fit-content">
          {i18n.t('Submit')}
        </Button>
      </Stack>
    </form>
  );
}
