import { Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useContext } from 'react';
import { editorsQuery } from '../code/load.ts';
import { ExpressionFormContext } from './sample-data.ts';
import type { TextField } from './text-field.ts';

/** A field for JavaScript. */
export function ScriptInput(props: TextField) {
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
