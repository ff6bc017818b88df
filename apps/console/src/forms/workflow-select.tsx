import { Select, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useWorkspace } from '../api/use-workspace.ts';
import { MAX_NAMES, workflowNamesQuery } from '../api/workflow-names.ts';
import { workflowQuery } from '../api/workflows.ts';
import { i18n } from '../language/i18n.ts';
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

/** How long typing is gathered before a search, in ms. */
const DELAY_MS = 200;
/** Maximum length of a search. */
const MAX_SEARCH = 200;

/**
 * Returns the workflows of the workspace for a field of choices. Where there are more than are fetched at once, they
 * include those that the typed text finds, and the chosen ones.
 */
export function useWorkflowOptions(chosen: readonly string[], typed: string): { value: string; label: string }[] {
  const { workspaceId } = useWorkspace();
  const first = useQuery(workflowNamesQuery(workspaceId)).data;
  const [search] = useDebouncedValue(typed.trim().slice(0, MAX_SEARCH), DELAY_MS);
  const found = useQuery({
    ...workflowNamesQuery(workspaceId, search),
    enabled: first !== undefined && first.size >= MAX_NAMES && search !== '',
  }).data;
  const names = new Map([...(first ?? []), ...(found ?? [])]);
  const others = first ? chosen.filter((id) => !names.has(id)) : [];
  const single = useQueries({ queries: others.map((id) => workflowQuery(id)) });
  for (const [index, { data, isError }] of single.entries()) {
    const id = others[index] ?? '';
    names.set(id, data?.name ?? (isError ? i18n.t('Deleted workflow {id}', { id: id.slice(0, 8) }) : '…'));
  }
  return [...names].map(([value, label]) => ({ value, label }));
}
