import { Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useContext, useState } from 'react';
import { editorsQuery } from '../code/load.ts';
import { ExpressionFormContext } from './sample-data.ts';
import type { ExpressionField } from './text-field.ts';

/**
 * A field for text that may contain expressions: with completion and previews in the form of a node, plain text
 * elsewhere.
 */
export function ExpressionInput(props: ExpressionField) {
  const form = useContext(ExpressionFormContext);
  const { data: editors } = useQuery({ ...editorsQuery, enabled: form !== undefined });
  // A person who types while the editor is being loaded continues in it.
  const [hadFocus, setFocus] = useState(false);
  if (form && editors) return <editors.ExpressionEditor {...props} form={form} hadFocus={hadFocus} />;
  const { label, isLabelHidden = false, description, placeholder, required, value, onChange } = props;
  return (
    <Textarea
      {...(isLabelHidden ? { 'aria-label': label } : { label, description })}
      required={required ?? false}
      placeholder={placeholder ?? ''}
      autosize
      maxRows={14}
      spellCheck={false}
      value={value}
      onFocus={() => setFocus(true)}
      onBlur={() => setFocus(false)}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
