import { Select, type SelectProps } from '@mantine/core';
import { useState } from 'react';
import { i18n } from '../language/i18n.ts';
import { useWorkflowOptions } from './use-workflow-options.ts';
import { isExpression } from './values.ts';

/** Selects a workflow of the workspace by its name. */
export function WorkflowSelect({
  value,
  fixed = [],
  onType,
  onChange,
  ...field
}: Omit<SelectProps, 'value' | 'defaultValue' | 'data' | 'searchable' | 'onSearchChange' | 'onChange'> & {
  value: string | null;
  /** Choices that are not workflow. */
  fixed?: readonly { readonly value: string; readonly label: string }[];
  /** Called with what is typed. */
  onType?: (text: string) => void;
  onChange: (value: string | null) => void;
}) {
  const [typed, setTyped] = useState('');
  const isOther = value === null || isExpression(value) || fixed.some((choice) => choice.value === value);
  const options = useWorkflowOptions(isOther ? [] : [value], typed);
  const expression = value !== null && isExpression(value) ? [{ value, label: value }] : [];
  return (
    <Select
      {...field}
      searchable
      nothingFoundMessage={i18n.t('No workflow has this name')}
      data={[...fixed, ...expression, ...options]}
      value={value}
      onSearchChange={(text) => {
        setTyped(text);
        onType?.(text);
      }}
      onChange={onChange}
    />
  );
}
